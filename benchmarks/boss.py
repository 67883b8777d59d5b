"""How good is what best order score search finds, and how fast is it, next to causal-learn's BOSS and XGES?

Two designs, the same data for all in the same run, one thread: standardised Gaussian tables of 320 rows from random
linear networks with 4 neighbours a variable, under BIC; and reference networks under BDeu with an imaginary sample size
of 1, for which XGES has no score and causal-learn takes minutes beyond 20 variables. The score of each result is
computed by veridag for a DAG that extends it; the SHD is that to the CPDAG of the network, and precision and recall are
those of the pairs joined.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import time
from collections.abc import Callable

import numpy as np

import veridag as vd
from veridag.data import Column, Data

Learner = Callable[[np.ndarray, tuple[str, ...]], vd.PDAG]


def random_linear_network(variables: int, neighbours: int, rows: int, seed: int) -> tuple[vd.DAG, Data]:
    """Coefficients of 0.25 to 1 in absolute value, unit noise; columns are standardised, and in random order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(variables)
    pairs = [(i, j) for j in range(variables) for i in range(j)]
    b = np.zeros((variables, variables))
    for k in rng.choice(len(pairs), variables * neighbours // 2, replace=False):
        i, j = pairs[k]
        b[order[i], order[j]] = rng.choice([-1, 1]) * rng.uniform(0.25, 1.0)
    x = np.zeros((rows, variables))
    for v in order:
        x[:, v] = x @ b[:, v] + rng.normal(size=rows)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    names = [f"v{i:03d}" for i in range(variables)]
    return vd.DAG(names, b != 0), Data([Column.continuous(name, x[:, i]) for i, name in enumerate(names)])


def causal_learn(score: str, parameters: dict[str, float] | None) -> Learner:
    def learn(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
        from causallearn.search.PermutationBased.BOSS import boss

        random.seed(0)  # which it shuffles with
        marks = boss(x, score_func=score, parameters=parameters, verbose=False).graph
        return vd.PDAG(names, marks == -1)  # the tail of an arc, and both ends of an edge

    return learn


def xges(x: np.ndarray, names: tuple[str, ...]) -> vd.PDAG:
    from xges import XGES

    found = XGES(alpha=1.0).fit(x, extended_search=True, verbose=0)  # with alpha = 1 the penalty is BIC's
    return vd.PDAG(names, found.to_adjacency_matrix() > 0)


def describe(found: vd.PDAG, truth: vd.DAG, data: Data, score: object) -> str:
    true, there = (g.adjacency | g.adjacency.T for g in (truth, found))
    shared = (true & there).sum()
    precision, recall = shared / max(1, there.sum()), shared / max(1, true.sum())
    pairs = f"SHD {vd.shd(truth, found):4}, precision {precision:.3f}, recall {recall:.3f}"
    if found.why_invalid() is not None:
        return f"no DAG extends the result,  {pairs}"
    return f"score {vd.score(found.extension(), data, score):12.2f}, {pairs}"  # type: ignore[arg-type]


def compare(label: str, truth: vd.DAG, data: Data, score: object, peers: dict[str, Learner]) -> None:
    print(label)
    ours = vd.BOSS(score).learn(data)  # type: ignore[arg-type]
    print(f"  {'veridag':24}{ours.seconds:9.3f} s {'':24}{describe(ours.cpdag, truth, data, score)}")
    trees = vd.BOSS(score, restarts=0).learn(data)  # type: ignore[arg-type]
    ratio = f"{trees.seconds / ours.seconds:8.2f} times veridag's"
    print(f"  {'veridag, restarts=0':24}{trees.seconds:9.3f} s, {ratio} {describe(trees.cpdag, truth, data, score)}")
    x = np.column_stack([data.column(name) for name in data.names]).astype(float)
    for name, learn in peers.items():
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                start = time.perf_counter()
                found = learn(x, data.names)
                theirs = time.perf_counter() - start
        except ImportError:
            print(f"  {name:24} is not installed")
            continue
        ratio = f"{theirs / ours.seconds:8.2f} times veridag's"
        print(f"  {name:24}{theirs:9.3f} s, {ratio} {describe(found, truth, data, score)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variables", type=int, nargs="*", default=[20, 40, 80])
    parser.add_argument("--rows", type=int, default=320)
    parser.add_argument("--networks", nargs="*", default=["child"])
    parser.add_argument("--discrete-rows", type=int, default=1000)
    options = parser.parse_args()
    for variables in options.variables:
        truth, data = random_linear_network(variables, 4, options.rows, seed=1)
        # with lambda_value = 0.5 the penalty is BIC's
        peers = {"causal-learn BOSS": causal_learn("local_score_BIC_from_cov", {"lambda_value": 0.5}), "XGES": xges}
        compare(f"Gaussian, {variables} variables, {options.rows} rows, BIC", truth, data, vd.BIC(), peers)
    for name in options.networks:
        network = vd.networks.load(name)
        data = network.sample(options.discrete_rows, seed=1)
        bdeu = causal_learn("local_score_BDeu", {"sample_prior": 1.0, "structure_prior": 0.0})
        compare(
            f"{name}, {options.discrete_rows} rows, BDeu", network.dag, data, vd.BDeu(), {"causal-learn BOSS": bdeu}
        )


if __name__ == "__main__":
    main()
