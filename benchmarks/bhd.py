"""How much more than BDeu does BHD cost, and how does that grow with groups and cells?

The peer is BDeu of this package on the pooled data, in the same run: no other software offers BHD. Data is sampled from
ALARM (37 variables) in groups of 1 000 rows, the tables of each group drawn around those of ALARM. One thread.
"""

from __future__ import annotations

import time

import numpy as np

import veridag as vd
from veridag.criteria.packing import pack
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data

Family = tuple[int, tuple[int, ...]]


def related_alarm(groups: int, rows: int, seed: int = 1) -> Data:
    """ALARM in groups, each with tables from Dirichlet distributions whose mean are those of ALARM."""
    rng, alarm = np.random.default_rng(seed), vd.networks.load("alarm")
    parts = []
    for f in range(groups):
        cpds = {}
        for v in alarm.dag.names:
            table = alarm.table(v)
            drawn = rng.gamma(20 * table.probabilities + 1e-3)
            cpds[v] = vd.Table(table.parents, drawn / drawn.sum(axis=-1, keepdims=True))
        parts.append(vd.Network(cpds, alarm.states).sample(rows, seed=1000 * seed + f))
    columns = [
        Column.discrete(v, np.concatenate([p.column(v) for p in parts]), alarm.states[v]) for v in alarm.dag.names
    ]
    return Data(columns, None, np.repeat(np.arange(groups), rows), [f"g{f}" for f in range(groups)])


def random_families(p: int, parents: int, number: int, seed: int) -> list[Family]:
    rng = np.random.default_rng(seed)
    drawn = (rng.choice(p, parents + 1, replace=False).tolist() for _ in range(number))
    return [(child, tuple(sorted(others))) for child, *others in drawn]


def compare(label: str, data: Data, families: list[Family]) -> None:
    """Processor time of a family, the best of nine, the two scores in turn: a busy machine disturbs both alike."""
    pooled, packed = Data(data.columns, data.weights), pack(families)
    scorers = {"bhd": Scorer(data, vd.BHD()), "bdeu": Scorer(pooled, vd.BDeu())}
    best = dict.fromkeys(scorers, np.inf)
    for _ in range(9):
        for name, scorer in scorers.items():
            start = time.process_time()
            scorer.evaluate(*packed)
            best[name] = min(best[name], (time.process_time() - start) / len(families))
    us = {name: 1e6 * value for name, value in best.items()}
    print(f"{label:20s} BHD {us['bhd']:8.2f} us, BDeu pooled {us['bdeu']:6.2f} us, ratio {us['bhd'] / us['bdeu']:6.1f}")


def main() -> None:
    data = related_alarm(5, 1000)
    p = len(data.names)
    print("a family, 5 groups of 1 000 rows; the goal is a ratio of 20 at most")
    everything = [family for size in range(5) for family in random_families(p, size, 400, size)]
    for size in range(5):
        compare(f"  {size} parents", data, random_families(p, size, 400, size))
    compare("  0 to 4 parents", data, everything)

    print("growth with the number of groups, 2 parents, 5 000 rows in all")
    for groups in (2, 5, 10, 20, 50, 100):
        compare(f"  {groups} groups", related_alarm(groups, 5000 // groups), random_families(p, 2, 400, 7))

    print("growth with the number of cells, 5 groups of 2 000 rows")
    rng = np.random.default_rng(3)
    for r in (2, 4, 8, 15, 22):
        codes = rng.integers(0, r, (10_000, 3))
        columns = [Column.discrete(f"v{i}", codes[:, i], [f"s{k}" for k in range(r)]) for i in range(3)]
        grouped = Data(columns, None, np.arange(10_000) % 5, [f"g{f}" for f in range(5)])
        compare(f"  {r**3} cells", grouped, [(0, (1, 2)), (1, (0, 2)), (2, (0, 1))])

    start = time.perf_counter()
    found = vd.Tabu(score=vd.BHD()).learn(data)
    took = time.perf_counter() - start
    start = time.perf_counter()
    vd.Tabu(score=vd.BDeu()).learn(Data(data.columns, data.weights))
    peer = time.perf_counter() - start
    print(f"tabu, 37 variables, 5 groups of 1 000 rows: BHD {took:.2f} s (goal: under 10 s), BDeu pooled {peer:.2f} s")
    print(f"  ratio {took / peer:.1f}; {found.distinct_calls} families, {len(found.dag.arcs)} arcs")


if __name__ == "__main__":
    main()
