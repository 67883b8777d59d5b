"""Fitting the model of `veridag.trust.assessment` to tables of known networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from veridag.files.writing import write_text
from veridag.trust.assessment.chances import ChanceModel, direction_chances, of_shares
from veridag.trust.assessment.evidence import SOURCES
from veridag.trust.assessment.recommending import Recommendation, first_choice, recommend_by

from .tables import KnownTable

Floats = NDArray[np.float64]

KINDS = ("discrete", "continuous", "mixed")
#: Tables are left out in so many turns, for what is said of tables that a model was not fitted to.
FOLDS = 5
_PENALTY = 1.0


def fit_chances(tables: Sequence[KnownTable]) -> ChanceModel:
    """The model with the greatest likelihood of the true classes, with a small penalty on squares of its numbers."""
    seen, weights, joined, directions, way = [], [], [], [], []
    for table in tables:
        x, d = of_shares(table.shares, table.rows, table.variables, table.links)
        nothing, _ = of_shares(np.zeros((3, 1, len(SOURCES))), table.rows, table.variables, table.links)
        is_joined = table.truth < 3
        rest, missed = table.rest
        seen += [x, nothing, nothing]
        weights += [np.ones(len(x)), np.array([rest - missed]), np.array([missed])]
        joined += [is_joined, np.array([False]), np.array([True])]
        directions.append(d[:, is_joined])
        way.append(table.truth[is_joined])
    b = _fit_joined(np.concatenate(seen), np.concatenate(joined).astype(float), np.concatenate(weights).astype(float))
    directed, undirected = _fit_directions(np.concatenate(directions, axis=1), np.concatenate(way))
    return ChanceModel(b, directed, undirected)


def _fit_joined(x: Floats, y: Floats, weights: Floats) -> Floats:
    def loss(b: Floats) -> tuple[float, Floats]:
        z = x @ b
        value = (weights * (np.logaddexp(0.0, z) - y * z)).sum() + 0.5 * _PENALTY * (b[1:] ** 2).sum()
        gradient = x.T @ (weights * (1.0 / (1.0 + np.exp(-z)) - y))
        gradient[1:] += _PENALTY * b[1:]
        return float(value), gradient

    return _minimum(loss, x.shape[1])


def _fit_directions(directions: Floats, way: NDArray[np.int64]) -> tuple[Floats, Floats]:
    k = len(SOURCES) + 1
    rows = np.arange(len(way))

    def loss(numbers: Floats) -> tuple[float, Floats]:
        p = direction_chances(directions, numbers[:k], numbers[k:])
        value = -np.log(p[rows, way]).sum() + 0.5 * _PENALTY * (numbers**2).sum()
        off = p.copy()
        off[rows, way] -= 1.0
        both = np.array([off[:, 0].sum() + off[:, 1].sum()])
        gradient = np.concatenate(
            [both, directions[0].T @ off[:, 0] + directions[1].T @ off[:, 1], directions[2].T @ off[:, 2]]
        )
        return float(value), gradient + _PENALTY * numbers

    found = _minimum(loss, k + len(SOURCES))
    return found[:k], found[k:]


def _minimum(loss: Callable[[Floats], tuple[float, Floats]], size: int) -> Floats:
    found = minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": 5000})
    return np.asarray(found.x)


@dataclass(frozen=True)
class Judged:
    """A table, the chances that a model not fitted to it gives, what is recommended, and how far that is off."""

    table: KnownTable
    chances: Floats
    rest: float
    recommendation: Recommendation

    @property
    def above_best(self) -> int:
        """By how many pairs the recommended learner is farther from the truth than the best compared."""
        own = self.table.labels.index(self.recommendation.label)
        return int(self.table.distances[own] - self.table.distances.min())

    @property
    def default_above_best(self) -> int:
        """The same of the learner that is taken where none is recommended, the first."""
        return int(self.table.distances[0] - self.table.distances.min())


def judge(table: KnownTable, model: ChanceModel, margin: float = 0.0) -> Judged:
    """What the model makes of a table."""
    chances = table.chances(model)
    return Judged(table, chances, table.chance_of_rest(model), _recommended(table, chances, margin))


def _recommended(table: KnownTable, chances: Floats, margin: float) -> Recommendation:
    return recommend_by(dict(zip(table.labels, table.found, strict=True)), chances, margin)


def judged_in_turns(tables: Sequence[KnownTable]) -> list[Judged]:
    """All tables of one kind, each by a model that was fitted to other repetitions."""
    found = []
    for fold in range(FOLDS):
        model = fit_chances([table for table in tables if table.repetition % FOLDS != fold])
        found += [judge(table, model) for table in tables if table.repetition % FOLDS == fold]
    return found


def fit_margin(judged: Sequence[Judged]) -> float:
    """The margin in favour of the averaged network: see `recommend`.

    With d the pairs in which a learner's graph differs from the averaged one, least squares weighted by 1 / d of

    ``SHD - SHD of the averaged = a (E[SHD] - E[SHD] of the averaged) + b sqrt(d)``

    gives b / a, which is 0 if the averaged network is not better than it looks.
    """
    looks, roots, is_worse = [], [], []
    for own in judged:
        table, expected = own.table, np.array(list(own.recommendation.expected.values()))
        usual = table.labels.index(first_choice(table.labels))
        differing = (table.found != table.found[usual]).sum(axis=1)
        others = differing > 0
        root = np.sqrt(differing[others])
        looks.append((expected - expected[usual])[others] / root)
        is_worse.append((table.distances - table.distances[usual])[others] / root)
        roots.append(np.ones(others.sum()))
    x = np.column_stack([np.concatenate(looks), np.concatenate(roots)])
    (a, b), *_ = np.linalg.lstsq(x, np.concatenate(is_worse), rcond=None)
    return max(0.0, float(b / a)) if a > 0 else 0.0


def fit_levels(judged: Sequence[Judged]) -> Floats:
    """A logistic model of whether the recommended learner is within one pair of the best compared."""
    x = np.array([own.recommendation.features for own in judged])
    y = np.array([own.above_best <= 1 for own in judged], dtype=float)
    return _fit_joined(x, y, np.ones(len(y)))


@dataclass(frozen=True)
class Fitted:
    """The models and margins of all kinds of data, the model of the levels, and how the tables were judged."""

    models: Mapping[str, ChanceModel]
    margins: Mapping[str, float]
    levels: Floats
    judged: Sequence[Judged]


def fit_model(tables: Sequence[KnownTable]) -> Fitted:
    """From the tables of the part `train`; each is judged by a model that was not fitted to it."""
    models, margins, judged = {}, {}, []
    for kind in KINDS:
        own = [table for table in tables if table.part == "train" and table.kind == kind]
        if own:
            models[kind] = fit_chances(own)
            in_turns = judged_in_turns(own)
            margin = margins[kind] = fit_margin(in_turns)
            judged += [replace(x, recommendation=_recommended(x.table, x.chances, margin)) for x in in_turns]
    return Fitted(models, margins, fit_levels(judged), judged)


def model_text(fitted: Fitted, rates: Mapping[str, tuple[int, int]], about: str) -> str:
    """The file of the model. `rates` are, for each level, the tables at that level and how many were within one."""
    lines = [f"# {line}" for line in about.splitlines()]
    for kind, model in fitted.models.items():
        lines += _section(f"{kind}.joined", ("constant", *SOURCES, "rows", "variables", "links"), model.joined)
        lines += _section(f"{kind}.directed", ("constant", *SOURCES), model.directed)
        lines += _section(f"{kind}.undirected", SOURCES, model.undirected)
    lines += _section("margin", tuple(fitted.margins), np.array(list(fitted.margins.values())))
    lines += _section("level", ("constant", "within_one"), fitted.levels)
    for level, (number, within) in rates.items():
        lines += ["", f"[rates.{level}]", f"tables = {number}", f"within_one = {within}"]
    return "\n".join(lines) + "\n"


def _section(name: str, keys: Sequence[str], values: Floats) -> list[str]:
    return ["", f"[{name}]", *(f"{key} = {value:.4f}" for key, value in zip(keys, values.tolist(), strict=True))]


def write_model(path: Path, text: str) -> None:
    """Write the file, whole or not at all."""
    write_text(path, text)
