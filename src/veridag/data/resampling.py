"""Which observations a subsample, a bootstrap sample or a fold holds; observations are counted from 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Integer, is_integer
from veridag.errors import InputError

from .columns import Array

Seed = int | np.random.Generator | np.random.SeedSequence
Positions = NDArray[np.int64]

#: Observations of weighted rows are listed one by one up to this number of them, which takes 8 bytes each; beyond it
#: the numbers of observations are drawn row by row.
LISTED = 100_000

#: So few are drawn one by one even then.
FEW = 10_000


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


def drawn_counts(weights: Positions, size: int, seed: Seed) -> Positions:
    """How many observations of each row are among so many of all, drawn without replacement.

    The distribution is the one of `without_replacement`, but takes memory for the rows alone. Each observation is
    drawn with probability size / n first; given how many that are, all sets of them are equally likely, so that the
    few too many or too few, about sqrt(n), are put back or drawn in the same way.
    """
    total = int(weights.sum())
    if not is_integer(size) or not 0 < size <= total:
        raise InputError(f"subsample(n={size!r}): n must be between 1 and the number of observations, {total}")
    return _drawn(weights, int(size), _generator(seed))


def _drawn(weights: Positions, size: int, generator: np.random.Generator) -> Positions:
    total = int(weights.sum())
    if 2 * size > total:
        return weights - _drawn(weights, total - size, generator) if size < total else weights.copy()
    if size <= FEW:
        return _counts_of(_distinct(total, size, generator), weights)
    counts = generator.binomial(weights, size / total)
    off = size - int(counts.sum())
    if off > 0:
        return counts + _drawn(weights - counts, off, generator)
    return counts - _drawn(counts, -off, generator) if off < 0 else counts


def _distinct(total: int, size: int, generator: np.random.Generator) -> Positions:
    """So many different numbers below a total that is at least twice as large; all sets are equally likely."""
    found = np.zeros(0, np.int64)
    while len(found) < size:
        fresh = generator.integers(total, size=size - len(found))
        both = np.concatenate([found, fresh])
        found = both[np.sort(np.unique(both, return_index=True)[1])]  # a number that was drawn before is drawn again
    return found


def _counts_of(which: Positions, weights: Positions) -> Positions:
    """How many of these observations, which lie row after row, each row holds."""
    return np.bincount(np.searchsorted(np.cumsum(weights), which, side="right"), minlength=len(weights))


def resampled_counts(weights: Positions, group: Array, seed: Seed) -> Positions:
    """How often observations of each row are drawn by `with_replacement`: multinomial within each group."""
    generator, counts = _generator(seed), np.zeros(len(weights), np.int64)
    for code in np.unique(group):
        own = np.flatnonzero((group == code) & (weights > 0))
        if own.size:
            total = int(weights[own].sum())
            counts[own] = generator.multinomial(total, weights[own] / weights[own].sum(dtype=np.float64))
    return counts


def fold_counts(weights: Positions, k: int, seed: Seed) -> list[tuple[Positions, Positions]]:
    """How many observations of each row are in each fold, as (train, test): one test set is drawn after the other."""
    total = int(weights.sum())
    _check_folds(total, k)
    generator, left, pairs = _generator(seed), weights.copy(), []
    for i in range(int(k)):
        test = _drawn(left, total // k + (i < total % k), generator)
        left = left - test
        pairs.append((weights - test, test))
    return pairs


def folds(n: int, k: int, seed: Seed) -> list[tuple[Positions, Positions]]:
    """Split n observations at random into k test sets; each with the rest, as (train, test)."""
    _check_folds(n, k)
    parts = np.array_split(_generator(seed).permutation(n), int(k))
    return [(np.concatenate([*parts[:i], *parts[i + 1 :]]), test) for i, test in enumerate(parts)]


def _check_folds(n: int, k: int) -> None:
    if not is_integer(k) or not 2 <= k <= n:
        raise InputError(f"folds(k={k!r}): k must be between 2 and the number of observations, {n}")


def shown(seed: Seed) -> str:
    """The seed in a note."""
    return str(seed) if isinstance(seed, int) else "of the caller"


def _generator(seed: Seed) -> np.random.Generator:
    if not isinstance(seed, np.random.Generator | np.random.SeedSequence) and not (is_integer(seed) and seed >= 0):
        raise InputError(f"seed={seed!r} must be {Integer(0)}, or a numpy generator")
    return np.random.default_rng(seed)
