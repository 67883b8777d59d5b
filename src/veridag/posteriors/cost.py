"""What the exact posterior takes, known before it begins."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from veridag import _core
from veridag.checks import JOBS, Integer, OneOf
from veridag.work.memory import shown

#: Bytes of a family in a score table, while it is made and put into order, besides 4 a parent.
_ROW_BYTES = 100

#: Seconds that a thread takes for a term of the sums over DAGs, and over orders, on a machine of 2020.
_SECONDS_A_TERM = 2e-8
_SECONDS_AN_ORDER_TERM = 6e-8


@dataclass(frozen=True)
class ExactCost:
    """The memory and time that an exact posterior takes at most, in addition to the scores of families.

    Terms that cannot matter are left out, so informative data takes a fraction of the time.

    Attributes:
        bytes: The memory in bytes.
        seconds: The time in seconds, about.

    See also:
        `posterior_cost`
    """

    bytes: float
    seconds: float

    def __str__(self) -> str:
        return f"at most {shown(self.bytes)} and {self._time()}"

    def _time(self) -> str:
        if self.seconds < 1.5:
            return "about a second" if self.seconds >= 0.5 else "less than a second"
        return f"about {self.seconds:.0f} seconds" if self.seconds < 120 else f"about {self.seconds / 60:.0f} minutes"


def posterior_cost(
    variables: int, max_indegree: int | None = None, *, order_modular: bool = False, jobs: int = 1
) -> ExactCost:
    r"""Estimate the memory and time that an exact `posterior` takes at most, before it starts.

    The sums over DAGs have $2 \cdot 3^n$ terms, those over orders about $2 n 2^n$.

    Args:
        variables: Number of variables.
        max_indegree: Most parents of a variable; no bound if None.
        order_modular: As in `posterior`.
        jobs: Number of threads.

    See also:
        `posterior`, docs/posterior.md
    """
    n = Integer(1)("variables", variables)
    jobs = JOBS("jobs", jobs)
    OneOf((False, True))("order_modular", order_modular)
    sizes = _family_sizes(n, max_indegree)
    table = sum((_ROW_BYTES + 8 * size) * number for size, number in enumerate(sizes))
    if order_modular:
        seconds = _SECONDS_AN_ORDER_TERM * 2.0 * n * 2.0**n
    else:
        seconds = _SECONDS_A_TERM * _core.dag_sum_terms(n) / min(jobs, 8)
    # The table is still there while the core sums over its families.
    return ExactCost(table + _core.posterior_bytes(n, order_modular), seconds)


def families_of(variables: int, max_indegree: int | None) -> float:
    """How many families there are, that is local scores."""
    return sum(_family_sizes(variables, max_indegree))


def _family_sizes(n: int, max_indegree: int | None) -> list[float]:
    """How many families have no parent, one, two and so on."""
    limit = n - 1 if max_indegree is None else min(Integer(0)("max_indegree", max_indegree), n - 1)
    return [float(n * comb(n - 1, size)) for size in range(limit + 1)]
