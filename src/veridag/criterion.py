"""What every score, structure prior and independence test is: the protocols that algorithms rely on.

All are frozen dataclasses: values without data, that can be compared, hashed and pickled. A formula is written for one
family; `scorer` applies it to data, in the compiled core where the formula has a twin there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .data import Data
from .errors import InputError
from .graph import DAG, PDAG, Arc, InvalidGraph
from .statistics import FamilyCounts, FamilyMoments, family_counts, family_moments

Floats = NDArray[np.float64]
Kind = Literal["discrete", "continuous"]

#: The name of a score's twin in the core, and its numbers.
Twin = tuple[str, tuple[float, ...]]


class Score(ABC):
    """A decomposable network score: natural logarithms, higher is better.

    A subclass is a frozen dataclass with `discrete`, `continuous`, or both.
    """

    #: Whether equivalent DAGs always have the same score.
    equivalent: ClassVar[bool]

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        raise InputError(f"{self} does not score discrete data")

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family of continuous variables."""
        raise InputError(f"{self} does not score continuous data")

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family of the data, by the readable formula."""
        if self.check(data) == "discrete":
            return self.discrete(family_counts(data, child, parents))
        return self.continuous(family_moments(data, child, parents))

    def check(self, data: Data) -> Kind:
        """The kind of the data; raises `InputError` if the score cannot be used on it."""
        kind = data.require_one_kind()
        if not self.handles(kind):
            others = {"discrete": "BIC, BDeu, BDs, K2, QNML and others", "continuous": "BIC, AIC, LogLik and BGe"}
            raise InputError(f"{self} does not score {kind} data; these do: {others[kind]}")
        if data.n == 0:
            raise InputError("the data has no rows")
        return kind

    @classmethod
    def handles(cls, kind: Kind) -> bool:
        """Whether the score has a formula for this kind of data."""
        return getattr(cls, kind) is not getattr(Score, kind)

    def twin(self, data: Data) -> Twin | None:
        """The same formula in the core, if it is there: its name and its numbers."""
        del data
        return None


@dataclass(frozen=True, eq=False)
class PriorTerms:
    """A modular prior bound to variables: log P(G) is, up to a constant, the sum over variables v of

    ``size[v, |parents|] + sum of arc[u, v] over the parents u``.
    """

    size: Floats
    arc: Floats | None = None

    def log(self, variable: int, parents: Sequence[int]) -> float:
        """The term of one family."""
        term = float(self.size[variable, len(parents)])
        return term if self.arc is None else term + float(self.arc[list(parents), variable].sum())


class Prior(ABC):
    """A modular structure prior: P(G) = c * product over i of rho_i(parents of i) (Eggeling et al. 2019, section 2)."""

    @abstractmethod
    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """The prior bound to these variables and, where it depends on it, to the number of rows."""

    def log(self, graph: DAG, rows: int | None = None) -> float:
        """log P(G) up to the constant that the prior's documentation states."""
        if not isinstance(graph, DAG):
            raise InputError(f"graph: a DAG is needed, not a {type(graph).__name__}; a PDAG's extension() is one")
        terms = self.terms(graph.names, rows)
        parents = [np.flatnonzero(graph.adjacency[:, v]).tolist() for v in range(len(graph))]
        return float(sum(terms.log(v, p) for v, p in enumerate(parents)))


class SymmetricPrior(Prior):
    """A prior whose factors depend on the indegree alone: rho_i(G_i) = w(|G_i|) (Eggeling et al. 2019, section 4)."""

    @abstractmethod
    def log_weights(self, n: int, rows: int | None = None) -> Floats:
        """log w(s) for s = 0, ..., n - 1 parents in a network of n variables."""

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """The same weights for every variable."""
        n = len(names)
        return PriorTerms(np.tile(self.log_weights(n, rows), (n, 1)))


@dataclass(frozen=True)
class Step:
    """One move of a search: what was done to the arc from -> to, and what it gained."""

    move: Literal["add", "remove", "reverse"]
    arc: tuple[str, str]
    gain: float


@dataclass(frozen=True)
class Result:
    """What an algorithm learned, and how.

    - `graph`: the graph as the algorithm found it; `dag` and `cpdag` are derived from it.
    - `score`: of `dag`, prior included, natural logarithm; None if the algorithm has no score.
    - `calls`: how often the criterion was asked, a test being one call even if it scores twice; `distinct_calls`: for
      how many different families or tests.
    - `optimal`, `gap`: whether the score is proven to be the best, and how far from it it may be.
    - `interrupted`: whether the search was stopped before its end; then this is the best so far.
    - `trace`: the moves made, if they were asked for.
    - `overruled`: v-structures x -> z <- y, as (x, z, y), that tests asked for but that stronger ones or what is known
      speak against.
    - `unmet`: why no DAG that extends the graph obeys what is known, if that is so.
    - `notes`: what else a reader should know, such as tests that contradict each other.
    """

    graph: DAG | PDAG
    score: float | None
    calls: int
    distinct_calls: int
    steps: int
    seconds: float
    seed: int
    settings: str
    optimal: bool = False
    gap: float | None = None
    interrupted: bool = False
    trace: tuple[Step, ...] | None = None
    member: DAG | None = None  # of the class that `graph` stands for, if the algorithm names one
    overruled: tuple[tuple[str, str, str], ...] = ()
    unmet: str | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def dag(self) -> DAG:
        """The graph, or a DAG that extends it; raises `InvalidGraph` if there is none, see `valid`."""
        if isinstance(self.graph, DAG):
            return self.graph
        if self.unmet is not None:
            raise InvalidGraph(self.unmet, ())
        return self.graph.extension() if self.member is None else self.member

    @cached_property
    def valid(self) -> bool:
        """Whether some DAG extends the graph, and obeys what is known.

        Tests may contradict each other, so that a constraint-based algorithm finds directions that no DAG has: the
        "invalid CPDAG" of Scutari, Graafland and Gutierrez (2019), section 5.1.1. It is not repaired.
        """
        return isinstance(self.graph, DAG) or (self.unmet is None and self.graph.why_invalid() is None)

    @cached_property
    def conflicts(self) -> tuple[Arc, ...]:
        """The arcs and edges among which there is no way out, if no DAG extends the graph.

        They are those between the variables of the witness, a directed cycle or a set of variables none of which can
        come last; see `PDAG.why_invalid`.
        """
        problem = None if isinstance(self.graph, DAG) else self.graph.why_invalid()
        if problem is None:
            return ()
        witness = set(problem.witness)
        pairs = (*self.graph.arcs, *self.graph.edges)
        return tuple((u, v) for u, v in pairs if u in witness and v in witness)

    @cached_property
    def cpdag(self) -> PDAG:
        """The class of equivalent DAGs."""
        return self.graph.cpdag()


@dataclass(frozen=True)
class TestResult:
    """What a test of independence found. `independent` is its decision at its own threshold."""

    __test__: ClassVar[bool] = False  # not for pytest

    statistic: float
    df: float
    p_value: float
    independent: bool
