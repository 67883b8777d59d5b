"""`Average`: a learner whose network sums up many equivalence classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph import DAG, PDAG, InvalidGraph
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.search.constraint.base import obedient_extension
from veridag.search.result import Result
from veridag.work.pieces import Executor
from veridag.work.threads import Threads


@dataclass(frozen=True)
class Average(Algorithm):
    """A learner that joins the pairs which more than the `threshold` share of many classes join.

    A subclass has the field `threshold`, and says where the classes come from.
    """

    @abstractmethod
    def _shares(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: Executor
    ) -> tuple[ClassShares, int]:
        """The shares of the classes, and how many criteria were evaluated."""

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        return self._learn_on(Threads(jobs), data, knowledge, seed, progress, trace)

    def _learn_on(
        self,
        executor: Executor,
        data: Data,
        knowledge: Knowledge,
        seed: int,
        progress: Progress | None,
        trace: bool,
    ) -> Result:
        """Many networks are learned, so that any executor does."""
        del trace
        with executor.open() as opened:
            shares, calls = self._shares(data, knowledge, seed, progress, opened)
        threshold: float = self.threshold  # type: ignore[attr-defined] # a field of each subclass
        targets = data.target_sets if isinstance(self.criterion, Score) else ()
        return as_result(shares.likeliest_class(threshold, targets), knowledge, calls, calls, seed, repr(self))


def oriented(graph: DAG | PDAG, knowledge: Knowledge, targets: Sequence[tuple[str, ...]] = ()) -> PDAG:
    """The class of a graph, directed further by what is known; a graph that stands for no class as it is.

    With the `targets` of interventions, it is the class that they leave.
    """
    if isinstance(graph, PDAG) and graph.why_invalid() is not None:
        return graph
    if not targets:
        return knowledge.orient(graph.cpdag())
    dag = graph if isinstance(graph, DAG) else graph.extension()
    return knowledge.orient(dag.interventional_cpdag(targets))


def as_result(graph: PDAG, knowledge: Knowledge, calls: int, steps: int, seed: int, settings: str) -> Result:
    """A class as a result, directed by what is known; it says so if no DAG of the class obeys that."""
    try:
        graph = knowledge.orient(graph)
    except InvalidGraph as error:
        return Result(graph, None, calls, calls, steps, 0.0, seed, settings, unmet=str(error))
    # By names, so that the order of the columns does not choose between the members of the class.
    found, unmet = obedient_extension(graph.reorder(sorted(graph.names)), knowledge)
    member = None if found is None else found.reorder(graph.names)
    return Result(graph, None, calls, calls, steps, 0.0, seed, settings, member=member, unmet=unmet)
