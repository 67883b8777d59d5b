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
    """An algorithm that looks at one variable at a time, so that it can look at one alone."""


_METHOD = Instance(LocalLearner, "an algorithm that searches one variable at a time, such as InterIAMB()")


def neighbours(
    data: Data | Any, target: str, method: LocalLearner | None = None, knowledge: Knowledge | None = None, jobs: int = 1
) -> tuple[str, ...]:
    """The variables joined to `target`, its parents and children, in column order, without learning the rest.

    `method` is `MMPC` by default; `SIHitonPC`, `HPC`, `GrowShrink` and `InterIAMB` do it too. What it finds is looked
    at in turn, and only those stay that find the target: the same as its neighbours in ``method.learn(data)``.
    """
    from .mmpc import MMPC

    return _search(_core.search_neighbours, data, target, MMPC() if method is None else method, knowledge, jobs)


def markov_blanket(
    data: Data | Any, target: str, method: LocalLearner | None = None, knowledge: Knowledge | None = None, jobs: int = 1
) -> tuple[str, ...]:
    """The Markov blanket of `target`, in column order, without learning the rest.

    These are its parents, its children and their other parents: given them, no other variable says anything about it.
    `method` is `InterIAMB` by default. `GrowShrink` and `InterIAMB` look for blankets, and those found stay if the
    target is in theirs. The others look for neighbours, and then among the neighbours' neighbours for those that
    depend on the target once the neighbour between them is given.
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
