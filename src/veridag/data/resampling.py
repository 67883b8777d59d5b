"""Which observations a subsample, a bootstrap sample or a fold holds; observations are counted from 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Integer, is_integer
from veridag.errors import InputError

from .columns import Array

Seed = int | np.random.Generator | np.random.SeedSequence
Positions = NDArray[np.int64]


def without_replacement(n: int, size: int, seed: Seed) -> Positions:
    """So many of n observations."""
    if not is_integer(size) or not 0 < size <= n:
        raise InputError(f"subsample(n={size!r}): n must be between 1 and the number of observations, {n}")
    return _generator(seed).choice(n, size=int(size), replace=False)


def with_replacement(group: Array, seed: Seed) -> Positions:
    """As many observations as there are, drawn within each group; `group` has the code of every observation."""
    generator, drawn = _generator(seed), np.zeros(len(group), np.int64)
    for code in np.unique(group):
        own = np.flatnonzero(group == code)
        drawn[own] = own[generator.integers(len(own), size=len(own))]
    return drawn


def folds(n: int, k: int, seed: Seed) -> list[tuple[Positions, Positions]]:
    """Split n observations at random into k test sets; each with the rest, as (train, test)."""
    if not is_integer(k) or not 2 <= k <= n:
        raise InputError(f"folds(k={k!r}): k must be between 2 and the number of observations, {n}")
    parts = np.array_split(_generator(seed).permutation(n), int(k))
    return [(np.concatenate([*parts[:i], *parts[i + 1 :]]), test) for i, test in enumerate(parts)]


def shown(seed: Seed) -> str:
    """The seed in a note."""
    return str(seed) if isinstance(seed, int) else "of the caller"


def _generator(seed: Seed) -> np.random.Generator:
    if not isinstance(seed, np.random.Generator | np.random.SeedSequence) and not (is_integer(seed) and seed >= 0):
        raise InputError(f"seed={seed!r} must be {Integer(0)}, or a numpy generator")
    return np.random.default_rng(seed)
