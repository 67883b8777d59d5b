"""How good a choice the recommended learner is: a level, which a study on known networks has calibrated."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .chances import load_model
from .recommending import Recommendation, logistic

Level = Literal["high", "moderate", "low"]

#: The chance of being within one pair of the best compared, from which on trust is high, and below which it is low.
HIGH, LOW = 0.9, 0.55


class HitRate(NamedTuple):
    """How often the recommended learner was within one pair of the best, in tables of known networks at one level.

    Attributes:
        tables: Number of tables at this level.
        within_one: In how many of them no compared learner was closer to the truth by more than one pair.

    See also:
        `assess`, docs/trust.md
    """

    tables: int
    within_one: int

    @property
    def share(self) -> float:
        """The share of the tables."""
        return self.within_one / self.tables if self.tables else float("nan")


def level_at(chance: float) -> Level:
    """The level at a chance of being within one."""
    return "high" if chance >= HIGH else "low" if chance < LOW else "moderate"


def level_of(recommendation: Recommendation) -> tuple[Level, float]:
    """The level, and the chance that no learner is closer to the truth by more than one pair.

    Where no learner differs from the recommended one in more than one pair, none can be closer by more: then it is
    certain, whatever the truth.
    """
    if recommendation.apart <= 1:
        return "high", 1.0
    own = load_model()["level"]
    assert isinstance(own, dict)
    chance = logistic([own[name] for name in ("constant", "within_one")], recommendation.features)
    return level_at(chance), chance


def rates() -> dict[Level, HitRate]:
    """The hit rates of the levels, on networks that the model was not fitted to."""
    own = load_model()["rates"]
    assert isinstance(own, dict)
    levels: tuple[Level, ...] = ("high", "moderate", "low")
    return {level: HitRate(own[level]["tables"], own[level]["within_one"]) for level in levels}
