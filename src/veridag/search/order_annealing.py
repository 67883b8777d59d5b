"""Simulated annealing over topological orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from veridag import _core
from veridag.criteria.priors import Uniform
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores import BIC
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge

from .base import Algorithm, Problem, Progress, check_count, check_criterion, check_start
from .greedy import HillClimbing
from .result import Result

OrderScore = Literal["best", "average"]


@dataclass(frozen=True)
class OrderAnnealing(Algorithm):
    """Simulated annealing over topological orders (Scutari, Graafland and Gutierrez 2019, Algorithm 3).

    An order has the score of the best DAG compatible with it, or with ``order_score="average"`` the logarithm of the
    sum over all of them (eq. 5). The parents of a variable are among its `candidates` best single parents and its
    parents in `start`, and at most `max_indegree` of them; within these the best parents given an order are exact. By
    default the start is what hill climbing finds, since a parent that matters only beside another looks bad alone.

    A step swaps two neighbours in the order (probability 1/2), swaps any two variables (1/8) or moves one to another
    place (3/8), and a loss of d is accepted with probability exp(-d / T). The temperature T falls geometrically over
    `steps` steps, 20 000 for each variable if None, from `initial_temperature` to `final_temperature`, in units of the
    score; None begins at the mean loss of a move. A greedy descent from the best order seen ends the search.
    """

    score: Score = field(default_factory=BIC)
    prior: Prior = field(default_factory=Uniform)
    max_indegree: int | None = 5
    start: DAG | None = None
    order_score: OrderScore = "best"
    candidates: int = 12
    steps: int | None = None
    initial_temperature: float | None = None
    final_temperature: float = 1.0

    def __post_init__(self) -> None:
        check_criterion(self.score, self.prior)
        check_start(self.start)
        if self.order_score not in get_args(OrderScore):
            raise InputError(f"order_score={self.order_score!r} must be 'best' or 'average'")
        check_count("candidates", self.candidates, 1)
        if self.candidates > 63:
            raise InputError(f"candidates={self.candidates} must be at most 63")
        for name in ("max_indegree", "steps"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name), 0)
        for name in ("initial_temperature", "final_temperature"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name}={value!r} must be above 0")

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = Problem(data, self.score, self.prior, knowledge, self.max_indegree)
        start, before = self.start, 0
        if start is None:
            climb = HillClimbing(self.score, self.prior, self.max_indegree)._learn(
                data, knowledge, 0, None, jobs, False
            )
            start, before = climb.dag, climb.calls
        adjacency, score, steps, interrupted, calls, distinct = _core.search_orders(
            *problem.arguments(start),
            self.candidates,
            20_000 * len(data.names) if self.steps is None else self.steps,
            0.0 if self.initial_temperature is None else float(self.initial_temperature),
            float(self.final_temperature),
            self.order_score == "average",
            seed,
            progress,
            jobs,
        )
        return Result(
            graph=problem.dag(adjacency),
            score=score,
            calls=before + calls,
            distinct_calls=distinct,
            steps=steps,
            seconds=0.0,
            seed=seed,
            settings=repr(self),
            interrupted=interrupted,
        )
