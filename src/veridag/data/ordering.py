"""An order of the variables that depends only on the data, used to break ties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .packed import code_counts

if TYPE_CHECKING:
    from .data import Data

#: How many of a variable's strongest associations are compared before anything else is.
STRONGEST = 8

#: Sums over the rows of continuous columns depend on the order of the columns beyond this many decimals.
DECIMALS = 10

#: Continuous columns whose correlations with all others are computed at a time.
_BLOCK = 256


def order_by_data(data: Data) -> list[str]:
    """The names of the variables, those with the strongest associations first.

    Variables are compared by their strongest association with another variable, then by their second strongest, and so
    on: by mutual information if discrete, by squared correlation if continuous, and if mixed by the sum of squared
    canonical correlations. Those that agree in the first eight are compared by their own distribution. Nothing of this
    changes if variables or states get other names, or rows or columns another order. Only columns that agree in all of
    it are left to their names: copies of each other, mostly.

    For associations, a missing value is a state of its own in discrete data, and the mean otherwise.

    A greedy search adds the strongest arcs first. So this order lets the arc between two variables that nothing else
    tells apart point away from the one that has more to do with the rest.
    """
    keys = _KEYS[data.kind](data)
    by_name = dict(zip(data.names, keys, strict=True))
    return sorted(data.names, key=lambda name: (by_name[name], name))


def _discrete_keys(data: Data) -> list[tuple[float, ...]]:
    p = len(data.names)
    table = data.core_table_with_missing if data.incomplete else data.core_table
    strongest = table.strongest_associations(STRONGEST, 1).reshape(p, STRONGEST)
    marginals = (_sizes(column, data.weights) for column in data.columns)
    return [(*(-own).tolist(), len(sizes), *sizes) for own, sizes in zip(strongest, marginals, strict=True)]


def _sizes(column: Column, weights: NDArray[np.int64] | None) -> list[int]:
    """How often each state occurs, the commonest first."""
    column, weights = column.present(), column.present_among(weights)
    return sorted(code_counts(column.values, len(column.states), weights).tolist(), reverse=True)


def _mixed_keys(data: Data) -> list[tuple[float, ...]]:
    weights = np.ones(data.nrows) if data.weights is None else data.weights[data.row_order].astype(float)
    share = weights / max(weights.sum(), 1.0)
    blocks = [_block(column.take(data.row_order), weights, share) for column in data.columns]
    strongest = _strongest_between(blocks, share)
    keys = []
    for column, own, block in zip(data.columns, strongest, blocks, strict=True):
        if column.kind == "discrete":
            shape: tuple[float, ...] = (0.0, *map(float, _sizes(column, data.weights)))
        else:
            shape = (1.0, *np.round(np.negative(_fourth_and_third_moment(block[:, 0], share)), DECIMALS).tolist())
        keys.append((*np.round(-own, DECIMALS).tolist(), *shape))
    return keys


def _block(column: Column, weights: NDArray[np.float64], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """A standardised column, or (indicator - p_k) / sqrt(p_k) of each state that occurs.

    The sum of squared products of two such blocks is that of their squared canonical correlations: a squared
    correlation, a correlation ratio, or chi-square divided by n.
    """
    if column.kind == "continuous":
        return _standardized(column, weights)[:, None]
    indicators = (column.values[:, None] == np.arange(len(column.states))).astype(np.float64)
    if column.observed is not None:
        indicators *= column.observed[:, None]
        share = np.where(column.observed, share, 0.0)
        share = share / max(share.sum(), np.finfo(float).tiny)
    p = share @ indicators
    if not p.any():  # a column without any value in rows that count
        return np.zeros((len(indicators), 1))
    indicators, p = indicators[:, p > 0], p[p > 0]
    scaled: NDArray[np.float64] = (indicators - p) / np.sqrt(p)
    return scaled if column.observed is None else np.where(column.observed[:, None], scaled, 0.0)


def _strongest_between(blocks: list[NDArray[np.float64]], share: NDArray[np.float64]) -> NDArray[np.float64]:
    p = len(blocks)
    starts = np.cumsum([0, *(block.shape[1] for block in blocks[:-1])])
    columns = np.column_stack(blocks)
    strongest = np.full((p, STRONGEST), -1.0)
    kept = min(STRONGEST, p - 1)
    for v, block in enumerate(blocks if kept else ()):
        squared = ((block * share[:, None]).T @ columns) ** 2
        each = np.delete(np.add.reduceat(squared.sum(axis=0), starts), v)
        strongest[v, :kept] = -np.sort(-np.partition(each, len(each) - kept)[len(each) - kept :])
    return strongest


def order_by_moments(names: Sequence[str], squared: NDArray[np.float64], shape: NDArray[np.float64]) -> list[str]:
    """The same order of continuous variables, from squared correlations and each one's fourth and third moment."""
    kept = min(STRONGEST, len(names) - 1)
    strongest = np.full((len(names), STRONGEST), -1.0)
    others = squared - np.diag(np.full(len(names), np.inf))
    strongest[:, :kept] = -np.sort(-others, axis=1)[:, :kept]
    by_name = dict(zip(names, _rounded(strongest, shape), strict=True))
    return sorted(names, key=lambda name: (by_name[name], name))


def _rounded(strongest: NDArray[np.float64], shape: NDArray[np.float64]) -> list[tuple[float, ...]]:
    return [tuple(row) for row in np.round(np.column_stack([-strongest, -shape]), DECIMALS).tolist()]


def _continuous_keys(data: Data) -> list[tuple[float, ...]]:
    weights = np.ones(data.nrows) if data.weights is None else data.weights[data.row_order].astype(float)
    columns = [_standardized(column.take(data.row_order), weights) for column in data.columns]
    strongest = _strongest_correlations(np.column_stack(columns), weights)
    share = weights / max(weights.sum(), 1.0)
    return _rounded(strongest, np.array([_fourth_and_third_moment(values, share) for values in columns]))


def _fourth_and_third_moment(values: NDArray[np.float64], share: NDArray[np.float64]) -> tuple[float, float]:
    square = values * values  # far faster than powers
    return float(share @ (square * square)), abs(float(share @ (square * values)))


def _standardized(column: Column, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values less their mean, in units of their deviation; 0 where one is missing."""
    if column.observed is not None:
        values = np.zeros(len(column.values))
        values[column.observed] = _standardized(column.present(), weights[column.observed])
        return values
    largest = np.abs(column.values).max(initial=0.0)
    values = np.asarray(np.ldexp(column.values, -np.frexp(largest)[1]))  # by a power of two, exactly: no sum overflows
    centred = values - np.average(values, weights=weights) if weights.sum() > 0 else np.zeros_like(values)
    largest = np.abs(centred).max(initial=0.0)
    if largest == 0.0:
        return np.asarray(centred)
    centred = centred / largest  # so that no square overflows
    scaled: NDArray[np.float64] = centred / np.sqrt(np.average(centred**2, weights=weights))
    return scaled


def _strongest_correlations(x: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    p = x.shape[1]
    share = (weights / max(weights.sum(), 1.0))[:, None]
    strongest = np.full((p, STRONGEST), -1.0)
    kept = min(STRONGEST, p - 1)
    for first in range(0, p if kept else 0, _BLOCK):
        squared = ((x[:, first : first + _BLOCK] * share).T @ x) ** 2
        own = np.arange(squared.shape[0])
        squared[own, first + own] = -1.0
        largest = np.partition(squared, p - kept, axis=1)[:, p - kept :]
        strongest[first + own, :kept] = -np.sort(-largest, axis=1)
    return strongest


_KEYS = {"discrete": _discrete_keys, "continuous": _continuous_keys, "mixed": _mixed_keys}
