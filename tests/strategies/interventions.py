"""Data in which variables were set, made by hand or at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strategies.mixed import mixed_data
from veridag.data import Column, Data


def with_targets(data: Data, seed: int, sets: int = 3) -> Data:
    """The data with the rows split at random into some that were observed and some in which variables were set.

    No variable is set in all rows; values stay as they are, since scores only ask which rows count.
    """
    rng = np.random.default_rng(seed)
    names = data.names
    chosen = [()] + [
        tuple(rng.choice(names, int(rng.integers(1, min(2, len(names) - 1) + 1)), replace=False)) for _ in range(sets)
    ]
    codes = rng.integers(0, len(chosen), data.nrows)
    codes[rng.permutation(data.nrows)[: max(1, data.nrows // 3)]] = 0
    return replace(data, targets=[chosen[k] for k in codes])


def random_data(kind: str, seed: int, n: int = 150, p: int = 4, *, weighted: bool = False) -> Data:
    """Variables of one kind, or of both, that depend on each other, with targets."""
    kinds = {"discrete": "d" * p, "continuous": "c" * p, "mixed": ("dc" * p)[:p]}[kind]
    return with_targets(mixed_data(seed, n, p, weighted=weighted, kinds=kinds), seed)


def chain(n: int, seed: int, *, set_b: bool = True) -> Data:
    """A -> B -> C, of which observations tell no direction; in half of the rows B was set at random."""
    rng = np.random.default_rng(seed)

    def noisy(x: np.ndarray) -> np.ndarray:
        return np.where(rng.random(n) < 0.8, x, 1 - x)

    a = rng.integers(0, 2, n)
    forced = np.arange(n) < (n // 2 if set_b else 0)
    b = np.where(forced, rng.integers(0, 2, n), noisy(a))
    c = noisy(b)
    columns = [Column.discrete(name, x.astype(np.uint8), ("0", "1")) for name, x in zip("ABC", (a, b, c), strict=True)]
    return Data(columns, targets=[("B",) if own else () for own in forced])
