"""What hybrid algorithms share: tests restrict which variables can be joined, and a score decides among the rest."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar

import numpy as np

from veridag.checks import MAX_INDEGREE, Integer, Optional, checked
from veridag.criteria.independence import Test
from veridag.criteria.independence.base import TEST
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import PDAG
from veridag.graph.knowledge import BoundKnowledge, Knowledge
from veridag.progress import Progress
from veridag.search.constraint.base import ConstraintBased, default_test

from .base import Algorithm
from .hill_climbing import HillClimbing
from .memory import BY_VARIABLE, NeedsByKind
from .result import Result


class Hybrid(Algorithm):
    """A hybrid algorithm: one half finds which variables can be joined, the other the best DAG within these limits.

    See also:
        `RSMAX2`, `MMHC`, docs/algorithms/hybrids.md
    """

    _needs: ClassVar[NeedsByKind] = BY_VARIABLE

    @abstractmethod
    def _halves(self) -> tuple[ConstraintBased, Algorithm]:
        """What restricts, and what maximises."""

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        """Both halves. After an interrupt in the first, the second is short:

        the graph is the one that it starts from, with the arcs that are required.
        """
        restrict, maximize = self._halves()
        found = restrict.skeleton(data, knowledge, progress, jobs)
        assert isinstance(found.graph, PDAG)
        if found.interrupted:
            nothing = PDAG.from_arcs([], [], found.graph.names)
            best = maximize._learn(data, _Restricted.of(knowledge, nothing), seed, None, jobs, trace)
        else:
            best = maximize._learn(data, _Restricted.of(knowledge, found.graph), seed, progress, jobs, trace)
        return replace(
            best,
            calls=found.calls + best.calls,
            distinct_calls=found.distinct_calls + best.distinct_calls,
            settings=repr(self),
            interrupted=found.interrupted or best.interrupted,
            notes=found.notes + best.notes,
            calls_offset=found.calls_offset + best.calls_offset,
        )


@dataclass(frozen=True)
class RestrictedClimbing(Hybrid):
    """A hybrid algorithm that maximises with `HillClimbing`. Each subclass restricts with another algorithm.

    Args:
        test: The test of the first half.
        score: The score of the second half.
        prior: The structure prior of the second half.
        max_indegree: Most parents of a variable; no bound if None.
        max_conditioning: Most variables of a separating set; any number if None.

    See also:
        `MMHC`, `H2PC`, docs/algorithms/hybrids.md
    """

    test: Test = field(default_factory=default_test, metadata=checked(TEST))
    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    max_conditioning: int | None = field(default=None, metadata=checked(Optional(Integer(0, 2**31 - 1))))

    restrict: ClassVar[type[ConstraintBased]]

    def _halves(self) -> tuple[ConstraintBased, Algorithm]:
        climb = HillClimbing(self.score, self.prior, self.max_indegree)
        return self.restrict(self.test, self.max_conditioning), climb


@dataclass(frozen=True)
class _Restricted(Knowledge):
    """Knowledge that also forbids the arcs outside a skeleton, without naming each of them."""

    skeleton: PDAG | None = None

    @classmethod
    def of(cls, knowledge: Knowledge, skeleton: PDAG) -> _Restricted:
        own = {field.name: getattr(knowledge, field.name) for field in fields(Knowledge)}
        return cls(**own, skeleton=skeleton)

    def bind(self, names: tuple[str, ...]) -> BoundKnowledge:  # type: ignore[override] # its callers pass tuples
        """The same as matrices, with all pairs forbidden that are neither in the skeleton nor required."""
        bound = super().bind(names)
        assert self.skeleton is not None
        joined = self.skeleton.reorder(names).adjacency | bound.required | bound.required.T
        return replace(bound, forbidden=np.ascontiguousarray(bound.forbidden | ~joined))
