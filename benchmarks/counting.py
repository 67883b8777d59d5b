"""How long do the numbers of DAGs and the distributions of indegrees take?

The targets are 2 s for 128 variables and a minute for 500, whatever the prior. The peer is the exact recurrence of
Eggeling et al. (2019), corollary 4, in Python's integers: it is what `count_dags` does, and `log_count_dags` avoids.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from veridag.criteria.priors import DataSize, Edge, Factorial, Fair, Uniform
from veridag.criteria.priors import dag_counts as counting
from veridag.criteria.priors.base import Prior
from veridag.criteria.priors.dag_counts import count_dags, indegree_distribution, log_count_dags

PRIORS: tuple[Prior, ...] = (Uniform(), Edge(), Fair(), DataSize(), Factorial())


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def all_distributions(n: int, d: int | None) -> list[float]:
    return [seconds(lambda prior=prior: indegree_distribution(prior, n, d, rows=200)) for prior in PRIORS]


def forget() -> None:
    """Numbers that are kept from an earlier call would make the next one look fast."""
    for cached in (counting._count, counting._parent_sets, counting._log_count):
        cached.cache_clear()


def main() -> None:
    print("indegree_distribution, seconds for the slowest of", ", ".join(map(str, PRIORS)))
    for n, target in ((32, 2), (128, 2), (500, 60)):
        for d in (5, None):
            slowest = max(all_distributions(n, d))
            times = target / slowest
            print(f"  n = {n:3d}, max_indegree = {d!s:4}  {slowest:8.3f}   {times:4.0f} times below {target} s")
    forget()
    print("count_dags: exact, as for the search space penalty of ANDES")
    print(f"  n = 223, max_indegree = 0 ... 7  {seconds(lambda: [count_dags(223, d) for d in range(8)]):8.3f}")
    print("log_count_dags next to the exact recurrence")
    for n, d in ((128, 5), (300, 5), (500, 5), (500, None)):
        forget()
        exact, fast = seconds(lambda n=n, d=d: count_dags(n, d)), seconds(lambda n=n, d=d: log_count_dags(n, d))
        print(f"  n = {n}, max_indegree = {d!s:4}  {fast:8.3f}   exact {exact:8.3f}, {exact / fast:6.1f} times as long")


if __name__ == "__main__":
    main()
