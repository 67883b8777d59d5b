"""How many tests of independence a second, next to causal-learn and pgmpy?

G2 on data sampled from ALARM and HAILFINDER, Fisher's Z on ARTH150, random pairs given 0 to 3 variables, one thread.
veridag tests a batch in one call, as its algorithms do; the peers are called test by test, which is what they offer.
Decisions at alpha = 0.05 are compared; where they differ, the peer counts degrees of freedom by observed states.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd
from veridag.criteria.tester import Tester

Triple = tuple[int, int, list[int]]
PValue = Callable[[int, int, list[int]], float]


def random_tests(p: int, number: int, seed: int) -> list[Triple]:
    rng = np.random.default_rng(seed)
    tests = []
    for _ in range(number):
        x, y, *given = rng.choice(p, int(rng.integers(2, 6)), replace=False).tolist()
        tests.append((x, y, given))
    return tests


def causal_learn(data: vd.Data, discrete: bool) -> PValue:
    from causallearn.utils.cit import CIT

    matrix = np.column_stack([data.column(v) for v in data.names])
    cit = CIT(matrix.astype(np.int64), "gsq") if discrete else CIT(matrix, "fisherz")
    return lambda x, y, given: float(cit(x, y, given))


def pgmpy(data: vd.Data, discrete: bool) -> PValue:
    from pgmpy.ci_tests import FisherZ, GSq

    names = data.names
    test = (GSq if discrete else FisherZ)(data.to_pandas())

    def p_value(x: int, y: int, given: list[int]) -> float:
        test(names[x], names[y], [names[z] for z in given], significance_level=0.05)
        return float(test.p_value_)

    return p_value


def compare(network: str, n: int, number: int, limit: float) -> None:
    data = vd.networks.load(network).sample(n, seed=1)
    discrete = data.kind == "discrete"
    tests = random_tests(len(data.names), number, seed=2)
    tester = Tester(data, vd.G2() if discrete else vd.FisherZ())
    results = tester.many(tests)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        tester.many(tests)
        best = min(best, time.perf_counter() - start)
    ours = best / number
    print(f"{network:10} n={n:<7} {'G2' if discrete else 'Fisher Z':8}  veridag {1e6 * ours:8.2f} us a test")
    for peer in (causal_learn, pgmpy):
        try:
            p_value = peer(data, discrete)
        except ImportError:
            print(f"{'':30}  {peer.__name__} is not installed")
            continue
        decisions = []
        start = time.perf_counter()
        while len(decisions) < number and time.perf_counter() - start < limit:
            decisions.append(p_value(*tests[len(decisions)]) > 0.05)
        theirs = (time.perf_counter() - start) / len(decisions)
        same = np.mean(np.array(decisions) == results.independent[: len(decisions)])
        ratio = f"{1e6 * theirs:9.1f} us = {theirs / ours:8.1f} times veridag's"
        print(f"{'':30}  {peer.__name__:12} {ratio}; the same decision in {100 * same:.1f} % of {len(decisions)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", nargs="*", type=int, default=[1000, 10_000])
    parser.add_argument("--tests", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=3.0, help="the most that a peer gets for one line")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for network in ("alarm", "hailfinder", "arth150"):
        for n in arguments.rows:
            compare(network, n, arguments.tests, arguments.seconds)


if __name__ == "__main__":
    main()
