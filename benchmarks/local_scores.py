"""How many local scores a second, next to PyBNesian, pyAgrum and pgmpy?

Random families of 0 to 4 parents on data sampled from ALARM, ANDES and HAILFINDER, one thread, data already in each
library's own form. veridag scores a batch in one call, as its searches do; the peers are called family by family, which
is what they offer. Values are compared: BIC with PyBNesian's, BDeu with that of PyBNesian and pgmpy.

With --memory: the peak memory of scoring 10 000 000 rows of 50 binary columns, next to the size of the data.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable

import numpy as np

import veridag as vd
from veridag import _core
from veridag.criteria.packing import pack
from veridag.criteria.scorer import Scorer
from veridag.data import Column, Data

Family = tuple[int, tuple[int, ...]]
LocalScore = Callable[[str, list[str]], float]


def random_families(p: int, number: int, seed: int) -> list[Family]:
    rng = np.random.default_rng(seed)
    families = []
    for _ in range(number):
        child, *parents = rng.choice(p, int(rng.integers(1, 6)), replace=False).tolist()
        families.append((child, tuple(sorted(parents))))
    return families


def veridag_seconds(data: Data, score: vd.BIC | vd.BDeu, families: list[Family], jobs: int) -> tuple[float, np.ndarray]:
    """The best of several runs, in seconds a family; tables of logarithms are warm, as they are in a search."""
    scorer = Scorer(data, score, jobs=jobs)
    packed = pack(families)
    values = scorer.evaluate(*packed)
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        scorer.evaluate(*packed)
        best = min(best, time.perf_counter() - start)
    return best / len(families), values


def peer_seconds(
    local: LocalScore, names: tuple[str, ...], families: list[Family], limit: float
) -> tuple[float, list[float]]:
    """Seconds a family over as many families as fit into `limit` seconds."""
    values = []
    start = time.perf_counter()
    for child, parents in families:
        values.append(local(names[child], [names[p] for p in parents]))
        if time.perf_counter() - start > limit:
            break
    return (time.perf_counter() - start) / len(values), values


def pybnesian(data: Data, name: str) -> LocalScore:
    import pybnesian as pbn

    frame = data.to_pandas()
    model = pbn.DiscreteBN(list(data.names))
    score = pbn.BIC(frame) if name == "BIC" else pbn.BDe(frame, iss=1)
    return lambda child, parents: float(score.local_score(model, child, parents))


def pyagrum(data: Data, name: str) -> LocalScore:
    import pyagrum as gum

    learner = gum.BNLearner(data.to_pandas())
    learner.useNoPrior()
    if name == "BIC":
        learner.useScoreBIC()
    else:
        learner.useScoreBDeu()
    return lambda child, parents: float(learner.score(child, parents))


def pgmpy(data: Data, name: str) -> LocalScore:
    from pgmpy.structure_score import BIC, BDeu

    score = BIC(data.to_pandas()) if name == "BIC" else BDeu(data.to_pandas(), equivalent_sample_size=1)
    return lambda child, parents: float(score.local_score(child, tuple(parents)))


def compare(network: str, n: int, number: int, limit: float) -> None:
    data = vd.networks.load(network).sample(n, seed=1)
    families = random_families(len(data.names), number, seed=2)
    for name, score in (("BIC", vd.BIC()), ("BDeu", vd.BDeu(ess=1))):
        ours, values = veridag_seconds(data, score, families, jobs=1)
        two, _ = veridag_seconds(data, score, families, jobs=2)
        print(f"{network:10} n={n:<7} {name:4}  veridag {1e6 * ours:8.2f} us   two threads {ours / two:4.2f} times")
        for peer in (pybnesian, pyagrum, pgmpy):
            try:
                theirs, their_values = peer_seconds(peer(data, name), data.names, families, limit)
            except ImportError:
                print(f"{'':28}  {peer.__name__} is not installed")
                continue
            worst = np.max(np.abs(np.array(their_values) / values[: len(their_values)] - 1))
            agreement = "same values" if worst < 1e-6 else "other values: another definition, or states"
            print(
                f"{'':28}  {peer.__name__:9} {1e6 * theirs:9.1f} us = {theirs / ours:7.1f} times veridag's; {agreement}"
            )


def memory(rows: int = 10_000_000, columns: int = 50) -> None:
    rng = np.random.default_rng(1)
    data = Data(
        [Column.discrete(f"v{i}", rng.integers(0, 2, rows, dtype=np.uint8), ["0", "1"]) for i in range(columns)]
    )
    size = rows * columns
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    scorer = Scorer(data, vd.BDeu())
    families = random_families(columns, 200, seed=3)
    start = time.perf_counter()
    scorer.evaluate(*pack(families))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{rows} rows x {columns} binary columns: data {size / 1e6:.0f} MB, peak of the process {peak / 1e6:.0f} MB")
    print(
        f"peak / data = {peak / size:.2f} (before scoring {before / size:.2f}),"
        f" {1e3 * seconds / len(families):.2f} ms a family"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="*", default=["alarm", "andes", "hailfinder"])
    parser.add_argument("--rows", nargs="*", type=int, default=[1000, 10_000, 100_000])
    parser.add_argument("--families", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=3.0, help="the most that a peer gets for one line")
    parser.add_argument(
        "--kernels", choices=["portable", "popcnt", "avx2", "avx512"], help="count bits by these instructions"
    )
    parser.add_argument("--memory", action="store_true", help="measure memory instead of speed")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.memory:
        memory()
        return
    if arguments.kernels and not _core.use_bit_kernels(arguments.kernels):
        parser.error(f"this machine has no {arguments.kernels}")
    print(f"one thread, bits counted by {_core.bit_kernels()}, times a family")
    for network in arguments.networks:
        for n in arguments.rows:
            compare(network, n, arguments.families, arguments.seconds)


if __name__ == "__main__":
    main()
