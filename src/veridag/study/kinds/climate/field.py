"""Fields of anomalies: where the boxes are, how far apart, and a simulated field to try things on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: The mean radius of the Earth.
EARTH_KM = 6371.0


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


def standardised(names: tuple[str, ...], where: Floats, values: Floats) -> Field:
    """The field with these anomalies, a column a box; `where` has latitudes and longitudes."""
    return Field(names, where[:, 0].copy(), where[:, 1].copy(), (values - values.mean(axis=0)) / values.std(axis=0))


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
    return standardised(names, where, values)
