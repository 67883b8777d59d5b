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
    """One move of a search: what was done to the arc from -> to, and what it gained."""

    move: Literal["add", "remove", "reverse"]
    arc: tuple[str, str]
    gain: float


@dataclass(frozen=True, repr=False)
class Result:
    """What an algorithm learned, and how.

    - `graph`: the graph as the algorithm found it; `dag` and `cpdag` are derived from it.
    - `score`: of `dag`, prior included, natural logarithm; None if the algorithm has no score.
    - `calls`: how often the criterion was evaluated, a test being one call even if it scores twice; `distinct_calls`:
      for how many different families or tests. Where there are too many to cache them all, one that is scored again
      counts again.
    - `optimal`, `gap`: whether the score is proven to be the best, and how far from it it may be.
    - `interrupted`: whether the search was stopped before its end; then this is the best so far.
    - `trace`: the moves made, if they were asked for.
    - `overruled`: v-structures x -> z <- y, as (x, z, y), that tests asked for but that stronger ones or what is known
      speak against.
    - `unmet`: why no DAG that extends the graph obeys what is known, if that is so.
    - `notes`: what else a reader should know, such as tests that contradict each other.
    - `targets`: what was set together in the data, if it has interventions and the algorithm goes by a score.
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
    targets: tuple[tuple[str, ...], ...] = ()

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
        """The class of equivalent DAGs; with interventions, of those that they cannot tell apart.

        See `DAG.interventional_cpdag`.
        """
        return self.dag.interventional_cpdag(self.targets) if self.targets else self.graph.cpdag()

    def facts(self) -> list[tuple[str, str]]:
        """What is known of the result in words, each with its name."""
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
