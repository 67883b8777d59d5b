"""How fast are scores and searches on mixed data, next to PyBNesian, pgmpy, and to data of one kind?

Families: random ones of 0 to 3 parents, none with a continuous parent of a discrete variable, on data sampled from
random conditional Gaussian networks. BIC of veridag in one batch, first as the first search would find it and then with
the strata that a search has met before; next to the same families where all columns are discretized, and where all are
taken for Gaussian. The peers score family by family, which is what they offer. Values are compared with PyBNesian's.

Search: hill climbing by BIC of each, without knowledge but that no arc leads from a continuous to a discrete variable,
which all three obey; the score reached is that of veridag.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd
from veridag.criteria.packing import pack
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data

Family = tuple[int, tuple[int, ...]]
LocalScore = Callable[[str, list[str]], float]


def sample(variables: int, rows: int, seed: int) -> Data:
    dag = vd.random_dag(variables, arcs_per_node=1.5, max_indegree=3, seed=seed)
    return vd.random_mixed_network(dag, states=(2, 4), seed=seed).sample(rows, seed=seed)


def random_families(data: Data, number: int, seed: int) -> list[Family]:
    rng = np.random.default_rng(seed)
    families = []
    while len(families) < number:
        child, *parents = rng.choice(len(data.names), int(rng.integers(1, 5)), replace=False).tolist()
        kinds = {data.kinds[data.names[p]] for p in parents}
        if data.kinds[data.names[child]] == "continuous" or "continuous" not in kinds:
            families.append((child, tuple(sorted(parents))))
    return families


def batch_seconds(data: Data, score: vd.BIC, families: list[Family]) -> tuple[float, float, np.ndarray]:
    """Seconds a family the first time, and the best of five later times; the values."""
    scorer, packed = Scorer(data, score), pack(families)
    times = []
    for _ in range(6):
        start = time.perf_counter()
        values = scorer.evaluate(*packed)
        times.append(time.perf_counter() - start)
    return times[0] / len(families), min(times[1:]) / len(families), values


def peer_seconds(
    local: LocalScore, names: tuple[str, ...], families: list[Family], limit: float
) -> tuple[float, list[float]]:
    values = []
    start = time.perf_counter()
    for child, parents in families:
        values.append(local(names[child], [names[p] for p in parents]))
        if time.perf_counter() - start > limit:
            break
    return (time.perf_counter() - start) / len(values), values


def all_gaussian(data: Data) -> Data:
    return Data([Column.continuous(c.name, c.values.astype(float)) for c in data.columns])


def pybnesian_score(data: Data) -> LocalScore:
    import pybnesian as pbn

    frame = data.to_pandas()
    kinds = {
        v: pbn.DiscreteFactorType() if data.kinds[v] == "discrete" else pbn.LinearGaussianCPDType() for v in data.names
    }
    model = pbn.CLGNetwork(list(data.names), list(kinds.items()))
    score = pbn.BIC(frame)
    return lambda child, parents: float(score.local_score(model, child, parents))


def pgmpy_score(data: Data) -> LocalScore:
    from pgmpy.structure_score import BICCondGauss

    score = BICCondGauss(data.to_pandas())
    return lambda child, parents: float(score.local_score(child, tuple(parents)))


def families(data: Data, seconds: float) -> None:
    chosen = random_families(data, 3000, 1)
    first, later, values = batch_seconds(data, vd.BIC(), chosen)
    print(f"\n{data.n} rows of {len(data.names)} variables, families of 0 to 3 parents, microseconds a family")
    print(f"{'veridag, mixed':28} {first * 1e6:9.2f} first, {later * 1e6:9.2f} later")
    others = {
        "veridag, all discretized": data.discretize(method="quantile(3)"),
        "veridag, all Gaussian": all_gaussian(data),
    }
    for label, other in others.items():
        own_first, own_later, _ = batch_seconds(other, vd.BIC(), chosen)
        ratios = f"mixed is {first / own_first:.1f} and {later / own_later:.1f} times as long"
        print(f"{label:28} {own_first * 1e6:9.2f} first, {own_later * 1e6:9.2f} later; {ratios}")
    for label, make in (("PyBNesian", pybnesian_score), ("pgmpy", pgmpy_score)):
        try:
            each, found = peer_seconds(make(data), data.names, chosen, seconds)
        except Exception as error:  # a peer that is absent or fails is no reason to stop
            print(f"{label:28} {type(error).__name__}: {str(error)[:80]}")
            continue
        off = np.nanmax(np.abs(np.array(found) - values[: len(found)]) / np.abs(values[: len(found)]))
        print(f"{label:28} {each * 1e6:9.2f}, {each / first:.0f} times as long; values differ by {off:.1e} at most")


def search(data: Data) -> None:
    print(f"\nhill climbing by BIC, {data.n} rows of {len(data.names)} variables")
    own = np.inf
    for label, learn, runs in (
        ("veridag", veridag_search, 5),
        ("PyBNesian", pybnesian_search, 5),
        ("pgmpy", pgmpy_search, 1),
    ):
        try:
            arcs, taken = fastest(learn, data, runs)
            reached = vd.score(vd.DAG.from_arcs(arcs, names=data.names), data, vd.BIC())
        except Exception as error:
            print(f"{label:12} {type(error).__name__}: {str(error)[:80]}")
            continue
        own = min(own, taken)  # the first is veridag's
        print(f"{label:12} {1e3 * taken:9.1f} ms, score {reached:.2f}; {taken / own:.1f} times as long")


def fastest(
    learn: Callable[[Data], list[tuple[str, str]]], data: Data, runs: int
) -> tuple[list[tuple[str, str]], float]:
    """What is learned, and the fastest of some runs in seconds, each with data that nothing was computed of before."""
    best = np.inf
    for _ in range(runs):
        fresh = Data(data.columns)
        start = time.perf_counter()
        arcs = learn(fresh)
        best = min(best, time.perf_counter() - start)
    return arcs, best


def veridag_search(data: Data) -> list[tuple[str, str]]:
    return list(vd.HillClimbing(score=vd.BIC()).learn(data).dag.arcs)


def pybnesian_search(data: Data) -> list[tuple[str, str]]:
    import pybnesian as pbn

    frame = data.to_pandas()
    model = pbn.hc(frame, bn_type=pbn.CLGNetworkType(), score="bic", operators=["arcs"])
    return [tuple(arc) for arc in model.arcs()]


def pgmpy_search(data: Data) -> list[tuple[str, str]]:
    from pgmpy.estimators import ExpertKnowledge, HillClimbSearch

    back = [
        (a, b) for a in data.names for b in data.names if data.kinds[a] == "continuous" and data.kinds[b] == "discrete"
    ]
    frame = data.to_pandas()
    known = ExpertKnowledge(forbidden_edges=back)
    model = HillClimbSearch(frame).estimate("bic-cg", expert_knowledge=known, show_progress=False)
    return [tuple(arc) for arc in model.edges()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each peer and table")
    parser.add_argument("--search-variables", type=int, default=12)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore")
    for rows in wanted.rows:
        families(sample(20, rows, 1), wanted.seconds)
        search(sample(wanted.search_variables, rows, 2))


if __name__ == "__main__":
    main()
