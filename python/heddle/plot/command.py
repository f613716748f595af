"""Carries out `heddle plot`, which passes its options as JSON in the second argument."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from .. import HeddleError
from . import make_data

#: The Python of the distribution, which has the distribution's matplotlib.
DISTRIBUTION = "/usr/bin/python3"


def printable(text: str) -> str:
    """Escapes characters that a terminal can take for commands."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def say(text: str) -> None:
    print("heddle: " + printable(text), file=sys.stderr)


def fail(text: str, status: int) -> int:
    say(text)
    return status


def draw_and_save(data: Any, options: dict[str, Any]) -> int:
    try:
        from .draw import draw
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "matplotlib":
            raise
        if sys.executable != DISTRIBUTION and os.path.exists(DISTRIBUTION):
            os.execv(DISTRIBUTION, [DISTRIBUTION, *sys.orig_argv[1:]])
        return fail("matplotlib, which draws figures, is not installed; to install it: "
                    + options["remedy"], 3)
    plot = draw(options["kind"], data, options.get("width"), options.get("height"))
    for path in plot.save(options["out"], options["command"]):
        print(printable(f"wrote {path}"))
    for note in data.notes:
        say(note)
    print(printable("caption: " + data.caption))
    return 0


def plot(options: dict[str, Any]) -> int:
    chosen = {key: options[key] for key in ("figure", "series", "labels", "nodes")
              if key in options}
    try:
        try:
            data = make_data(options["kind"], options["results"], **chosen)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            return fail(f"a file of the results is damaged ({error!r})", 4)
        return draw_and_save(data, options)
    except HeddleError as error:
        text = str(error)
        return fail(text[len("heddle: "):] if text.startswith("heddle: ") else text, error.status)
    except OSError as error:
        return fail(f"{error.filename or options['out']}: {error.strerror}", 4)
    except KeyboardInterrupt:
        return 130


def main() -> None:
    sys.exit(plot(json.loads(sys.argv[2])))
