"""Planning experiments that direct the undirected edges of an equivalence class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2, prod
from typing import Literal, NamedTuple

import numpy as np

from veridag.checks import Integer, OneOf, Optional
from veridag.display import aligned, paragraph, table
from veridag.graph.dag import DAG
from veridag.graph.matrices import Matrix
from veridag.graph.pdag import PDAG

from .counting import closed_matrix, count_members, undirected_parts
from .orienting import orientations_at

Criterion = Literal["worst", "expected", "size", "entropy"]

#: How many outcomes of the experiments on one connected part are looked at together.
MAX_OUTCOMES = 4096

_PLAN_AGAIN = "further experiments depend on the results of these: plan again with the graph they give"

_HEAD = ("experiment on", "directs at least", "on average", "largest class left", "entropy (bits)")


class Experiment(NamedTuple):
    r"""An experiment that sets one variable, and what is known after it and the ones before it.

    Attributes:
        target: The variable to set.
        least: How many edges then have a direction, in the worst case.
        expected: The same on average over the DAGs of the class, with equal weights.
        largest_class: The largest number of DAGs that can be left.
        entropy: The entropy of the outcome in bits: $\log_2$ of the number of DAGs, minus its average over the
            outcomes.

    See also:
        `experiments`, docs/causal.md
    """

    target: str
    least: int
    expected: float
    largest_class: int
    entropy: float


@dataclass(frozen=True, repr=False)
class ExperimentPlan:
    """The experiments that `experiments` recommends.

    Attributes:
        edges: The number of undirected edges before any experiment.
        class_size: The number of DAGs before any experiment.
        criterion: The criterion of the choice.
        steps: The recommended experiments, in order.
        candidates: All useful first experiments, best first.
        notes: Limits of the plan.

    See also:
        `experiments`, docs/causal.md
    """

    edges: int
    class_size: int
    criterion: Criterion
    steps: tuple[Experiment, ...]
    candidates: tuple[Experiment, ...]
    notes: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The variables to set, in order."""
        return tuple(step.target for step in self.steps)

    @property
    def settles_all(self) -> bool:
        """Whether every edge has a direction after these experiments, for any outcome."""
        return (self.steps[-1].least if self.steps else 0) == self.edges

    @property
    def sentence(self) -> str:
        """The first choice and what it achieves, as a sentence."""
        if not self.edges:
            return "All edges are directed already: no experiment is needed."
        if not self.steps:
            why = "an experiment has too many outcomes to compare" if self.notes else "you asked for no experiment"
            return f"{_edges(self.edges)} without direction; {why}."
        first, last = self.steps[0], self.steps[-1]
        text = (
            f"An experiment on {first.target} directs at least {first.least} of {_edges(self.edges)} without direction "
            f"({first.expected:.3g} on average)"
        )
        if len(self.steps) == 1:
            return f"{text}{', which is all' if self.settles_all else ''}."
        number = "all" if self.settles_all else f"at least {last.least}"
        return f"{text}; experiments on {', '.join(self.targets)} direct {number}."

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (e.target, str(e.least), f"{e.expected:.4g}", str(e.largest_class), f"{e.entropy:.4g}") for e in self.steps
        ]

    def __str__(self) -> str:
        shown = [aligned([_HEAD, *self._rows()])] if self.steps else []
        return "\n".join([self.sentence, *shown, *self.notes])

    def _repr_html_(self) -> str:
        return paragraph(self.sentence) + table(_HEAD, self._rows()) + "".join(map(paragraph, self.notes))

    def __repr__(self) -> str:
        return f"<ExperimentPlan: {', '.join(self.targets) or 'no experiments'} for {_edges(self.edges)}>"


def experiments(graph: DAG | PDAG, most: int | None = None, *, criterion: Criterion = "worst") -> ExperimentPlan:
    """Choose single-variable experiments that direct the undirected edges of a class.

    An experiment sets one variable at random and shows the direction of each of its edges; others follow by Meek's
    rules (He and Geng 2008). The choice is made before any outcome is known. It is greedy: the first experiment is best
    by the criterion, and each further one is best together with those before it. Ties are broken by the expected number
    of edges, and then by name. All numbers are exact.

    Args:
        graph: The class. A DAG represents its class.
        most: Most experiments; enough to direct every edge if None.
        criterion: What to optimise.

            - ``"worst"``: the most edges directed in the worst case;
            - ``"expected"``: the most edges directed on average over the DAGs of the class;
            - ``"size"``: the smallest remaining class in the worst case (He and Geng's minimax criterion);
            - ``"entropy"``: the largest entropy of the outcome (their maximum entropy criterion).

    Returns:
        The plan. It ends early, with a note, if the outcomes of earlier experiments are too many to compare. Then plan
        again with the graph that they lead to.

    See also:
        `class_size`, `possible_effects`, docs/causal.md
    """
    most = Optional(Integer(0))("most", most)
    criterion = OneOf(("worst", "expected", "size", "entropy"))("criterion", criterion)
    a = closed_matrix(graph, "graph")
    parts = [_Part.start(a, members, graph.names) for members in undirected_parts(a)]
    size, notes = prod(part.size for part in parts), []
    steps: list[Experiment] = []
    first: list[Experiment] = []
    while (most is None or len(steps) < most) and not all(part.settled for part in parts):
        known = _Knowledge.sum(part.known for part in parts)
        choices = [
            (known.exchanged(part.known, after.known).as_experiment(target), i, after)
            for i, part in enumerate(parts)
            for target, after in part.afterwards.items()
        ]
        if not choices:
            notes.append(_PLAN_AGAIN if steps else "direct some edges first with knowledge")
            break
        ranked = sorted(choices, key=lambda choice: _key(choice[0], criterion))
        first = first or [choice[0] for choice in ranked]
        best, i, parts[i] = ranked[0][0], ranked[0][1], ranked[0][2]
        steps.append(best)
    edges = sum(part.edges for part in parts)
    return ExperimentPlan(edges, size, criterion, tuple(steps), tuple(first), tuple(notes))


class _Knowledge(NamedTuple):
    """What is known after some experiments, of a part or of several, which are independent of each other."""

    least: int = 0
    expected: float = 0.0
    largest_class: int = 1
    entropy: float = 0.0

    @classmethod
    def sum(cls, parts: Iterable[_Knowledge]) -> _Knowledge:
        total = cls()
        for part in parts:
            total = total.exchanged(cls(), part)
        return total

    def exchanged(self, one: _Knowledge, other: _Knowledge) -> _Knowledge:
        """With other knowledge of a part than this."""
        return _Knowledge(
            self.least - one.least + other.least,
            self.expected - one.expected + other.expected,
            self.largest_class // one.largest_class * other.largest_class,
            self.entropy - one.entropy + other.entropy,
        )

    def as_experiment(self, target: str) -> Experiment:
        return Experiment(target, self.least, self.expected, self.largest_class, self.entropy)


@dataclass(frozen=True, eq=False)
class _Part:
    """Variables that undirected edges connect, and the graphs that the experiments on them may lead to."""

    names: tuple[str, ...]
    edges: int
    size: int
    outcomes: tuple[tuple[Matrix, int], ...]  # each with its number of DAGs

    @classmethod
    def start(cls, a: Matrix, members: list[int], names: Sequence[str]) -> _Part:
        own = np.ascontiguousarray(a[np.ix_(members, members)])
        size = count_members(own)
        return cls(tuple(names[v] for v in members), _undirected(own), size, ((own, size),))

    @property
    def settled(self) -> bool:
        return all(count == 1 for _, count in self.outcomes)

    @cached_property
    def known(self) -> _Knowledge:
        new = [self.edges - _undirected(graph) for graph, _ in self.outcomes]
        counts = [count for _, count in self.outcomes]
        left = sum(count / self.size * log2(count) for count in counts)
        expected = sum(count / self.size * number for count, number in zip(counts, new, strict=True))
        return _Knowledge(min(new), expected, max(counts), max(log2(self.size) - left, 0.0))

    @cached_property
    def afterwards(self) -> dict[str, _Part]:
        """The part after one experiment more, by its target; without those that tell nothing new, or too much."""
        found = {name: self._after(at) for at, name in enumerate(self.names)}
        return {name: part for name, part in found.items() if part is not None}

    def _after(self, at: int) -> _Part | None:
        graphs = [o.graph for graph, _ in self.outcomes for o in orientations_at(graph, at, self.names[at])]
        if len(graphs) == len(self.outcomes) or len(graphs) > MAX_OUTCOMES:
            return None
        return _Part(self.names, self.edges, self.size, tuple((graph, count_members(graph)) for graph in graphs))


def _key(e: Experiment, criterion: Criterion) -> tuple[float, float, str]:
    own = {"worst": -e.least, "expected": -e.expected, "size": e.largest_class, "entropy": -e.entropy}[criterion]
    return round(own, 9), -round(e.expected, 9), e.target


def _undirected(a: Matrix) -> int:
    return int((a & a.T).sum()) // 2


def _edges(number: int) -> str:
    return "1 edge" if number == 1 else f"{number} edges"
