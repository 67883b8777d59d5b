"""`PossibleEffects`: effects over the DAGs of a class, what they agree on, and which directions would settle it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from veridag.display import aligned, paragraph, table
from veridag.errors import import_optional, language
from veridag.graph import DAG, PDAG, Arc

from .adjusting import Member
from .question import Question
from .results import Contrast, Estimated, in_words, sentence_of, what_changes

if TYPE_CHECKING:
    import pandas as pd

Sign = Literal["positive", "negative", "none", "unclear"]


#: Effects that differ by less than this share of the largest one are the same.
_SAME = 1e-9


class PossibleEffect(NamedTuple):
    """The effect in the DAGs of a class in which x has the same parents.

    Attributes:
        estimate: The effect.
        dags: Number of these DAGs.
        share: Their share in the class.
        parents: The parents of x in them.
        adjustment: The variables that were adjusted for; None if no directed path leads from x to y.

    See also:
        `possible_effects`, docs/effects.md
    """

    estimate: Estimated
    dags: int
    share: float
    parents: tuple[str, ...]
    adjustment: tuple[str, ...] | None

    @property
    def value(self) -> float:
        """The estimate itself."""
        return self.estimate.value

    @property
    def sign(self) -> Sign:
        """Whether the interval has positive or negative numbers alone; without one, by the estimate."""
        if self.adjustment is None:
            return "none"
        low = self.value if self.estimate.low is None else self.estimate.low
        high = self.value if self.estimate.high is None else self.estimate.high
        return "positive" if low > 0 else "negative" if high < 0 else "unclear"


@dataclass(frozen=True, repr=False)
class PossibleEffects:
    """The result of `possible_effects`.

    Attributes:
        question: The variables and values.
        contrast: What the numbers mean.
        effects: The effects from smallest to largest, one for each set of parents of x.
        class_size: Number of DAGs in the class.
        method: The method.
        settled_by: The undirected edges that leave one effect once they are directed; the one that narrows the range
            most comes first. Empty if there is only one effect.
        n: Number of observations used.
        repeats: Number of bootstrap samples.
        level: Coverage of the intervals.
        seed: The seed.
        notes: What was left out or assumed.

    See also:
        `possible_effects`, docs/effects.md
    """

    question: Question
    contrast: Contrast
    effects: tuple[PossibleEffect, ...]
    class_size: int
    method: str
    settled_by: tuple[Arc, ...]
    n: int
    repeats: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[tuple[float, float], ...]:
        """The different effects, each with the share of the DAGs that have it."""
        shares: dict[tuple[str, ...] | None, float] = {}
        number: dict[tuple[str, ...] | None, float] = {}
        for e in self.effects:
            shares[e.adjustment] = shares.get(e.adjustment, 0.0) + e.share
            number[e.adjustment] = e.value
        return tuple(sorted((number[own], share) for own, share in shares.items()))

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest effect."""
        return self.effects[0].value, self.effects[-1].value

    @property
    def interval(self) -> tuple[float, float] | None:
        """From the lowest end of their intervals to the highest: which effects neither data nor class rule out.

        None without bootstrap samples, and if no DAG of the class has an effect.
        """
        if self.repeats < 2 or self.exists is False:
            return None
        lows = [e.value if e.estimate.low is None else e.estimate.low for e in self.effects]
        highs = [e.value if e.estimate.high is None else e.estimate.high for e in self.effects]
        return min(lows), max(highs)

    @property
    def mean(self) -> float:
        """The mean over the DAGs of the class, each with the same weight."""
        return sum(e.share * e.value for e in self.effects)

    @property
    def identified(self) -> bool:
        """Whether all DAGs of the class agree on the effect."""
        return len({e.adjustment for e in self.effects}) == 1

    @property
    def exists(self) -> bool | None:
        """Whether x has an effect on y in all DAGs (True), in none (False), or in some of them (None)."""
        none = [e.adjustment is None for e in self.effects]
        return False if all(none) else None if any(none) else True

    @property
    def sign(self) -> Sign:
        """The sign that all effects share; "unclear" if they differ or one is unclear."""
        signs = {e.sign for e in self.effects}
        return signs.pop() if len(signs) == 1 else "unclear"

    @property
    def sentence(self) -> str:
        """What follows from the data, and what would settle the rest."""
        x, y = self.question.x, self.question.y
        dags = "the only DAG" if self.class_size == 1 else f"all {self.class_size} DAGs of the class"
        if language() == "page":
            dags = (
                "the network shown" if self.class_size == 1 else f"all {self.class_size} versions of the network shown"
            )
        change = what_changes(self.question, self.contrast)
        if self.exists is False:
            it = "it implies" if self.class_size == 1 else "they imply"
            return f"In {dags}, no directed path leads from {x} to {y}, so {it} no effect of {x} on {y}."
        if self.identified:
            return f"In {dags}, {change} by {self._shown(self.effects[0].estimate)}."
        low, high = self.bounds
        versions = in_words(
            f"over the {self.class_size} DAGs of the class",
            f"the network leaves directions open, and over the {self.class_size} versions that it can have",
        )
        among = f"{versions}, {change} by {low:+.4g} to {high:+.4g}"
        settle = f" {self._remedy()} would settle it." if self.settled_by else ""
        if self.exists is None:
            share = sum(e.share for e in self.effects if e.adjustment is None)
            why = in_words("", f": in these no directed path leads from {x} to {y}")
            none = f"and {100 * share:.3g} % of them have none{why}"
            return f"Whether {x} has an effect on {y} is not determined: {among}, {none}.{settle}"
        if self.sign == "unclear":
            return f"The sign of the effect of {x} on {y} is not determined: {among}.{settle}"
        return f"The effect of {x} on {y} is {self.sign}, but its size is not determined: {among}.{settle}"

    def _remedy(self) -> str:
        edges = _edges(self.settled_by)
        directions = "direction" if len(self.settled_by) == 1 else "directions"
        return in_words(
            f"Directing {edges}", f"If you know the {directions} of {edges}, say so in “What you know”: that"
        )

    def _shown(self, own: Estimated) -> str:
        interval = "" if own.low is None else f" ({100 * self.level:.4g} % interval {own.low:+.4g} to {own.high:+.4g})"
        return f"{own.value:+.4g}{interval}"

    def to_pandas(self) -> pd.DataFrame:
        """A row for every set of parents of x."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame([effect_facts(e) for e in self.effects])

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                "none" if e.adjustment is None else str(e.estimate),
                str(e.dags),
                in_words(f"{e.share:.3g}", f"{100 * e.share:.3g} %"),
                ", ".join(e.parents) or "none",
                "no directed path" if e.adjustment is None else ", ".join(e.adjustment) or "nothing",
            )
            for e in self.effects
        ]

    def _head(self) -> tuple[str, ...]:
        if language() == "page":
            return "effect", "versions", "share", f"causes of {self.question.x} in them", "adjusted for"
        return "effect", "DAGs", "share", "parents", "adjusted for"

    def __str__(self) -> str:
        rows = [] if self.exists is False else [aligned([self._head(), *self._rows()])]
        return "\n".join([self.sentence, *rows, *self.notes])

    def _repr_html_(self) -> str:
        rows = "" if self.exists is False else table(self._head(), self._rows())
        return paragraph(self.sentence) + rows + "".join(map(paragraph, map(sentence_of, self.notes)))

    def __repr__(self) -> str:
        if self.exists is False:
            return f"<PossibleEffects of {self.question.x} on {self.question.y}: none, no directed path>"
        low, high = self.bounds
        return f"<PossibleEffects of {self.question.x} on {self.question.y}: {low:.4g} to {high:.4g}>"


def effect_facts(e: PossibleEffect) -> dict[str, object]:
    """A possible effect as one row of a table."""
    return {
        **dict(zip(("value", "low", "high"), e.estimate, strict=True)),
        "dags": e.dags,
        "share": e.share,
        "parents": list(e.parents),
        "adjustment": None if e.adjustment is None else list(e.adjustment),
    }


def settling_edges(graph: DAG | PDAG, members: list[Member], values: list[float]) -> tuple[Arc, ...]:
    """Undirected edges, chosen one after the other, until one effect is left whatever their directions are.

    Each makes the range of what is left smallest in the worst case; ties go to the smallest mean range of the
    cases, and then to the first by names. The edges at x always settle it, so that this ends.
    """
    tolerance = _SAME * max(map(abs, values), default=0.0)
    left, chosen = [tuple(range(len(members)))], []
    open_edges = [(graph.index(a), graph.index(b)) for a, b in graph.edges]

    def spread(case: tuple[int, ...]) -> float:
        return max(values[k] for k in case) - min(values[k] for k in case)

    def split(cases: list[tuple[int, ...]], i: int, j: int) -> list[tuple[int, ...]]:
        ways = [tuple(k for k in case if members[k].graph[a, b]) for case in cases for a, b in ((i, j), (j, i))]
        return [way for way in ways if way]

    while max(map(spread, left)) > tolerance and open_edges:
        ranked = []
        for i, j in open_edges:
            spreads = [spread(case) for case in split(left, i, j)]
            mean = sum(spreads) / len(spreads)
            ranked.append((round(max(spreads), 12), round(mean, 12), graph.names[i], graph.names[j], i, j))
        *_, i, j = min(ranked)
        chosen.append((graph.names[i], graph.names[j]))
        open_edges.remove((i, j))
        left = list(dict.fromkeys(split(left, i, j)))
    return tuple(chosen)


def _edges(edges: tuple[Arc, ...]) -> str:
    *others, last = [f"{a} - {b}" for a, b in edges]
    return f"{', '.join(others)} and {last}" if others else last
