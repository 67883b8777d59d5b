"""Gridded tables: which column is which box, and anomalies from raw values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.data.annual_cycle import Calendar, Period, without_cycle
from veridag.errors import InputError
from veridag.study.kind import Row

from .field import Field, standardised

Floats = NDArray[np.float64]

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_IN_NAME = re.compile(rf"lat(?:itude)?[ _=:]*{_NUMBER}[ _,;:]*lon(?:gitude)?[ _=:]*{_NUMBER}", re.IGNORECASE)
_LATITUDE, _LONGITUDE = ("lat", "latitude"), ("lon", "longitude")


@dataclass(frozen=True)
class Source:
    """A table with a row a month and a column a box, and how to read it.

    Latitudes and longitudes are in the columns' names, or in a second table. Columns in `ignore` are left out, and so
    is that of the months; any other column must be a box. With `remove_cycle`, the mean of each calendar month over
    the years of the climatology is subtracted.
    """

    table: Path
    coordinates: Path | None = None
    ignore: tuple[str, ...] = ()
    month: str | None = None
    remove_cycle: bool = False
    climatology: Period | None = None

    def read(self) -> Gridded:
        """The boxes with their values, as in the table and as anomalies."""
        frame = _read(self.table)
        kept = [name for name in frame.columns if name not in (*self.ignore, self.month)]
        places = _places_in(self.coordinates) if self.coordinates is not None else {}
        found = [places.get(name) or _place_in(name) for name in kept]
        for name, place in zip(kept, found, strict=True):
            if place is None:
                raise self.mistake(
                    f"column {name!r} has no latitude and longitude: name it like lat+05_lon-125, give a second table "
                    "with columns lat and lon, or name it in `ignore` of the study file"
                )
            if not frame[name].dtype.is_numeric() or frame[name].null_count():
                raise self.mistake(f"column {name!r} must have a number in every row")
        where = np.array([place for place in found if place is not None], dtype=np.float64).reshape(-1, 2)
        values = frame.select(kept).to_numpy().astype(np.float64)
        if not self.remove_cycle:
            return Gridded(tuple(kept), where, values, values, None)
        if self.month is None or self.month not in frame.columns:
            raise self.mistake(
                f"the annual cycle cannot be removed without months: column {self.month!r} of `month` in the study "
                'file is not there; add it, or set annual_cycle = "keep" if the values are anomalies'
            )
        try:
            calendar = Calendar.read(self.month, frame[self.month].to_list())
            anomalies = without_cycle(values, calendar, self.climatology)
        except InputError as error:
            raise self.mistake(str(error)) from None
        return Gridded(tuple(kept), where, values, anomalies, calendar)

    def maps(self, date: str, means: str | None) -> list[Row]:
        """A row a box: its mean over the years of the climatology, and its anomaly in one month, such as 1998-01.

        The mean is from the column `means` of the table of coordinates, if it has one: then the values are anomalies.
        """
        gridded = self.read()
        assert gridded.calendar is not None
        row = gridded.calendar.row(date)
        if row is None:
            raise self.mistake(f"`map_month` of the study file is {date!r}, which is not in column {self.month!r}")
        average = gridded.values[gridded.calendar.within(self.climatology)].mean(axis=0)
        places = pl.DataFrame() if self.coordinates is None else _read(self.coordinates)
        if self.coordinates is not None and means in places.columns:
            known = dict(places.select(_names_in(places, self.coordinates), means).iter_rows())
            average = np.array([known.get(name) for name in gridded.names], dtype=np.float64)
        return [
            {"what": "map", "lat": lat, "lon": lon, "mean": None if np.isnan(mean) else mean, "anomaly": anomaly}
            for (lat, lon), mean, anomaly in zip(
                gridded.where.tolist(), average.tolist(), gridded.anomalies[row].tolist(), strict=True
            )
        ]

    def mistake(self, text: str) -> InputError:
        """An error that names the table."""
        return InputError(f"data {str(self.table)!r}: {text}")


@dataclass(frozen=True, eq=False)
class Gridded:
    """The columns of a table: `where` has latitude and longitude, `calendar` the months if the cycle was removed."""

    names: tuple[str, ...]
    where: Floats
    values: Floats
    anomalies: Floats
    calendar: Calendar | None


def read_field(source: Source) -> Field:
    """The field in a table."""
    read = source.read()
    # What a pure annual cycle leaves is rounding.
    constant = read.anomalies.std(axis=0) <= 1e-12 * np.abs(read.values).max(axis=0)
    for i in np.flatnonzero(constant):
        raise source.mistake(f"column {read.names[i]!r} is constant: leave it out with `ignore`")
    return standardised(read.names, read.where, read.anomalies)


def is_coordinates(path: Path) -> bool:
    """Whether a table says where boxes are, by its header."""
    names = {name.lower() for name in _read(path, rows=0).columns}
    return bool(names & set(_LATITUDE)) and bool(names & set(_LONGITUDE))


def _read(path: Path, rows: int | None = None) -> pl.DataFrame:
    try:
        return pl.read_csv(path, n_rows=rows, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"data {str(path)!r} cannot be read as CSV: {str(error).splitlines()[0]}") from None


def _place_in(name: str) -> tuple[float, float] | None:
    match = _IN_NAME.search(name)
    return (float(match[1]), float(match[2])) if match else None


def _places_in(path: Path) -> dict[str, tuple[float, float]]:
    """The place of each box, by name."""
    frame = _read(path)
    lower = {name.lower(): name for name in frame.columns}
    latitude, longitude = (next(lower[n] for n in names if n in lower) for names in (_LATITUDE, _LONGITUDE))
    rows = frame.select(_names_in(frame, path), latitude, longitude).iter_rows()
    return {str(name): (float(lat), float(lon)) for name, lat, lon in rows}


def _names_in(frame: pl.DataFrame, path: Path) -> str:
    """The column with the names of boxes: the first one of text."""
    texts = [name for name in frame.columns if frame[name].dtype == pl.String]
    if not texts:
        raise InputError(f"data {str(path)!r}: a column with the names of the boxes is missing next to lat and lon")
    return texts[0]
