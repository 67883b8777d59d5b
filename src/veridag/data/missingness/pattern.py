"""What is missing, as a value."""

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
    """Variables that are missing together, and no others with them, in ``n`` observations."""

    variables: tuple[str, ...]
    n: int


@dataclass(frozen=True)
class Dependence:
    """Whether ``variable`` is missing goes with the values of ``other``.

    ``p_value`` is corrected for the number of tests. ``correlation``, from 0 to 1, is that of being missing with the
    ranks of a continuous variable, or with the state of a discrete one that stands out. ``how`` says it in numbers.
    """

    variable: str
    other: str
    p_value: float
    correlation: float
    how: str


@dataclass(frozen=True)
class MissingTogether:
    """Two variables that are both missing in ``n`` observations, more than the ``expected`` number if by chance.

    ``p_value`` is corrected for the number of tests.
    """

    first: str
    second: str
    n: int
    expected: float
    p_value: float


@dataclass(frozen=True)
class MissingPattern:
    """What ``Data.missing_pattern`` found: how much is missing, where, and together with what. As text, with a verdict.

    - ``n`` is the number of observations, ``complete`` that of those in which nothing is missing, and ``counts`` has
      the number of missing values of each variable.
    - ``combinations``: what is missing together, the most frequent first; the first 100 of ``n_combinations``.
    - ``dependences``: which variable's being missing goes with the values of which other one. Being missing is tested
      against each other variable where that is observed: by rank if it is continuous, and by its states if it is
      discrete. ``tests`` is their number, for which p-values are corrected (Holm), at a level of 0.05.
    - ``together``: pairs of variables that are missing together more often than by chance.
    - ``untested``: variables with gaps that were not tested, since there are too many.
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
        """The share of observations in which nothing is missing."""
        return self.complete / self.n if self.n else 1.0

    @property
    def share(self) -> float:
        """The share of all values that are missing."""
        return sum(self.counts.values()) / (self.n * len(self.counts)) if self.n and self.counts else 0.0

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables with missing values, those with the most first."""
        return tuple(sorted((name for name, count in self.counts.items() if count), key=lambda v: -self.counts[v]))

    @property
    def verdict(self) -> tuple[str, ...]:
        """What the pattern suggests, and what methods assume, in plain sentences."""
        from .words import verdict

        return verdict(self)

    @property
    def complete_cases_suffice(self) -> bool:
        """Whether leaving out rows with gaps costs little: at least 90 % are complete, and no dependence was found."""
        return not self.dependences and self.complete_share >= 0.9

    def excerpt(self, variables: int, combinations: int) -> tuple[tuple[str, ...], tuple[Combination, ...]]:
        """What fits into a picture: the variables with the most gaps, and the most frequent combinations of them."""
        shown = self.variables[:variables]
        within = [one for one in self.combinations if {*one.variables} <= {*shown}]
        return shown, tuple(within[:combinations])

    def brief(self) -> str:
        """The main points in at most ten lines."""
        from .words import brief

        return brief(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, for JSON."""
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
        """The same as JSON."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)

    def __str__(self) -> str:
        from .words import in_full

        return in_full(self)

    def _repr_html_(self) -> str:
        from .words import cells, heading

        (head, *shares), (of, *sets), (which, *found) = cells(self)
        parts = [table(head, shares), table(of, sets) if sets else "", table(which, found) if found else ""]
        return paragraph(heading(self)) + "".join(parts) + "".join(map(paragraph, self.verdict))
