"""Simulated annealing over topological orders."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from veridag import _core
from veridag.checks import BOOLEAN, MAX_INDEGREE, Integer, Number, OneOf, Optional, checked
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress

from .base import START, Algorithm, core_callback
from .hill_climbing import HillClimbing
from .problem import Problem
from .result import Result

OrderScore = Literal["best", "average"]

TEMPERATURE = Number(above=0, keep_integers=True)


@dataclass(frozen=True)
class OrderAnnealing(Algorithm):
    r"""Simulated annealing over topological orders (Scutari, Graafland and Gutierrez 2019, Algorithm 3).

    An order has the score of the best DAG compatible with it; or, with ``order_score="average"``, the logarithm of the
    sum over all of them (eq. 5). The parents of a variable are among its `candidates` best single parents and its
    parents in `start`, and at most `max_indegree` of them. Within these, the best parents given an order are exact. If
    `start` is None, it is the network that hill climbing finds, because a parent that matters only together with
    another one looks bad alone.

    A step swaps two neighbours in the order (probability 1/2), swaps any two variables (1/8) or moves one to another
    position (3/8). A loss of $d$ is accepted with probability $\exp(-d / T)$. The temperature $T$ decreases
    geometrically over `steps` steps (20 000 per variable if None), from `initial_temperature` (the mean loss of a move
    if None) to `final_temperature`, in units of the score. A greedy descent from the best order seen ends the search.

    The paper's algorithm starts at a random order and ends at the best order seen: set `warm_start` and `descent` to
    False. With ``steps=100, initial_temperature=1`` as well, it is what the paper compared.

    The search maximises `score` plus the logarithm of `prior`.

    See also:
        `BOSS`, `sample_posterior`, docs/algorithms.md
    """

    score: Score = field(default_factory=BIC, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Uniform, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=5, metadata=checked(MAX_INDEGREE))
    start: DAG | None = field(default=None, metadata=checked(START))
    order_score: OrderScore = field(default="best", metadata=checked(OneOf(get_args(OrderScore))))
    candidates: int = field(default=12, metadata=checked(Integer(1, 63)))
    steps: int | None = field(default=None, metadata=checked(Optional(Integer(0, 2**31 - 1))))
    initial_temperature: float | None = field(default=None, metadata=checked(Optional(TEMPERATURE)))
    final_temperature: float = field(default=1.0, metadata=checked(TEMPERATURE))
    warm_start: bool = field(default=True, metadata=checked(BOOLEAN))
    descent: bool = field(default=True, metadata=checked(BOOLEAN))

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        start, before, offset = self.start, 0, 0
        if start is None and self.warm_start:
            climb = HillClimbing(self.score, self.prior, self.max_indegree)._learn(
                data, knowledge, 0, None, jobs, False
            )
            start, before, offset = climb.dag, climb.calls, climb.calls_offset
        settings = _core.OrderSettings(
            candidates=self.candidates,
            steps=20_000 * len(data.names) if self.steps is None else self.steps,
            initial_temperature=0.0 if self.initial_temperature is None else float(self.initial_temperature),
            final_temperature=float(self.final_temperature),
            average=self.order_score == "average",
            descent=self.descent,
            seed=seed,
        )
        found = _core.search_orders(problem.core, problem.start(start), settings, core_callback(progress), jobs)
        result = problem.result(found, seed, repr(self))
        return replace(result, calls=before + found.calls, calls_offset=offset)
