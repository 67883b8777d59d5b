"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Literal

from veridag.display import aligned, drawing, paragraph, table
from veridag.graph import DAG, PDAG, Arc, InvalidGraph


@dataclass(frozen=True)
class Step:
    """One move of a search.

    Attributes:
        move: What was done.
        arc: The arc (from, to).
        gain: By how much the score increased.

    See also:
        `Result`, docs/algorithms.md
    """

    move: Literal["add", "remove", "reverse"]
    arc: tuple[str, str]
    gain: float


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a structure learning algorithm.

    Attributes:
        graph: The graph as the algorithm found it; `dag` and `cpdag` are derived from it.
        score: The score of `dag` including the log prior, as a natural logarithm; None if the algorithm has no score.
        calls: How often the criterion was evaluated. A test is one call even if it scores twice.
        distinct_calls: For how many different families or tests. If there are too many to cache, one that is scored
            again counts again.
        steps: The number of steps of the search.
        seconds: The time it took.
        seed: The seed of the random numbers.
        settings: The algorithm with its settings, as text.
        optimal: Whether the score is proven to be the best.
        gap: The most by which the best score can be higher; None if unknown.
        interrupted: Whether the search was stopped before its end. The result is then the best so far.
        trace: The moves of the search, if they were requested.
        member: The DAG of the class in `graph`, if the algorithm names one.
        overruled: V-structures x -> z <- y, as (x, z, y), that tests indicate but that stronger ones or the knowledge
            contradict.
        colliders: V-structures x -> z <- y, as (x, z, y), that tests indicate and nothing overruled. The other arcs of
            `graph` follow from these and from the knowledge.
        unmet: Why no DAG that extends the graph satisfies the knowledge, if none does.
        notes: Anything else a reader should know, such as tests that contradict each other.
        targets: Sets of variables that were set together in the data, if it has interventions and the algorithm uses a
            score.
        calls_offset: What R bnlearn counts more than `calls` (less if negative), see `calls_published`.

    See also:
        `learn`, `Interrupted`, docs/algorithms.md
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
    colliders: tuple[tuple[str, str, str], ...] = ()
    unmet: str | None = None
    notes: tuple[str, ...] = ()
    targets: tuple[tuple[str, ...], ...] = ()
    calls_offset: int = 0

    @property
    def calls_published(self) -> int:
        """`calls` as R bnlearn counts them, and so most papers.

        PC-stable there makes a test twice if its conditioning set is among the neighbours of both ends. Greedy search
        with a score-equivalent score does not score X -> Y again if it has scored Y -> X and neither has parents.
        """
        return self.calls + self.calls_offset

    @cached_property
    def dag(self) -> DAG:
        """The graph, or a DAG that extends it. Raises `InvalidGraph` if there is none, see `valid`."""
        if isinstance(self.graph, DAG):
            return self.graph
        if self.unmet is not None:
            raise InvalidGraph(self.unmet, ())
        return self.graph.extension() if self.member is None else self.member

    @cached_property
    def valid(self) -> bool:
        """Whether some DAG extends the graph and satisfies the knowledge.

        Tests can contradict each other, so that a constraint-based algorithm finds directions that no DAG has: the
        "invalid CPDAG" of Scutari, Graafland and Gutierrez (2019, section 5.1.1). It is not repaired.
        """
        return isinstance(self.graph, DAG) or (self.unmet is None and self.graph.why_invalid() is None)

    @cached_property
    def conflicts(self) -> tuple[Arc, ...]:
        """The arcs and edges that conflict, if no DAG extends the graph.

        They are those between the variables of the witness: a directed cycle, or a set of variables of which none can
        be the last; see `PDAG.why_invalid`.
        """
        problem = None if isinstance(self.graph, DAG) else self.graph.why_invalid()
        if problem is None:
            return ()
        witness = set(problem.witness)
        pairs = (*self.graph.arcs, *self.graph.edges)
        return tuple((u, v) for u, v in pairs if u in witness and v in witness)

    @cached_property
    def cpdag(self) -> PDAG:
        """The CPDAG of the equivalence class; with interventions, of the class that they do not distinguish.

        See also:
            `DAG.interventional_cpdag`
        """
        return self.dag.interventional_cpdag(self.targets) if self.targets else self.graph.cpdag()

    def facts(self) -> list[tuple[str, str]]:
        """Facts about the result in words, each with its name."""
        graph = self.graph
        joined = f"{len(graph.arcs)} arcs" + (f", {len(graph.edges)} undirected edges" if graph.edges else "")
        found = [("graph", f"{type(graph).__name__} of {len(graph.names)} variables, {joined}")]
        if self.score is not None:
            proven = ", proven to be the best" if self.optimal else ""
            off = ""
            if self.gap and not self.optimal:
                off = (
                    f", the best can be higher by {self.gap:.6g}" if self.gap < inf else ", without a bound on the best"
                )
            found.append(("score", f"{self.score:.8g}{proven}{off}"))
        found += [("learner", self.settings), ("work", f"{self.calls} calls, {self.seconds:.3g} s, seed {self.seed}")]
        if self.interrupted:
            found.append(("interrupted", "the best so far"))
        if not self.valid:
            found.append(("not valid", self.unmet or "no DAG extends the graph; see conflicts"))
        return found + [("note", note) for note in self.notes]

    def __repr__(self) -> str:
        score = "" if self.score is None else f", score {self.score:.8g}"
        name = self.settings.partition("(")[0]
        return f"<Result of {name}: {repr(self.graph).strip('<>')}{score}, {self.seconds:.3g} s>"

    def __str__(self) -> str:
        return aligned(self.facts())

    def _repr_html_(self) -> str:
        drawn = drawing(self.graph.to_svg, len(self.graph.names))
        return paragraph(repr(self).strip("<>")) + drawn + table(("", ""), self.facts())
