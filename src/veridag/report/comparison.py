"""The comparison of learners in the order of the page: the recommended first, and how far their graphs are apart."""

from __future__ import annotations

from veridag.metrics import shd
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.subsampling import Learner
from veridag.trust.validation import Validation


def in_order(assessment: Assessment) -> list[Learner]:
    """The recommended learner, the others by their expected errors, and those shown for comparison."""
    expected, validation = assessment.expected, assessment.validation
    chosen = assessment.recommended
    ranked = sorted(validation.ranked, key=lambda x: (x.label != chosen, round(expected[x.label], 9)))
    return [*ranked, *validation.companions]


def overall_distances(validation: Validation) -> dict[str, float]:
    """The mean distance of each learner to what all agree on, by its label; `nan` if there is none."""
    return dict(zip(validation.labels, validation.overall.tolist(), strict=True))


def pairwise_distances(assessment: Assessment) -> list[list[int]]:
    """The structural Hamming distances between what the learners found from all of the data."""
    graphs = [learner.cpdag for learner in in_order(assessment)]
    return [[shd(a, b) for b in graphs] for a in graphs]
