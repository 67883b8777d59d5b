"""How fast are hill climbing and tabu search, and how good is what they find, next to PyBNesian, pyAgrum and pgmpy?

BIC and BDeu, n = 10 000, on ALARM, HEPAR2, ANDES and PIGS; one thread, data already in each library's own form. The
score of each result is computed by veridag, so that they can be compared. With --scaling, veridag alone: variables 100
to 2 000 (random sparse networks, n = 5 000), rows 10^3 to 10^6, peak memory, and two threads.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd

Learner = Callable[[], list[tuple[str, str]]]


def seconds(work: Callable[[], object], repeats: int) -> tuple[float, object]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def pybnesian(data: vd.Data, score: str, tabu: bool) -> Learner:
    import pybnesian as pbn

    frame = data.to_pandas()
    measure = pbn.BIC(frame) if score == "BIC" else pbn.BDe(frame, iss=1)
    start = pbn.DiscreteBN(list(data.names))
    search = pbn.GreedyHillClimbing()
    options = {"patience": 10} if tabu else {}
    return lambda: list(search.estimate(pbn.ArcOperatorSet(), measure, start, **options).arcs())


def pyagrum(data: vd.Data, score: str, tabu: bool) -> Learner:
    import pyagrum as gum

    frame = data.to_pandas()

    def learn() -> list[tuple[str, str]]:
        learner = gum.BNLearner(frame)
        learner.useNoPrior()
        learner.useScoreBIC() if score == "BIC" else learner.useScoreBDeu()
        learner.useLocalSearchWithTabuList(10, 10) if tabu else learner.useGreedyHillClimbing()
        learner.setNumberOfThreads(1)
        names = learner.names()
        return [(names[a], names[b]) for a, b in learner.learnDAG().arcs()]

    return learn


def pgmpy(data: vd.Data, score: str, tabu: bool) -> Learner:
    from pgmpy.estimators import BIC, BDeu, HillClimbSearch

    frame = data.to_pandas()
    measure = BIC(frame) if score == "BIC" else BDeu(frame, equivalent_sample_size=1)
    options = {"tabu_length": 10 if tabu else 0, "show_progress": False, "epsilon": 1e-9}
    return lambda: list(HillClimbSearch(frame).estimate(scoring_method=measure, **options).edges())


def compare(network: str, n: int, slow: bool) -> None:
    data = vd.networks.load(network).sample(n, seed=1)
    for tabu in (False, True):
        for name, score in (("BIC", vd.BIC()), ("BDeu", vd.BDeu())):
            learner = (vd.Tabu if tabu else vd.HillClimbing)(score=score)
            ours, result = seconds(lambda learner=learner: learner.learn(data), 5)
            label = f"{network} {'tabu' if tabu else 'hill climbing'} {name}"
            print(f"{label:28} veridag    {1e3 * ours:10.1f} ms                       score {result.score:.2f}")
            peers = [pybnesian, pyagrum] + ([pgmpy] if slow or network == "alarm" else [])
            for peer in peers:
                try:
                    theirs, arcs = seconds(peer(data, name, tabu), 1)
                except ImportError:
                    print(f"{'':28} {peer.__name__} is not installed")
                    continue
                reached = vd.score(vd.DAG.from_arcs(arcs, data.names), data, score)
                ratio = f"{theirs / ours:7.1f} times veridag's"
                print(f"{'':28} {peer.__name__:10} {1e3 * theirs:10.1f} ms, {ratio}, score {reached:.2f}")


def random_network(variables: int, arcs: int, seed: int) -> vd.Network:
    """A sparse DAG of binary and ternary variables with at most 4 parents, and skewed tables."""
    rng = np.random.default_rng(seed)
    parents: list[list[int]] = [[] for _ in range(variables)]
    placed = 0
    while placed < arcs:
        i, j = sorted(rng.choice(variables, 2, replace=False).tolist())
        if i not in parents[j] and len(parents[j]) < 4:
            parents[j].append(i)
            placed += 1
    r = rng.integers(2, 4, variables)
    names = [f"v{i:04d}" for i in range(variables)]
    cpds = {}
    for v in range(variables):
        shape = tuple(int(r[p]) for p in parents[v])
        cpds[names[v]] = vd.Table(tuple(names[p] for p in parents[v]), rng.dirichlet(np.full(r[v], 0.7), shape))
    return vd.Network(cpds, {names[v]: [str(k) for k in range(r[v])] for v in range(variables)})


def scaling() -> None:
    for variables in (100, 300, 1000, 2000):
        data = random_network(variables, 2 * variables, seed=1).sample(5000, seed=2)
        one, result = seconds(lambda data=data: vd.HillClimbing().learn(data), 1)
        two, _ = seconds(lambda data=data: vd.HillClimbing().learn(data, jobs=2), 1)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        arcs = len(result.dag.arcs)
        threads = f"two threads {one / two:4.2f} times"
        print(f"{variables:5} variables, n = 5000: {one:8.3f} s, {arcs} arcs, {threads}, {peak:.0f} MB")
    network = vd.networks.load("alarm")
    for rows in (1000, 10_000, 100_000, 1_000_000):
        data = network.sample(rows, seed=1)
        one, _ = seconds(lambda data=data: vd.HillClimbing().learn(data), 3)
        print(f"alarm, n = {rows:8}: {1e3 * one:9.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="*", default=["alarm", "hepar2", "andes", "pigs"])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--slow", action="store_true", help="run pgmpy on every network, which takes many minutes")
    parser.add_argument("--scaling", action="store_true", help="veridag alone, over variables, rows and threads")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.scaling:
        scaling()
        return
    for network in arguments.networks:
        compare(network, arguments.rows, arguments.slow)


if __name__ == "__main__":
    main()
