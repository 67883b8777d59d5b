"""Columns of an array as variables of a network, at fitting and again at prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column
from veridag.data.columns import code_type
from veridag.data.discretization.mdl import MDL
from veridag.data.discretization.quantile import quantile_edges

Floats = NDArray[np.float64]

#: The part of a column, of its length, that columns before it do not explain, if it is a linear function of them.
DEPENDENT = 1e-7

#: Bins of a numeric feature that no cut tells the classes apart by.
FALLBACK_BINS = 3


@dataclass(frozen=True)
class Categories:
    """A feature with categories, those seen at fitting; another one counts as missing."""

    name: str
    states: tuple[str, ...]

    def column(self, values: NDArray[Any]) -> Column:
        """The feature as a column of data."""
        number = {state: k for k, state in enumerate(self.states)}
        codes = np.array([-1 if is_missing(x) else number.get(str(x), -1) for x in values], np.int64)
        return _coded(self.name, codes, self.states)


@dataclass(frozen=True)
class Bins:
    """A numeric feature cut into bins; a bin holds its upper edge."""

    name: str
    edges: tuple[float, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """The bins, by the numbers between which they lie."""
        inner = [f"{edge:.17g}" for edge in self.edges]
        if not inner:
            return ("any",)
        between = [f"({low}, {high}]" for low, high in pairwise(inner)]
        return (f"<= {inner[0]}", *between, f"> {inner[-1]}")

    def column(self, values: NDArray[Any]) -> Column:
        """The feature as a column of data."""
        numbers = as_numbers(values)
        codes = np.where(np.isnan(numbers), -1, np.searchsorted(np.array(self.edges), numbers, side="left"))
        return _coded(self.name, codes, self.states)


@dataclass(frozen=True)
class Measurement:
    """A numeric feature that stays a number: normal given its parents."""

    name: str

    def column(self, values: NDArray[Any]) -> Column:
        """The feature as a column of data."""
        numbers = as_numbers(values)
        there = ~np.isnan(numbers)
        return Column.continuous(self.name, np.where(there, numbers, 0.0), observed=None if there.all() else there)


Feature = Categories | Bins | Measurement


def as_array(table: Any) -> Any:
    """A table of pandas with other columns than plain numbers as an array of objects; anything else as it is.

    scikit-learn would look for one type of number for all columns. Categories stay categories, even those of numbers.
    """
    dtypes = getattr(table, "dtypes", None)
    if not hasattr(table, "iloc") or dtypes is None or all(isinstance(t, np.dtype) and t.kind in "iuf" for t in dtypes):
        return table
    made = np.empty(table.shape, object)
    for j, dtype in enumerate(dtypes):
        values = table.iloc[:, j].astype(object).to_numpy()
        is_category = str(dtype) == "category"
        made[:, j] = [None if is_missing(x) else str(x) if is_category else x for x in values]
    return made


def find_features(
    names: Sequence[str], columns: Sequence[NDArray[Any]], label: Column, keep_numbers: bool
) -> list[Feature]:
    """What each column is: categories, a number to be cut into bins, or one that stays a number.

    A number that is a linear function of those before it says nothing more, and would have no density given them: it
    gets one bin, and with it no influence.
    """
    found = [_feature(name, values, label, keep_numbers) for name, values in zip(names, columns, strict=True)]
    numbers = [j for j, feature in enumerate(found) if isinstance(feature, Measurement)]
    for j in _dependent(numbers, [as_numbers(columns[j]) for j in numbers]):
        found[j] = Bins(names[j], ())
    return found


def _dependent(which: Sequence[int], columns: Sequence[Floats]) -> list[int]:
    """The columns that are linear functions of those before them, in the rows that have all values."""
    if len(columns) < 2:
        return []
    matrix = np.column_stack(columns)
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    if len(matrix) < 2:
        return []
    matrix = matrix - matrix.mean(axis=0)
    scale = np.linalg.norm(matrix, axis=0)
    _, triangle = np.linalg.qr(matrix / np.where(scale > 0, scale, 1.0))
    left = np.abs(triangle.diagonal())
    independent = np.zeros(len(which), bool)
    independent[: len(left)] = left > DEPENDENT
    return [j for j, is_independent in zip(which, independent, strict=True) if not is_independent]


def _feature(name: str, values: NDArray[Any], label: Column, keep_numbers: bool) -> Feature:
    if not is_numeric(values):
        return Categories(name, tuple(sorted({str(x) for x in values if not is_missing(x)})) or ("any",))
    measured = Measurement(name)
    column = measured.column(values)
    seen = column.present().values
    if not seen.size or seen.min() == seen.max():
        return Bins(name, ())
    if keep_numbers:
        return measured
    edges = MDL(by=label.name).edges({name: column, label.name: label}, [name], None)[name]
    return Bins(name, tuple((edges if edges.size else quantile_edges(column, None, FALLBACK_BINS)).tolist()))


def is_numeric(values: NDArray[Any]) -> bool:
    """Whether all values that are there are numbers; booleans and texts are categories."""
    if values.dtype != object:
        return bool(np.issubdtype(values.dtype, np.number))
    return all(isinstance(x, Number) and not isinstance(x, bool | np.bool_) for x in values if not is_missing(x))


def as_numbers(values: NDArray[Any]) -> Floats:
    """Numbers as floats, `nan` where one is missing or, at prediction, where a text stands in place of a number."""
    if values.dtype != object and np.issubdtype(values.dtype, np.number):
        numbers = values.astype(np.float64)
    else:
        numbers = np.array([_number(x) for x in values], np.float64)
    if np.isinf(numbers).any():
        raise ValueError("X contains infinity: scale the values, or leave out these rows")
    return numbers


def _number(value: object) -> float:
    if is_missing(value):
        return np.nan
    try:
        return float(value)  # type: ignore[arg-type] # what cannot be converted is caught
    except (TypeError, ValueError):
        return np.nan


def is_missing(value: object) -> bool:
    """Whether a value is None, `nan`, or the missing value of pandas, which cannot be compared."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True


def _coded(name: str, codes: NDArray[np.int64], states: tuple[str, ...]) -> Column:
    there = codes >= 0
    made = np.where(there, codes, 0).astype(code_type(len(states)))
    return Column.discrete(name, made, states, observed=None if there.all() else there)
