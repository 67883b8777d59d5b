"""The stages after the comparison: parameters, groups, strengths and losses, as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network.fitting import fit
from veridag.progress import Progress, part_of
from veridag.trust.bootstrap import Strengths, bootstrap
from veridag.trust.constants import isolating_constants
from veridag.trust.cross_validation import cross_validate
from veridag.trust.differences import GroupDifferences, group_differences
from veridag.trust.subsampling import NO_TIME, Learner, default_sizes
from veridag.trust.validation import Validation
from veridag.work.threads import OutOfTime

from .held_out import fit_groups, grouped_loss

T = TypeVar("T")

#: How often the recommended learner learns from a bootstrap sample, for the strengths of its arcs.
BOOTSTRAP_REPEATS = 50
FOLDS = 5

#: How a loss is called among what is missing.
LOSS_OF = "log-loss of "

#: When the comparison ends, as a share of the time, if that is bounded. Groups may then take two
#: thirds of what is left, the bootstrap half of what that leaves, and the losses the rest.
SHARE_FOR_COMPARISON = 0.7


@dataclass
class _Scale:
    """How much of the work is done, and the whole, in units of one graph from a subsample.

    A graph from all of the data is worth `large` units, as many as there are sizes: halved again and again, the
    subsamples of one repetition have about as many rows together as the whole.
    """

    done: int = 0
    whole: int = 1
    large: int = 1


@dataclass(frozen=True)
class Stages:
    """The stages of a report, those after the comparison in `run`: one deadline and one progress for all."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    jobs: int
    progress: Progress | None
    start: float
    seconds: float | None
    scale: _Scale = field(default_factory=_Scale)

    @classmethod
    def on(
        cls,
        data: Data,
        knowledge: Knowledge | None,
        seed: int,
        jobs: int,
        progress: Progress | None,
        seconds: float | None,
    ) -> Stages:
        """Stages that begin now."""
        return cls(data, isolating_constants(data, knowledge), seed, jobs, progress, time.monotonic(), seconds)

    def progress_of_comparison(self, learners: int, sizes: Sequence[int] | None, repeats: int) -> Progress | None:
        """Progress of the comparison as a part of the whole, so that the time left can be told."""
        scale = self.scale
        scale.large = len(default_sizes(self.data.n) if sizes is None else sizes)
        scale.done = learners * scale.large * (1 + repeats)
        scale.whole = scale.done + scale.large * (BOOTSTRAP_REPEATS + FOLDS * learners)
        return part_of(self.progress, 0, scale.whole)

    def run(self, validation: Validation, extras: dict[str, Any]) -> None:
        """Put into `extras` what can be had, and why the rest cannot."""
        best = validation.best
        if best.result is not None and best.invalid is None:
            dag = best.result.dag
            ungrouped = Data(self.data.columns, self.data.weights)
            extras["network"] = self._attempt("network", partial(fit, dag, ungrouped), extras)
            if self.data.group is not None:
                extras["differences"] = self._attempt("groups", partial(self._differences, dag), extras)
                extras["group_networks"] = self._attempt(
                    "networks of the groups", partial(fit_groups, dag, self.data), extras
                )
        extras["strengths"] = self._attempt("strengths", partial(self._strengths, best), extras)
        self._advance(BOOTSTRAP_REPEATS)
        for learner in validation.compared:
            if learner.invalid is not None:
                extras["missing"][f"{LOSS_OF}{learner.label}"] = "its graph stands for no network"
            else:
                loss = self._attempt(f"{LOSS_OF}{learner.label}", partial(self._loss, learner), extras)
                if loss is not None:
                    extras["losses"][learner.label] = loss
            self._advance(FOLDS)

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
        self._tell("where the groups differ")
        return group_differences(dag, self.data, seconds=self._left(2 / 3))

    def _strengths(self, learner: Learner) -> Strengths:
        self._tell(f"{learner.label}: {BOOTSTRAP_REPEATS} bootstrap samples")
        return bootstrap(
            self.data,
            learner.algorithm,
            BOOTSTRAP_REPEATS,
            knowledge=self.knowledge,
            seed=self.seed,
            jobs=self.jobs,
            progress=self._stage(),
            seconds=self._left(0.5),
        )

    def _loss(self, learner: Learner) -> Estimate:
        self._tell(f"{learner.label}: {FOLDS}-fold cross-validation")
        if self.data.group is not None:
            settings = (self.knowledge, self.seed, self.jobs, self._stage(), self._left())
            return grouped_loss(self.data, learner.algorithm, FOLDS, *settings)
        validated = cross_validate(
            self.data,
            learner.algorithm,
            FOLDS,
            knowledge=self.knowledge,
            seed=self.seed,
            jobs=self.jobs,
            progress=self._stage(),
            seconds=self._left(),
        )
        return validated.loss

    def _tell(self, what: str) -> None:
        if self.progress is not None:
            self.progress(what, self.scale.done, self.scale.whole, {})

    def _stage(self) -> Progress | None:
        return part_of(self.progress, self.scale.done, self.scale.whole, self.scale.large)

    def _advance(self, graphs: int) -> None:
        self.scale.done += graphs * self.scale.large
