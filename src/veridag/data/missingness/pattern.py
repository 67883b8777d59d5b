"""The pattern of missing values, as a value."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from veridag.display import paragraph, table

#: The level of the tests, after correction for their number.
ALPHA = 0.05


@dataclass(frozen=True)
class Combination:
    """A combination of variables that are missing together, with no others.

    Attributes:
        variables: The variables.
        n: The number of observations.

    See also:
        `MissingPattern`, docs/incomplete.md
    """

    variables: tuple[str, ...]
    n: int


@dataclass(frozen=True)
class Dependence:
    """A dependence of missing values: `variable` is missing more or less often depending on `other`.

    Attributes:
        variable: The variable with missing values.
        other: The variable that they depend on.
        p_value: The p-value, corrected for the number of tests.
        correlation: From 0 to 1: the correlation of being missing with the ranks of a continuous variable, or with the
            state of a discrete variable that differs most.
        how: The dependence in numbers, as text.

    See also:
        `MissingPattern`, docs/incomplete.md
    """

    variable: str
    other: str
    p_value: float
    correlation: float
    how: str


@dataclass(frozen=True)
class MissingTogether:
    """Two variables that are missing together more often than by chance.

    Attributes:
        first: One variable.
        second: The other variable.
        n: The number of observations in which both are missing.
        expected: The number expected by chance.
        p_value: The p-value, corrected for the number of tests.

    See also:
        `MissingPattern`, docs/incomplete.md
    """

    first: str
    second: str
    n: int
    expected: float
    p_value: float


@dataclass(frozen=True)
class MissingPattern:
    """The pattern of missing values: how many, where, and what they depend on. As text, it ends with a verdict.

    Whether a variable is missing is tested against each other variable, in the rows where that one is observed: by
    rank for continuous variables, by state for discrete ones. The p-values are corrected for the number of tests
    (Holm), at level 0.05.

    Attributes:
        n: The number of observations.
        counts: The number of missing values of each variable.
        complete: The number of observations without missing values.
        combinations: Which variables are missing together, most frequent first; at most 100.
        n_combinations: How many different combinations there are.
        dependences: Which variables are missing depending on the value of which others.
        together: Pairs of variables that are missing together more often than by chance.
        tests: The number of tests.
        untested: Variables with missing values that were not tested because there are too many.

    See also:
        `Data.missing_pattern`, `inspect`, docs/incomplete.md
    """

    n: int
    counts: Mapping[str, int]
    complete: int
    combinations: Sequence[Combination]
    n_combinations: int
    dependences: Sequence[Dependence]
    together: Sequence[MissingTogether]
    tests: int
    untested: Sequence[str] = ()

    @property
    def shares(self) -> dict[str, float]:
        """The share of missing values of each variable."""
        return {name: count / self.n if self.n else 0.0 for name, count in self.counts.items()}

    @property
    def complete_share(self) -> float:
        """The share of observations without missing values."""
        return self.complete / self.n if self.n else 1.0

    @property
    def share(self) -> float:
        """The share of all values that is missing."""
        return sum(self.counts.values()) / (self.n * len(self.counts)) if self.n and self.counts else 0.0

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables with missing values, those with the most first."""
        return tuple(sorted((name for name, count in self.counts.items() if count), key=lambda v: -self.counts[v]))

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the pattern suggests and what methods assume, in plain sentences."""
        from .words import verdict

        return verdict(self)

    @property
    def complete_cases_suffice(self) -> bool:
        """Whether dropping incomplete rows loses little: at least 90 % are complete, and no dependence was found."""
        return not self.dependences and self.complete_share >= 0.9

    def excerpt(self, variables: int, combinations: int) -> tuple[tuple[str, ...], tuple[Combination, ...]]:
        """What fits in a figure: the variables with the most missing values, and their most frequent combinations."""
        shown = self.variables[:variables]
        within = [one for one in self.combinations if {*one.variables} <= {*shown}]
        return shown, tuple(within[:combinations])

    def brief(self) -> str:
        """The main points in at most ten lines."""
        from .words import brief

        return brief(self)

    def to_dict(self) -> dict[str, Any]:
        """The pattern as plain values, for JSON."""
        return {
            "n": self.n,
            "complete": self.complete,
            "complete_share": self.complete_share,
            "share": self.share,
            "counts": dict(self.counts),
            "shares": self.shares,
            "combinations": [{"variables": [*c.variables], "n": c.n} for c in self.combinations],
            "n_combinations": self.n_combinations,
            "dependences": [asdict(one) for one in self.dependences],
            "together": [asdict(pair) for pair in self.together],
            "tests": self.tests,
            "untested": list(self.untested),
            "complete_cases_suffice": self.complete_cases_suffice,
            "verdict": list(self.verdict),
        }

    def to_json(self) -> str:
        """The pattern as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def __str__(self) -> str:
        from .words import in_full

        return in_full(self)

    def _repr_html_(self) -> str:
        from .words import cells, heading

        (head, *shares), (of, *sets), (which, *found) = cells(self)
        parts = [table(head, shares), table(of, sets) if sets else "", table(which, found) if found else ""]
        return paragraph(heading(self)) + "".join(parts) + "".join(map(paragraph, self.verdict))
