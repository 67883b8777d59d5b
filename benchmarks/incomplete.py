"""What do missing values cost, next to the same rows without gaps?

One value in ten is missing, then in all columns or in the first three only. Tests: random pairs given 0 to 3 variables,
and PC-stable. Scores: random families of 0 to 3 parents, and hill climbing, with PNAL against BIC of the complete rows.
A search of data with gaps makes other tests and scores other families: the second ratio is for each of them.
One thread, seconds of the processor, data that is new each time, the quickest of several runs; the ratio is that to the
complete data.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd
from veridag import _core
from veridag.counts import scatter_matrix
from veridag.criteria.packing import pack_tests
from veridag.criteria.scorer import Scorer
from veridag.criteria.tester import Tester
from veridag.data import Column, Data

TESTS: dict[str, list[vd.Test]] = {
    "discrete": [vd.G2(df="observed")],
    "continuous": [vd.FisherZ()],
    "mixed": [vd.G2(df="observed")],
}


def with_gaps(data: Data, columns: int, share: float) -> Data:
    rng = np.random.default_rng(7)
    made = []
    for i, c in enumerate(data.columns):
        observed = rng.random(data.nrows) >= (share if i < columns else 0.0)
        made.append(Column(c.name, c.kind, c.values, c.states, observed=observed))
    return Data(made)


def seconds(work: Callable[[], object], repeats: int) -> float:
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def chosen(data: Data, number: int, least: int) -> list[list[int]]:
    rng = np.random.default_rng(3)
    sets = [rng.choice(len(data.names), int(rng.integers(least, least + 4)), replace=False) for _ in range(number)]
    return [s.tolist() for s in sets]


def per_test(test: vd.Test, data: Data, tests: list[tuple[int, int, list[int]]]) -> float:
    """Statistics in one call, each once, without the tails of the distributions, which are found in Python."""
    packed = pack_tests([(x, y, tuple(given)) for x, y, given in tests])
    new = Data(data.columns)
    if data.kind == "discrete":
        table = new.core_table_with_missing if data.incomplete else new.core_table
        work = lambda: _core.contingency(table, *packed, 1)  # noqa: E731
    elif data.kind == "mixed":
        tester = Tester(new, test)
        work = lambda: tester.many(tests)  # noqa: E731
    elif data.incomplete:
        columns = new.core_mixed_table_with_missing
        work = lambda: _core.observed_correlations(columns, *packed, 1)  # noqa: E731
    else:
        scatter = scatter_matrix(new)
        work = lambda: _core.partial_correlations(scatter, float(new.n), *packed, 1)  # noqa: E731
    return seconds(work, 1) / len(tests)


def per_family(score: vd.Score, data: Data, families: list[tuple[int, list[int]]]) -> float:
    scorer = Scorer(Data(data.columns), score)
    scorer.unbounded_many(families[:1])
    return seconds(lambda: scorer.unbounded_many(families), 1) / len(families)


def compare_batches(complete: Data, gaps: Data, number: int, repeats: int) -> None:
    for test in TESTS[complete.kind]:
        tests = [(x, y, given) for x, y, *given in chosen(complete, number, 2)]
        base, ours = (min(per_test(test, data, tests) for _ in range(repeats)) for data in (complete, gaps))
        print(f"    {type(test).__name__:10} {1e6 * ours:9.2f} us a test    = {ours / base:6.2f} times complete")
    allowed = [f for f in chosen(complete, number, 1) if _may_be(complete, f)]
    families = [(child, sorted(parents)) for child, *parents in allowed]
    scored = ((vd.BIC(), complete), (vd.PNAL(), gaps))
    base, ours = (min(per_family(score, data, families) for _ in range(repeats)) for score, data in scored)
    print(f"    {'PNAL':10} {1e6 * ours:9.2f} us a family  = {ours / base:6.2f} times complete")


def _may_be(data: Data, family: list[int]) -> bool:
    kinds = [data.kinds[data.names[v]] for v in family]
    return kinds[0] == "continuous" or "continuous" not in kinds


def compare_searches(complete: Data, gaps: Data, repeats: int) -> None:
    learner = vd.PCStable(TESTS[complete.kind][0])
    compare_search("PC-stable", learner.learn, complete, gaps, repeats)
    climbing = {False: vd.HillClimbing(score=vd.BIC()), True: vd.HillClimbing(score=vd.PNAL())}
    compare_search("climbing", lambda data: climbing[data.incomplete].learn(data), complete, gaps, repeats)


def search_seconds(learn: Callable[[Data], vd.Result], data: Data, repeats: int) -> float:
    """Of a search whose data is new each time, with its columns in order already."""
    taken = []
    for _ in range(repeats):
        new = Data(data.columns)
        new.in_data_order()
        taken.append(seconds(lambda: learn(new), 1))  # noqa: B023
    return min(taken)


def compare_search(name: str, learn: Callable[[Data], vd.Result], complete: Data, gaps: Data, repeats: int) -> None:
    base, ours = (search_seconds(learn, data, repeats) for data in (complete, gaps))
    calls = [learn(data).distinct_calls for data in (complete, gaps)]
    each = ours / calls[1] / (base / calls[0])
    print(f"    {name:10} {1e3 * ours:9.1f} ms           = {ours / base:6.2f} times complete, {each:.2f} for each")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="*", default=["alarm", "hepar2", "ecoli70", "arth150", "clinic"])
    parser.add_argument("--rows", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--tests", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=5, help="of which the quickest counts")
    parser.add_argument("--no-searches", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for network in arguments.networks:
        for n in arguments.rows:
            complete = vd.networks.load(network).sample(n, seed=1)
            for columns in (len(complete.names), 3):
                gaps = with_gaps(complete, columns, arguments.share)
                print(f"{network}, n={n}, gaps in {columns} of {len(complete.names)} columns")
                compare_batches(complete, gaps, arguments.tests, arguments.repeats)
                if not arguments.no_searches:
                    compare_searches(complete, gaps, arguments.repeats)


if __name__ == "__main__":
    main()
