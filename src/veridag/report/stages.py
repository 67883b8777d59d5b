"""The stages after the assessment: parameters, groups and losses, as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network.fitting import fit
from veridag.progress import Progress
from veridag.trust.assessment.assess import hundredths
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.constants import isolating_constants
from veridag.trust.cross_validation import cross_validate
from veridag.trust.differences import GroupDifferences, group_differences
from veridag.trust.subsampling import NO_TIME, Learner
from veridag.work.pieces import Executor, OutOfTime

from .held_out import fit_groups, grouped_loss

T = TypeVar("T")

FOLDS = 5

#: How a loss is called among what is missing.
LOSS_OF = "log-loss of "

#: The share of the time that the assessment may take, if that is bounded. Groups may then take two thirds of what is
#: left, and the losses the rest.
SHARE_FOR_ASSESSMENT = 0.8
#: How much of the whole work is the assessment, in hundredths, for the progress bar.
_PART_OF_ASSESSMENT = 75


@dataclass(frozen=True)
class Stages:
    """The stages of a report, those after the assessment in `run`: one deadline and one progress for all."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    executor: Executor
    progress: Progress | None
    start: float
    seconds: float | None

    @classmethod
    def on(
        cls,
        data: Data,
        knowledge: Knowledge | None,
        seed: int,
        executor: Executor,
        progress: Progress | None,
        seconds: float | None,
    ) -> Stages:
        """Stages that begin now."""
        return cls(data, isolating_constants(data, knowledge), seed, executor, progress, time.monotonic(), seconds)

    @property
    def progress_of_assessment(self) -> Progress | None:
        """Progress of the assessment as a part of the whole, so that the time left is known."""
        return hundredths(self.progress, 0, _PART_OF_ASSESSMENT)

    def run(self, assessment: Assessment, extras: dict[str, Any]) -> None:
        """Put into `extras` the available parts, and why the others are missing."""
        best = assessment.learner
        if best.result is not None and best.invalid is None:
            dag = best.result.dag
            ungrouped = replace(self.data, group=None, groups=())
            extras["network"] = self._attempt("network", partial(fit, dag, ungrouped), extras)
            if self.data.group is not None:
                extras["differences"] = self._attempt("groups", partial(self._differences, dag), extras)
                extras["group_networks"] = self._attempt(
                    "networks of the groups", partial(fit_groups, dag, self.data), extras
                )
        compared = assessment.validation.compared
        for k, learner in enumerate(compared):
            if learner.invalid is not None:
                extras["missing"][f"{LOSS_OF}{learner.label}"] = "its graph stands for no network"
                continue
            progress = hundredths(self.progress, _reached(k, len(compared)), _reached(k + 1, len(compared)))
            loss = self._attempt(f"{LOSS_OF}{learner.label}", partial(self._loss, learner, progress), extras)
            if loss is not None:
                extras["losses"][learner.label] = loss

    def _attempt(self, name: str, make: Callable[[], T], extras: dict[str, Any]) -> T | None:
        try:
            if self._left() == 0:
                raise OutOfTime(NO_TIME)
            return make()
        except OutOfTime:
            extras["missing"][name] = NO_TIME
            extras["cut_short"] += (name,)
        except InputError as error:
            extras["missing"][name] = str(error)
        return None

    def _left(self, share: float = 1.0) -> float | None:
        """The seconds that are left, or a share of them; None if the time is not bounded."""
        if self.seconds is None:
            return None
        return share * max(0.0, self.start + self.seconds - time.monotonic())

    def _differences(self, dag: DAG) -> GroupDifferences:
        if self.progress is not None:
            self.progress("where the groups differ", _PART_OF_ASSESSMENT, 100, {})
        return group_differences(dag, self.data, jobs=self.executor, seconds=self._left(2 / 3))

    def _loss(self, learner: Learner, progress: Progress | None) -> Estimate:
        if progress is not None:
            progress(f"{learner.label}: {FOLDS}-fold cross-validation", 0, FOLDS, {})
        if self.data.group is not None:
            settings = (self.knowledge, self.seed, self.executor, progress, self._left())
            return grouped_loss(self.data, learner.algorithm, FOLDS, *settings)
        validated = cross_validate(
            self.data,
            learner.algorithm,
            FOLDS,
            knowledge=self.knowledge,
            seed=self.seed,
            jobs=self.executor,
            progress=progress,
            seconds=self._left(),
        )
        return validated.loss


def _reached(learners: int, of: int) -> int:
    """How much is done when so many learners have their loss, in hundredths."""
    return _PART_OF_ASSESSMENT + (100 - _PART_OF_ASSESSMENT) * learners // of
