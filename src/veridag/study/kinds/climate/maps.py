"""Maps without coastlines: the boxes that have data show where the sea, or the land, is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

Floats = NDArray[np.float64]

#: The meridian at the left edge: through Africa and Europe, so that no ocean but the smallest part is cut.
_EDGE = 25.0


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
                _draw_lines(axes, own.filter(pl.col("long_range") == far), colour, width)
            _frame(axes)
        limit = arcs["long_range_km"][0]
        drawing.suptitle(f"gamma = {arcs['gamma'][0]:g}; black: longer than {limit:g} km", fontsize=9)
    return Figure(name, drawing, data)


def _draw_lines(axes: Axes, arcs: pl.DataFrame, colour: str, width: float) -> None:
    from matplotlib.collections import LineCollection

    segments = []
    for lat1, lon1, lat2, lon2 in arcs.select("from_lat", "from_lon", "to_lat", "to_lon").iter_rows():
        a, b = float(_shifted(lon1)), float(_shifted(lon2))
        if abs(b - a) <= 180:
            segments.append([(a, lat1), (b, lat2)])
            continue
        turn = 360.0 if b < a else -360.0  # the short way crosses the edge: one part on each side of the map
        segments += [[(a, lat1), (b + turn, lat2)], [(a - turn, lat1), (b, lat2)]]
    axes.add_collection(LineCollection(segments, colors=colour, linewidths=width))


def draw_evidence(name: str, boxes: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """How much more, or less, probable warm anomalies are given the evidence (figure 8, c and d)."""
    shown = [spec for spec in labels if spec in boxes["learner"]]
    columns = ["learner", "gamma", "lat", "lon", "marginal", "conditional", "difference", "is_evidence"]
    data = boxes.select(columns)
    value, warm = boxes["evidence_value"][0], boxes["warm"][0]
    # The evidence itself is certain and would leave no colours for the rest.
    limit = max(0.1, float(np.abs(data.filter(~pl.col("is_evidence"))["difference"].to_numpy()).max(initial=0.0)))
    with style():
        drawing, every = panels([labels[spec] for spec in shown], columns=2, width=4.6, height=2.4)
        for axes, spec in zip(every, shown, strict=True):
            image = _draw_boxes(axes, data.filter(pl.col("learner") == spec), limit)
            _frame(axes)
            axes.set_facecolor("#C9C9C9")  # no difference is nearly white, and nothing there must not look like it
        drawing.colorbar(image, ax=every, shrink=0.8, label="conditional less marginal probability")
        title = f"gamma = {boxes['gamma'][0]:g}: P(X >= {warm:g} | X_e = {value:g}) - P(X >= {warm:g}), X_e framed"
        drawing.suptitle(title, fontsize=9)
    return Figure(name, drawing, data)


def _draw_boxes(axes: Axes, boxes: pl.DataFrame, limit: float) -> AxesImage:
    from matplotlib.patches import Rectangle

    latitude, longitude = boxes["lat"].to_numpy(), _shifted(boxes["lon"].to_numpy())
    tall, wide = _spacing(latitude), _spacing(longitude)
    left, bottom = longitude - wide / 2, latitude - tall / 2
    rows, columns = np.rint((latitude - latitude.min()) / tall), np.rint((longitude - longitude.min()) / wide)
    grid = np.full((int(rows.max()) + 1, int(columns.max()) + 1), np.nan)
    grid[rows.astype(int), columns.astype(int)] = boxes["difference"].to_numpy()
    extent = (left.min(), left.min() + wide * grid.shape[1], bottom.min(), bottom.min() + tall * grid.shape[0])
    image = axes.imshow(grid, origin="lower", extent=extent, cmap="PuOr_r", vmin=-limit, vmax=limit, aspect="auto")
    for i in np.flatnonzero(boxes["is_evidence"].to_numpy()):
        axes.add_patch(Rectangle((left[i], bottom[i]), wide, tall, fill=False, edgecolor="black", linewidth=1.5))
    return image


def _shifted(longitude: Floats | float) -> Floats:
    """Longitudes from the map's left edge on."""
    return np.asarray((np.asarray(longitude, dtype=np.float64) - _EDGE) % 360 + _EDGE)


def _spacing(values: Floats) -> float:
    steps = np.diff(np.unique(np.round(values, 6)))
    return float(steps.min()) if len(steps) else 10.0


def _frame(axes: Axes) -> None:
    axes.set_facecolor("#F2F2F2")
    axes.grid(visible=False)
    axes.set_xlim(_EDGE, _EDGE + 360)
    axes.set_ylim(-90, 90)
    axes.set_xticks([60, 120, 180, 240, 300, 360], ["60E", "120E", "180", "120W", "60W", "0"])
    axes.set_yticks([-60, -30, 0, 30, 60], ["60S", "30S", "0", "30N", "60N"])
