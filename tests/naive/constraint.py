"""Slow, obvious versions of what constraint-based searches do, written from the papers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

import veridag as vd
from veridag.criteria.independence import Test
from veridag.criteria.independence.result import TestResult
from veridag.data import Column, Data
from veridag.data.columns import Kind

Independent = Callable[[str, str, Sequence[str]], bool]


@dataclass(frozen=True)
class Oracle(Test):
    """d-separation in a DAG as a test: always right. Neighbours depend on each other more than others do."""

    dag: vd.DAG
    asked: list[tuple[str, str, frozenset[str]]] = field(default_factory=list, compare=False)

    def check(self, data: Data) -> Kind:
        return "discrete"

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        self.asked.append((min(x, y), max(x, y), frozenset(given)))
        separated = self.dag.d_separated(x, y, given=list(given))
        joined = y in self.dag.parents(x) or x in self.dag.parents(y)
        return TestResult(0.0, 1.0, 1.0 if separated else 1e-9 if joined else 1e-3, separated)


@dataclass(frozen=True)
class Table(Test):
    """Decisions given one by one: p-values by (x, y, given), `default` for all others; independent above 0.05.

    Given more than `most` variables no result is reliable.
    """

    p_values: tuple[tuple[str, str, tuple[str, ...], float], ...]
    default: float = 0.001
    most: int = 99

    def check(self, data: Data) -> Kind:
        return "discrete"

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        reliable = len(given) <= self.most
        for a, b, z, p in self.p_values:
            if {a, b} == {x, y} and set(z) == set(given):
                return TestResult(1.0, 1.0, p, p > 0.05, reliable)
        return TestResult(1.0, 1.0, self.default, self.default > 0.05, reliable)


def any_data(names: Sequence[str]) -> Data:
    """Two rows, for tests that do not look at them."""
    return Data([Column.discrete(name, np.array([0, 1]), ["no", "yes"]) for name in names])


def random_dag(n: int, degree: float, seed: int) -> vd.DAG:
    rng = np.random.default_rng(seed)
    names = tuple(f"v{i}" for i in rng.permutation(n))
    return vd.DAG(names, np.triu(rng.random((n, n)) < degree / (n - 1), 1))


def separates(result: TestResult, given: Sequence[str]) -> bool:
    """Whether a search takes a pair for separated: given three variables or more, only if the test is reliable."""
    return result.independent and (result.reliable or len(given) <= 2)


def pc_skeleton(names: Sequence[str], independent: Independent) -> set[frozenset[str]]:
    """Steps 1 and 2 of Algorithm 1 of Scutari, Graafland and Gutierrez (2019), order-independent."""
    joined = {frozenset(pair) for pair in combinations(names, 2)}
    for level in range(len(names) - 1):
        near = {v: sorted(u for u in names if frozenset((u, v)) in joined) for v in names}
        for pair in sorted(joined, key=sorted):
            x, y = sorted(pair)
            sets = {
                frozenset(s) for a, b in ((x, y), (y, x)) for s in combinations([v for v in near[a] if v != b], level)
            }
            if any(independent(x, y, sorted(s)) for s in sets):
                joined.discard(pair)
    return joined


def pc_repeats(names: Sequence[str], evidence: Callable[[str, str], float], independent: Independent) -> int:
    """How many tests PC-stable repeats that takes the sets of either end's neighbours by themselves.

    The neighbours with the most `evidence` come first, and a pair is left at the first set that separates it.
    """
    joined = {frozenset(pair) for pair in combinations(names, 2)}
    repeats = 0
    for level in range(len(names) - 1):
        near = {v: [u for u in names if frozenset((u, v)) in joined] for v in names}
        for pair in list(joined):
            x, y = sorted(pair, key=list(names).index)
            tested: list[set[str]] = []
            for a, b in [(x, y), (y, x)] if level else [(x, y)]:
                others = sorted((v for v in near[a] if v != b), key=lambda v: -evidence(a, v))
                for s in combinations(others, level):
                    if pair in joined:
                        repeats += set(s) in tested
                        tested.append(set(s))
                        if independent(x, y, s):
                            joined.discard(pair)
    return repeats


def pairs(graph: vd.DAG | vd.PDAG) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in (*graph.arcs, *getattr(graph, "edges", ()))}
