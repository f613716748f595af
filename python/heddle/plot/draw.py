"""Draws figures for a column of a paper with matplotlib."""

from __future__ import annotations

import io
import shlex
from pathlib import Path
from typing import Any, Callable, Optional, Sequence

import matplotlib
from matplotlib.collections import PatchCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from .. import HeddleError
from .data import Data, numbers

#: Fonts are embedded as TrueType, as publishers ask for. Equal data give equal files.
STYLE = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "heddle",
         "font.size": 8, "axes.labelsize": 8, "xtick.labelsize": 7, "ytick.labelsize": 7,
         "legend.fontsize": 7, "legend.frameon": False, "axes.linewidth": 0.6,
         "xtick.major.width": 0.6, "ytick.major.width": 0.6, "xtick.major.size": 2.5,
         "ytick.major.size": 2.5, "hatch.linewidth": 0.5, "axes.spines.top": False,
         "axes.spines.right": False, "grid.linewidth": 0.4, "grid.color": "#cccccc",
         "axes.axisbelow": True, "savefig.dpi": 300, "axes.unicode_minus": False}
# Each series differs from the others in lightness, and in a pattern besides its color.
FILLS = [("#ffffff", ""), ("#808080", ""), ("#9ecae1", "////"), ("#fdd0a2", "...."),
         ("#c6c6c6", "\\\\\\\\"), ("#e5f5e0", "xxxx")]
REST_FILL = ("#ececec", "")
LINES = [("#000000", "-", "o"), ("#0072b2", (0, (5, 1.5)), "s"), ("#d55e00", (0, (1.2, 1.2)), "^"),
         ("#009e73", (0, (6, 1.5, 1.2, 1.5)), "D"),
         ("#8c5aa8", (0, (3, 1.5, 1.2, 1.5, 1.2, 1.5)), "v"), ("#8a8a8a", "-", "x")]
WIDTH_IN = 3.3
LONGEST_NAME = 20


class Plot(Figure):
    """A matplotlib figure that knows the data behind it."""

    data: Data

    def save(self, path: Any, command: Sequence[str] = ()) -> list[Path]:
        """Writes the figure to `path`, a file .pdf, .svg or .png, and its data as CSV beside it.
        The command becomes part of the figure's metadata. Replaces files that Heddle has written,
        but no others. Returns the paths of both files."""
        path = Path(path)
        if path.suffix not in _METADATA:
            raise HeddleError(f"{path}: expected a name that ends in {', '.join(_METADATA)}", 2)
        table = path.with_suffix(".csv")
        _check_places(path, table, self.data)
        picture = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            self.savefig(picture, format=path.suffix[1:],
                         metadata=_METADATA[path.suffix](shlex.join(command)))
        _replace(path, picture.getvalue())
        _replace(table, self.data.csv().encode())
        return [path, table]


# The metadata that each format knows. Without a date, equal data give equal files.
_METADATA: dict[str, Callable[[str], dict[str, Any]]] = {
    ".pdf": lambda command: {"Creator": "Heddle", "Subject": command, "CreationDate": None},
    ".svg": lambda command: {"Creator": "Heddle", "Description": command, "Date": None},
    ".png": lambda command: {"Software": "Heddle", "Description": command}}


def _check_places(path: Path, table: Path, data: Data) -> None:
    """Raises HeddleError if a file is in the way that Heddle did not write."""
    ours = path.exists() and b"Heddle" in path.read_bytes()
    if path.exists() and not ours:
        raise HeddleError(f"{path}: exists and is not a figure of Heddle; expected another -o", 2)
    if table.exists() and not ours:
        with open(table, encoding="utf-8", errors="replace") as file:
            if file.readline() != ",".join(data.columns) + "\n":
                raise HeddleError(f"{table}: exists and is not the data of such a figure; expected "
                                  "another -o", 2)


def _replace(path: Path, contents: bytes) -> None:
    """Writes a file as a whole or not at all."""
    part = path.with_name(f".{path.name}.new")
    part.write_bytes(contents)
    part.replace(path)


def draw(kind: str, data: Data, width: Optional[float] = None,
         height: Optional[float] = None) -> Plot:
    """Draws the data of a kind of figure. The sizes are in inches."""
    with matplotlib.rc_context(STYLE):
        shape = HEIGHTS[kind](data) if height is None else height
        plot = Plot(figsize=(width or WIDTH_IN, shape), layout="constrained")
        plot.get_layout_engine().set(w_pad=0.02, h_pad=0.02, hspace=0.03)
        plot.data = data
        DRAWERS[kind](plot, data)
    return plot


def shortened(names: Sequence[str], most: int = LONGEST_NAME) -> list[str]:
    """Shortens long names in the middle: "appli…_0149". The end that is kept is as long as it has
    to be for different names to stay different, if it can be."""
    short: list[str] = []
    for tail in range(most // 2, most):
        short = [name if len(name) <= most
                 else name[:most - 1 - tail] + "…" + name[len(name) - tail:] for name in names]
        if len(set(short)) == len(set(names)):
            break
    return short


def _legend(plot: Plot, handles: Sequence[Any], names: Sequence[str]) -> None:
    """Puts the legend above the axes, in as many columns as the longest name leaves room for."""
    widest = max(map(len, names), default=0)
    columns = max(1, min(len(names), int(plot.get_figwidth() * 17 / (widest + 7))))
    plot.legend(handles, list(names), loc="upper center", ncol=columns, handlelength=2.6,
                columnspacing=1.2, borderaxespad=0.1, borderpad=0.2, labelspacing=0.3)
    lines = -(-len(names) // columns)
    inches = (lines * 1.4 * STYLE["legend.fontsize"] + 2) / 72
    plot.get_layout_engine().set(rect=(0, 0, 1, 1 - inches / plot.get_figheight()))


def _lines_legend(plot: Plot, names: Sequence[str], markers: bool) -> None:
    handles = [Line2D([], [], **_line(i, markers)) for i in range(len(names))]
    if len(names) > 1:
        _legend(plot, handles, shortened(names))


def _line(i: int, markers: bool = True) -> dict[str, Any]:
    color, style, marker = LINES[i]
    return {"color": color, "linestyle": style, "linewidth": 1.1, "markersize": 3.5,
            "markerfacecolor": "white", "marker": marker if markers else None}


def _fill(i: int) -> dict[str, Any]:
    color, hatch = FILLS[i]
    return {"facecolor": color, "hatch": hatch, "edgecolor": "black", "linewidth": 0.6}


# Gantt charts.

def _gantt(plot: Plot, data: Data) -> None:
    axes = plot.subplots()
    nodes = data.facts["nodes"]
    lanes = {node: max((row[1] + 1 for row in data.of(node)), default=1) for node in nodes}
    rows_of: dict[str, list[Any]] = {}
    for row in data.rows:
        rows_of.setdefault(row[2] if row[2] in data.series else "", []).append(row)
    inches = plot.get_figheight() * 0.75 / max(1, sum(lanes.values()))
    handles, names = [], []
    for i, job in enumerate(["", *data.series]):
        boxes = [_container(row, nodes, lanes) for row in rows_of.get(job, [])]
        style = _gantt_fill(i - 1, inches)
        axes.add_collection(PatchCollection(boxes, **style))
        if job:
            handles.append(Patch(**style))
            names.append(job)
    names = shortened(names)
    if data.facts["rest"]:
        handles.append(Patch(**_gantt_fill(-1, inches)))
        names.append(f"{data.facts['rest']} other jobs")
    if failures := _mark_failures(axes, data, nodes, lanes):
        handles.append(failures)
        names.append("not completed")
    _legend(plot, handles, names)
    _node_axis(axes, nodes)
    axes.set_xlim(0, max(data.column("until_s"), default=1))
    axes.set_xlabel(data.axes["x"])


def _gantt_fill(i: int, lane_inches: float) -> dict[str, Any]:
    """Returns the style of containers. Edges of thin lanes would hide their fill."""
    color, hatch = FILLS[i] if i >= 0 else REST_FILL
    return {"facecolor": color, "hatch": hatch, "edgecolor": "black",
            "linewidth": min(0.4, 5 * lane_inches)}


def _container(row: list[Any], nodes: list[str], lanes: dict[str, int]) -> Rectangle:
    height = 0.84 / lanes[row[0]]
    bottom = nodes.index(row[0]) - 0.42 + row[1] * height
    return Rectangle((row[7], bottom), row[8] - row[7], height)


def _mark_failures(axes: Any, data: Data, nodes: list[str], lanes: dict[str, int]) -> Any:
    """Marks the ends of containers that ended without completing. Returns the marks, or None."""
    ended = [_container(row, nodes, lanes) for row in data.rows
             if row[6] not in ("completed", "running", "suspended", "allocated")]
    if not ended:
        return None
    return axes.plot([box.get_x() + box.get_width() for box in ended],
                     [box.get_y() + box.get_height() / 2 for box in ended], linestyle="",
                     marker="x", color="black", markersize=3, markeredgewidth=0.8)[0]


def _node_axis(axes: Any, nodes: list[str]) -> None:
    every = -(-len(nodes) // 24)
    shown = range(0, len(nodes), every)
    names = shortened(nodes, 14)
    axes.set_yticks(list(shown), [names[i] for i in shown])
    axes.set_ylim(len(nodes) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


# Curves.

def _usage(plot: Plot, data: Data) -> None:
    panels = plot.subplots(2, 1, sharex=True)
    times = data.column("t_s")
    for axes, resource, end, label in zip(panels, ("cores", "memory"), ("", "_gib"),
                                          ("cores", "memory (GiB)")):
        capacity = axes.axhline(data.facts[resource], color="black", linewidth=0.6,
                                linestyle=(0, (1, 2)))
        allocated = axes.plot(times, data.column(f"{resource}_allocated{end}"), color="black",
                              linewidth=1, drawstyle="steps-post")[0]
        handles, names = [capacity, allocated], ["capacity", "allocated"]
        if data.facts["measured"]:
            used = data.column(f"{resource}_used{end}")
            axes.fill_between(times, used, step="post", facecolor="#b8b8b8", linewidth=0)
            handles.append(Patch(facecolor="#b8b8b8"))
            names.append("used")
        axes.set_ylim(0, data.facts[resource] * 1.08)
        axes.set_ylabel(label)
        axes.yaxis.set_major_locator(MaxNLocator(4))
    _legend(plot, handles, names)
    panels[0].set_xlim(0, max(times[-1], 1e-6))
    panels[1].set_xlabel(data.axes["x"])
    plot.align_ylabels()


def _cdf(plot: Plot, data: Data) -> None:
    axes = plot.subplots()
    end = max(row[1] for row in data.rows)
    for i, name in enumerate(data.series):
        rows = data.of(name)
        style = {**_line(i), "markevery": (max(1, len(rows) // 10), max(1, len(rows) // 5))}
        axes.plot([rows[0][1], *(row[1] for row in rows), end], [0, *(row[2] for row in rows), 1],
                  drawstyle="steps-post", **style)
    _lines_legend(plot, data.series, True)
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0, end * 1.02 or 1)
    axes.set_xlabel(data.axes["x"])
    axes.set_ylabel(data.axes["y"])
    axes.grid(True)


def _sweep(plot: Plot, data: Data) -> None:
    axes = plot.subplots()
    texts = list(dict.fromkeys(row[1] for row in data.rows))
    numeric = data.facts["numeric"]
    places = {text: _number(text) if numeric else i for i, text in enumerate(texts)}
    for i, name in enumerate(data.series):
        rows = sorted((row for row in data.of(name) if row[2]), key=lambda row: places[row[1]])
        # Series are shifted by a point or two, so that their intervals do not hide each other.
        shift = offset_copy(axes.transData, plot, 1.6 * (i - (len(data.series) - 1) / 2), 0,
                            units="points")
        style = {**_line(i), **({} if numeric else {"linestyle": ""}), "transform": shift}
        axes.errorbar([places[row[1]] for row in rows], [row[3] for row in rows],
                      yerr=[[row[3] - row[4] for row in rows], [row[5] - row[3] for row in rows]],
                      capsize=2, elinewidth=0.7, capthick=0.7, **style)
    _lines_legend(plot, data.series, True)
    if numeric:
        axes.margins(x=0.06)
    else:
        room = int(13 * plot.get_figwidth() / len(texts))
        turned = room < 6 and max(map(len, texts)) > room
        axes.set_xticks(range(len(texts)), shortened(texts, 14 if turned else max(6, room)),
                        **({"rotation": 30, "ha": "right"} if turned else {}))
        axes.set_xlim(-0.5, len(texts) - 0.5)
    axes.set_xlabel(data.axes["x"])
    axes.set_ylabel(data.axes["y"])
    axes.grid(True)


def _number(text: str) -> float:
    found = numbers([text])
    assert found
    return found[0][0]


# Bars and boxes. They lie, so that names need no turning.

def _bars(plot: Plot, data: Data) -> None:
    axes = plot.subplots()
    for i, row in enumerate(data.rows):
        if not row[1]:
            continue
        axes.barh(i, row[2], height=0.66, xerr=[[row[2] - row[3]], [row[4] - row[2]]],
                  error_kw={"elinewidth": 0.8, "capsize": 2.5, "capthick": 0.8}, **_fill(i))
    axes.set_xlim(left=0)
    _name_axis(axes, data)


def _box(plot: Plot, data: Data) -> None:
    axes = plot.subplots()
    line = {"color": "black", "linewidth": 0.7}
    drawn = axes.boxplot([[row[-1] for row in data.of(name)] for name in data.series], vert=False,
                         positions=range(len(data.series)), widths=0.6, patch_artist=True,
                         medianprops={**line, "linewidth": 1.6}, whiskerprops=line, capprops=line,
                         flierprops={"marker": "o", "markersize": 2, "markeredgewidth": 0.5})
    for i, patch in enumerate(drawn["boxes"]):
        patch.set(**_fill(i))
    _name_axis(axes, data)


def _name_axis(axes: Any, data: Data) -> None:
    axes.set_yticks(range(len(data.series)), shortened(data.series))
    axes.set_ylim(len(data.series) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(data.axes["x"])
    axes.grid(True, axis="x")


DRAWERS: dict[str, Callable[[Plot, Data], None]] = {
    "gantt": _gantt, "cdf": _cdf, "bars": _bars, "usage": _usage, "sweep": _sweep, "box": _box}
HEIGHTS: dict[str, Callable[[Data], float]] = {
    "gantt": lambda data: min(5.0, 1.0 + 0.2 * max(4, len(data.facts["nodes"]))),
    "cdf": lambda data: 2.2, "usage": lambda data: 2.6, "sweep": lambda data: 2.2,
    "bars": lambda data: 0.6 + 0.26 * len(data.series),
    "box": lambda data: 0.6 + 0.26 * len(data.series)}
