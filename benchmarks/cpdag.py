"""How fast is the CPDAG of a DAG of 1 000 variables and 2 000 arcs, next to pgmpy and pyAgrum?

The goal is under 20 ms. Every peer gets the same DAG, already in its own data structure; the CPDAGs are compared.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import veridag as vd


def random_dag(n: int, arcs: int, seed: int) -> vd.DAG:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    a = np.zeros((n, n), bool)
    while a.sum() < arcs:
        i, j = np.sort(rng.choice(n, 2, replace=False))
        a[order[i], order[j]] = True
    return vd.DAG.from_adjacency(a)


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def with_pgmpy(dag: vd.DAG) -> tuple[Callable[[], object], Callable[[], set[tuple[str, str]]]]:
    from pgmpy.base import DAG

    peer = DAG(dag.arcs)
    return peer.to_pdag, lambda: set(peer.to_pdag().directed_edges)


def with_pyagrum(dag: vd.DAG) -> tuple[Callable[[], object], Callable[[], set[tuple[str, str]]]]:
    import pyagrum as gum

    peer = gum.BayesNet()
    nodes = {name: peer.add(gum.LabelizedVariable(name, name, 2)) for name in dag.names}
    for a, b in dag.arcs:
        peer.addArc(nodes[a], nodes[b])
    names = {node: name for name, node in nodes.items()}

    def essential() -> object:
        return gum.EssentialGraph(peer)

    def arcs() -> set[tuple[str, str]]:
        return {(names[a], names[b]) for a, b in gum.EssentialGraph(peer).arcs()}

    return essential, arcs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--arcs", type=int, default=2000)
    arguments = parser.parse_args()
    dag = random_dag(arguments.nodes, arguments.arcs, seed=1)
    ours = median_seconds(dag.cpdag, 21)
    print(f"veridag  {1e3 * ours:10.2f} ms")
    expected = set(dag.cpdag().arcs)
    for name, prepare in (("pgmpy", with_pgmpy), ("pyagrum", with_pyagrum)):
        try:
            work, arcs = prepare(dag)
        except ImportError:
            print(f"{name:8} is not installed")
            continue
        theirs = median_seconds(work, 3)
        agrees = "same CPDAG" if arcs() == expected else "another CPDAG"
        print(f"{name:8} {1e3 * theirs:10.2f} ms  {theirs / ours:8.1f} times veridag's time, {agrees}")


if __name__ == "__main__":
    main()
