"""How fast is greedy equivalence search, and how good is what it finds, next to XGES, causal-learn and pgmpy?

Gaussian BIC on random sparse linear networks with two arcs a variable, n = 5 000; one thread, seconds of processor
time, for veridag the least of three runs. The score of each result is computed by veridag for a DAG that extends it,
and the SHD is that to the CPDAG of the network. Veridag's default and the package xges, both with and without trials;
veridag's order "phases" without turning, causal-learn and pgmpy are plain GES. Each peer is held against the order that
is most like it. With --veridag, veridag alone at 1 000 variables: Gaussian and discrete data, with tiers and with
forbidden arcs. With --width, the time against the number of variables; with --dense, columns that all depend on one
hidden cause.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

import veridag as vd
from search import random_network

Learner = Callable[[np.ndarray, tuple[str, ...]], vd.PDAG]


def random_gaussian_network(variables: int, arcs: int, seed: int) -> vd.Network:
    """A sparse DAG with at most 4 parents, coefficients of 0.3 to 1 and unit noise; names say nothing of the order."""
    rng = np.random.default_rng(seed)
    parents: list[list[int]] = [[] for _ in range(variables)]
    placed = 0
    while placed < arcs:
        i, j = sorted(rng.choice(variables, 2, replace=False).tolist())
        if i not in parents[j] and len(parents[j]) < 4:
            parents[j].append(i)
            placed += 1
    names = [f"v{i:04d}" for i in rng.permutation(variables)]
    cpds = {}
    for v, chosen in enumerate(parents):
        b = rng.choice([-1, 1], len(chosen)) * rng.uniform(0.3, 1.0, len(chosen))
        cpds[names[v]] = vd.LinearGaussian(tuple(names[p] for p in chosen), 0.0, b, 1.0)
    return vd.Network(cpds)


def xges(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
    return _xges(x, names, extended=True)


def xges_0(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
    return _xges(x, names, extended=False)


def _xges(x: np.ndarray, names: tuple[str, ...], *, extended: bool) -> vd.PDAG:
    from xges import XGES

    found = XGES(alpha=1.0).fit(x, extended_search=extended, verbose=0)  # with alpha = 1 the penalty is BIC's
    return vd.PDAG(names, found.to_adjacency_matrix() > 0)


def causal_learn(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
    from causallearn.search.ScoreBased.GES import ges

    marks = ges(x, score_func="local_score_BIC_from_cov")["G"].graph
    return vd.PDAG(names, marks == -1)  # the tail of an arc, and both ends of an edge


def pgmpy(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
    import pandas
    from pgmpy.estimators import GES

    found = GES(pandas.DataFrame(x, columns=list(names))).estimate(scoring_method="bic-g")
    return vd.PDAG.from_arcs(found.directed_edges, found.undirected_edges, names)


@dataclass(frozen=True)
class Peer:
    """`most` variables are what it does in a minute or so; `like` is the order of veridag's GES to hold it against."""

    learn: Learner
    most: int
    like: str


PEERS = [
    Peer(xges, 50, "xges"),
    Peer(xges_0, 100, "xges-0"),
    Peer(causal_learn, 50, "phases"),
    Peer(pgmpy, 10, "phases"),
]

ORDERS = [vd.GES(), vd.GES(order="xges-0"), vd.GES(order="phases", turning=False)]


def quietly(learn: Learner, x: np.ndarray, names: tuple[str, ...]) -> tuple[float, vd.PDAG]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        start = time.process_time()
        found = learn(x, names)
        return time.process_time() - start, found


def timed(algorithm: vd.GES, data: vd.Data) -> tuple[float, vd.Result]:
    start = time.process_time()
    result = algorithm.learn(data)
    return time.process_time() - start, result


def describe(found: vd.PDAG, network: vd.Network, data: vd.Data) -> str:
    if found.why_invalid() is not None:
        return "no DAG extends the result"
    score = vd.score(found.extension(), data, vd.BIC())
    return f"score {score:.2f}, SHD {vd.shd(network.dag, found)}"


def compare(variables: int, rows: int, slow: bool) -> None:
    network = random_gaussian_network(variables, 2 * variables, seed=1)
    data = network.sample(rows, seed=2)
    x = np.column_stack([data.column(name) for name in data.names])
    seconds: dict[str, float] = {}
    for algorithm in ORDERS:
        runs = [timed(algorithm, data) for _ in range(3)]
        seconds[algorithm.order] = min(spent for spent, _ in runs)
        label = f"{variables:5} variables  {algorithm.order:12} {seconds[algorithm.order]:9.3f} s"
        print(f"{label} {'':31} {describe(runs[0][1].graph, network, data)}", flush=True)
    for peer in PEERS:
        label = f"{'':15}  {peer.learn.__name__:12}"
        if variables > peer.most and not slow:
            print(f"{label} left out: takes more than a minute or two above {peer.most} variables")
            continue
        try:
            theirs, found = quietly(peer.learn, x, data.names)
        except ImportError:
            print(f"{label} is not installed")
            continue
        ratio = f"{theirs / seconds[peer.like]:8.1f} times veridag's {peer.like:6}"
        print(f"{label} {theirs:9.3f} s, {ratio}, {describe(found, network, data)}", flush=True)


def alone(variables: int, rows: int) -> None:
    """The same with much to consider, and discrete data."""
    gaussian = random_gaussian_network(variables, 2 * variables, seed=1)
    discrete = random_network(variables, 2 * variables, seed=1)
    for label, network in (("Gaussian", gaussian), ("discrete", discrete)):
        data = network.sample(rows, seed=2)
        order = network.dag.topological_order()
        tiers = [order[first : first + variables // 10] for first in range(0, variables, variables // 10)]
        rng, known = np.random.default_rng(3), set(network.dag.arcs)
        forbidden = [(a, b) for a in order for b in order if a != b and (a, b) not in known and rng.random() < 0.3]
        cases = {
            "nothing known": (vd.GES(), None),
            "phases": (vd.GES(order="phases", turning=False), None),
            "ten tiers": (vd.GES(), vd.Knowledge(tiers=tiers)),
            f"{len(forbidden)} arcs forbidden": (vd.GES(), vd.Knowledge(forbidden=forbidden)),
        }
        for case, (algorithm, knowledge) in cases.items():
            result = algorithm.learn(data, knowledge=knowledge)
            what = f"{result.steps} steps, {describe(result.graph, network, data)}"
            print(f"{variables} {label} variables, {case:24} {result.seconds:8.2f} s, {what}")


def width(sizes: list[int], rows: int) -> None:
    """Processor time against size, and the most memory that the process has had so far."""
    for variables in sizes:
        for kind, make in (("discrete", random_network), ("Gaussian", random_gaussian_network)):
            network = make(variables, 2 * variables, seed=1)
            data = network.sample(rows, seed=2)
            for algorithm in ORDERS[:2]:
                spent, result = timed(algorithm, data)
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
                label = f"{variables:6} {kind} variables, {algorithm.order:7}"
                print(f"{label} {spent:8.2f} s, {result.steps} steps, {memory:.1f} GB", flush=True)


def dense(sizes: list[int], rows: int) -> None:
    """Columns that are all equally correlated: without a limit, all are joined to all."""
    rng = np.random.default_rng(1)
    for variables in sizes:
        x = rng.normal(size=(rows, 1)) + rng.normal(size=(rows, variables))
        data = vd.Data.from_frame(pandas_frame(x))
        for algorithm in ORDERS:
            for limit in (None, 8):
                spent, result = timed(replace(algorithm, max_indegree=limit), data)
                label = f"{variables} equally correlated columns, {algorithm.order:7} at most {limit} parents"
                print(f"{label} {spent:8.2f} s, score {result.score:.2f}", flush=True)


def pandas_frame(x: np.ndarray) -> object:
    import pandas

    return pandas.DataFrame(x, columns=[f"v{i:02d}" for i in range(x.shape[1])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, nargs="*", default=[10, 20, 50, 100, 1000])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--slow", action="store_true", help="run every peer at every size, which takes hours")
    parser.add_argument("--veridag", action="store_true", help="veridag alone at 1 000 variables")
    parser.add_argument("--width", type=int, nargs="*", help="numbers of variables, for the curve of time against size")
    parser.add_argument("--dense", type=int, nargs="*", help="numbers of equally correlated columns")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.INFO)
    if arguments.veridag:
        alone(1000, arguments.rows)
        return
    if arguments.width is not None:
        width(arguments.width or [100, 200, 500, 1000, 2000, 5000], arguments.rows)
        return
    if arguments.dense is not None:
        dense(arguments.dense or [10, 20, 30], 10_000)
        return
    compile_first = np.random.default_rng(0).normal(size=(100, 3)) @ np.triu(np.ones((3, 3)))
    with contextlib.suppress(ImportError):
        quietly(xges, compile_first, ("a", "b", "c"))  # it compiles itself when it is first used
    for variables in arguments.variables:
        compare(variables, arguments.rows, arguments.slow)


if __name__ == "__main__":
    main()
