"""Greedy equivalence search."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from veridag import _core
from veridag.checks import MAX_INDEGREE, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .problem import Floats, Matrix, Problem
from .result import Result


@dataclass(frozen=True)
class GES(Algorithm):
    """Greedy search over classes of equivalent DAGs (Chickering 2002).

    While it helps, the best valid Insert(X, Y, T) is made; then, while it helps, the best valid Delete(X, Y, H). With
    `turning`, arcs are then turned (Hauser and Buhlmann 2012) and the three phases go round until none helps. Operators
    whose gains differ by less than 1e-9 of the score tie; the first by names is made.

    `graph` of the result is the CPDAG, and `dag` the member of the class whose score is given. With knowledge, every
    class on the way has a member that obeys it, and `dag` is such a member.

    A score that is not score-equivalent (K2, BDs, fNML, CustomScore) is taken for the member that an operator is about:
    the class found may then depend on which member that is, and is no more than a good guess.
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    turning: bool = False

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        start = problem.start(self.start)
        core, sizes = _of_classes(problem, self.score)
        found = _core.search_ges(core, sizes, start, self.turning, core_callback(progress), jobs)
        return Result(
            graph=PDAG(problem.names, found.cpdag).reorder(problem.columns),
            score=found.score,
            calls=found.calls,
            distinct_calls=found.distinct_calls,
            steps=found.steps,
            seconds=0.0,
            seed=seed,
            settings=repr(self),
            interrupted=found.interrupted,
            member=problem.dag(found.dag),
        )


def _of_classes(problem: Problem, score: Score) -> tuple[_core.SearchProblem, Matrix | None]:
    """The problem as a search over classes takes it, and which numbers of parents each variable may have.

    A prior that rules out a family says nothing of the class that an operator leads to: another member may be allowed.
    So what the prior rules out becomes a constraint on members, and the terms that classes are compared by are finite.
    """
    size, arc = problem.prior_size, problem.prior_arc
    allowed = size > -np.inf
    ruled_out = np.zeros_like(problem.forbidden) if arc is None else np.isneginf(arc)
    if allowed.all() and not ruled_out.any():
        return problem.core, None
    forbidden = problem.forbidden | ruled_out
    arc = None if arc is None else np.where(ruled_out, 0.0, arc)
    scorer = score.bind(problem.data)  # of its own: what others cache is minus infinity where this one is finite
    limits = problem.limits.tolist()
    core = _core.SearchProblem(scorer, _without_gaps(size), arc, problem.required, forbidden, limits)
    return core, None if allowed.all() else allowed


def _without_gaps(size: Floats) -> Floats:
    """Terms for the numbers of parents that are ruled out: those of another variable, or of the next smaller number."""
    filled = size.copy()
    filled[:, 0] = np.where(np.isneginf(size[:, 0]), size.max(axis=1, initial=-np.inf), size[:, 0])
    for k in range(size.shape[1]):
        others = size[:, k].max(initial=-np.inf)
        instead = others if others > -np.inf else filled[:, max(k - 1, 0)]
        filled[:, k] = np.where(np.isneginf(size[:, k]), instead, size[:, k])
    return filled
