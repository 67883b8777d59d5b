"""The annual cycle of monthly data, and anomalies: what is left without it."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.checks import is_integer
from veridag.errors import InputError, suggest

from .data import Data

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: The first and the last year of a climatology.
Period = tuple[int, int]

_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})(?!\d)")


def anomalies(frame: Any, month: str, *, period: Period | None = None) -> Data:
    r"""Remove the mean annual cycle from monthly data: from each value, subtract the mean of its calendar month.

    The anomaly of a value $x_{y,m}$ of the year y and the month m is
    $$
    x_{y,m} - \frac{1}{|P|} \sum_{t \in P} x_{t,m}
    $$
    where P has the years of the period (Scutari, Graafland and Gutierrez 2019, section 5.1). Without this, most
    variables depend on each other because all of them follow the seasons.

    Args:
        frame: A pandas, polars or pyarrow table. Except for the column of months, all columns must be numbers.
        month: The column of months: texts such as `1981-01` or `1981-01-31`, dates, or numbers from 1 to 12.
        period: The first and the last year of the means, such as (1981, 2010); all rows if None.

    Returns:
        The anomalies as continuous data, without the column of months.

    Raises:
        InputError: If a month cannot be read, a value is missing, or a calendar month has fewer than two rows in the
            period.

    See also:
        `Data.from_frame`, docs/data.md
    """
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(f"a pandas, polars or pyarrow table is needed, not {type(frame).__name__}") from None
    if month not in table.columns:
        raise InputError(f"month={month!r}: there is no such column: {suggest(month, table.columns)}")
    names = [name for name in table.columns if name != month]
    for name in names:
        own = table[name]
        if not own.dtype.is_numeric() or own.null_count() or not np.isfinite(own.to_numpy()).all():
            raise InputError(f"column {name!r} must have a number in every row: leave out the column, or these rows")
    if not names:
        raise InputError(f"there is no column besides {month!r}: give a table with values")
    values = np.column_stack([table[name].to_numpy().astype(np.float64) for name in names])
    return Data.from_numpy(without_cycle(values, Calendar.read(month, table[month].to_list()), period), names)


@dataclass(frozen=True, eq=False)
class Calendar:
    """The calendar month of each row, from 1 to 12, and its year if it is known."""

    column: str
    months: Ints
    years: Ints | None

    @classmethod
    def read(cls, column: str, values: Sequence[object]) -> Calendar:
        """Months from texts, dates or numbers; `column` is named in errors."""
        found = [_year_and_month(column, value) for value in values]
        years = [year for year, _ in found if year is not None]
        if years and len(years) < len(found):
            raise InputError(f"column {column!r}: some months have a year and others have none: write all like 1981-01")
        months = np.array([month for _, month in found], dtype=np.int64)
        return cls(column, months, np.array(years, dtype=np.int64) if years else None)

    def within(self, period: Period | None) -> NDArray[np.bool_]:
        """Which rows are of these years."""
        if period is None:
            return np.ones(len(self.months), dtype=bool)
        if not (isinstance(period, Sequence) and len(period) == 2 and all(map(is_integer, period))):
            raise InputError(f"period={period!r}: give the first and the last year, such as (1981, 2010)")
        first, last = period
        if first > last:
            raise InputError(f"period={period!r}: the first year is after the last: turn them round")
        if self.years is None:
            raise InputError(f"period={period!r}: column {self.column!r} has no years: write its months like 1981-01")
        return (self.years >= first) & (self.years <= last)

    def row(self, date: str) -> int | None:
        """The first row of a month such as 1998-01; None if there is none."""
        year, month = _year_and_month("month", date)
        if self.years is None:
            return None
        rows = np.flatnonzero((self.months == month) & (self.years == year))
        return int(rows[0]) if len(rows) else None


def without_cycle(values: Floats, calendar: Calendar, period: Period | None) -> Floats:
    """The values, a row a month, less the means of their calendar months over the period."""
    inside = calendar.within(period)
    result = np.empty_like(values)
    for month in np.unique(calendar.months).tolist():
        rows = calendar.months == month
        of_period = rows & inside
        if of_period.sum() < 2:
            years = "the table" if period is None else f"{period[0]} to {period[1]}"
            raise InputError(
                f"column {calendar.column!r}: {month_name[month]} has {of_period.sum()} rows in {years}, and its mean "
                "needs two or more: give a longer table, or another period"
            )
        result[rows] = values[rows] - values[of_period].mean(axis=0)
    return result


def _year_and_month(column: str, value: object) -> tuple[int | None, int]:
    found: tuple[int | None, int] | None = None
    if isinstance(value, str):
        match = _DATE.match(value.strip())
        found = (int(match[1]), int(match[2])) if match else None
    elif is_integer(value):
        found = (None, int(value))
    elif hasattr(value, "year") and hasattr(value, "month"):  # dates, and the time stamps and periods of pandas
        found = (value.year, value.month)
    if found is None or found[1] not in range(1, 13):
        raise InputError(
            f"column {column!r} must have months, not {value!r}: write them like 1981-01, as dates, or as numbers "
            "from 1 to 12"
        )
    return found
