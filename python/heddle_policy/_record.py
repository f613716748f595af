"""Writes what decisions depend on beside the policy's class: its modules, the interpreter, versions
and variables."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from typing import Any, Iterable

#: Directories of installed modules. Their versions are recorded, not their text.
_INSTALLED = {"site-packages", "dist-packages"}


def _own_modules(directory: str) -> dict[str, str]:
    """Returns the SHA-256 of each file of a module in the directory, by its relative path."""
    own, here = {}, os.path.dirname(os.path.realpath(__file__))
    for module in list(sys.modules.values()):
        path = os.path.realpath(getattr(module, "__file__", None) or os.devnull)
        inside = path.startswith(directory + os.sep)
        if not inside or path.startswith(here + os.sep) or not os.path.isfile(path):
            continue
        name = os.path.relpath(path, directory)
        if _INSTALLED.isdisjoint(name.split(os.sep)):
            with open(path, "rb") as file:
                own[name] = hashlib.sha256(file.read()).hexdigest()
    return dict(sorted(own.items()))


def _versions() -> dict[str, str]:
    """Returns the versions of imported modules that say one and are not of Python itself."""
    found = {}
    standard: Iterable[str] = getattr(sys, "stdlib_module_names", ())
    for name, module in list(sys.modules.items()):
        version = getattr(module, "__version__", None)
        if isinstance(version, str) and "." not in name and name not in standard:
            found[name] = version
    return dict(sorted(found.items()))


def write_record(path: str, environment: Iterable[str]) -> None:
    """Writes the record. Its fields are in docs/reference/external-policies.md."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    directory = os.path.dirname(os.path.realpath(main)) if main else ""
    record: dict[str, Any] = {
        "interpreter": f"{platform.python_implementation()} {platform.python_version()}",
        "executable": sys.executable,
        "versions": _versions(),
        "environment": {name: os.environ.get(name) for name in environment},
        "directory": directory,
        "modules": _own_modules(directory) if directory else {},
    }
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(path + ".new", path)
