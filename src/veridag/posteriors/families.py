"""The parent sets that a sampler of networks draws from, with their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.criteria.packing import Int32s, Int64s, members_of, starts
from veridag.errors import InputError, suggest
from veridag.progress import Progress
from veridag.search.problem import Floats, Matrix, Problem
from veridag.work.memory import checked_limit, shown

#: How many candidates a variable has unless told otherwise, and the most it can have.
CANDIDATES, MOST_CANDIDATES = 12, 20

# So many families with parents beyond the candidates are scored, if their number is not given.
_FAMILIES = 500_000

# With so many candidates or fewer, the core has a table for each of them besides.
_MOST_WITH_TABLES = 12


class WeightedFamilies(NamedTuple):
    """Candidates of each variable, and packed parent sets with their scores, one variable after the other."""

    candidates: list[list[int]]
    offsets: Int64s
    scores: Floats
    parent_offsets: Int64s
    parents: Int32s

    @property
    def sampler(self) -> _core.PartitionSampler:
        """What the core draws with."""
        return _core.PartitionSampler(*self)


def default_beyond(variables: int) -> int:
    """How many parents a set may have if some are no candidates: at most 3, fewer where there are many variables."""
    sizes = range(1, min(3, variables - 1) + 1)
    return max((d for d in sizes if variables * comb(variables - 1, d) <= _FAMILIES), default=min(1, variables - 1))


def weighted_families(
    problem: Problem,
    candidates: int | Mapping[str, Sequence[str]] | None,
    beyond: int | None,
    start: Matrix,
    progress: Progress | None,
    jobs: int,
) -> WeightedFamilies:
    """All sets of at most `beyond` parents, and all sets of candidates, that are allowed.

    Without names, a variable's candidates are its neighbours in `start` and the variables with the largest share of
    the weight of its small sets.
    """
    n = len(problem.names)
    most = default_beyond(n) if beyond is None else min(beyond, max(0, n - 1))
    small = _scored(problem, problem.forbidden, np.minimum(problem.limits, most), progress, jobs)
    if isinstance(candidates, Mapping):
        chosen = _named(problem, candidates)
    else:
        chosen = _best(problem, small, CANDIDATES if candidates is None else candidates, start)
    _check_number(chosen)
    inside = _scored(problem, problem.forbidden | ~chosen, problem.limits, progress, jobs)
    return _joined(problem, small, inside, chosen)


class _Sets(NamedTuple):
    children: Int64s
    scores: Floats
    offsets: Int64s
    parents: Int32s


def _scored(
    problem: Problem, forbidden: Matrix, limits: NDArray[np.int64], progress: Progress | None, jobs: int
) -> _Sets:
    def report(done: int, best: float, total: float) -> None:
        del best
        if progress is not None:
            progress("parent sets", done, int(total), {})

    core = _core.SearchProblem(
        problem.scorer,
        problem.prior_size,
        problem.prior_arc,
        problem.required,
        forbidden & ~problem.required,
        limits.tolist(),
    )
    limit = checked_limit(None)
    try:
        found = _core.parent_sets(core, False, True, limit, report, jobs)
    except MemoryError as error:
        if len(error.args) != 2:
            raise
        size, needed = error.args
        raise MemoryError(
            f"sets of {size} parents need about {shown(needed)}, above the limit of {shown(limit)}: lower beyond, "
            "candidates or max_indegree"
        ) from None
    if found.interrupted:
        raise KeyboardInterrupt("there are no draws yet: not all parent sets were scored")
    children = np.repeat(np.arange(len(problem.names)), np.diff(found.offsets))
    return _Sets(children, found.scores, found.parent_offsets, found.parents)


def _named(problem: Problem, candidates: Mapping[str, Sequence[str]]) -> Matrix:
    at = {name: i for i, name in enumerate(problem.names)}
    chosen = problem.required.copy()
    for child, parents in candidates.items():
        for name in (child, *parents):
            if name not in at:
                raise InputError(f"candidates: the data has no column {name!r}: {suggest(name, problem.columns)}")
        if child in parents:
            raise InputError(f"candidates: {child!r} cannot be a parent of itself")
        chosen[[at[name] for name in parents], at[child]] = True
    return chosen


def _best(problem: Problem, small: _Sets, number: int, start: Matrix) -> Matrix:
    """Required parents and neighbours in `start` first; then by the weight of the small sets with each."""
    n = len(problem.names)
    sizes = np.diff(small.offsets)
    best = np.full(n, -np.inf)
    np.maximum.at(best, small.children, small.scores)
    owners = np.repeat(np.arange(len(small.scores)), sizes)
    pairs = small.parents * n + small.children[owners]
    relative = (small.scores - best[small.children])[owners]
    weight = np.bincount(pairs, weights=np.exp(relative), minlength=n * n).reshape(n, n)
    highest = np.full(n * n, -np.inf)
    np.maximum.at(highest, pairs, relative)  # where all weights are too small for a double
    possible = ~problem.forbidden | problem.required
    np.fill_diagonal(possible, False)
    first = 2.0 * problem.required + (start | start.T)
    order = np.lexsort((-highest.reshape(n, n), -weight, -first, ~possible), axis=0)
    chosen = np.zeros((n, n), dtype=bool)
    np.put_along_axis(chosen, order[: min(number, MOST_CANDIDATES)], True, axis=0)
    return (chosen & possible) | problem.required


def _check_number(chosen: Matrix) -> None:
    counts = chosen.sum(axis=0)
    if counts.max(initial=0) > MOST_CANDIDATES:
        raise InputError(
            f"candidates: with required parents, a variable has {counts.max()} candidates, and at most "
            f"{MOST_CANDIDATES} are possible: give fewer"
        )
    tables = np.where(counts <= _MOST_WITH_TABLES, 8.0 * (counts + 2), 8.0)
    needed, limit = float(((20.0 + tables) * 2.0**counts).sum()), checked_limit(None)
    if needed > limit:
        raise MemoryError(
            f"{int(counts.max())} candidates for a variable need {shown(needed)}, and {shown(limit)} is the limit: "
            "lower candidates"
        )


def _joined(problem: Problem, small: _Sets, inside: _Sets, chosen: Matrix) -> WeightedFamilies:
    """The sets of candidates, and the small sets that are not among these."""
    owners = np.repeat(np.arange(len(small.scores)), np.diff(small.offsets))
    beyond = ~chosen[small.parents, small.children[owners]]
    rows = np.flatnonzero(np.bincount(owners[beyond], minlength=len(small.scores)))
    offsets, parents = members_of(rows, small.offsets, small.parents)
    children = np.concatenate([inside.children, small.children[rows]])
    scores = np.concatenate([inside.scores, small.scores[rows]])
    all_offsets = np.concatenate([inside.offsets, inside.offsets[-1] + offsets[1:]])
    all_parents = np.concatenate([inside.parents, parents])
    n = len(problem.names)
    per_child = np.bincount(children, minlength=n)
    for v in np.flatnonzero(per_child == 0).tolist():
        raise InputError(
            f"{problem.names[v]!r} has no parent set with a finite score: change the prior, the knowledge, or "
            "max_indegree"
        )
    order = np.argsort(children, kind="stable")
    parent_offsets, members = members_of(order, all_offsets, all_parents)
    candidates = [np.flatnonzero(chosen[:, v]).tolist() for v in range(n)]
    return WeightedFamilies(candidates, starts(per_child), scores[order], parent_offsets, members)
