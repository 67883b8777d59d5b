"""The comparison of learners in the order of the page: by rank, and how far their graphs are apart."""

from __future__ import annotations

from veridag.metrics import shd
from veridag.trust.subsampling import Learner
from veridag.trust.validation import Validation


def in_order(validation: Validation) -> list[Learner]:
    """The learners by their rank, companions last."""
    by_label = {learner.label: learner for learner in validation.ranked}
    return [*(by_label[label] for label in validation.ranking), *validation.companions]


def overall_distances(validation: Validation) -> dict[str, float]:
    """The mean distance of each learner to what all agree on, by its label; NaN where there is none."""
    return dict(zip(validation.labels, validation.overall.tolist(), strict=True))


def pairwise_distances(validation: Validation) -> list[list[int]]:
    """The structural Hamming distances between what the learners found from all of the data."""
    graphs = [learner.cpdag for learner in in_order(validation)]
    return [[shd(a, b) for b in graphs] for a in graphs]
