"""Continuous data without rows: only its moments, added up in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.errors import InputError

from .columns import Array, Column
from .data import Data
from .describe import Description
from .ordering import order_by_moments
from .scales import check_scales

Floats = NDArray[np.float64]
Wide = NDArray[np.longdouble]  # 64 bits for the digits on x86; elsewhere perhaps no more than a double


@dataclass(frozen=True, eq=False)
class Moments:
    """Number of rows, means, and sums over rows of products of deviations from the means, of some columns.

    ``scatter`` is sum (x - mean)(x - mean)^T, and ``third`` and ``fourth`` are the sums of the third and fourth power
    of each column's deviations. ``low`` and ``high`` are the smallest and largest values. The means are `origin`, a row
    of the table, and an `offset` from it: where means are far from zero, their sum would lose digits of the offset.
    """

    n: int
    origin: Floats
    offset: Wide
    scatter: Wide
    third: Wide
    fourth: Wide
    low: Floats
    high: Floats

    @classmethod
    def of_rows(cls, x: Floats) -> Moments:
        """Those of a table, at least one row by columns.

        Values less those of the first row are summed, and the mean of what is left is taken away a second time, as for
        rows that are all in memory.
        """
        first = x[0].copy()
        with np.errstate(over="ignore", invalid="ignore"):  # columns of such a scale are refused afterwards
            centred, offset = x - first, np.zeros(len(first), np.longdouble)
            for _ in range(2):
                left = centred.mean(axis=0)
                centred -= left
                offset += left
            square = centred * centred
            third, fourth = (square * centred).sum(axis=0), (square * square).sum(axis=0)
            products = _core.scatter(np.ascontiguousarray(centred.T))  # in a fixed order on every machine
            scatter, third, fourth = (part.astype(np.longdouble) for part in (products, third, fourth))
        return cls(len(x), first, offset, scatter, third, fourth, x.min(axis=0), x.max(axis=0))

    @property
    def mean(self) -> Wide:
        """The means."""
        return self.origin + self.offset

    def plus(self, other: Moments) -> Moments:
        """Those of the rows of both, by the formulas of Chan, Golub and LeVeque (1983) and Pébay (2008)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._plus(other)

    def _plus(self, other: Moments) -> Moments:
        a, b = np.longdouble(self.n), np.longdouble(other.n)
        n = a + b
        d: Wide = np.subtract(other.origin, self.origin, dtype=np.longdouble) + (other.offset - self.offset)
        own, theirs = np.diagonal(self.scatter), np.diagonal(other.scatter)
        third = self.third + other.third + d**3 * (a * b * (a - b) / n**2) + 3 * d * (a * theirs - b * own) / n
        fourth = self.fourth + other.fourth + d**4 * (a * b * (a * a - a * b + b * b) / n**3)
        fourth += 6 * d**2 * (a * a * theirs + b * b * own) / n**2 + 4 * d * (a * other.third - b * self.third) / n
        return Moments(
            self.n + other.n,
            self.origin,
            self.offset + d * (b / n),
            np.asarray(self.scatter + other.scatter + d[:, None] * d * (a * b / n), np.longdouble),
            third,
            fourth,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )

    def take(self, at: Sequence[int]) -> Moments:
        """Those of the columns at these places."""
        i = list(at)
        return Moments(
            self.n,
            self.origin[i],
            self.offset[i],
            self.scatter[np.ix_(i, i)],
            self.third[i],
            self.fourth[i],
            self.low[i],
            self.high[i],
        )


class _Rowless(Column):
    """A continuous column without its values."""

    __slots__ = ()

    @property
    def values(self) -> NoReturn:
        """There are none."""
        raise InputError(
            f"only the moments of column {self.name!r} were kept, and this needs its rows: read the table with "
            "veridag.read"
        )

    @values.setter
    def values(self, given: Array) -> None:
        pass

    def __post_init__(self) -> None:
        pass


@dataclass(frozen=True, eq=False, repr=False)
class MomentData(Data):
    """Continuous data without rows, for all that needs only means and scatter: Gaussian scores and Fisher's z.

    What needs rows raises `InputError`.
    """

    moments: Moments | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        known = self._known
        check_scales(
            Column.continuous(c.name, np.array([low, high]))
            for c, low, high in zip(self.columns, known.low, known.high, strict=True)
        )

    @classmethod
    def from_moments(cls, names: Iterable[str], moments: Moments, notes: Sequence[str] = ()) -> MomentData:
        """Data of these columns."""
        empty = np.zeros(0)
        columns = [_Rowless(name, "continuous", empty, reason="decimal numbers") for name in names]
        return cls(columns, notes=tuple(notes), moments=moments)

    @property
    def _known(self) -> Moments:
        assert self.moments is not None
        return self.moments

    @property
    def nrows(self) -> int:
        """There are none, so that what asks for their number needs them."""
        return len(self.columns[0].values)

    @property
    def n(self) -> int:
        """The number of observations."""
        return self._known.n

    @property
    def constants(self) -> tuple[str, ...]:
        """The variables of which one value is observed."""
        same = self._known.low == self._known.high
        return tuple(name for name, is_constant in zip(self.names, same, strict=True) if is_constant)

    def mean_and_scatter(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """The means of these variables, and the sums of products of their deviations."""
        known = self._known.take([self.names.index(self._column(name).name) for name in names])
        return known.mean.astype(np.float64), np.ascontiguousarray(known.scatter, dtype=np.float64)

    def _names_by_data(self) -> list[str]:
        known = self._known
        variance = np.diagonal(known.scatter) / known.n
        varies = np.where(variance > 0, variance, 1)
        squared = (known.scatter / known.n) ** 2 / np.outer(varies, varies)
        shape = np.column_stack([known.fourth / known.n / varies**2, np.abs(known.third / known.n) / varies**1.5])
        shape = np.where(variance[:, None] > 0, shape, 0)
        return order_by_moments(self.names, squared.astype(np.float64), shape.astype(np.float64))

    def check_scales(self, names: Iterable[str]) -> None:
        """Done already."""

    def select(self, names: Iterable[str]) -> Data:
        """These variables in this order."""
        columns = [self._column(name) for name in names]
        at = [self.names.index(c.name) for c in columns]
        return replace(self, columns=columns, moments=self._known.take(at))

    def describe(self) -> Description:
        """Each variable with its mean, deviation and range; then the notes."""
        known, rows = self._known, []
        spread = np.sqrt(np.diagonal(known.scatter) / max(known.n - 1, 1))
        for i, name in enumerate(self.names):
            numbers = {"mean": known.mean[i], "sd": spread[i], "min": known.low[i], "max": known.high[i]}
            row: dict[str, Any] = {"name": name, "kind": "continuous"} | {k: float(v) for k, v in numbers.items()}
            rows.append(MappingProxyType(row | {"rule": "decimal numbers"}))
        return Description(rows, repr(self), tuple(self.notes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MomentData):
            return NotImplemented
        mine, theirs = self._known, other._known
        same = all(np.array_equal(getattr(mine, f), getattr(theirs, f)) for f in ("mean", "scatter", "low", "high"))
        return same and self.names == other.names and mine.n == theirs.n

    __hash__ = None

    def __reduce__(self) -> tuple[Any, ...]:
        return MomentData.from_moments, (self.names, self._known, self.notes)
