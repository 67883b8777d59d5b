"""What constraint-based algorithms share: a search problem, and how its graph becomes a result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.checks import Integer, Optional, checked
from veridag.criteria.independence import G2, Test
from veridag.criteria.independence.base import TEST
from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.base import Algorithm, core_callback
from veridag.search.memory import BY_VARIABLE, NeedsByKind
from veridag.search.result import Result

Matrix = NDArray[np.bool_]


def default_test() -> G2:
    """The test of searches unless another is given: one that does not lose edges where cells are empty; see `G2`."""
    return G2(df="observed")


class ConstraintProblem:
    """Data, test and knowledge bound to each other, with the variables in an order that comes from the data.

    That order breaks ties, and makes what is learned independent of names and of the order of columns and rows.
    """

    def __init__(self, data: Data, test: Test, knowledge: Knowledge, max_conditioning: int | None) -> None:
        ordered = data.in_data_order()
        self.names = ordered.names
        self.columns = data.names
        bound = knowledge.bind(self.names)
        self.core = _core.ConstraintProblem(
            test.bind(ordered).core,
            bound.required,
            bound.forbidden,
            bound.max_indegree.tolist(),
            -1 if max_conditioning is None else max_conditioning,
        )

    def notes(self, looped: list[int]) -> tuple[str, ...]:
        """What is to be said about searches that the tests led in a circle."""
        return tuple(
            f"the tests contradict each other around {self.names[v]}: its search returned to an earlier set of "
            "variables, and stopped there"
            for v in sorted(looped, key=self.names.__getitem__)
        )

    def named(self, colliders: list[list[int]]) -> tuple[tuple[str, str, str], ...]:
        """V-structures x -> z <- y as (x, z, y), in the order of their names, x before y."""
        ends = ((*sorted((self.names[x], self.names[y])), self.names[z]) for x, z, y in colliders)
        return tuple(sorted((x, z, y) for x, y, z in ends))


@dataclass(frozen=True)
class ConstraintBased(Algorithm):
    """A constraint-based algorithm: it learns which variables are joined, and the directions, from independence tests.

    The result has no score. Its `graph` is a PDAG, and `calls` counts tests.

    Args:
        test: The test, including `ScoreTest`.
        max_conditioning: Most variables of a separating set; any number if None.

    See also:
        `PCStable`, docs/algorithms.md
    """

    test: Test = field(default_factory=default_test, metadata=checked(TEST))
    max_conditioning: int | None = field(default=None, metadata=checked(Optional(Integer(0, 2**31 - 1))))

    #: The algorithm as the core knows it.
    method: ClassVar[str]

    _needs: ClassVar[NeedsByKind] = BY_VARIABLE

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        problem = ConstraintProblem(data, self.test, knowledge, self.max_conditioning)
        found = _core.search_constraints(problem.core, self.method, core_callback(progress), jobs)
        graph = PDAG(problem.names, found.pdag)
        # What is left after an interrupt is hardly ever the class of a DAG, and to find that out may take long.
        member, unmet = (None, None) if found.interrupted else obedient_extension(graph, knowledge)
        return Result(
            graph=graph.reorder(problem.columns),
            score=None,
            calls=found.calls,
            distinct_calls=found.distinct_calls,
            steps=found.calls,
            seconds=0.0,
            seed=seed,
            settings=repr(self),
            interrupted=found.interrupted,
            member=None if member is None else member.reorder(problem.columns),
            unmet=unmet,
            overruled=problem.named(found.overruled),
            colliders=problem.named(found.colliders),
            notes=problem.notes(found.looped),
            calls_offset=found.repeats,
        )

    def skeleton(self, data: Data, knowledge: Knowledge, progress: Progress | None, jobs: int) -> Result:
        """The first half of a hybrid algorithm: a result whose graph has the pairs that are joined, undirected."""
        problem = ConstraintProblem(data, self.test, knowledge, self.max_conditioning)
        found = _core.search_skeleton(problem.core, self.method, core_callback(progress), jobs)
        return Result(
            graph=PDAG(problem.names, found.pdag),
            score=None,
            calls=found.calls,
            distinct_calls=found.distinct_calls,
            steps=found.calls,
            seconds=0.0,
            seed=0,
            settings=repr(self),
            interrupted=found.interrupted,
            notes=problem.notes(found.looped),
            calls_offset=found.repeats,
        )


def obedient_extension(graph: PDAG, knowledge: Knowledge) -> tuple[DAG | None, str | None]:
    """A DAG that extends the graph and obeys what is known, or why there is none.

    The graph has the directions that follow from the knowledge, so only the number of parents is left to look at. Among
    several DAGs the order of the graph's variables chooses.
    """
    extended, stuck = _core.extend(np.ascontiguousarray(graph.adjacency))
    if len(stuck):
        return None, None
    member = DAG(graph.names, extended)
    if not knowledge.violations(member):
        return member, None
    limits = knowledge.bind(graph.names).max_indegree
    found = _extend_within(graph, limits)
    if found is None or knowledge.violations(found):
        return None, f"no DAG that extends the graph satisfies the knowledge: {knowledge.violations(member)[0]}"
    return found, None


def _extend_within(graph: PDAG, limits: NDArray[np.int64]) -> DAG | None:
    """Dor and Tarsi (1992) with a bound on parents: take away a variable that can come last, again and again.

    One that can come last now can still do so after others have gone, with no more parents than before: whichever is
    taken first, the search fails only if there is no such DAG.
    """
    a = graph.adjacency.copy()
    result = np.zeros_like(a)
    left = list(range(len(a)))
    while left:
        last = next((v for v in reversed(left) if _can_be_last(a, v, int(limits[v]))), None)
        if last is None:
            return None
        result[:, last] = a[:, last]
        a[last, :] = a[:, last] = False
        left.remove(last)
    return DAG(graph.names, result)


def _can_be_last(a: Matrix, v: int, limit: int) -> bool:
    into, out = a[:, v], a[v, :]
    if (out & ~into).any() or int(into.sum()) > limit:
        return False
    joined = a | a.T | np.eye(len(a), dtype=bool)
    return all((joined[u] | ~into).all() for u in np.flatnonzero(into & out))
