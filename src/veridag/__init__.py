"""veridag learns the structure of Bayesian networks, and tells which learner to trust on your data.

The names below are loaded when they are first used, so that ``import veridag`` takes no time. They are listed once,
in ``__init__.pyi``, where type checkers and this file both read them.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

_EXPORT = re.compile(r"^from \.([\w.]*) import (\w+) as \2$", re.MULTILINE)
_HOME = {name: module for module, name in _EXPORT.findall(Path(__file__).with_suffix(".pyi").read_text("utf-8"))}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 -- the names are read from the stub


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("veridag")
    if name not in _HOME:
        raise AttributeError(f"module 'veridag' has no attribute {name!r}")
    home = _HOME[name]
    value = import_module(f".{name}", __name__) if home == "" else getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
