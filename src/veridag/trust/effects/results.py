"""`Effect`: an estimated effect with its intervals, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from veridag.display import aligned, paragraph, table
from veridag.errors import import_optional, language

from .question import Question, Value

if TYPE_CHECKING:
    import pandas as pd


class Estimated(NamedTuple):
    """An estimate with its bootstrap interval.

    Attributes:
        value: The estimate. If no directed path leads from x to y, it is 0, which follows from the graph.
        low, high: The ends of the interval. None with fewer than two bootstrap samples, or without a path.

    See also:
        `effect`, docs/effects.md
    """

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return f"{self.value:.4g}" if self.low is None else f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


class Level(NamedTuple):
    """The distribution of y if x is set to a value.

    Attributes:
        value: The state of x.
        outcome: The state of y; None if y is continuous.
        estimate: P(y = outcome | do(x = value)), or the mean of a continuous y.

    See also:
        `effect`, docs/effects.md
    """

    value: str
    outcome: str | None
    estimate: Estimated


class Contrast(NamedTuple):
    """How y changes if x is set to one value instead of another.

    Attributes:
        baseline: The value that x is compared with; None for a slope.
        value: The value that x is set to; None for a slope.
        outcome: The state of y; None if y is continuous.
        difference: The difference of the probabilities of the outcome, or of the means of a continuous y. For a slope,
            the change per unit of x.
        ratio: The ratio of the probabilities; None if x or y is continuous.

    See also:
        `effect`, docs/effects.md
    """

    baseline: Value | None
    value: Value | None
    outcome: str | None
    difference: Estimated
    ratio: Estimated | None


@dataclass(frozen=True, repr=False)
class Effect:
    """The result of `effect`. `value`, `low`, `high` and `sentence` show the first contrast.

    Attributes:
        question: The variables, values and conditions.
        adjustment: The variables that were adjusted for. None if the graph has no directed path from x to y, so that it
            implies no effect: then nothing was estimated, and there is no interval.
        levels: P(y | do(x)), or the mean of y, for each state of a discrete x.
        contrasts: The differences and ratios.
        n: Number of observations used.
        repeats: Number of bootstrap samples.
        level: Coverage of the intervals.
        seed: The seed.
        notes: What was left out or assumed.

    See also:
        `effect`, docs/effects.md
    """

    question: Question
    adjustment: tuple[str, ...] | None
    levels: tuple[Level, ...]
    contrasts: tuple[Contrast, ...]
    n: int
    repeats: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def x(self) -> str:
        """The variable that is set."""
        return self.question.x

    @property
    def y(self) -> str:
        """The variable that is looked at."""
        return self.question.y

    @property
    def value(self) -> float:
        """The difference, or the slope, of the first contrast."""
        return self.contrasts[0].difference.value

    @property
    def low(self) -> float | None:
        """The lower end of its interval."""
        return self.contrasts[0].difference.low

    @property
    def high(self) -> float | None:
        """The upper end of its interval."""
        return self.contrasts[0].difference.high

    @property
    def ratio(self) -> Estimated | None:
        """The ratio of the probabilities of the first contrast."""
        return self.contrasts[0].ratio

    @property
    def sentence(self) -> str:
        """The first contrast in words."""
        return describe(self.question, self.contrasts[0], self.level, self.adjustment)

    def to_pandas(self) -> pd.DataFrame:
        """A row for every contrast."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame([contrast_facts(contrast) for contrast in self.contrasts])

    def _level_rows(self) -> list[tuple[str, ...]]:
        return [(one.value, one.outcome or "", str(one.estimate)) for one in self.levels]

    def _contrast_rows(self) -> list[tuple[str, ...]]:
        return [
            (_shown(c), c.outcome or "", str(c.difference), "" if c.ratio is None else str(c.ratio))
            for c in self.contrasts
        ]

    def _heads(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        given = "".join(f", {name}={value}" for name, value in self.question.given)
        is_discrete = self.contrasts[0].outcome is not None
        mean = f"P({self.y} | do({self.x}){given})" if is_discrete else f"mean of {self.y}"
        set_to = f"do({self.x})"
        if language() == "page":
            set_to, mean = f"{self.x} set to", f"{'probability' if is_discrete else 'mean'} of {self.y}"
        return (set_to, self.y if is_discrete else "", mean), (
            self.x,
            self.y if is_discrete else "",
            "difference" if self.contrasts[0].value is not None else in_words("slope", "change"),
            "ratio" if self.contrasts[0].ratio is not None else "",
        )

    def _tables(self) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """Heads and rows of what was estimated; none where no path leads from x to y."""
        if self.adjustment is None:
            return []
        level_head, contrast_head = self._heads()
        levels = [(level_head, self._level_rows())] if self.levels else []
        return [*levels, (contrast_head, self._contrast_rows())]

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(aligned([head, *rows]) for head, rows in self._tables()), *self.notes])

    def _repr_html_(self) -> str:
        tables = "".join(table(head, rows) for head, rows in self._tables())
        return paragraph(self.sentence) + tables + "".join(map(paragraph, map(sentence_of, self.notes)))

    def __repr__(self) -> str:
        if self.adjustment is None:
            return f"<Effect of {self.x} on {self.y}: none, no directed path>"
        return f"<Effect of {self.x} on {self.y}: {self.contrasts[0].difference}>"


def contrast_facts(contrast: Contrast) -> dict[str, Value | None]:
    """A contrast as one row of a table."""
    ratio = contrast.ratio or (None, None, None)
    return {
        "baseline": contrast.baseline,
        "value": contrast.value,
        "outcome": contrast.outcome,
        **dict(zip(("difference", "low", "high"), contrast.difference, strict=True)),
        **dict(zip(("ratio", "ratio_low", "ratio_high"), ratio, strict=True)),
    }


def _shown(contrast: Contrast) -> str:
    return "per unit" if contrast.value is None else f"{contrast.value} against {contrast.baseline}"


def no_path(question: Question) -> str:
    """What a graph says without a directed path."""
    x, y = question.x, question.y
    said = f"no directed path leads from {x} to {y}, so it implies no effect of {x} on {y}."
    if language() == "page":
        return f"In the network shown, {said}"
    average = "--average" if language() == "flags" else "averaged_effect"
    return f"In this graph, {said} How sure that is, {average} tells."


def in_words(usual: str, on_page: str) -> str:
    """A text for those who write code or commands, or for those who click."""
    return on_page if language() == "page" else usual


def sentence_of(note: str) -> str:
    """A note as a sentence, on a page."""
    return in_words(note, f"{note[:1].upper()}{note[1:]}{'' if note.endswith('.') else '.'}")


def what_changes(question: Question, contrast: Contrast) -> str:
    """The change that a number is about: of which quantity, by setting what."""
    given = ", ".join(f"{name} = {value}" for name, value in question.given)
    among = f" given {given}" if given else ""
    what = f"the mean of {question.y}"
    if contrast.outcome is not None:
        event = f"{question.y} = {contrast.outcome}"
        what = in_words(f"P({event})", f"the probability of {event}")
    if contrast.value is None:
        return f"one unit more of {question.x} changes {what}{among}"
    return f"setting {question.x} to {contrast.value} instead of {contrast.baseline} changes {what}{among}"


def describe(question: Question, contrast: Contrast, level: float, adjustment: tuple[str, ...] | None) -> str:
    """A contrast in words."""
    change = what_changes(question, contrast)
    if adjustment is None:
        return no_path(question)
    own = contrast.difference
    interval = "" if own.low is None else f" ({100 * level:.4g} % interval {own.low:+.4g} to {own.high:+.4g})"
    ratio = ""
    if contrast.ratio is not None:
        ratio = f", a factor of {contrast.ratio.value:.4g}"
    nothing = "with nothing else to adjust for" if question.given else "with nothing to adjust for"
    adjusted = f"adjusted for {', '.join(adjustment)}" if adjustment else nothing
    return f"{change[0].upper()}{change[1:]} by {own.value:+.4g}{interval}{ratio}, {adjusted}."
