"""How right chances and levels are: numbers for a table, a figure or a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridag.trust.assessment.chances import margin_for, model_for
from veridag.trust.assessment.levels import Level, level_of

from .fitting import KINDS, Judged, judge
from .tables import KnownTable, expected_error

Floats = NDArray[np.float64]

WAYS = ("assess", "posterior", "bootstrap")
#: Chances below this are not counted in the calibration error that is reported: most pairs are not joined.
LEAST = 0.3
LEVELS: tuple[Level, ...] = ("high", "moderate", "low")


@dataclass(frozen=True)
class Said:
    """Chances, and whether what they are of was true."""

    chances: Floats
    true: NDArray[np.bool_]

    @property
    def error(self) -> float:
        """The expected calibration error among chances of `LEAST` and more."""
        named = self.chances >= LEAST
        return expected_error(self.chances[named], self.true[named])

    @property
    def brier(self) -> float:
        """The Brier score, of all chances."""
        return float(((self.chances - self.true) ** 2).mean())


def judged_by_model(tables: Sequence[KnownTable], part: str = "test") -> list[Judged]:
    """The tables of one part, judged by the model that veridag has."""
    return [judge(table, model_for(table.kind), margin_for(table.kind)) for table in tables if table.part == part]


def groups_of(judged: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """All together, by kind of data, and the reference networks alone."""
    yield "all", list(judged)
    for kind in KINDS:
        yield kind, [own for own in judged if own.table.kind == kind]
    yield "reference networks", [own for own in judged if own.table.design == "reference"]


def said(judged: Sequence[Judged], way: str, what: str) -> Said:
    """What was said of `edges` or `directions`, by `assess` or by one source alone; and the truth."""
    chances, true = [], []
    for own in judged:
        table = own.table
        p = own.chances if way == "assess" else table.said_by(way)
        rest, missed = table.rest
        of_rest = own.rest if way == "assess" else 0.0
        if what == "edges":
            chances += [1.0 - p[:, 3], np.full(rest, of_rest)]
            true += [table.truth < 3, np.arange(rest) < missed]
        else:
            chances += [p[:, 0], p[:, 1]]
            true += [table.truth == 0, table.truth == 1]
    return Said(np.concatenate(chances), np.concatenate(true))


def level_counts(judged: Sequence[Judged]) -> dict[Level, tuple[int, int]]:
    """For each level, the tables at it and how many recommended learners were within one pair of the best compared."""
    found = dict.fromkeys(LEVELS, (0, 0))
    for own in judged:
        level, _ = level_of(own.recommendation)
        number, within = found[level]
        found[level] = number + 1, within + (own.above_best <= 1)
    return found
