"""Learning about one variable: its neighbours and its Markov blanket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from veridag import _core
from veridag.checks import JOBS, Instance
from veridag.data import Data
from veridag.errors import InputError, suggest
from veridag.graph.knowledge import Knowledge

from .base import ConstraintBased, ConstraintProblem


@dataclass(frozen=True)
class LocalLearner(ConstraintBased):
    """A constraint-based algorithm that processes one variable at a time, so that it can process one alone.

    Args:
        test, max_conditioning: As in `search.constraint.base.ConstraintBased`.

    See also:
        `markov_blanket`, `neighbours`, docs/algorithms.md
    """


_METHOD = Instance(LocalLearner, "an algorithm that searches one variable at a time, such as InterIAMB()")


def neighbours(
    data: Data | Any, target: str, method: LocalLearner | None = None, knowledge: Knowledge | None = None, jobs: int = 1
) -> tuple[str, ...]:
    """Learn the parents and children of one variable, without learning the rest of the network.

    Candidates are checked in turn, and only those are kept that find the target. The result is the same as its
    neighbours in ``method.learn(data)``.

    Args:
        data: The table: a `Data` or a data frame.
        target: The variable.
        method: The algorithm; `MMPC` if None. `SIHitonPC`, `HPC`, `GrowShrink` and `InterIAMB` are possible, too.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        jobs: Number of threads.

    Returns:
        The neighbours, in column order.

    See also:
        `markov_blanket`, docs/algorithms/neighbours.md
    """
    from .mmpc import MMPC

    return _search(_core.search_neighbours, data, target, MMPC() if method is None else method, knowledge, jobs)


def markov_blanket(
    data: Data | Any, target: str, method: LocalLearner | None = None, knowledge: Knowledge | None = None, jobs: int = 1
) -> tuple[str, ...]:
    """Learn the Markov blanket of one variable, without learning the rest of the network.

    The blanket consists of the parents, the children and the children's other parents. Given these, no other variable
    is informative about the target. `GrowShrink` and `InterIAMB` search for blankets, and keep variables that have the
    target in theirs. The other methods search for neighbours, and then among the neighbours' neighbours for variables
    that depend on the target given the neighbour between them.

    Args:
        data: The table: a `Data` or a data frame.
        target: The variable.
        method: The algorithm; `InterIAMB` if None.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        jobs: Number of threads.

    Returns:
        The variables of the blanket, in column order.

    See also:
        `neighbours`, `DAG.markov_blanket`, docs/algorithms/blankets.md
    """
    from .inter_iamb import InterIAMB

    return _search(_core.search_blanket, data, target, InterIAMB() if method is None else method, knowledge, jobs)


def _search(
    search: Callable[..., Any],
    data: Data | Any,
    target: str,
    method: LocalLearner,
    knowledge: Knowledge | None,
    jobs: int,
) -> tuple[str, ...]:
    method, jobs = _METHOD("method", method), JOBS("jobs", jobs)
    data = Data.of(data)
    if target not in data.names:
        raise InputError(f"the data has no column {target!r}: {suggest(str(target), data.names)}")
    known, _ = method._with_directions(knowledge or Knowledge(), data)
    problem = ConstraintProblem(data, method.test, known, method.max_conditioning)
    outcome = search(problem.core, method.method, problem.names.index(target), None, jobs)
    if outcome.interrupted:
        raise KeyboardInterrupt("the search was stopped")
    found = {problem.names[v] for v in outcome.members}
    return tuple(name for name in data.names if name in found)
