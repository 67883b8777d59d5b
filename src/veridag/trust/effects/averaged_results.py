"""`AveragedEffect`: the distribution of an effect over many graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from veridag.display import aligned, paragraph, table

from .question import Question
from .results import Contrast, what_changes
from .sample import Floats

#: Effects that differ by less than this share of the largest one are the same.
_ROUNDING = 1e-9


class GraphEffects(NamedTuple):
    """The effects in the DAGs that one graph represents.

    Attributes:
        values: The effects.
        shares: The share of the DAGs with each effect.
        exists: Whether a directed path leads from x to y in these DAGs.

    See also:
        `averaged_effect`, docs/effects.md
    """

    values: tuple[float, ...]
    shares: tuple[float, ...]
    exists: tuple[bool, ...]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedEffect:
    """The result of `averaged_effect`: effects over graphs, and over the DAGs of each graph.

    `mean` and `median` are those of the values; `low` and `high` contain the middle `level` of them.

    Attributes:
        question: The variables, values and conditions.
        contrast: What the numbers mean.
        values: The effects.
        weights: The weight of each effect; the weights of a graph sum to 1 / `graphs`.
        exists: Whether a directed path leads from x to y, for each effect.
        of_graph: The number of the graph of each effect.
        graphs: Number of graphs.
        level: Coverage of the interval.
        seed: The seed.
        notes: What was left out or assumed.

    See also:
        `averaged_effect`, docs/effects.md
    """

    question: Question
    contrast: Contrast
    values: Floats
    weights: Floats
    exists: np.ndarray
    of_graph: np.ndarray
    graphs: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.values, self.weights, self.exists, self.of_graph):
            array.flags.writeable = False

    @classmethod
    def of(
        cls,
        question: Question,
        contrast: Contrast,
        found: Sequence[GraphEffects | None],
        level: float,
        seed: int,
        notes: tuple[str, ...] = (),
    ) -> AveragedEffect:
        """All graphs together, each with the same weight; those without a DAG or an estimate are left out."""
        usable = [g for g in found if g is not None and not np.isnan(g.values).any()]
        left_out = len(found) - len(usable)
        if left_out:
            notes = (
                *notes,
                f"{left_out} of {len(found)} graphs are left out: no DAG extends them, or no stratum of the rows that "
                f"they can use has all values of {question.x} that are compared",
            )
        number = max(len(usable), 1)
        return cls(
            question,
            contrast,
            np.array([value for g in usable for value in g.values], np.float64),
            np.array([share / number for g in usable for share in g.shares], np.float64),
            np.array([exists for g in usable for exists in g.exists], bool),
            np.array([k for k, g in enumerate(usable) for _ in g.values], np.intp),
            len(usable),
            level,
            seed,
            notes,
        )

    @property
    def mean(self) -> float:
        """The mean effect, 0 in the DAGs that have none."""
        return float(self.weights @ self.values) if self.graphs else float("nan")

    @property
    def median(self) -> float:
        """The median effect."""
        return self.quantile(0.5)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.quantile((1 - self.level) / 2)

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.quantile((1 + self.level) / 2)

    def quantile(self, q: float) -> float:
        """The smallest effect such that a share of at least q has no larger one."""
        if not self.graphs:
            return float("nan")
        order = np.argsort(self.values, kind="stable")
        reached = np.cumsum(self.weights[order])
        k = int(np.searchsorted(reached, q - 1e-12))
        return float(self.values[order][min(k, len(order) - 1)])

    @property
    def any_effect(self) -> float:
        """The chance that x has an effect on y at all: the share of the DAGs with a directed path."""
        return float(self.weights @ self.exists)

    @property
    def positive(self) -> float:
        """The chance that the effect is positive."""
        return float(self.weights @ (self.exists & (self.values > 0)))

    @property
    def negative(self) -> float:
        """The chance that the effect is negative."""
        return float(self.weights @ (self.exists & (self.values < 0)))

    @property
    def directions(self) -> float:
        """The share of the variance of the effect that lies within classes, where directions are not known; 0 to 1."""
        means = np.bincount(self.of_graph, self.weights * self.values, self.graphs) * self.graphs
        total = float(self.weights @ (self.values - self.mean) ** 2)
        within = float(self.weights @ (self.values - means[self.of_graph]) ** 2)
        rounding = (_ROUNDING * np.abs(self.values).max(initial=0.0)) ** 2  # a variance that is none
        return within / total if total > rounding and within > rounding else 0.0

    @property
    def sentence(self) -> str:
        """The distribution in words."""
        if not self.graphs:
            return f"The effect of {self.question.x} on {self.question.y} could be estimated in none of the graphs."
        if not self.any_effect:
            x, y = self.question.x, self.question.y
            return (
                f"In none of the {self.graphs} graphs does a directed path lead from {x} to {y}: they imply no effect."
            )
        change = what_changes(self.question, self.contrast)
        return (
            f"Over {self.graphs} graphs, {change} by {self.mean:+.4g} on average ({100 * self.level:.4g} % of the "
            f"effects from {self.low:+.4g} to {self.high:+.4g}); the chance of any effect is {self.any_effect:.2f}, of "
            f"a positive one {self.positive:.2f}."
        )

    def _rows(self) -> list[tuple[str, str]]:
        if not self.any_effect:
            return [("chance of any effect", "0")]
        return [
            ("mean", f"{self.mean:.4g}"),
            (f"{100 * self.level:.4g} % of the effects", f"{self.low:.4g} to {self.high:.4g}"),
            ("chance of any effect", f"{self.any_effect:.3g}"),
            ("chance of a positive effect", f"{self.positive:.3g}"),
            ("chance of a negative effect", f"{self.negative:.3g}"),
            ("variance from unknown directions", f"{100 * self.directions:.3g} %"),
        ]

    def __str__(self) -> str:
        return "\n".join([self.sentence, aligned(self._rows()), *self.notes])

    def _repr_html_(self) -> str:
        return paragraph(self.sentence) + table(("", ""), self._rows()) + "".join(map(paragraph, self.notes))

    def __repr__(self) -> str:
        return f"<AveragedEffect of {self.question.x} on {self.question.y}: {self.mean:.4g} over {self.graphs} graphs>"
