"""Computing the pattern of missing values of columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import Array, Column
from veridag.data.completeness import missing_in, with_missing_mark

from .pattern import ALPHA, Combination, Dependence, MissingPattern, MissingTogether
from .testing import Association, Floats, holm, two_by_two, weighted_ranks, with_numbers, with_states

#: Combinations that are kept; there may be as many as rows.
_MOST_COMBINATIONS = 100
#: Pairs that are tested; with more columns, those with the most missing values come first.
_MOST_PAIRS = 20_000

Positions = NDArray[np.intp]


def missing_pattern(columns: Sequence[Column], weights: Array | None, group: Column | None = None) -> MissingPattern:
    """How much is missing in these columns, where, and together with what; columns that say so are left out.

    Being missing is tested against the group, too, which is no variable.
    """
    w = np.ones(len(columns[0].values)) if weights is None else weights.astype(np.float64)
    columns = [c for c in columns if not c.indicates]
    counts = {c.name: missing_in(c, weights) for c in columns}
    gaps = sorted((c for c in columns if counts[c.name]), key=lambda c: -counts[c.name])
    found, total = _combinations([c for c in columns if counts[c.name]], w)
    lacking = {c.name: np.flatnonzero(~_observed(c) & (w > 0)) for c in gaps}
    others = columns if group is None else [*columns, group]
    tests = _dependences(gaps, others, lacking, w)
    n = int(w.sum())
    rows_with_gaps = np.logical_or.reduce([~_observed(c) for c in gaps]) if gaps else np.zeros(len(w), bool)
    return MissingPattern(
        n=n,
        counts=MappingProxyType(counts),
        complete=n - int(w[rows_with_gaps].sum()),
        combinations=found,
        n_combinations=total,
        dependences=_significant(tests, gaps, others, lacking, w),
        together=_together(gaps, lacking, w),
        tests=len(tests),
        untested=tuple(c.name for c in gaps[_tested(len(gaps), len(others)) :]),
    )


def _observed(column: Column) -> NDArray[np.bool_]:
    return np.ones(len(column.values), bool) if column.observed is None else column.observed


def _combinations(gaps: Sequence[Column], w: Floats) -> tuple[tuple[Combination, ...], int]:
    """Which of these columns are missing together, the most frequent first, and the number of such combinations."""
    if not gaps:
        return (), 0
    bits = np.packbits(np.stack([~_observed(c) for c in gaps], axis=1), axis=1)
    keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    sizes = np.bincount(place, weights=w)
    sets = np.unpackbits(bits[first], axis=1, count=len(gaps)).astype(bool)
    there = np.flatnonzero(sets.any(axis=1) & (sizes > 0))
    order = there[np.lexsort((sets[there].sum(axis=1), -sizes[there]))]
    names = [c.name for c in gaps]
    kept = [
        Combination(tuple(name for name, gone in zip(names, sets[i], strict=True) if gone), int(sizes[i]))
        for i in order[:_MOST_COMBINATIONS]
    ]
    return tuple(kept), len(order)


def _tested(gaps: int, columns: int) -> int:
    """How many incomplete columns are tested, those with the most missing values first."""
    return gaps if gaps * (columns - 1) <= _MOST_PAIRS else max(1, _MOST_PAIRS // (columns - 1))


# --- values that go with being missing ------------------------------------------------------------------------------


def _dependences(
    gaps: Sequence[Column], columns: Sequence[Column], lacking: dict[str, Positions], w: Floats
) -> list[tuple[Column, Column, Association]]:
    """All tests that can be made: whether a column is missing, against the values of another one."""
    tests = []
    for other in columns:
        against = _against(other, w)
        for column in gaps[: _tested(len(gaps), len(columns))]:
            found = None if column is other else against(lacking[column.name])
            if found is not None:
                tests.append((column, other, found))
    return tests


def _against(other: Column, w: Floats) -> Callable[[Positions], Association | None]:
    """The test of being missing in some rows against the values of a column, in the rows in which it has one."""
    if other.kind == "discrete":
        codes, total = with_missing_mark(other), _by_state(other, with_missing_mark(other), w)
        return lambda rows: with_states(_by_state(other, codes[rows], w[rows]), total)
    there = _observed(other) & (w > 0)
    ranks, counted = np.zeros(len(w)), np.where(there, w, 0.0)
    ranks[there] = weighted_ranks(other.values[there], w[there])
    n = float(counted.sum())
    spread = float(counted @ (ranks - (n + 1) / 2) ** 2)
    rank_sums = counted * ranks
    return lambda rows: with_numbers(n, spread, float(counted[rows].sum()), float(rank_sums[rows].sum()))


def _by_state(column: Column, codes: Array, w: Floats) -> Floats:
    """How often each state is observed; the code beyond them is that of missing values."""
    r = len(column.states)
    return np.bincount(codes, weights=w, minlength=r + 1)[:r].astype(np.float64)


def _significant(
    tests: Sequence[tuple[Column, Column, Association]],
    gaps: Sequence[Column],
    columns: Sequence[Column],
    lacking: dict[str, Positions],
    w: Floats,
) -> tuple[Dependence, ...]:
    """The findings by incomplete column, strongest first."""
    corrected = holm([found.p_value for _, _, found in tests])
    kept = [(column, other, found, p) for (column, other, found), p in zip(tests, corrected, strict=True) if p <= ALPHA]
    rank = {c.name: position for position, c in enumerate(gaps)}
    place = {c.name: position for position, c in enumerate(columns)}
    kept.sort(key=lambda one: (rank[one[0].name], -abs(one[2].correlation), place[one[1].name]))
    return tuple(
        Dependence(column.name, other.name, p, abs(found.correlation), _how(other, found, lacking[column.name], w))
        for column, other, found, p in kept
    )


def _how(other: Column, found: Association, rows: Positions, w: Floats) -> str:
    """What the difference is, in numbers."""
    gone = np.zeros(len(w), bool)
    gone[rows] = True
    there = _observed(other)
    if other.kind == "continuous":
        inside, outside = (_median(other.values[part], w[part]) for part in (there & gone, there & ~gone))
        return f"its median is {inside:.4g} there, and {outside:.4g} elsewhere"
    of_state = there & (other.values == found.state)
    inside, outside = (float(w[part & gone].sum() / w[part].sum()) for part in (of_state, there & ~of_state))
    return f"{inside:.0%} are missing where it is {other.states[found.state]!r}, and {outside:.0%} elsewhere"


def _median(values: Array, w: Floats) -> float:
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(w[order])
    return float(values[order[np.searchsorted(upto, upto[-1] / 2)]])


# --- missing together -----------------------------------------------------------------------------------------------


def _together(gaps: Sequence[Column], lacking: dict[str, Positions], w: Floats) -> tuple[MissingTogether, ...]:
    """The pairs of columns that are missing together more often than by chance, the clearest first."""
    n, pairs = w.sum(), []
    sizes = {name: float(w[rows].sum()) for name, rows in lacking.items()}
    compared = _tested(len(gaps), len(gaps))
    for position, a in enumerate(gaps[:compared], start=1):
        others, gone, m = gaps[position:], ~_observed(a), sizes[a.name]
        both = np.array([w[rows[gone[rows]]].sum() for rows in (lacking[b.name] for b in others)])
        t = np.array([sizes[b.name] for b in others])
        p = two_by_two(both, t, m, n) if m < n and others else np.ones(len(others))
        pairs += [(a.name, b.name, *numbers) for b, *numbers in zip(others, both, m * t / n, p, strict=True)]
    found = [
        MissingTogether(a, b, int(both), float(expected), p)
        for (a, b, both, expected, _), p in zip(pairs, holm([p for *_, p in pairs]), strict=True)
        if p <= ALPHA and both > expected
    ]
    return tuple(sorted(found, key=lambda pair: (pair.p_value, -pair.n)))
