"""Predicting which method proves a part of a table first, from its size and the progress so far.

Everything is counted in steps, never in seconds: the same table is solved in the same way on a slow machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from veridag import _core

#: Seconds that integer programming takes for a candidate parent set, more or less; much fewer where dependences are
#: weak, and much more on dense tables, where each linear program is slow.
SECONDS_A_ROW = 1e-3

#: Seconds that it takes for an iteration of the simplex method, with all that goes with it, and for each candidate.
SECONDS_AN_ITERATION = 4e-4
SECONDS_A_ROW_IN_IT = 2.5e-8

#: How much of the time that integer programming is to be expected to take is spent on a trial of dynamic programming.
TRIAL = 0.2

#: The fewest sets of variables of a trial: they take a moment.
LEAST_SETS = 200_000

#: The share of all sets of variables that dynamic programming keeps on tables that suit it. It is so up to a number of
#: variables; from there on the sets kept double with every two more, not with every one.
GOOD_SHARE = 1e-3
GOOD_SIZE = 28

#: Beyond that number the sets that are kept lie far apart: a trial takes so many seconds for one of them, and is no
#: use with fewer than so many.
SECONDS_FAR_APART = 1e-5
LEAST_SETS_FAR_APART = 500_000

#: How many times the time that is expected of integer programming it is waited for before the other method is tried.
WAIT = 5.0

#: How many times the work of dynamic programming integer programming may do before it is given up.
PATIENCE = 1.0


@dataclass(frozen=True)
class Cost:
    """What the methods will cost on a part of so many variables and candidate parent sets."""

    size: int
    rows: int

    @property
    def seconds_a_set(self) -> float:
        """Of dynamic programming, for a set of variables: candidates are gone through for a few sets at a time."""
        return 3e-7 * (1 + self.rows / self.size / 100)

    @property
    def integer(self) -> float:
        """Seconds of integer programming."""
        return SECONDS_A_ROW * self.rows

    def dynamic(self, share: float) -> float:
        """Seconds of dynamic programming if it keeps this share of all sets of variables."""
        return float(self.seconds_a_set * share * 2.0**self.size)

    def memory(self, share: float) -> float:
        """Bytes of dynamic programming if it keeps this share."""
        return float(_core.dp_bytes(self.size) * share)

    def trial(self, times: float) -> int:
        """Sets that dynamic programming is tried with: so many times what integer programming is expected to take."""
        return max(LEAST_SETS, int(times * self.integer / self.seconds_a_set))

    @property
    def first_trial(self) -> int:
        """Sets that dynamic programming is tried with before integer programming has been."""
        if self.size <= GOOD_SIZE:
            return self.trial(TRIAL)
        return max(LEAST_SETS_FAR_APART, int(TRIAL * self.integer / SECONDS_FAR_APART))

    @property
    def suits_dynamic(self) -> bool:
        """Whether dynamic programming is worth a trial before integer programming has shown what it can do."""
        further = max(0, self.size - GOOD_SIZE)
        return self.dynamic(GOOD_SHARE * 2.0 ** (-further / 2)) <= self.integer

    def spent(self, iterations: int) -> float:
        """Seconds that integer programming takes for so many iterations, more or less."""
        return (SECONDS_AN_ITERATION + SECONDS_A_ROW_IN_IT * self.rows) * iterations


@dataclass
class Patience:
    """Says when integer programming is to be given up: its work is that of the other method, and no end is in sight.

    The gap is looked at again and again. If it goes on to fall as it did over the last half of the work, and would be
    closed within as much work as the other method takes, it is waited for.
    """

    cost: Cost
    other: float  # what the other method will cost, in seconds

    def __post_init__(self) -> None:
        self._seen: list[tuple[float, float]] = []  # work and gap

    def is_over(self, iterations: int, gap: float) -> bool:
        """Whether to give up, after so many iterations of the simplex method and with this gap left."""
        spent = self.cost.spent(iterations)
        self._seen.append((spent, gap))
        if spent < PATIENCE * self.other:
            return False
        then, before = next((work, old) for work, old in self._seen if 2 * work >= spent)
        if before <= gap or spent <= then:
            return True
        left = gap * (spent - then) / (before - gap)
        return left > PATIENCE * self.other
