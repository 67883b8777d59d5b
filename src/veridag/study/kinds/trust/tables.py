"""The tables of a study of trust, put together again from its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.trust.assessment.chances import ChanceModel, direction_chances, of_shares
from veridag.trust.assessment.evidence import SOURCES

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CELL = ("part", "design", "fewest", "most", "n", "repetition")
LETTERS = "fbun"


@dataclass(frozen=True)
class KnownTable:
    """A sample of a known network: what is seen of its pairs, and the truth.

    - `shares`: [forward or backward or undirected, pair, source]; `truth` and `found` [learner, pair] are 0 for
      forward, 1 for backward, 2 for undirected and 3 for not joined.
    - `rest`: how many further pairs no source joins, and how many of them are joined in truth.
    - `distances`: the structural Hamming distances of the learners to the truth; `phd`, the mean distances of
      intersection-validation, or `nan`.
    """

    part: str
    design: str
    kind: str
    repetition: int
    rows: int
    variables: int
    shares: Floats
    truth: Ints
    found: Ints
    rest: tuple[int, int]
    labels: tuple[str, ...]
    distances: Ints
    phd: Floats

    @property
    def links(self) -> float:
        """How many links the first two sources expect, plus one half; the pairs of the rest have next to none."""
        joined = np.minimum(self.shares.sum(axis=0), 1.0)
        return float(joined[:, :2].mean(axis=1).sum()) + 0.5

    def chances(self, model: ChanceModel) -> Floats:
        """The chances of the four ways to join each pair, [pair, way]."""
        joined, directions = of_shares(self.shares, self.rows, self.variables, self.links)
        p = 1.0 / (1.0 + np.exp(-(joined @ model.joined)))
        q = direction_chances(directions, model.directed, model.undirected)
        return np.column_stack([p[:, np.newaxis] * q, 1.0 - p])

    def chance_of_rest(self, model: ChanceModel) -> float:
        """The chance that a pair which no source joins is joined."""
        joined, _ = of_shares(np.zeros((3, 1, len(SOURCES))), self.rows, self.variables, self.links)
        return float(1.0 / (1.0 + np.exp(-(joined @ model.joined)[0])))

    def said_by(self, source: str) -> Floats:
        """What one source says by itself, as chances, [pair, way]."""
        own = self.shares[:, :, SOURCES.index(source)].T
        return np.column_stack([own, np.maximum(1.0 - own.sum(axis=1), 0.0)])


def tables_of(rows: pl.DataFrame) -> list[KnownTable]:
    """One for each cell."""
    found = []
    for key, own in sorted(rows.partition_by(*_CELL, as_dict=True).items(), key=lambda item: str(item[0])):
        part, design, _, _, n, repetition = key
        found.append(_table(str(part), str(design), int(str(n)), int(str(repetition)), own.to_dicts()))
    return found


def _table(part: str, design: str, n: int, repetition: int, rows: Iterable[dict[str, object]]) -> KnownTable:
    by_sort: dict[str, list[dict[str, object]]] = {"pair": [], "rest": [], "learner": []}
    for row in rows:
        by_sort[str(row["what"])].append(row)
    (rest,) = by_sort["rest"]
    learners = sorted(by_sort["learner"], key=lambda row: int(str(row["place"])))
    pairs = by_sort["pair"]
    shares = np.zeros((3, len(pairs), len(SOURCES)))
    for k, row in enumerate(pairs):
        for s, source in enumerate(SOURCES):
            shares[:, k, s] = [float(str(row.get(f"{source}_{letter}") or 0.0)) for letter in "fbu"]
    found = np.array([[LETTERS.index(x) for x in str(row["found"])] for row in pairs], dtype=np.int64)
    return KnownTable(
        part=part,
        design=design,
        kind=str(rest["kind"]),
        repetition=repetition,
        rows=n,
        variables=int(str(rest["variables"])),
        shares=shares,
        truth=np.array([LETTERS.index(str(row["truth"])) for row in pairs], dtype=np.int64),
        found=found.reshape(len(pairs), len(learners)).T,
        rest=(int(str(rest["pairs"])), int(str(rest["joined"]))),
        labels=tuple(str(row["label"]) for row in learners),
        distances=np.array([int(str(row["shd"])) for row in learners], dtype=np.int64),
        phd=np.array([np.nan if row["distance"] is None else float(str(row["distance"])) for row in learners]),
    )


def expected_error(said: Sequence[float] | Floats, true: Sequence[bool] | NDArray[np.bool_], bins: int = 10) -> float:
    """The expected calibration error: the mean distance over the bins between stated chances and observed shares."""
    p, y = np.asarray(said, dtype=np.float64), np.asarray(true, dtype=np.float64)
    if not len(p):
        return float("nan")
    which = np.minimum((p * bins).astype(int), bins - 1)
    off = [abs(float((p[which == k] - y[which == k]).sum())) for k in range(bins)]
    return sum(off) / len(p)
