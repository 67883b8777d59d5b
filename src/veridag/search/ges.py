"""Greedy equivalence search."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from veridag import _core
from veridag.checks import MAX_INDEGREE, OneOf, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .problem import Floats, Problem
from .result import Result

#: Its moves lead between classes that observations cannot tell apart, and whose members have the same score.
REMEDY = "learn with BOSS, Tabu or Exact, or leave out these rows"

GESOrder = Literal["xges", "xges-0", "phases"]


@dataclass(frozen=True)
class GES(Algorithm):
    """Greedy equivalence search: greedy search over equivalence classes (Chickering 2002; Nazaret and Blei 2024).

    Insert(X, Y, T) and Delete(X, Y, H) add and remove an edge (Chickering 2002). With `turning`, Turn(X, Y, C) reverses
    one (Hauser and Buhlmann 2012). `order` determines the order of the operators:

    - "xges-0": the best valid Delete if one helps, otherwise the best Turn, otherwise the best Insert.
    - "xges": the same; then each edge is deleted on trial, the search continues without making the same arc again, and
      a better result is kept. If none of these helps, all edges of one variable are deleted together. It ends when no
      trial helps, when the trials have used as many local scores as the search before them, or a million since the last
      one that helped.
    - "phases": the best Insert while one helps; then the best Delete while one helps. With `turning`, the best Turn
      follows, and the three phases repeat until none helps. Chickering's original GES is
      ``GES(order="phases", turning=False)``.

    Operators whose gains differ by less than 1e-9 of the score are tied; the first by the order of the data is chosen.

    `graph` of the result is the CPDAG, and `dag` the member of the class whose score is given. Every class visited has
    a member that satisfies the knowledge, including limits of single variables, and that the prior allows. `dag` is
    such a member.

    With a score that is not score-equivalent (K2, BDs, fNML, CustomScore), GES runs, but loses its guarantee: it judges
    a class by the member that an operator creates, and its result can depend on which one that is.

    Data with interventions is refused, because members of a class no longer have the same score.

    The search maximises `score` plus the logarithm of `prior`. No variable of `dag` gets more than `max_indegree`
    parents. The search starts from the class of `start`; from that of the required arcs alone if None.

    See also:
        `BOSS`, `HillClimbing`, docs/algorithms.md
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    turning: bool = True
    order: GESOrder = field(default="xges", metadata=checked(OneOf(get_args(GESOrder))))

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        data.require_observational("GES", REMEDY)
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        found = self._search(problem, progress, jobs)
        result = problem.result(found, seed, repr(self))
        return replace(result, graph=PDAG(problem.names, found.cpdag).reorder(problem.columns), member=result.dag)

    def _search(self, problem: Problem, progress: Progress | None, jobs: int) -> _core.SearchOutcome:
        """What the core finds, with the variables in the order of the problem."""
        core, settings = self._of_classes(problem)
        return _core.search_ges(core, problem.start(self.start), settings, core_callback(progress), jobs)

    def _of_classes(self, problem: Problem) -> tuple[_core.SearchProblem, _core.GesSettings]:
        """The problem as a search over classes takes it.

        A prior that rules out a family says nothing of the class that an operator leads to: another member may be
        allowed. So what the prior rules out becomes a constraint on members, and the terms that classes are compared by
        are finite.
        """
        size, arc, forbidden, scorer = problem.prior_size, problem.prior_arc, problem.forbidden, problem.scorer
        allowed = size > -np.inf
        ruled_out = None if arc is None else np.isneginf(arc)
        if not allowed.all() or (ruled_out is not None and ruled_out.any()):
            size = _without_gaps(size)
            scorer = self.score.bind(problem.data)  # what others cache is minus infinity where this one is finite
        if arc is not None and ruled_out is not None:
            forbidden = forbidden | ruled_out
            arc = np.where(ruled_out, 0.0, arc)
        limits = problem.limits.tolist()
        core = _core.SearchProblem(scorer, size, arc, problem.required, forbidden, limits)
        settings = _core.GesSettings(
            order=self.order,
            turning=self.turning,
            equivalent=self.score.equivalent and is_symmetric(size, arc),
            sizes=None if allowed.all() else np.ascontiguousarray(allowed),
        )
        return core, settings


def is_symmetric(size: Floats, arc: Floats | None) -> bool:
    """Whether the prior is the same for all members of a class: they have the same numbers of parents, though not of
    the same variables."""
    return bool((size == size[:1]).all()) and (arc is None or np.array_equal(arc, arc.T))


def _without_gaps(size: Floats) -> Floats:
    """Terms for the numbers of parents that are ruled out: those of another variable, or of the next smaller number."""
    filled = np.array(size, order="C")
    filled[:, 0] = np.where(np.isneginf(size[:, 0]), size.max(axis=1, initial=-np.inf), size[:, 0])
    for k in range(size.shape[1]):
        others = size[:, k].max(initial=-np.inf)
        instead = others if others > -np.inf else filled[:, max(k - 1, 0)]
        filled[:, k] = np.where(np.isneginf(size[:, k]), instead, size[:, k])
    return filled
