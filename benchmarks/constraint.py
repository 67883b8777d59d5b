"""How fast is PC-stable next to causal-learn, pgmpy, pyAgrum and PyBNesian, and do they find the same pairs?

G2 (alpha = 0.01) on ALARM, HEPAR2 and WIN95PTS with n = 10 000, Fisher's Z on ARTH150 with n = 5 000; one thread, data
already in each library's own form. PyBNesian has Pearson's X2 and Student's t instead, and pgmpy the partial
correlation; both are close relatives. Two threads of veridag against one. A peer that takes longer than --seconds is
stopped, and its ratio is a lower bound. With --large, veridag alone on Gaussian data of 500 variables. With --policies,
the true and false edges and the SHD that each policy of degrees of freedom finds, beside causal-learn's: the study
of docs/algorithms/pc-stable.md, at alpha = 0.05.
"""

from __future__ import annotations

import argparse
import multiprocessing
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd

Pairs = set[frozenset[str]]
Learner = Callable[[], Pairs]
ALPHA = 0.01
NOT_TUNED_ON = ("cancer", "earthquake", "survey", "insurance", "barley", "hailfinder", "win95pts", "andes")


def causal_learn(data: vd.Data, alpha: float = ALPHA) -> Learner:
    from causallearn.search.ConstraintBased.PC import pc

    matrix = np.column_stack([data.column(v) for v in data.names])
    discrete = data.kind == "discrete"

    def learn() -> Pairs:
        test = "gsq" if discrete else "fisherz"
        table = matrix.astype(np.int64) if discrete else matrix
        graph = pc(table, alpha, test, stable=True, show_progress=False, node_names=list(data.names)).G
        return {frozenset((e.get_node1().get_name(), e.get_node2().get_name())) for e in graph.get_graph_edges()}

    return learn


def pgmpy(data: vd.Data) -> Learner:
    from pgmpy.estimators import PC

    estimator = PC(data.to_pandas())
    options = {
        "ci_test": "g_sq" if data.kind == "discrete" else "pearsonr",
        "variant": "stable",
        "return_type": "skeleton",
        "significance_level": ALPHA,
        "max_cond_vars": len(data.names),
        "n_jobs": 1,
        "show_progress": False,
    }
    return lambda: {frozenset(edge) for edge in estimator.estimate(**options)[0].edges()}


def pyagrum(data: vd.Data) -> Learner:
    import pyagrum as gum

    if data.kind != "discrete":
        raise ImportError("pyAgrum learns from discrete data")
    learner = gum.BNLearner(data.to_pandas())
    learner.setNumberOfThreads(1)
    learner.usePC()
    learner.useG2Test()
    learner.setPCStable(True)
    learner.setPCAlpha(ALPHA)

    def learn() -> Pairs:
        graph, names = learner.learnPDAG(), learner.names()
        return {frozenset((names[a], names[b])) for a, b in (*graph.arcs(), *graph.edges())}

    return learn


def pybnesian(data: vd.Data) -> Learner:
    import pybnesian as pbn

    frame = data.to_pandas()
    test = pbn.ChiSquare(frame.astype("category")) if data.kind == "discrete" else pbn.LinearCorrelation(frame)

    def learn() -> Pairs:
        graph = pbn.PC().estimate(test, alpha=ALPHA, use_sepsets=True)
        return {frozenset(pair) for pair in (*graph.arcs(), *graph.edges())}

    return learn


PEERS = (causal_learn, pgmpy, pyagrum, pybnesian)


def timed(make: Callable[[vd.Data], Learner], data: vd.Data, answers: multiprocessing.Queue) -> None:
    """What a child process does, so that a slow peer can be stopped."""
    warnings.simplefilter("ignore")
    try:
        learn = make(data)
        start = time.perf_counter()
        found = learn()
        answers.put((time.perf_counter() - start, found))
    except Exception as error:
        answers.put((None, str(error).split("\n")[0]))


def run_peer(make: Callable[[vd.Data], Learner], data: vd.Data, limit: float) -> tuple[float | None, Pairs | str]:
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=timed, args=(make, data, answers))
    child.start()
    try:
        return answers.get(timeout=limit)
    except Exception:
        return limit, "stopped"
    finally:
        child.terminate()
        child.join()


def pairs_of(graph: vd.PDAG | vd.DAG) -> Pairs:
    return {frozenset(pair) for pair in (*graph.arcs, *getattr(graph, "edges", ()))}


def compare_policies(networks: list[str], n: int, seeds: int, limit: float) -> None:
    sums: dict[str, np.ndarray] = {}
    for name in networks:
        network = vd.networks.load(name)
        true = pairs_of(network.dag)
        for seed in range(1, seeds + 1):
            data = network.sample(n, seed)
            for df in ("plain", "adjusted", "observed"):
                graph = vd.PCStable(vd.G2(df=df)).learn(data).graph
                found = pairs_of(graph)
                row = np.array([len(true), len(found & true), len(found - true), vd.shd(network.dag, graph)])
                sums[df] = sums.get(df, 0) + row
            seconds, found = run_peer(lambda data: causal_learn(data, alpha=0.05), data, limit)
            if seconds is None or isinstance(found, str):
                print(f"causal-learn, {name}, seed {seed}: {found}")
            else:
                sums["causal-learn"] = sums.get("causal-learn", 0) + np.array(
                    [len(true), len(found & true), len(found - true), 0]
                )
    for policy, (edges, found, false, distance) in sums.items():
        shd = "" if policy == "causal-learn" else f", SHD {distance}"
        print(f"n={n:<6} {policy:12} {found} of {edges} edges, {false} false{shd}")


def best_of(learner: vd.PCStable, data: vd.Data, jobs: int, repeats: int) -> tuple[float, vd.Result]:
    results = [learner.learn(data, jobs=jobs) for _ in range(repeats)]
    return statistics.median(r.seconds for r in results), results[0]


def compare(network: str, n: int, limit: float) -> None:
    data = vd.networks.load(network).sample(n, seed=1)
    # The degrees of freedom that causal-learn takes too.
    learner = vd.PCStable(vd.G2(alpha=ALPHA, df="observed") if data.kind == "discrete" else vd.FisherZ(alpha=ALPHA))
    ours, result = best_of(learner, data, 1, 7)
    two, _ = best_of(learner, data, 2, 7)
    pairs = pairs_of(result.graph)
    rate = f"{result.calls} tests, {result.calls / ours:,.0f} a second"
    print(f"{network:9} n={n:<6} veridag      {1e3 * ours:9.1f} ms, {rate}, two threads {ours / two:4.2f} times")
    for peer in PEERS:
        seconds, found = run_peer(peer, data, limit)
        if seconds is None:
            print(f"{'':18} {peer.__name__:12} not compared: {found}")
        elif isinstance(found, str):
            print(
                f"{'':18} {peer.__name__:12} stopped after {limit:.0f} s: more than {limit / ours:7.1f} times veridag's"
            )
        else:
            same = f"{len(found & pairs)} pairs shared, {len(found - pairs)} only there, {len(pairs - found)} only here"
            print(f"{'':18} {peer.__name__:12} {1e3 * seconds:9.1f} ms = {seconds / ours:7.1f} times veridag's; {same}")


def large(variables: int, n: int) -> None:
    rng = np.random.default_rng(1)
    names = [f"v{i:03d}" for i in range(variables)]
    cpds = {}
    for j, name in enumerate(names):
        parents = rng.choice(j, min(j, int(rng.integers(0, 4))), replace=False) if j else []
        weights = rng.choice([-1, 1], len(parents)) * rng.uniform(0.3, 1.0, len(parents))
        cpds[name] = vd.LinearGaussian(tuple(names[p] for p in parents), 0.0, weights, 1.0)
    network = vd.Network(cpds)
    data = network.sample(n, seed=2)
    for learner in (vd.PCStable(vd.FisherZ(alpha=ALPHA)), vd.PCStable(vd.ScoreTest(vd.BIC()))):
        one, result = best_of(learner, data, 1, 1)
        two, _ = best_of(learner, data, 2, 1)
        facts = f"{result.calls} tests, SHD {vd.shd(network.dag, result.graph)} of {len(network.dag.arcs)} arcs"
        print(f"{variables} Gaussian variables, n={n}: {learner.test} {one:.2f} s, two threads {two:.2f} s, {facts}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="*", default=["alarm", "hepar2", "win95pts", "arth150"])
    parser.add_argument("--seconds", type=float, default=60.0, help="the most that a peer gets for one line")
    parser.add_argument("--large", action="store_true", help="veridag alone, 500 Gaussian variables")
    parser.add_argument("--policies", action="store_true", help="what each policy of degrees of freedom finds")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.policies:
        for n in (500, 2000, 10_000):
            compare_policies(list(NOT_TUNED_ON), n, 2, arguments.seconds)
        return
    for network in arguments.networks:
        compare(network, 5000 if network == "arth150" else 10_000, arguments.seconds)
    if arguments.large:
        large(500, 5000)


if __name__ == "__main__":
    main()
