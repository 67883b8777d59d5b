"""The learning curves: distance over sample size, with error bars; against the truth too where it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from veridag.report.charts import Chart, Curve, Key, learning_curves
from veridag.report.comparison import in_order
from veridag.report.content import Report
from veridag.trust.agreement import mean_over_repeats
from veridag.trust.validation import Floats, Validation, standard_errors


@dataclass(frozen=True)
class Learner:
    """A learner in the key of the charts."""

    label: str
    companion: bool
    key: Key


@dataclass(frozen=True)
class View:
    """The charts, their key, and the numbers behind them as `Validation.rows` has them."""

    learners: Sequence[Learner]
    to_agreement: Chart
    to_truth: Chart | None
    rows: Sequence[Mapping[str, Any]]


def view(report: Report) -> View:
    """The distances to what all learners agree on, and to the truth."""
    validation = report.validation
    return View(
        learners=[
            Learner(x.label, x.companion, Key.of(validation.labels.index(x.label), x.companion))
            for x in in_order(report.assessment)
        ],
        to_agreement=_chart(validation, validation.distances),
        to_truth=None if validation.shd is None else _chart(validation, validation.shd),
        rows=validation.rows(),
    )


def _chart(validation: Validation, distances: Floats) -> Chart:
    means, errors = mean_over_repeats(distances), standard_errors(distances)
    curves = [
        Curve(learner.label, i, means[i].tolist(), errors[i].tolist(), learner.companion)
        for i, learner in enumerate(validation.compared)
    ]
    return learning_curves(validation.sizes, curves)
