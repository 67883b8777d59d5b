"""Restrict and maximise: hybrid algorithms."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

import numpy as np

from veridag.checks import Instance, checked
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import PDAG
from veridag.graph.knowledge import BoundKnowledge, Knowledge
from veridag.progress import Progress
from veridag.search.constraint.base import ConstraintBased
from veridag.search.constraint.si_hiton_pc import SIHitonPC

from .base import Algorithm
from .greedy import HillClimbing
from .result import Result


def _check_score_based(name: str, value: object) -> Algorithm:
    """An algorithm without tests of its own."""
    if isinstance(value, Algorithm) and not {"test", "restrict"} & {own.name for own in fields(value)}:
        return value
    raise InputError(f"{name}={value!r} must be a score-based algorithm, such as HillClimbing()")


@dataclass(frozen=True)
class RSMAX2(Algorithm):
    """Restrict and maximise (Scutari, Graafland and Gutierrez 2019, section 2.1).

    `restrict`, any constraint-based algorithm, says which variables may be joined; `maximize`, any score-based one,
    looks for the best DAG among those that join no others. `calls` counts tests and local scores together, and the
    score is that of `maximize`.
    """

    restrict: ConstraintBased = field(
        default_factory=SIHitonPC,
        metadata=checked(Instance(ConstraintBased, "a constraint-based algorithm, such as MMPC()")),
    )
    maximize: Algorithm = field(default_factory=HillClimbing, metadata=checked(_check_score_based))

    def _learn(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: int, trace: bool
    ) -> Result:
        return learn_hybrid(self.restrict, self.maximize, self, data, knowledge, seed, progress, jobs, trace)


def learn_hybrid(
    restrict: ConstraintBased,
    maximize: Algorithm,
    whole: Algorithm,
    data: Data,
    knowledge: Knowledge,
    seed: int,
    progress: Progress | None,
    jobs: int,
    trace: bool,
) -> Result:
    """Both halves of a hybrid, with the settings of the whole. After an interrupt in the first, the second is short:

    the graph is the one that it starts from, with the arcs that are required.
    """
    found = restrict.skeleton(data, knowledge, progress, jobs)
    assert isinstance(found.graph, PDAG)
    if found.interrupted:
        nothing = PDAG.from_arcs([], [], found.graph.names)
        best = maximize._learn(data, _Restricted.of(knowledge, nothing), seed, None, jobs, trace)
    else:
        best = maximize._learn(data, _Restricted.of(knowledge, found.graph), seed, progress, jobs, trace)
    return replace(
        best,
        calls=found.calls + best.calls,
        distinct_calls=found.distinct_calls + best.distinct_calls,
        settings=repr(whole),
        interrupted=found.interrupted or best.interrupted,
        notes=found.notes + best.notes,
    )


@dataclass(frozen=True)
class _Restricted(Knowledge):
    """Knowledge that also forbids the arcs outside a skeleton, without naming each of them."""

    skeleton: PDAG | None = None

    @classmethod
    def of(cls, knowledge: Knowledge, skeleton: PDAG) -> _Restricted:
        return cls(knowledge.required, knowledge.forbidden, knowledge.tiers, knowledge.max_indegree, skeleton=skeleton)

    def bind(self, names: tuple[str, ...]) -> BoundKnowledge:  # type: ignore[override] # its callers pass tuples
        """The same as matrices, with all pairs forbidden that are neither in the skeleton nor required."""
        bound = super().bind(names)
        assert self.skeleton is not None
        joined = self.skeleton.reorder(names).adjacency | bound.required | bound.required.T
        return replace(bound, forbidden=np.ascontiguousarray(bound.forbidden | ~joined))
