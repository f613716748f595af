"""Draws the figures of a paper. matplotlib must be installed.

    import heddle

    result = heddle.simulate("scenarios/quickstart.yaml")
    plot = heddle.plot.gantt(result)     # a matplotlib figure
    plot.save("gantt.pdf")               # and its data, gantt.csv

Each function takes a directory of results or an object of class heddle.Result: gantt and usage one
run, cdf and box runs or a comparison or sweep, bars a comparison or sweep, and sweep a sweep.
`figure` is the key of what is shown, and `series` names the policies, runs or jobs. `labels` renames
them, such as {"fifo": "FIFO"}. The size is that of a column, unless `width` and `height` (inches)
say otherwise.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .. import HeddleError
from .data import KINDS, Data, Labels, relabel
from .results import read

__all__ = ["KINDS", "bars", "box", "cdf", "gantt", "make_data", "plot", "sweep", "usage"]

Names = Optional[Sequence[str]]


def make_data(kind: str, results: Any, labels: Labels = None, **options: Any) -> Data:
    """Returns the data of a figure of one of KINDS. `labels`: new names of series, as a dict or as
    texts "OLD=NEW"."""
    if kind not in KINDS:
        raise HeddleError(f'unknown kind "{kind}"; expected one of {", ".join(KINDS)}', 2)
    return relabel(KINDS[kind](read(results), **options), labels)


def plot(kind: str, results: Any, width: Optional[float] = None, height: Optional[float] = None,
         **options: Any) -> Any:
    """Draws a figure of one of KINDS."""
    data = make_data(kind, results, **options)
    from .draw import draw  # needs matplotlib
    return draw(kind, data, width, height)


def gantt(result: Any, series: Names = None, nodes: Names = None, **size: Any) -> Any:
    """Draws the containers of a run over time and nodes. Up to six jobs have a fill each. Of more,
    the five that held containers for longest, or those of `series`, have one."""
    return plot("gantt", result, series=series, nodes=nodes, **size)


def usage(result: Any, **size: Any) -> Any:
    """Draws the cores and the memory of a run that were allocated and used, over time."""
    return plot("usage", result, **size)


def cdf(results: Any, figure: str = "waiting_s", series: Names = None, **size: Any) -> Any:
    """Draws the distribution of a figure of jobs, with a line for each policy or run."""
    return plot("cdf", results, figure=figure, series=series, **size)


def box(results: Any, figure: str = "completion_s", series: Names = None, **size: Any) -> Any:
    """Draws boxes of a figure of jobs, or of a figure of runs over repeats."""
    return plot("box", results, figure=figure, series=series, **size)


def bars(results: Any, figure: str = "mean_completion_s", series: Names = None,
         **size: Any) -> Any:
    """Draws the means of a figure of runs over repeats, with 95 % confidence intervals."""
    return plot("bars", results, figure=figure, series=series, **size)


def sweep(results: Any, figure: str = "mean_completion_s", series: Names = None,
          **size: Any) -> Any:
    """Draws the means of a figure of runs over a swept value, with 95 % confidence intervals. If
    two keys were swept, there is a line for each value of the other key."""
    return plot("sweep", results, figure=figure, series=series, **size)
