"""`Scorer`: a score and a prior bound to data, scoring many families a call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from veridag.checks import JOBS, TEXT, Optional, texts
from veridag.criteria.priors.base import PRIOR, Prior, PriorTerms
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.errors import InputError, suggest
from veridag.graph import DAG

from .packing import Family, pack

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]


class Scorer:
    """Local scores of one score and one prior on one data set, with a cache.

    `calls` counts all local scores that were requested, `distinct_calls` those of different families.

    Args:
        data: The data.
        score: The score.
        prior: The structure prior, whose terms are included; none if None.
        jobs: Number of threads.

    See also:
        `local_score`, `score`, docs/scores/index.md
    """

    def __init__(self, data: Data, score: Score, prior: Prior | None = None, *, jobs: int = 1) -> None:
        check_types(data, score, prior)
        self.data, self.score, self.prior, self.jobs = data, score, prior, JOBS("jobs", jobs)
        self.calls = 0
        self._cache: dict[Family, float] = {}
        self._terms = None if prior is None else prior.terms(data.names, data.n)
        self._core = score.bind(data)

    def __repr__(self) -> str:
        prior = "" if self.prior is None else f" with {self.prior!r}"
        return f"<Scorer of {self.score!r}{prior} on {self.data!r}: {self.calls} calls>"

    @property
    def distinct_calls(self) -> int:
        """How many different families were scored."""
        return len(self._cache)

    def local(self, child: int, parents: Iterable[int]) -> float:
        """The local score of one family, by columns."""
        return float(self.local_many([(child, tuple(parents))])[0])

    def local_many(self, families: Sequence[tuple[int, Sequence[int]]]) -> Floats:
        """The local scores of many families, by columns.

        A singular family, whose variable is a linear function of its parents so that its likelihood is unbounded,
        scores minus infinity: it must never be chosen.
        """
        values = self.unbounded_many(families)
        values[values == np.inf] = -np.inf
        return values

    def unbounded_many(self, families: Sequence[tuple[int, Sequence[int]]]) -> Floats:
        """The local scores of many families, by columns; plus infinity for a singular family."""
        keys: list[Family] = [(index(child), tuple(sorted(index(p) for p in parents))) for child, parents in families]
        self.calls += len(keys)
        fresh = list(dict.fromkeys(key for key in keys if key not in self._cache))
        if fresh:
            values = self.evaluate(*pack(fresh))
            if self._terms is not None:
                values = _add_prior(values, self._terms, fresh)
            self._cache.update(zip(fresh, values.tolist(), strict=True))
        return np.array([self._cache[key] for key in keys], dtype=np.float64)

    def evaluate(self, children: Int32s, offsets: Int64s, parents: Int32s) -> Floats:
        """The scores of packed families (see `pack`), without prior and cache. Calls are not counted."""
        return self._core.local(children, offsets, parents, self.jobs)


def _add_prior(values: Floats, terms: PriorTerms, families: Sequence[Family]) -> Floats:
    log_prior = np.array([terms.log(child, parents) for child, parents in families])
    # A family that the prior rules out stays ruled out, whatever its likelihood.
    return np.where(log_prior == -np.inf, -np.inf, values + np.maximum(log_prior, np.finfo(float).min))


def _positions(data: Data, child: str, parents: Sequence[str]) -> Family:
    at = {name: i for i, name in enumerate(data.names)}
    for name in (child, *parents):
        if name not in at:
            raise InputError(f"the data has no column {name!r}: {suggest(name, data.names)}")
    if child in parents or len(set(parents)) < len(parents):
        raise InputError(f"the parents of {child!r} must be different from it and from each other: {tuple(parents)}")
    return at[child], tuple(sorted(at[p] for p in parents))


def _families(graph: DAG) -> list[Family]:
    children, parents = np.nonzero(graph.adjacency.T)
    ends = np.searchsorted(children, np.arange(len(graph) + 1)).tolist()
    return [(v, tuple(parents[ends[v] : ends[v + 1]].tolist())) for v in range(len(graph))]


def local_score(child: str, parents: Sequence[str], data: Data, score: Score, prior: Prior | None = None) -> float:
    """Compute the local score of one family; natural logarithm, higher is better.

    Args:
        child: The variable.
        parents: Its parents.
        data: The data.
        score: The score.
        prior: The structure prior, whose term is included; none if None.

    See also:
        `score`, `Scorer`, docs/scores/index.md
    """
    if isinstance(parents, str):
        raise InputError(f"parents: give a list of names, [{parents!r}], not a string")
    TEXT("child", child)
    parents = texts("parents", parents)
    check_types(data, score, prior)
    family = _positions(data, child, parents)
    return _bounded(data, score, family, float(Scorer(data, score, prior).unbounded_many([family])[0]))


def _bounded(data: Data, score: Score, family: Family, value: float) -> float:
    """The value, unless it is `NaN` or the family is singular."""
    if value < np.inf:
        return value
    child, parents = data.names[family[0]], [data.names[p] for p in family[1]]
    if np.isnan(value):
        raise InputError(
            f"the {score!r} score of {child!r} given {tuple(parents)} is not a number: rescale columns with very "
            "large or very small values, or use settings closer to the default"
        )
    some = f"{', '.join(map(repr, parents[:5]))}{' and others' if len(parents) > 5 else ''}"
    is_constant = child in data.not_set(child).constants
    what = "constant" if is_constant else f"a linear function of its parents {some}"
    if data.kind == "mixed" and not is_constant:
        what += " in one of their combinations of states, which may have too few rows"
    raise InputError(f"{child!r} is {what}, so its likelihood is unbounded: leave it out, or use BGe or BCG")


def check_types(data: object, score: object, prior: object) -> None:
    """Raise `InputError` unless these are data, a score and a structure prior or None."""
    if not isinstance(data, Data):
        raise InputError(f"data: a Data is needed, not a {type(data).__name__}: create one with Data.from_frame")
    SCORE("score", score)
    Optional(PRIOR)("prior", prior)


@overload
def score(
    graph: DAG, data: Data, score: Score, prior: Prior | None = None, by_node: Literal[False] = False
) -> float: ...
@overload
def score(
    graph: DAG, data: Data, score: Score, prior: Prior | None = None, *, by_node: Literal[True]
) -> dict[str, float]: ...
def score(
    graph: DAG, data: Data, score: Score, prior: Prior | None = None, by_node: bool = False
) -> float | dict[str, float]:
    """Compute the score of a network structure; natural logarithm, higher is better.

    Args:
        graph: The structure, with the variables of the data in any order.
        data: The data.
        score: The score.
        prior: The structure prior, whose terms are included up to its constant; none if None.
        by_node: Return the local score of each variable, by name, instead of the total.

    See also:
        `local_score`, `score_table`, docs/scores/index.md
    """
    if not isinstance(graph, DAG):
        raise InputError(f"graph: a DAG is needed, not a {type(graph).__name__}; a PDAG's extension() is one")
    check_types(data, score, prior)
    if sorted(graph.names) != sorted(data.names):
        odd = sorted(set(graph.names) ^ set(data.names))[0]
        where = "the graph" if odd in graph.names else "the data"
        raise InputError(f"graph and data need the same variables, but {odd!r} is only in {where}: use data.select")
    families = _families(graph.reorder(data.names))
    values = Scorer(data, score, prior).unbounded_many(families)
    values = np.array(
        [_bounded(data, score, family, value) for family, value in zip(families, values.tolist(), strict=True)]
    )
    if by_node:
        return dict(zip(data.names, values.tolist(), strict=True))
    return float(values.sum())
