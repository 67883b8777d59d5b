"""How long does a score table take, and how much memory?

All families of INSURANCE and ALARM up to 4 and 5 parents, one thread, in processor time as well as by the clock, with
and without the bounds that stop branches. No package of the registry makes such a table; the peer is PyBNesian, whose
local score is called family by family on a random sample of the same families, and multiplied by their number.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from math import comb

import numpy as np

import veridag as vd
from veridag.criteria.score_table import _score_table
from veridag.data import Data

CASES = [("insurance", 500, 4), ("alarm", 1000, 5)]
LONG_CASES = [("alarm", 10_000, 5), ("alarm", 1000, None)]


def families(p: int, max_indegree: int | None) -> int:
    return p * sum(comb(p - 1, k) for k in range(p if max_indegree is None else max_indegree + 1))


def ours(data: Data, score: vd.BIC | vd.BDeu, max_indegree: int | None, bounded: bool) -> float:
    wall, processor = time.perf_counter(), time.thread_time()
    table = _score_table(data, score, vd.Uniform(), max_indegree, None, 1, None, None, bounded=bounded)
    wall, processor = time.perf_counter() - wall, time.thread_time() - processor
    number = families(len(data.names), max_indegree)
    each = "" if max_indegree is None else f", {1e6 * processor / number:.3f} us a family"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"  {score!r:12} {'bounds' if bounded else 'no bounds':9}  {processor:8.3f} s of processor,"
        f" {wall:8.3f} s of clock{each}; {len(table)} sets kept, process peak {peak:.2f} GB"
    )
    return processor


def peer(data: Data, score: vd.BIC | vd.BDeu, max_indegree: int, number: int = 2000) -> float:
    """PyBNesian's seconds for all families, from a sample of them."""
    import pybnesian as pbn

    frame = data.to_pandas()
    model = pbn.DiscreteBN(list(data.names))
    local = pbn.BIC(frame) if isinstance(score, vd.BIC) else pbn.BDe(frame, iss=1)
    rng = np.random.default_rng(1)
    p = len(data.names)
    weights = np.array([comb(p - 1, k) for k in range(max_indegree + 1)], dtype=float)
    sample = []
    for _ in range(number):
        child, *parents = rng.permutation(p)[: 1 + rng.choice(len(weights), p=weights / weights.sum())].tolist()
        sample.append((data.names[child], [data.names[u] for u in parents]))
    start = time.thread_time()
    for child, parents in sample:
        local.local_score(model, child, parents)
    return (time.thread_time() - start) / number * families(p, max_indegree)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also 10 000 rows, and no limit on the number of parents")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for network, n, max_indegree in CASES + (LONG_CASES if arguments.long else []):
        data = vd.networks.load(network).sample(n, seed=1)
        print(
            f"{network}, n = {n}, up to {max_indegree} parents: {families(len(data.names), max_indegree):.4g} families"
        )
        for score in (vd.BIC(), vd.BDeu(ess=1)):
            if max_indegree is None and isinstance(score, vd.BDeu):
                continue  # its bound does not stop the enumeration in time
            seconds = ours(data, score, max_indegree, bounded=True)
            if max_indegree is None:
                continue
            ours(data, score, max_indegree, bounded=False)
            try:
                theirs = peer(data, score, max_indegree)
            except ImportError:
                print("  pybnesian is not installed")
                continue
            print(f"  pybnesian, one by one: about {theirs:.0f} s of processor, {theirs / seconds:.0f} times ours")


if __name__ == "__main__":
    main()
