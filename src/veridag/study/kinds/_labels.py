"""Short names of learners for figures: only what tells them apart."""

from __future__ import annotations

from collections.abc import Sequence

from veridag.search.labels import distinct_labels
from veridag.specs import parse


def short_labels(specs: Sequence[str]) -> dict[str, str]:
    """A label for every spec: the score, the prior or the algorithm where that is enough, more where it is not."""
    return dict(zip(specs, distinct_labels([parse(spec, "algorithm") for spec in specs]), strict=True))
