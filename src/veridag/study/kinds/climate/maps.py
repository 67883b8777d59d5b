"""Maps without coastlines: the boxes that have data show where the sea, or the land, is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh

Floats = NDArray[np.float64]

#: The meridian at the left edge: through Africa and Europe, so that no ocean but the smallest part is cut.
_EDGE = 25.0


def draw_field(name: str, boxes: pl.DataFrame) -> Figure:
    """The mean of each box, and its anomaly in one month (figure 5)."""
    data = boxes.select("map_month", "lat", "lon", "mean", "anomaly")
    titles = {"mean": "(a) mean", "anomaly": f"(b) anomaly of {boxes['map_month'][0]}"}
    with style():
        drawing, every = panels(list(titles.values()), columns=2, width=5.0, height=2.4)
        for axes, column in zip(every, titles, strict=True):
            known = data.filter(pl.col(column).is_not_null())
            values = known[column].to_numpy()
            most = float(np.abs(values).max())
            if column == "mean":
                image = _fill_boxes(axes, known, column, (float(values.min()), float(values.max())), "viridis")
            else:
                image = _fill_boxes(axes, known, column, (-most, most), "PuOr_r")
            frame(axes)
            drawing.colorbar(image, ax=axes, shrink=0.9, label="in units of the table")
    return Figure(name, drawing, data)


def draw_arcs(name: str, arcs: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Arcs on a map, those of long range in black (figure 8, a and b)."""
    shown = [spec for spec in labels if spec in arcs["learner"]]
    columns = ["learner", "gamma", "from_lat", "from_lon", "to_lat", "to_lon", "km"]
    data = arcs.select(*columns, long_range=pl.col("km") > pl.col("long_range_km"))
    with style():
        titles = []
        for spec in shown:
            own = data.filter(pl.col("learner") == spec)
            titles.append(f"{labels[spec]}: {len(own)} arcs, {own['long_range'].sum()} of long range")
        drawing, every = panels(titles, columns=2, width=4.6, height=2.4)
        for axes, spec in zip(every, shown, strict=True):
            own = data.filter(pl.col("learner") == spec)
            for far, colour, width in ((False, "#BBBBBB", 0.5), (True, "#000000", 0.7)):
                draw_lines(axes, own.filter(pl.col("long_range") == far), colour, width)
            frame(axes)
        limit = arcs["long_range_km"][0]
        drawing.suptitle(f"gamma = {arcs['gamma'][0]:g}; black: longer than {limit:g} km", fontsize=9)
    return Figure(name, drawing, data)


def draw_evidence(name: str, boxes: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """How much more, or less, probable warm anomalies are given the evidence (figure 8, c and d)."""
    from matplotlib.patches import Rectangle

    shown = [spec for spec in labels if spec in boxes["learner"]]
    columns = ["learner", "gamma", "lat", "lon", "marginal", "conditional", "difference", "is_evidence"]
    data = boxes.select(columns)
    value, warm = boxes["evidence_value"][0], boxes["warm"][0]
    # The evidence itself is certain and would leave no colours for the rest.
    limit = max(0.1, float(np.abs(data.filter(~pl.col("is_evidence"))["difference"].to_numpy()).max(initial=0.0)))
    tall, wide = _spacing(boxes["lat"].to_numpy()), _spacing(boxes["lon"].to_numpy())
    with style():
        drawing, every = panels([labels[spec] for spec in shown], columns=2, width=4.6, height=2.4)
        for axes, spec in zip(every, shown, strict=True):
            own = data.filter(pl.col("learner") == spec)
            image = _fill_boxes(axes, own, "difference", (-limit, limit), "PuOr_r")
            for lat, lon in own.filter("is_evidence").select("lat", "lon").iter_rows():
                corner = (shifted(lon) - wide / 2, lat - tall / 2)
                axes.add_patch(Rectangle(corner, wide, tall, fill=False, edgecolor="black", linewidth=1.5))
            frame(axes)
        drawing.colorbar(image, ax=every, shrink=0.8, label="conditional less marginal probability")
        title = f"gamma = {boxes['gamma'][0]:g}: P(X >= {warm:g} | X_e = {value:g}) - P(X >= {warm:g}), X_e framed"
        drawing.suptitle(title, fontsize=9)
    return Figure(name, drawing, data)


def draw_lines(axes: Axes, arcs: pl.DataFrame, colour: str, width: float, label: str | None = None) -> None:
    """A line for each arc, the short way round."""
    from matplotlib.collections import LineCollection

    segments = []
    for lat1, lon1, lat2, lon2 in arcs.select("from_lat", "from_lon", "to_lat", "to_lon").iter_rows():
        a, b = shifted(lon1), shifted(lon2)
        if abs(b - a) <= 180:
            segments.append([(a, lat1), (b, lat2)])
            continue
        turn = 360.0 if b < a else -360.0  # the short way crosses the edge: one part on each side of the map
        segments += [[(a, lat1), (b + turn, lat2)], [(a - turn, lat1), (b, lat2)]]
    axes.add_collection(LineCollection(segments, colors=colour, linewidths=width, label=label))


def draw_boxes(axes: Axes, places: Iterable[tuple[float, float]]) -> None:
    """White boxes where there is data, given as latitude and longitude, below everything else."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    where = np.array(sorted(set(places)))
    tall, wide = _spacing(where[:, 0]), _spacing(where[:, 1])
    patches = [
        Rectangle((lon + turn - wide / 2, lat - tall / 2), wide, tall)
        for lat, lon in where.tolist()
        for turn in (0, 360)
    ]
    axes.add_collection(PatchCollection(patches, facecolor="#FFFFFF", edgecolor="none", zorder=0.5))


def shifted(longitude: float) -> float:
    """A longitude from the map's left edge on."""
    return (longitude - _EDGE) % 360 + _EDGE


def frame(axes: Axes) -> None:
    """The whole Earth, with a few latitudes and longitudes."""
    axes.grid(visible=False)
    axes.set_facecolor("#D5D5D5")
    axes.set_xlim(_EDGE, _EDGE + 360)
    axes.set_ylim(-90, 90)
    axes.set_xticks([60, 120, 180, 240, 300, 360], [longitude_text(x) for x in (60, 120, 180, 240, 300, 360)])
    axes.set_yticks([-60, -30, 0, 30, 60], ["60S", "30S", "0", "30N", "60N"])


def longitude_text(longitude: int) -> str:
    """A longitude as on maps: 240 is 120W."""
    east = (longitude + 180) % 360 - 180
    return "180" if east == -180 else f"{abs(east)}{'' if east == 0 else 'E' if east > 0 else 'W'}"


def _fill_boxes(axes: Axes, boxes: pl.DataFrame, column: str, limits: tuple[float, float], colours: str) -> QuadMesh:
    """A patch for each box. They are no raster, so that the picture can have other shades on a dark page."""
    latitude = boxes["lat"].to_numpy()
    longitude = np.array([shifted(value) for value in boxes["lon"].to_list()])
    tall, wide = _spacing(latitude), _spacing(longitude)
    rows, columns = np.rint((latitude - latitude.min()) / tall), np.rint((longitude - longitude.min()) / wide)
    grid = np.full((int(rows.max()) + 1, int(columns.max()) + 1), np.nan)
    grid[rows.astype(int), columns.astype(int)] = boxes[column].to_numpy()
    y = latitude.min() + tall * (np.arange(grid.shape[0] + 1) - 0.5)
    x = longitude.min() + wide * (np.arange(grid.shape[1] + 1) - 0.5)
    return axes.pcolormesh(x, y, np.ma.masked_invalid(grid), cmap=colours, vmin=limits[0], vmax=limits[1])


def _spacing(values: Floats) -> float:
    steps = np.diff(np.unique(np.round(values, 6)))
    return float(steps.min()) if len(steps) else 10.0
