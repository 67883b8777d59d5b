"""Compare with the peers on random inputs: `make differential ROUNDS=1`. A difference is printed with its seed."""

from __future__ import annotations

import sys
import warnings
import zlib
from collections import Counter
from importlib.metadata import version

import numpy as np

from peers import coming_from, files, graphs, independence, inference, learning, scores  # noqa: F401 -- they enter their comparisons
from peers.comparing import ALL, Comparison


def run(comparison: Comparison, rounds: int) -> tuple[int, list[str], Counter[str]]:
    """Inputs, differences, and how often each difference that is understood was met."""
    differences: list[str] = []
    understood: Counter[str] = Counter()
    inputs = rounds * comparison.inputs
    for number in range(inputs):
        seed = [zlib.crc32(f"{comparison.peer}: {comparison.what}".encode()), number]
        try:
            said = comparison.compare(np.random.default_rng(seed))
        except Exception as error:
            differences.append(
                f"{comparison.compare.__module__}.{comparison.compare.__name__}({seed}): {error!r}"[:1000]
            )
        else:
            understood.update([said] if said else [])
    return inputs, differences, understood


def main(rounds: int, only: str) -> int:
    """Run all comparisons, or those whose peer or question has a text in it; how many inputs differed."""
    warnings.simplefilter("ignore")
    print(", ".join(f"{name} {version(name)}" for name in ("veridag", "pyagrum", "pgmpy", "causal-learn")))
    inputs = differences = 0
    for comparison in ALL:
        if only not in f"{comparison.peer}: {comparison.what}":
            continue
        own, found, understood = run(comparison, rounds)
        inputs, differences = inputs + own, differences + len(found)
        print(f"{comparison.peer}: {comparison.what}: {own} inputs, {len(found)} differences", flush=True)
        for sentence, times in understood.most_common():
            print(f"    understood, {times} times: {sentence}")
        for line in found[:3]:
            print(f"    {line}")
    print(f"{inputs} inputs, {differences} differences")
    return differences


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "") else 0)
