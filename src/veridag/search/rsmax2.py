"""Restrict and maximise."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from veridag.checks import Instance, checked
from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.errors import InputError
from veridag.search.constraint.base import ConstraintBased
from veridag.search.constraint.si_hiton_pc import SIHitonPC

from .base import Algorithm
from .hill_climbing import HillClimbing
from .hybrid import Hybrid


def _check_score_based(name: str, value: object) -> Algorithm:
    """An algorithm without tests of its own."""
    if isinstance(value, Algorithm) and not {"test", "restrict"} & {own.name for own in fields(value)}:
        return value
    raise InputError(f"{name}={value!r} must be a score-based algorithm, such as HillClimbing()")


@dataclass(frozen=True)
class RSMAX2(Hybrid):
    """The general restrict-and-maximise algorithm (Scutari, Graafland and Gutierrez 2019, section 2.1).

    `restrict`, any constraint-based algorithm, determines which variables can be joined. `maximize`, any score-based
    one, finds the best DAG that joins no others. `calls` counts tests and local scores together, and the score is that
    of `maximize`.

    See also:
        `MMHC`, `H2PC`, docs/algorithms.md
    """

    restrict: ConstraintBased = field(
        default_factory=SIHitonPC,
        metadata=checked(Instance(ConstraintBased, "a constraint-based algorithm, such as MMPC()")),
    )
    maximize: Algorithm = field(default_factory=HillClimbing, metadata=checked(_check_score_based))

    @property
    def criterion(self) -> Score | Test | None:
        """The score of `maximize`."""
        return self.maximize.criterion

    def _halves(self) -> tuple[ConstraintBased, Algorithm]:
        return self.restrict, self.maximize
