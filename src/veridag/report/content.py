"""What a report is about: the data, the comparison of learners on it, and how it was made."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from veridag.data import Data
from veridag.errors import InputError
from veridag.fitting import fit
from veridag.graph import DAG, PDAG
from veridag.knowledge import Knowledge
from veridag.metrics import Estimate
from veridag.network import Network
from veridag.parts import Progress
from veridag.resampling import Strengths, bootstrap, cross_validate
from veridag.search import Algorithm
from veridag.validation import Validation, intersection_validation

from .learners import default_learners

T = TypeVar("T")

#: How often the recommended learner learns from a bootstrap sample, for the strengths of its arcs.
BOOTSTRAP_REPEATS = 50
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Report:
    """All that the page shows. `command` reproduces it; `write` makes the page.

    Of the recommended learner: `network`, its structure with parameters fitted to all of the data, and `strengths`, how
    often each arc is found from bootstrap samples. `losses` are the log-losses of all learners on rows they have not
    seen. `missing` says why a part is not there.
    """

    title: str
    data: Data
    validation: Validation
    command: str
    made: datetime
    seconds: float
    network: Network | None = None
    strengths: Strengths | None = None
    losses: Mapping[str, Estimate] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def versions(self) -> dict[str, str]:
        """Of what made it."""
        return {name: version(name) for name in ("veridag", "numpy")} | {"Python": platform.python_version()}

    def to_html(self) -> str:
        """The page, one self-contained text."""
        from .page import page

        return page(self)

    def write(self, path: str | Path) -> Path:
        """Write the page to an .html file."""
        target = Path(path)
        target.write_text(self.to_html(), "utf-8")
        return target


def make_report(
    data: Data | Any,
    algorithms: Sequence[Algorithm] | Mapping[str, Algorithm] | None = None,
    *,
    truth: DAG | PDAG | None = None,
    knowledge: Knowledge | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    jobs: int = 1,
    title: str = "data",
    command: str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Report:
    """Compare learners on data by intersection-validation; the page says what was found and how far to trust it.

    ``vd.make_report(data).write("report.html")``. Without `algorithms`, a set that suits the data is taken. The
    recommended learner's network is fitted and its arcs' strengths found by the bootstrap; all learners are
    cross-validated. The other arguments are those of `intersection_validation`; an interrupt carries the page of what
    is there as `.result`.
    """
    table = data if isinstance(data, Data) else Data.from_frame(data)
    chosen = default_learners(table) if algorithms is None else algorithms
    call = f"vd.make_report(data, seed={seed}, repeats={repeats})" if command is None else command
    work = _Work(table, knowledge, seed, jobs, progress, None if seconds is None else time.monotonic() + seconds)
    start = time.perf_counter()

    def made_of(validation: Validation, extras: dict[str, Any]) -> Report:
        return Report(title, table, validation, call, datetime.now(UTC), time.perf_counter() - start, **extras)

    try:
        validation = intersection_validation(
            table,
            chosen,
            sizes,
            repeats,
            seed,
            jobs,
            knowledge=knowledge,
            truth=truth,
            progress=work.stage(0.0, 0.7),
            seconds=seconds,
        )
    except KeyboardInterrupt as stop:
        if hasattr(stop, "result"):
            stop.result = made_of(stop.result, {"missing": {"rest": "the work was stopped before"}})
        raise
    extras: dict[str, Any] = {"losses": {}, "missing": {}}
    try:
        work.enrich(validation, extras)
    except KeyboardInterrupt:
        extras["missing"]["rest"] = "the work was stopped before"
        ended = KeyboardInterrupt("the report was stopped; .result is the page of what is there")
        ended.result = made_of(validation, extras)  # type: ignore[attr-defined] # carried to whoever catches it
        raise ended from None
    return made_of(validation, extras)


@dataclass(frozen=True)
class _Work:
    """What comes after the comparison: parameters, strengths and losses, as long as there is time."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    jobs: int
    progress: Progress | None
    until: float | None

    def stage(self, start: float, end: float) -> Progress | None:
        """Progress of a stage as a part of the whole, in thousandths."""
        report = self.progress
        if report is None:
            return None
        return lambda done, count: report(round(1000 * (start + (end - start) * done / max(1, count))), 1000)

    def enrich(self, validation: Validation, extras: dict[str, Any]) -> None:
        """Put into `extras` what can be had, and why the rest cannot."""
        best = validation.best
        if best.result is not None and best.invalid is None:
            extras["network"] = self._attempt("network", partial(fit, best.result.dag, self.data), extras)
        extras["strengths"] = self._attempt("strengths", partial(self._strengths, best.algorithm), extras)
        share = 0.2 / len(validation.ranked)
        for i, learner in enumerate(validation.ranked):
            progress = self.stage(0.8 + i * share, 0.8 + (i + 1) * share)
            make = partial(self._loss, learner.algorithm, progress)
            loss = self._attempt(f"log-loss of {learner.label}", make, extras)
            if loss is not None:
                extras["losses"][learner.label] = loss

    def _attempt(self, name: str, make: Callable[[], T], extras: dict[str, Any]) -> T | None:
        if self.until is not None and time.monotonic() > self.until:
            extras["missing"][name] = "there was no time left"
            return None
        try:
            return make()
        except InputError as error:
            extras["missing"][name] = str(error)
            return None

    def _strengths(self, algorithm: Algorithm) -> Strengths:
        return bootstrap(
            self.data,
            algorithm,
            BOOTSTRAP_REPEATS,
            knowledge=self.knowledge,
            seed=self.seed,
            jobs=self.jobs,
            progress=self.stage(0.7, 0.8),
        )

    def _loss(self, algorithm: Algorithm, progress: Progress | None) -> Estimate:
        validated = cross_validate(
            self.data,
            algorithm,
            FOLDS,
            knowledge=self.knowledge,
            seed=self.seed,
            jobs=self.jobs,
            progress=progress,
        )
        return validated.loss
