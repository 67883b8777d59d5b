"""`Scorer`: a score and a prior bound to data, scoring many families a call, in the core where the score has a twin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.counts import mean_vector, scatter_matrix
from veridag.criteria.priors.base import Prior, PriorTerms
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError, suggest
from veridag.graph import DAG

from .scores import BHD, BGe

Floats = NDArray[np.float64]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

#: A family as the core knows it: the column of the child, and those of its parents, ascending.
Family = tuple[int, tuple[int, ...]]


class Scorer:
    """Local scores, prior included, of one score and one prior on one data set.

    `calls` counts every local score asked for, `distinct_calls` those of families not asked for before. Families that
    were scored once are remembered.
    """

    def __init__(self, data: Data, score: Score, prior: Prior | None = None, *, jobs: int = 1) -> None:
        check_types(data, score, prior)
        if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
            raise InputError(f"jobs={jobs!r} must be a whole number of at least 1")
        self.data, self.score, self.prior, self.jobs = data, score, prior, jobs
        self.calls = 0
        self._known: dict[Family, float] = {}
        self._terms = None if prior is None else prior.terms(data.names, data.n)
        self._core = core_scorer(data, score)

    @property
    def distinct_calls(self) -> int:
        """How many different families were scored."""
        return len(self._known)

    def local(self, child: int, parents: Iterable[int]) -> float:
        """The local score of one family."""
        return float(self.local_many([(child, tuple(parents))])[0])

    def local_many(self, families: Sequence[tuple[int, Sequence[int]]]) -> Floats:
        """The local scores of many families, by columns.

        A singular family, whose variable is a linear function of its parents and whose likelihood has no bound, has
        minus infinity: it is never to be chosen.
        """
        values = self.unbounded_many(families)
        values[values == np.inf] = -np.inf
        return values

    def unbounded_many(self, families: Sequence[tuple[int, Sequence[int]]]) -> Floats:
        """The local scores of many families, by columns; plus infinity for a singular one."""
        keys: list[Family] = [(index(child), tuple(sorted(index(p) for p in parents))) for child, parents in families]
        self.calls += len(keys)
        fresh = list(dict.fromkeys(key for key in keys if key not in self._known))
        if fresh:
            values = self.evaluate(*pack(fresh))
            if self._terms is not None:
                values = _add_prior(values, self._terms, fresh)
            self._known.update(zip(fresh, values.tolist(), strict=True))
        return np.array([self._known[key] for key in keys], dtype=np.float64)

    def evaluate(self, children: Int32s, offsets: Int64s, parents: Int32s) -> Floats:
        """The scores, without prior, of packed families (see `pack`); calls are not counted, nothing is remembered."""
        return self._core.local(children, offsets, parents, self.jobs)


def _add_prior(values: Floats, terms: PriorTerms, families: Sequence[Family]) -> Floats:
    log_prior = np.array([terms.log(child, parents) for child, parents in families])
    # A family that the prior rules out stays ruled out, whatever its likelihood.
    return np.where(log_prior == -np.inf, -np.inf, values + np.maximum(log_prior, np.finfo(float).min))


def core_scorer(data: Data, score: Score) -> _core.Scorer:
    """The score bound to the data in the core: by its twin there, or by calling back the readable formula."""
    kind = score.check(data)
    twin = score.twin(data)
    if isinstance(score, BGe):
        return _bind_bge(data, score)
    if twin is None:
        names = data.names

        def local(child: int, parents: list[int]) -> float:
            return score.local(names[child], [names[p] for p in parents], data)

        return _core.callback_scorer(local, len(names))
    if isinstance(score, BHD):
        return _core.bhd_scorer(data.core_table_by_group, score.ess, score.alpha0)
    if kind == "discrete":
        return _core.discrete_scorer(data.core_table, twin[0], list(twin[1]))
    return _core.gaussian_scorer(scatter_matrix(data), float(data.n), twin[0], list(twin[1]))


def pack(families: Sequence[tuple[int, Sequence[int]]]) -> tuple[Int32s, Int64s, Int32s]:
    """Families one after the other, as the core takes them: children, where each one's parents start, all parents."""
    children = np.array([child for child, _ in families], dtype=np.int32)
    offsets = np.cumsum([0, *(len(parents) for _, parents in families)], dtype=np.int64)
    parents = np.array([p for _, family in families for p in family], dtype=np.int32)
    return children, offsets, parents


def _bind_bge(data: Data, score: BGe) -> _core.Scorer:
    prior = np.ascontiguousarray(score.prior_matrix(len(data.names)))
    shift = mean_vector(data) - score.prior_mean(data)
    factor = data.n * score.iss_mu / (data.n + score.iss_mu)
    posterior = np.ascontiguousarray(prior + scatter_matrix(data) + factor * np.outer(shift, shift))
    return _core.bge_scorer(prior, posterior, float(data.n), score.iss_mu, score.wishart(len(data.names)))


def _positions(data: Data, child: str, parents: Sequence[str]) -> Family:
    at = {name: i for i, name in enumerate(data.names)}
    for name in (child, *parents):
        if name not in at:
            raise InputError(f"the data has no column {name!r}: {suggest(name, data.names)}")
    if child in parents or len(set(parents)) < len(parents):
        raise InputError(f"the parents of {child!r} must be different from it and from each other: {tuple(parents)}")
    return at[child], tuple(sorted(at[p] for p in parents))


def local_score(child: str, parents: Sequence[str], data: Data, score: Score, prior: Prior | None = None) -> float:
    """The local score of one family, natural logarithm, higher is better; with `prior`, its term included."""
    if isinstance(parents, str):
        raise InputError(f"parents: give a list of names, [{parents!r}], not one text")
    check_types(data, score, prior)
    family = _positions(data, child, parents)
    return _bounded(data, family, float(Scorer(data, score, prior).unbounded_many([family])[0]))


def _bounded(data: Data, family: Family, value: float) -> float:
    """The value, unless the family is singular."""
    if value < np.inf:
        return value
    child, parents = data.names[family[0]], [data.names[p] for p in family[1]]
    some = f"{', '.join(map(repr, parents[:5]))}{' and others' if len(parents) > 5 else ''}"
    is_constant = np.ptp(data.column(child)) == 0
    what = "constant" if is_constant else f"a linear function of its parents {some}"
    raise InputError(f"{child!r} is {what}, so that its likelihood has no bound: leave it out, or use BGe")


def check_types(data: object, score: object, prior: object) -> None:
    """Raise `InputError` unless these are data, a score and a structure prior or None."""
    if not isinstance(data, Data):
        raise InputError(f"data: a Data is needed, not a {type(data).__name__}: Data.from_frame makes one")
    if not isinstance(score, Score):
        raise InputError(f"score={score!r} must be a score, such as BIC()")
    if prior is not None and not isinstance(prior, Prior):
        raise InputError(f"prior={prior!r} must be a structure prior, such as Fair(), or None")


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
    """The score of a network structure, natural logarithm, higher is better: in total, or for each variable.

    With `prior`, the prior's term of each family is included, up to the prior's stated constant. The graph must have
    the data's variables, in any order.
    """
    if not isinstance(graph, DAG):
        raise InputError(f"graph: a DAG is needed, not a {type(graph).__name__}; a PDAG's extension() is one")
    check_types(data, score, prior)
    if sorted(graph.names) != sorted(data.names):
        odd = sorted(set(graph.names) ^ set(data.names))[0]
        where = "the graph" if odd in graph.names else "the data"
        raise InputError(f"graph and data need the same variables, but {odd!r} is only in {where}: use data.select")
    families = [_positions(data, name, graph.parents(name)) for name in data.names]
    values = Scorer(data, score, prior).unbounded_many(families)
    values = np.array([_bounded(data, family, value) for family, value in zip(families, values.tolist(), strict=True)])
    if by_node:
        return dict(zip(data.names, values.tolist(), strict=True))
    return float(values.sum())
