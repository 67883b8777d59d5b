"""How far the learners' graphs are apart, as a heat map: numbers on a ground that is the darker the farther."""

from __future__ import annotations

from veridag.metrics import shd
from veridag.trust.subsampling import Learner
from veridag.trust.validation import Validation

from .content import Report
from .markup import Markup, joined, tag


def in_order(validation: Validation) -> list[Learner]:
    """The learners by their rank, companions last."""
    by_label = {learner.label: learner for learner in validation.ranked}
    return [*(by_label[label] for label in validation.ranking), *validation.companions]


def pairwise_distances(validation: Validation) -> list[list[int]]:
    """The structural Hamming distances between what the learners found from all of the data."""
    graphs = [learner.cpdag for learner in in_order(validation)]
    return [[shd(a, b) for b in graphs] for a in graphs]


def distances(report: Report) -> Markup:
    """How far the learners' graphs from all of the data are apart."""
    order, values = in_order(report.validation), pairwise_distances(report.validation)
    most = max(1, *(max(row) for row in values))
    head = tag("tr", tag("td"), *(tag("th", str(k), scope="col", class_="number") for k in range(1, len(order) + 1)))
    rows = []
    for k, (learner, row) in enumerate(zip(order, values, strict=True), 1):
        cells = [tag("td", str(v), class_="heat number", style=f"--heat: {round(70 * v / most)}%") for v in row]
        rows.append(tag("tr", tag("th", f"{k} {learner.label}", scope="row"), *cells))
    caption = tag("caption", "Structural Hamming distances")
    said = tag(
        "p",
        "How many pairs of variables two learners' graphs from all of the data join differently: 0 means that they "
        "found the same. "
        "Learners are in the order of the ranking.",
    )
    grid = tag("table", caption, tag("thead", head), tag("tbody", *rows))
    return joined(said, tag("div", grid, class_="scroll"))
