"""What an assessment says: which learner to take, how good a choice that is, and how likely each arc is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from veridag.display import ROWS, aligned, drawing, paragraph, table
from veridag.errors import InputError, import_optional
from veridag.graph import PDAG
from veridag.graph.class_shares import ClassShares
from veridag.search.result import Result
from veridag.trust.subsampling import Learner
from veridag.trust.validation import Validation

from .chances import ROWS as CALIBRATED_ROWS
from .evidence import SOURCES, Evidence
from .levels import HitRate, Level, level_of, rates
from .recommending import Recommendation

if TYPE_CHECKING:
    import pandas as pd

#: Pairs that are joined with a smaller chance are not named.
LEAST_NAMED = 0.1
#: Shares of a direction below this are not said.
LEAST_SAID = 0.005
#: From this chance on a statement counts as safe, and from the other on as likely.
SAFE, LIKELY = 0.9, 0.5

_HEAD = ("a", "b", "joined", "forward", "backward")
#: The same as it is printed: the last is the chance that the data fits both directions.
_PRINTED = (*_HEAD, "either")


@dataclass(frozen=True)
class ArcChance:
    """Two variables, and the chances of what joins them in the class of the true network.

    The pair is given so that forward is at least backward.

    Attributes:
        a, b: The two variables.
        joined: The chance that they are joined.
        forward: The chance that the class has the arc a -> b.
        backward: The chance that it has the arc b -> a.
        why: The evidence in words.

    See also:
        `assess`, docs/trust.md
    """

    a: str
    b: str
    joined: float
    forward: float
    backward: float
    why: str

    @property
    def open(self) -> float:
        """The chance that the pair is joined without a direction in the class."""
        return max(0.0, self.joined - self.forward - self.backward)

    @property
    def is_safe(self) -> bool:
        """Whether it is safe to say that they are joined."""
        return self.joined >= SAFE

    @property
    def is_likely(self) -> bool:
        """Whether it is likelier that they are joined than not."""
        return self.joined >= LIKELY

    @property
    def is_directed(self) -> bool:
        """Whether the direction a -> b is likely, if they are joined."""
        return self.forward >= LIKELY * self.joined

    @property
    def sentence(self) -> str:
        """The same in words."""
        return f"{self.a} and {self.b} are linked: {percent(self.joined)}; {self.way}"

    @property
    def way(self) -> str:
        """What is known of the direction, in words."""
        if not self.joined:
            return "the direction is not clear"
        shares = (share / self.joined for share in (self.forward, self.backward, self.open))
        return f"if so, {direction_words(self.a, self.b, *shares)}"


def direction_words(a: str, b: str, forward: float, backward: float, either: float) -> str:
    """The shares of the directions of a link, in words: the largest first, and none below half a percent."""
    shares = {f"from {a} to {b}": forward, f"from {b} to {a}": backward, "either direction fits equally well": either}
    said = sorted((way for way, share in shares.items() if share >= LEAST_SAID), key=shares.__getitem__, reverse=True)
    return ", ".join(f"{way}: {percent(shares[way])}" for way in said)


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """The result of `assess`: the recommended learner, how good a choice it is, and the chances of all arcs.

    Attributes:
        validation: Intersection-validation of the same learners.
        recommendation: The recommended learner, and the expected errors of each learner.
        chances: The chances of all pairs, as matrices.
        evidence: What the chances were computed from.
        seconds: How long it took.
        interrupted: Whether an interrupt ended it early.

    See also:
        `assess`, `make_report`, docs/trust.md
    """

    validation: Validation
    recommendation: Recommendation
    chances: ClassShares
    evidence: Evidence
    seconds: float
    interrupted: bool = False

    @property
    def recommended(self) -> str:
        """The label of the recommended learner."""
        return self.recommendation.label

    @cached_property
    def learner(self) -> Learner:
        """The recommended learner."""
        return next(x for x in self.validation.ranked if x.label == self.recommended)

    @property
    def result(self) -> Result:
        """What the recommended learner learned from all of the data."""
        assert self.learner.result is not None  # it would not be among the ranked
        return self.learner.result

    @cached_property
    def graph(self) -> PDAG:
        """The class that the recommended learner found, directed further by what is known."""
        return self.validation.directed(self.learner)

    @property
    def expected(self) -> dict[str, float]:
        """In how many pairs each learner's graph is expected to differ from the class of the true network."""
        return dict(self.recommendation.expected)

    @cached_property
    def within_one(self) -> float:
        """The chance that no learner that was compared is closer to the truth by more than one pair."""
        return level_of(self.recommendation)[1]

    @property
    def level(self) -> Level:
        """How good a choice the recommended learner is.

        Low with fewer rows than levels were calibrated with; at most moderate if it `is_partial`.
        """
        if self.evidence.rows < CALIBRATED_ROWS[0]:
            return "low"
        level = level_of(self.recommendation)[0]
        return "moderate" if level == "high" and self.is_partial else level

    @property
    def is_partial(self) -> bool:
        """Whether a learner failed, a source of evidence is missing, or the work was interrupted.

        Levels were calibrated on whole assessments. What failed might have disagreed.
        """
        return bool(self.failed or self.evidence.absent or self.interrupted)

    @cached_property
    def failed(self) -> tuple[Learner, ...]:
        """The learners that found no network on all of the data because they failed; `error` of each says why."""
        return tuple(x for x in self.validation.learners if x.status == "failed" and not x.companion)

    @property
    def hit_rate(self) -> HitRate:
        """How often the recommended learner was that close, in tables of known networks at the same level."""
        return rates()[self.level]

    @cached_property
    def sentence(self) -> str:
        """What kind of result this is, the level with its hit rate, and how many links may be wrong, in words."""
        from .words import sentence_of

        return sentence_of(self)

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """What would help, the most helpful first."""
        from .words import advice_for

        return advice_for(self)

    @cached_property
    def arcs(self) -> tuple[ArcChance, ...]:
        """The pairs that are joined with a chance of 0.1 or more, the likeliest first."""
        joined = np.triu(self.chances.joined, 1)
        found = [self._between(i, j) for i, j in np.argwhere(joined >= LEAST_NAMED).tolist()]
        return tuple(sorted(found, key=lambda arc: (-arc.joined, -arc.forward, arc.a, arc.b)))

    def between(self, a: str, b: str) -> ArcChance:
        """The chances of two variables, however small."""
        for name in (a, b):
            if name not in self.chances.names:
                raise InputError(f"{name!r} is not one of the variables {', '.join(self.chances.names)}")
        return self._between(self.chances.names.index(a), self.chances.names.index(b))

    def _between(self, i: int, j: int) -> ArcChance:
        names, directed = self.chances.names, self.chances.directed
        a, b = sorted((i, j), key=names.__getitem__)
        if directed[b, a] > directed[a, b]:
            a, b = b, a
        joined, forward, backward = (float(p[a, b]) for p in (self.chances.joined, directed, directed.T))
        return ArcChance(names[a], names[b], joined, forward, backward, self._why(a, b))

    def _why(self, i: int, j: int) -> str:
        """The evidence that two variables are joined, in words."""
        said = []
        for source, own in zip(SOURCES, self.evidence.shares, strict=True):
            if own is None:
                continue
            share = float(own.joined[i, j])
            if source == "posterior":
                said.append(f"in {percent(share)} of the networks drawn from the posterior")
            elif source == "bootstrap":
                said.append(f"in {percent(share)} of the networks from bootstrap samples")
            elif source == "learners":
                said.append(f"found by {percent(share)} of the learners")
            else:
                said.append("found by tests" if share >= LIKELY else "not found by tests")
        return ", ".join(said)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each of `arcs`: ``a``, ``b``, ``joined``, ``forward``, ``backward``, ``why``."""
        pd = import_optional("pandas", "to_pandas")
        rows = [(arc.a, arc.b, arc.joined, arc.forward, arc.backward, arc.why) for arc in self.arcs]
        return pd.DataFrame(rows, columns=[*_HEAD, "why"])

    def _rows(self) -> list[tuple[str, ...]]:
        chances = [(arc.joined, arc.forward, arc.backward, arc.open) for arc in self.arcs]
        return [(arc.a, arc.b, *(f"{p:.2f}" for p in own)) for arc, own in zip(self.arcs, chances, strict=True)]

    def __repr__(self) -> str:
        safe = sum(arc.is_safe for arc in self.arcs)
        links = f"{safe} of {len(self.arcs)} links are safe"
        return f"<Assessment: {self.recommended} is recommended, trust is {self.level}, {links}>"

    def __str__(self) -> str:
        left = f"... and {len(self.arcs) - ROWS} more" if len(self.arcs) > ROWS else ""
        lines = [f"recommended: {self.recommended}", f"trust in this choice: {self.level}", self.sentence, *self.advice]
        return "\n".join([line for line in (*lines, aligned([_PRINTED, *self._rows()[:ROWS]]), left) if line])

    def _repr_html_(self) -> str:
        drawn = drawing(lambda: self.graph.to_svg("the network of the recommended learner"), len(self.chances.names))
        said = map(paragraph, (f"Recommended: {self.recommended}", self.sentence, *self.advice))
        return "".join([*said, drawn, table(_PRINTED, self._rows())])


def percent(share: float) -> str:
    """A share as people say it, never 0 % or 100 % of what is not."""
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{100 * share:.0f} %"
