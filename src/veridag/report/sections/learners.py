"""The learners: their distances, arcs, costs, losses and settings, and what went wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.metrics import Estimate
from veridag.report.charts import Key
from veridag.report.comparison import in_order, overall_distances
from veridag.report.content import Report
from veridag.search.result import Result
from veridag.trust.subsampling import Learner
from veridag.trust.validation import Failure

#: The most failures on subsamples that are listed.
MOST_FAILURES = 100


@dataclass(frozen=True)
class Row:
    """A learner of the table; those shown for comparison have no expected number of errors."""

    expected: float | None
    label: str
    companion: bool
    key: Key
    distance: float
    arcs: int
    result: Result
    loss: Estimate | None


@dataclass(frozen=True)
class View:
    """The table the recommended learner first, those shown for comparison last; the failed ones, and all settings."""

    rows: Sequence[Row]
    has_losses: bool
    has_groups: bool
    failed: Sequence[Learner]
    invalid: Sequence[Learner]
    failures: Sequence[Failure]
    number_of_failures: int
    settings: dict[str, str]


def view(report: Report) -> View:
    """One row a learner; those that failed are named below."""
    validation = report.validation
    return View(
        rows=_rows(report),
        has_losses=bool(report.losses),
        has_groups=report.data.group is not None,
        failed=[learner for learner in validation.learners if learner.error],
        invalid=[learner for learner in validation.learners if learner.invalid],
        failures=validation.failures[:MOST_FAILURES],
        number_of_failures=len(validation.failures),
        settings={learner.label: repr(learner.algorithm) for learner in validation.learners},
    )


def _rows(report: Report) -> list[Row]:
    validation, rows = report.validation, []
    overall = overall_distances(validation)
    for learner in in_order(report.assessment):
        assert learner.result is not None
        row = Row(
            expected=report.assessment.expected.get(learner.label),
            label=learner.label,
            companion=learner.companion,
            key=Key.of(validation.labels.index(learner.label), learner.companion),
            distance=overall[learner.label],
            arcs=len(learner.result.graph.skeleton().edges),
            result=learner.result,
            loss=report.losses.get(learner.label),
        )
        rows.append(row)
    return rows
