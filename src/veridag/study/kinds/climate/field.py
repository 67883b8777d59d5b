"""Gridded anomalies: where the boxes are, reading them from tables, and a simulated field to try things on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.errors import InputError

Floats = NDArray[np.float64]

#: The mean radius of the Earth.
EARTH_KM = 6371.0

_NUMBER = r"([+-]?\d+(?:\.\d+)?)"
_IN_NAME = re.compile(rf"lat(?:itude)?[ _=:]*{_NUMBER}[ _,;:]*lon(?:gitude)?[ _=:]*{_NUMBER}", re.IGNORECASE)
_LATITUDE, _LONGITUDE = ("lat", "latitude"), ("lon", "longitude")


@dataclass(frozen=True, eq=False)
class Field:
    """Anomalies in units of each box's own standard deviation, one column a box; `names` are those of the table."""

    names: tuple[str, ...]
    latitudes: Floats
    longitudes: Floats
    values: Floats

    @property
    def nbytes(self) -> int:
        """For the memory that cells share."""
        return int(self.values.nbytes)

    def nearest(self, latitude: float, longitude: float) -> int:
        """The box whose centre is nearest to a place."""
        return int(np.argmin(distances_km(latitude, longitude, self.latitudes, self.longitudes)))


def distances_km(latitude: Floats | float, longitude: Floats | float, latitudes: Floats, longitudes: Floats) -> Floats:
    """Great-circle distances, by the haversine formula."""
    a, b = np.radians(latitude), np.radians(latitudes)
    half = np.sin((b - a) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(np.radians(longitudes - longitude) / 2) ** 2
    return np.asarray(2 * EARTH_KM * np.arcsin(np.sqrt(np.clip(half, 0.0, 1.0))))


def read_field(table: Path, coordinates: Path | None, ignore: Sequence[str]) -> Field:
    """The field in a table: latitudes and longitudes are in the columns' names, or in a second table.

    Columns in `ignore` are left out, such as that of the month; any other column must be a box.
    """
    frame = _read(table)
    kept = [name for name in frame.columns if name not in ignore]
    places = _places_in(coordinates) if coordinates is not None else {}
    found = [places.get(name) or _place_in(name) for name in kept]
    for name, place in zip(kept, found, strict=True):
        if place is None:
            raise InputError(
                f"data {str(table)!r}: column {name!r} has no latitude and longitude: name it like lat+05_lon-125, "
                "give a second table with columns lat and lon, or name it in `ignore` of the study file"
            )
        if not frame[name].dtype.is_numeric() or frame[name].null_count():
            raise InputError(f"data {str(table)!r}: column {name!r} must have a number in every row")
    where = np.array([place for place in found if place is not None], dtype=np.float64).reshape(-1, 2)
    values = frame.select(kept).to_numpy().astype(np.float64)
    return _standardised(tuple(kept), where, values, str(table))


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
    """The place of each box; its name is in the first column of text."""
    frame = _read(path)
    lower = {name.lower(): name for name in frame.columns}
    latitude, longitude = (next(lower[n] for n in names if n in lower) for names in (_LATITUDE, _LONGITUDE))
    texts = [name for name in frame.columns if frame[name].dtype == pl.String]
    if not texts:
        raise InputError(f"data {str(path)!r}: a column with the names of the boxes is missing next to lat and lon")
    rows = frame.select(texts[0], latitude, longitude).iter_rows()
    return {str(name): (float(lat), float(lon)) for name, lat, lon in rows}


def _standardised(names: tuple[str, ...], where: Floats, values: Floats, source: str) -> Field:
    sd = values.std(axis=0)
    for name, own in zip(names, sd.tolist(), strict=True):
        if own == 0:
            raise InputError(f"data {source!r}: column {name!r} is constant: leave it out with `ignore`")
    return Field(names, where[:, 0].copy(), where[:, 1].copy(), (values - values.mean(axis=0)) / sd)


def simulated_field(step: float, months: int, km: float, seed: int) -> Field:
    """A field on boxes of `step` degrees: correlation exp(-d / km) at a distance d, and one teleconnection.

    Boxes near 5 S 135 W and near 5 S 65 E, in the Pacific and in the Indian Ocean, share an index that all others
    lack: within 3000 km, or 80 km for every degree of a larger box. It is used if no data is given, and has nothing
    to do with the weather.
    """
    latitudes = np.arange(-90 + step / 2, 90, step)
    longitudes = np.arange(-180 + step / 2, 180, step)
    where = np.array([(lat, lon) for lat in latitudes for lon in longitudes])
    lat, lon = where[:, 0], where[:, 1]
    apart = np.stack([distances_km(a, b, lat, lon) for a, b in where])
    # Boxes near a pole nearly coincide: a little noise of their own keeps the covariance regular.
    root = np.linalg.cholesky(np.exp(-apart / km) + 0.05 * np.eye(len(where)))
    rng = np.random.default_rng(seed)
    near = np.minimum(distances_km(-5, -135, lat, lon), distances_km(-5, 65, lat, lon)) < max(3000.0, 80 * step)
    values = rng.standard_normal((months, len(where))) @ root.T + 1.5 * rng.standard_normal((months, 1)) * near
    names = tuple(f"lat{a:+05.1f}_lon{b:+06.1f}" for a, b in where)
    return _standardised(names, where, values, "simulated")
