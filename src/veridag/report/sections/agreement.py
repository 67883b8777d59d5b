"""Which pairs everybody joins, and who contests the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.report.content import Report
from veridag.trust.agreement import Feature

#: The most contested pairs that the table lists.
MOST_PAIRS = 200


@dataclass(frozen=True)
class View:
    """How many pairs are joined by some learner, by all alike and by all in different directions; the contested ones.

    `listed` are the contested pairs of the table, those that most learners join first.
    """

    pairs: int
    agreed: int
    turned: int
    contested: int
    listed: Sequence[Feature]
    has_companions: bool


def view(report: Report) -> View:
    """What is agreed and what is contested."""
    found = report.validation.features
    contested = sorted((f for f in found if not f.agreed), key=lambda f: -len(f.votes.get("none", ())))
    contested.reverse()
    return View(
        pairs=len(found),
        agreed=len(found) - len(contested),
        turned=sum(f.standing == "turned" for f in found),
        contested=len(contested),
        listed=contested[:MOST_PAIRS],
        has_companions=bool(report.validation.companions),
    )
