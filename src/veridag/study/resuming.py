"""Finished cells from exported tables, so that a study goes on from them: only what is missing is done."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path

from veridag.errors import InputError
from veridag.files.limits import gunzipped

from . import typed_csv
from .kind import Row, Value
from .plan import Cell, Plan
from .store import Outcome, Store
from .tables import ENDING, SHORT_KEY


@dataclass(frozen=True)
class Found:
    """The cells of a plan that a table has, by key, and how many cells of the table are not in the plan."""

    outcomes: Mapping[str, Outcome]
    others: int


def read_cells(plan: Plan, path: str | Path) -> Found:
    """The finished cells of a CSV that ``veridag study export`` has written, which may be compressed with gzip.

    Rows have the types and values that were measured, and cells the version of veridag that did them. A compact table
    has no times: 0 seconds then.
    """
    name = str(path)
    cells = {cell.key[:SHORT_KEY]: cell for cell in plan.cells}
    known = {"key", *ENDING, *(label for _, own in plan.kind.labels(plan.spec) for label in own)}
    outcomes: dict[str, Outcome] = {}
    others: set[str] = set()
    for key, lines in _by_key(_lines(_text(path), name)):
        if key in outcomes or key in others:
            raise InputError(f"{name}: the cell {key} is there twice: export it again")
        if key in cells:
            outcomes[key] = _outcome(cells[key], lines, known, name)
        else:
            others.add(key)
    if not outcomes:
        raise InputError(
            f"{name}: none of its {len(others)} finished cells is in {plan.spec.name} at this scale: give a table of "
            "this study at this or a smaller scale, exported by a version that computes the same"
        )
    return Found({found.cell.key: found for found in outcomes.values()}, len(others))


def take_over(store: Store, found: Found) -> int:
    """Write cells that the store has not as finished, and return how many these are."""
    new = missing(store, found)
    for key in new:
        store.write(found.outcomes[key])
    return len(new)


def missing(store: Store, found: Found) -> list[str]:
    """The keys of the cells that the store has not as finished."""
    records = store.records()
    return [key for key in found.outcomes if key not in records or records[key].status != "done"]


def _text(path: str | Path) -> str:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}): give the path of an exported table") from error
    try:
        packed = content.startswith(b"\x1f\x8b")
        return (gunzipped(content, str(path)) if packed else content).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the file is damaged ({error}): export it again") from error


def _lines(text: str, name: str) -> Iterator[dict[str, Value]]:
    """The lines of finished cells, by column."""
    lines = typed_csv.read(text, name)
    columns = [str(column) for column in next(lines, [])]
    for column in ("key", "version"):
        if column not in columns:
            raise InputError(
                f"{name}: it has no column {column!r}: give a CSV that `veridag study export --csv` has written"
            )
    for line in lines:
        found = dict(zip(columns, line, strict=True))
        if found.get("status", "done") == "done":
            yield found


def _by_key(lines: Iterator[dict[str, Value]]) -> Iterator[tuple[str, list[dict[str, Value]]]]:
    for key, group in groupby(lines, lambda line: str(line["key"])[:SHORT_KEY]):
        yield key, list(group)


def _outcome(cell: Cell, lines: list[dict[str, Value]], known: set[str], name: str) -> Outcome:
    rows: list[Row] = [
        {column: value for column, value in line.items() if column not in known and column not in cell.settings}
        for line in lines
    ]
    if not rows[0]:
        raise InputError(f"{name}: it has no column of measurements: export it again")
    started, seconds, version = (lines[0].get(column) for column in ("started", "seconds_of_cell", "version"))
    try:
        begun = time.time() if started is None else datetime.fromisoformat(str(started)).timestamp()
    except ValueError:
        raise InputError(f"{name}: started = {started!r} is no time: export it again") from None
    spent = seconds if isinstance(seconds, float) else 0.0
    return Outcome(cell, "done", tuple(rows), None, begun, spent, str(version))
