"""Hybrid HPC."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag.checks import MAX_INDEGREE, Integer, Optional, checked
from veridag.criteria.independence import G2, Test
from veridag.criteria.independence.base import TEST
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.constraint.hpc import HPC

from .base import Algorithm
from .greedy import HillClimbing
from .result import Result
from .rsmax2 import learn_hybrid


@dataclass(frozen=True)
class H2PC(Algorithm):
    """Hybrid HPC (Gasse, Aussem and Elghazel 2014): `HPC` restricts, `HillClimbing` maximises."""

    test: Test = field(default_factory=G2, metadata=checked(TEST))
    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    max_conditioning: int | None = field(default=None, metadata=checked(Optional(Integer(0))))

    def _restrict(self) -> HPC:
        return HPC(self.test, self.max_conditioning)

    def _maximize(self) -> HillClimbing:
        return HillClimbing(self.score, self.prior, self.max_indegree)

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        return learn_hybrid(self._restrict(), self._maximize(), self, data, knowledge, seed, progress, jobs, trace)
