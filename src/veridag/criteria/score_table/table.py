"""Score tables: for every variable the useful parent sets with their local scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from veridag import _core
from veridag.checks import JOBS, MAX_INDEGREE
from veridag.counts import JointCounts
from veridag.criteria.directions import with_directions
from veridag.criteria.packing import members_of, pack_sets, renumbered, starts
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scorer import check_types
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.display import table as html_table
from veridag.errors import InputError
from veridag.graph import check_names
from veridag.graph.knowledge import BoundKnowledge, Knowledge
from veridag.progress import Progress
from veridag.work.memory import checked_limit, shown

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Candidate parent sets of each variable and their local scores including the prior, best first.

    The sets of variable v, by its position in `names`, are the rows ``offsets[v]`` up to ``offsets[v + 1]``. The
    parents of row i are ``parents[parent_offsets[i]:parent_offsets[i + 1]]``. The arrays are read-only.

    Attributes:
        names: The variables.
        offsets: Where the rows of each variable start.
        scores: The local score of each row, as a natural logarithm.
        parent_offsets: Where the parents of each row start.
        parents: The parents as positions in `names`, ascending.
        settings: A description of the scores.
        max_indegree: The most parents that were allowed; None if there was no limit.

    See also:
        `score_table`, `solve`, `read_table`, docs/score-tables.md
    """

    names: tuple[str, ...]
    offsets: Int64s
    scores: Floats
    parent_offsets: Int64s
    parents: Int32s
    settings: str = ""
    max_indegree: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", check_names(self.names))
        for name, kind in (("offsets", np.int64), ("scores", np.float64), ("parent_offsets", np.int64)):
            object.__setattr__(self, name, _fixed(getattr(self, name), kind))
        object.__setattr__(self, "parents", _fixed(self.parents, np.int32))
        self._check()

    def _check(self) -> None:
        n, rows = len(self.names), len(self.scores)
        _check_offsets("offsets", self.offsets, n, rows)
        _check_offsets("parent_offsets", self.parent_offsets, rows, len(self.parents))
        empty = np.flatnonzero(np.diff(self.offsets) == 0)
        if len(empty):
            raise InputError(f"scores: {self.names[empty[0]]!r} has no parent set: give one, such as the empty set")
        if not np.isfinite(self.scores).all():
            raise InputError("scores: a local score is not finite: leave out parent sets that are impossible")
        children = self._children()
        if len(self.parents) and not (self.parents.min() >= 0 and self.parents.max() < n):
            raise InputError(f"parents: a parent is outside 0 ... {n - 1}: parents are positions in names")
        owners = np.repeat(np.arange(rows), np.diff(self.parent_offsets))
        if (self.parents == children[owners]).any():
            child = self.names[self.parents[self.parents == children[owners]][0]]
            raise InputError(f"parents: {child!r} is its own parent")
        same = owners[1:] == owners[:-1]
        if (np.diff(self.parents)[same] <= 0).any():
            raise InputError("parents: the parents of a set must be ascending and different")
        if (np.diff(self.scores)[np.diff(children) == 0] > 0).any():
            raise InputError("scores: the sets of a variable must have the best first: use ScoreTable.from_sets")

    def _children(self) -> Int64s:
        return np.repeat(np.arange(len(self.names)), np.diff(self.offsets))

    @classmethod
    def from_sets(
        cls,
        names: Sequence[str],
        sets: Sequence[Sequence[tuple[float, Sequence[int]]]],
        settings: str = "",
        max_indegree: int | None = None,
    ) -> Self:
        """Make a table from the (score, parents) of each variable, in any order.

        Among equal scores, smaller sets are first. Parents are positions in `names`. Duplicate sets are an error.
        """
        ordered = [[(float(score), tuple(sorted(parents))) for score, parents in own] for own in sets]
        for name, own in zip(names, ordered, strict=True):
            own.sort(key=lambda row: (-row[0], len(row[1]), row[1]))
            if len({parents for _, parents in own}) < len(own):
                raise InputError(f"sets: a parent set of {name!r} appears twice: keep one score for it")
        rows = [row for own in ordered for row in own]
        scores = np.array([score for score, _ in rows], dtype=np.float64)
        offsets = starts([len(own) for own in ordered])
        return cls(tuple(names), offsets, scores, *pack_sets([ps for _, ps in rows]), settings, max_indegree)

    def sets(self, v: int) -> list[tuple[float, tuple[int, ...]]]:
        """The score and the parents of each set of variable v, best first."""
        rows = range(int(self.offsets[v]), int(self.offsets[v + 1]))
        bounds, scores = self.parent_offsets, self.scores
        return [(float(scores[i]), tuple(self.parents[bounds[i] : bounds[i + 1]].tolist())) for i in rows]

    def row_parents(self, row: int) -> Int32s:
        """The parents of one row."""
        return self.parents[self.parent_offsets[row] : self.parent_offsets[row + 1]]

    def reorder(self, names: Sequence[str]) -> ScoreTable:
        """The same table with the variables in this order."""
        if tuple(names) == self.names:
            return self
        order = [self.names.index(name) for name in names]
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        rows = np.concatenate([np.arange(self.offsets[v], self.offsets[v + 1]) for v in order])
        parent_offsets, parents = members_of(rows, self.parent_offsets, self.parents)
        return replace(
            self,
            names=tuple(names),
            offsets=starts(np.diff(self.offsets)[order]),
            scores=self.scores[rows],
            parent_offsets=parent_offsets,
            parents=renumbered(parent_offsets, parents, place),
        )

    def at_most(self, max_indegree: int) -> ScoreTable:
        """The rows with at most `max_indegree` parents."""
        sizes = np.diff(self.parent_offsets)
        keep = sizes <= max_indegree
        return replace(
            self,
            offsets=starts(keep)[self.offsets],
            scores=self.scores[keep],
            parent_offsets=starts(sizes[keep]),
            parents=self.parents[np.repeat(keep, sizes)],
            max_indegree=max_indegree if self.max_indegree is None else min(max_indegree, self.max_indegree),
        )

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        return sum(a.nbytes for a in (self.offsets, self.scores, self.parent_offsets, self.parents))

    def _repr_html_(self) -> str:
        rows = []
        for v, name in enumerate(self.names):
            first, sets = int(self.offsets[v]), int(self.offsets[v + 1] - self.offsets[v])
            best = ", ".join(self.names[p] for p in self.row_parents(first))
            rows.append((name, sets, best, f"{self.scores[first]:.8g}"))
        return html_table(("variable", "parent sets", "the best", "its score"), rows, repr(self).strip("<>"))

    def __repr__(self) -> str:
        about = f", {self.settings}" if self.settings else ""
        return f"<ScoreTable of {len(self.names)} variables, {len(self)} parent sets{about}>"


def score_table(
    data: Data | JointCounts,
    score: Score,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
    memory_limit: float | None = None,
    *,
    dominated: bool = False,
) -> ScoreTable:
    """Compute a score table: for each variable, the parent sets that no subset beats, with their local scores.

    A set is omitted if a subset has the same score, up to rounding, or a higher one, because some best network does not
    need it. The empty set, or the required parents alone, is always included unless the prior excludes it. Sets with
    infinite scores are omitted.

    Bounds stop the enumeration where no superset can be better (de Campos and Ji 2011; de Campos et al. 2018; Correia,
    Cussens and de Campos 2020). The table is the same as after scoring all sets.

    Args:
        data: The data; or the counts of `count_partitions`, which allow as many parents as were counted.
        score: The score.
        prior: The structure prior, whose terms are included; uniform if None.
        max_indegree: Most parents of a variable; no bound if None. The bounds of BIC and AIC then keep the table small.
            With other scores, set a limit.
        knowledge: Background knowledge: only parent sets that it allows are considered.
        jobs: Number of threads. The table does not depend on it.
        progress: Progress callback, see `ProgressBar`; called with the number of parent sets settled, and how many
            there are as far as is known.
        memory_limit: Most memory to use, in bytes; three quarters of the free memory if None.
        dominated: Keep all sets, including those that a subset beats. Networks other than the best need them.

    Raises:
        MemoryError: If the table would need more than `memory_limit`.

    See also:
        `solve`, `ScoreTable`, `write_table`, docs/score-tables.md
    """
    prior = Uniform() if prior is None else prior
    wanted = (max_indegree, knowledge, jobs, progress, memory_limit)
    return _score_table(data, score, prior, *wanted, bounded=not dominated, dominated=dominated)


def _score_table(
    data: Data | JointCounts,
    score: Score,
    prior: Prior,
    max_indegree: int | None,
    knowledge: Knowledge | None,
    jobs: int,
    progress: Progress | None,
    memory_limit: float | None,
    *,
    bounded: bool,
    dominated: bool = False,
) -> ScoreTable:
    """The same, with or without bounds: a test holds the two against each other."""
    ordered, scorer = _bound(data, score, prior)
    jobs, max_indegree = JOBS("jobs", jobs), MAX_INDEGREE("max_indegree", max_indegree)
    limit = checked_limit(memory_limit)
    names = ordered.names
    obeyed = Knowledge() if knowledge is None else knowledge
    if isinstance(data, JointCounts):
        max_indegree = data.size - 1 if max_indegree is None else max_indegree
        if max_indegree >= data.size:
            raise InputError(
                f"max_indegree={max_indegree}, but only {data.size} variables were counted together: allow up to "
                f"{data.size - 1} parents, or count more: count_partitions(..., size={max_indegree + 1})"
            )
    elif not score.both_directions:
        obeyed = with_directions(obeyed, data, type(score).__name__)
    known = obeyed.bind(names)
    terms = prior.terms(names, data.n)
    problem = _core.SearchProblem(
        scorer,
        terms.size,
        terms.arc,
        known.required,
        known.forbidden,
        _limits(known, max_indegree).tolist(),
    )
    sets = _parent_sets(problem, bounded, dominated, limit, progress, jobs)
    if sets.interrupted:
        raise KeyboardInterrupt("the score table is not complete")
    for v in np.flatnonzero(np.diff(sets.offsets) == 0).tolist():
        _refuse(ordered, names[v], prior)
    settings = f"{score!r}, {prior!r}" + ("" if knowledge is None else f", {knowledge!r}")
    arrays = (sets.offsets, sets.scores, sets.parent_offsets, sets.parents)
    return ScoreTable(names, *arrays, settings, max_indegree).reorder(data.names)


def _bound(data: Data | JointCounts, score: Score, prior: Prior) -> tuple[Data | JointCounts, _core.Scorer]:
    if not isinstance(data, JointCounts):
        check_types(data, score, prior)
        ordered = data.in_data_order()  # so that the order of columns changes nothing, not even the last digit
        return ordered, score.bind(ordered)
    counts = data
    SCORE("score", score)
    PRIOR("prior", prior)
    if not score.handles("discrete") or score.scores_incomplete:
        raise InputError(
            f"{score} does not score counts of discrete data: use BIC, BDeu, BDs, K2, QNML or another discrete score"
        )
    names = counts.names

    def local(child: int, parents: list[int]) -> float:
        return score.discrete(counts.family(names[child], [names[p] for p in parents]))

    return counts, _core.callback_scorer(local, len(names))


def _parent_sets(
    problem: _core.SearchProblem, bounded: bool, dominated: bool, limit: int, progress: Progress | None, jobs: int
) -> _core.ParentSets:
    def report(done: int, best: float, total: float) -> None:
        del best
        if progress is not None:
            progress("parent sets", done, int(total), {})

    try:
        return _core.parent_sets(problem, bounded, dominated, limit, report, jobs)
    except MemoryError as error:
        if len(error.args) != 2:
            raise
        size, needed = error.args
        raise MemoryError(
            f"the score table needs about {shown(needed)} for sets of {size} parents, above the limit of "
            f"{shown(limit)}: lower max_indegree, or raise memory_limit"
        ) from None


def _limits(known: BoundKnowledge, max_indegree: int | None) -> Int64s:
    if max_indegree is None:
        return np.ascontiguousarray(known.max_indegree)
    required = known.required.sum(axis=0)
    if required.max(initial=0) > max_indegree:
        child = known.names[int(required.argmax())]
        raise InputError(
            f"max_indegree={max_indegree}, but {child!r} has {required.max()} required parents: raise max_indegree"
        )
    return np.minimum(known.max_indegree, max_indegree)


def _refuse(data: Data | JointCounts, name: str, prior: Prior) -> None:
    if isinstance(data, Data) and data.kinds[name] == "continuous" and name in data.not_set(name).constants:
        raise InputError(
            f"column {name!r} is constant and its Gaussian likelihood is unbounded: leave it out, or use BGe or BCG"
        )
    raise InputError(
        f"no parent set of {name!r} has a finite score under {prior}: change the prior, the knowledge, or max_indegree"
    )


def _check_offsets(name: str, offsets: Int64s, number: int, last: int) -> None:
    if len(offsets) != number + 1 or offsets[0] != 0 or offsets[-1] != last or (np.diff(offsets) < 0).any():
        raise InputError(f"{name}: {number + 1} non-decreasing numbers from 0 to {last} are needed")


def _fixed(values: ArrayLike, kind: DTypeLike) -> NDArray[Any]:
    array = np.ascontiguousarray(values, dtype=kind)
    if array.flags.writeable:
        array = array.view()  # the caller's own array stays as it is
        array.flags.writeable = False
    return array
