"""The code in the tables of docs/coming-from.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"
PACKAGES = ("bnlearn", "pgmpy", "pyAgrum")
_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")
_PART = re.compile(rf"({'|'.join(PACKAGES)}): ")
_START = re.compile(r"^The code for (\w+) starts with:\n\n```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def starts() -> dict[str, str]:
    """What the code of a package imports and reads."""
    return dict(_START.findall(PAGE.read_text("utf-8")))


def rows() -> Iterator[dict[str, list[str]]]:
    """The code of each row, by the package; `here` is veridag."""
    header: list[str] = []
    for line in PAGE.read_text("utf-8").splitlines():
        if not line.startswith("|"):
            header = []
            continue
        cells = [cell.strip().replace(r"\|", "|") for cell in _CELL.split(line)[1:-1]]
        if not header:
            header = cells
        elif set(line) - set("|-"):
            yield dict(_codes(header, cells))


def _codes(header: list[str], cells: list[str]) -> Iterator[tuple[str, list[str]]]:
    for name, cell in zip(header, cells, strict=True):
        if name != "there":
            yield name, _CODE.findall(cell)
        else:
            _, *parts = _PART.split(cell)
            for package, part in zip(parts[::2], parts[1::2], strict=True):
                yield package, _CODE.findall(part)


def value(code: str, scope: dict[str, Any]) -> Any:
    """The value of an expression, or of the name that is assigned to."""
    name, assigned, expression = code.partition(" = ")
    if not (assigned and name.isidentifier()):
        return eval(code, scope)
    scope[name] = eval(expression, scope)
    return scope[name]
