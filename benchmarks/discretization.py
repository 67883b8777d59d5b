"""Which discretization of a mixed table finds the structure best, and how long does it take?

Random networks of discrete and continuous variables, half and half. With "thresholds" a continuous variable acts on its
children by which of its intervals it is in, at one to three random thresholds; with "smooth" it acts linearly. What is
counted is the Hamming distance of skeletons between the truth and what the default learner finds, for all methods on
the same tables. Settings were chosen on the seeds of "tuning" and, for blanket, on 101 to 130; figures are reported
from those of "reporting", on which nothing was chosen.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import product

import numpy as np

import veridag as vd
from veridag.data import Column, Data

SEEDS = {"tuning": range(1, 13), "reporting": range(201, 231)}
METHODS = [
    *(f"{name}({bins})" for name in ("quantile", "hartemink") for bins in (2, 3, 4, 5)),
    "interval(3)",
    "blanket",
    "blanket(8)",
]
VARIABLES, ARCS_PER_VARIABLE, MOST_PARENTS = 14, 1.4, 3


def simulate(mechanism: str, rows: int, seed: int) -> tuple[vd.DAG, Data]:
    """A random network of discrete and continuous variables, and a sample of it."""
    rng = np.random.default_rng(seed)
    dag = vd.random_dag(VARIABLES, arcs_per_node=ARCS_PER_VARIABLE, max_indegree=MOST_PARENTS, seed=seed)
    is_discrete = dict(zip(dag.names, rng.permutation(VARIABLES) % 2 == 0, strict=True))
    effects: dict[str, np.ndarray] = {}  # of each variable on its children: codes, or numbers
    columns: dict[str, Column] = {}
    for name in dag.topological_order():
        parents = [effects[parent] for parent in dag.parents(name)]
        make = _by_configuration if mechanism == "thresholds" else _linear
        values = make(parents, bool(is_discrete[name]), rows, rng)
        if is_discrete[name]:
            columns[name] = Column.discrete(name, values, [f"s{i}" for i in range(int(values.max()) + 1)])
            effects[name] = values
        else:
            shape = rng.integers(3)  # as it is, skewed, or with heavy tails
            shown = values if shape == 0 else np.exp(values / 2) if shape == 1 else np.sinh(values)
            columns[name] = Column.continuous(name, shown)
            shares = np.sort(rng.uniform(0.08, 0.92, rng.integers(1, 4)))
            cut = np.searchsorted(np.quantile(values, shares), values)
            effects[name] = cut if mechanism == "thresholds" else values
    return dag, Data([columns[name] for name in dag.names])


def _by_configuration(parents: Sequence[np.ndarray], discrete: bool, rows: int, rng: np.random.Generator) -> np.ndarray:
    """A state or a mean for each configuration of the parents' states."""
    codes = np.zeros(rows, dtype=int)
    for parent in parents:
        codes = codes * (int(parent.max()) + 1) + parent
    count = int(codes.max()) + 1
    if not discrete:
        return rng.normal(scale=1.5, size=count)[codes] + rng.normal(size=rows)
    chances = rng.dirichlet(np.full(rng.integers(2, 4), 0.7), size=count)
    return (rng.uniform(size=(rows, 1)) > np.cumsum(chances, axis=1)[codes][:, :-1]).sum(axis=1)


def _linear(parents: Sequence[np.ndarray], discrete: bool, rows: int, rng: np.random.Generator) -> np.ndarray:
    """A sum of the parents with weights of 0.5 to 1.5, as it is, or cut into states with noise."""
    total = np.zeros(rows)
    for parent in parents:
        scaled = (parent - parent.mean()) / max(float(parent.std()), 1e-9)
        total += rng.choice([-1, 1]) * rng.uniform(0.5, 1.5) * scaled
    noisy = total + rng.normal(size=rows)
    if not discrete:
        return noisy
    return np.searchsorted(np.quantile(noisy, np.sort(rng.uniform(0.2, 0.8, rng.integers(1, 3)))), noisy)


def measure(method: str, dag: vd.DAG, data: Data) -> tuple[int, float]:
    """The distance to the truth, and the seconds of processor time of the discretization."""
    start = time.process_time()
    cut = vd.discretize(data, method)
    seconds = time.process_time() - start
    return vd.hamming(dag, vd.learn(cut).graph), seconds


def main() -> None:
    """Print the mean distance and time of each method, for each mechanism and number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", choices=SEEDS, default="reporting")
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--rows", nargs="+", type=int, default=[500, 2000])
    options = parser.parse_args()
    head = f"{'mechanism':<12}{'rows':>6}  {'method':<14}{'distance':>9}{'± se':>7}"
    print(f"{head}{'- quantile(3)':>14}{'± se':>7}{'s':>8}")
    for mechanism, rows in product(("thresholds", "smooth"), options.rows):
        tables = [simulate(mechanism, rows, seed) for seed in SEEDS[options.seeds]]
        usual = np.array([measure("quantile(3)", *table)[0] for table in tables])
        for method in options.methods:
            distances, seconds = np.array([measure(method, *table) for table in tables]).T
            root = np.sqrt(len(tables))
            excess = distances - usual
            print(
                f"{mechanism:<12}{rows:>6}  {method:<14}{distances.mean():>9.2f}{distances.std(ddof=1) / root:>7.2f}"
                f"{excess.mean():>+14.2f}{excess.std(ddof=1) / root:>7.2f}{seconds.mean():>8.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
