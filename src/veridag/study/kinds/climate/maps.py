"""Maps without coastlines: the boxes that have data show where the sea, or the land, is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure as Drawing
    from matplotlib.patches import PathPatch

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How many colours a map has: an odd number, so that one of them is for no difference.
_COLOURS = 21

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
            _draw_scale(drawing, image, [axes], "in units of the table")
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
            ends = [*own.select("from_lat", "from_lon").iter_rows(), *own.select("to_lat", "to_lon").iter_rows()]
            draw_boxes(axes, [(lat, shifted(lon)) for lat, lon in ends])
            for far, colour in ((False, "#9A9A9A"), (True, "#000000")):
                lines = own.filter(pl.col("long_range") == far)
                draw_lines(axes, lines, colour, 0.7 if len(lines) < 1000 else 0.15)
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
        _draw_scale(drawing, image, every, "conditional less marginal probability")
        title = f"gamma = {boxes['gamma'][0]:g}: P(X >= {warm:g} | X_e = {value:g}) - P(X >= {warm:g}), X_e framed"
        drawing.suptitle(title, fontsize=9)
    return Figure(name, drawing, data)


def draw_lines(axes: Axes, arcs: pl.DataFrame, colour: str, width: float) -> None:
    """A line for each arc, the short way round; all in one path, since a file with thousands would be large."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    ends: list[tuple[float, float]] = []
    for lat1, lon1, lat2, lon2 in arcs.select("from_lat", "from_lon", "to_lat", "to_lon").iter_rows():
        a, b = shifted(lon1), shifted(lon2)
        if abs(b - a) <= 180:
            ends += [(a, lat1), (b, lat2)]
            continue
        turn = 360.0 if b < a else -360.0  # the short way crosses the edge: one part on each side of the map
        ends += [(a, lat1), (b + turn, lat2), (a - turn, lat1), (b, lat2)]
    if ends:
        path = Path(np.array(ends), [Path.MOVETO, Path.LINETO] * (len(ends) // 2))
        axes.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width))


def draw_boxes(axes: Axes, places: Iterable[tuple[float, float]]) -> None:
    """White boxes where there is data, given as latitude and longitude on the map, below everything else."""
    where = sorted(set(places))
    grid = _Grid.of(np.array([lat for lat, _ in where]), np.array([lon for _, lon in where]))
    axes.add_patch(grid.outline(np.ones(len(where), dtype=bool), "#FFFFFF"))


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


def _fill_boxes(
    axes: Axes, boxes: pl.DataFrame, column: str, limits: tuple[float, float], colours: str
) -> ScalarMappable:
    """Boxes in the colours of their values, of which there are 21.

    Those of a colour are one path, and no raster, so that the picture can have other shades on a dark page.
    """
    import matplotlib as mpl
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, to_hex

    map_ = mpl.colormaps[colours].resampled(_COLOURS)
    edges = np.linspace(*limits, _COLOURS + 1)
    levels = np.clip(np.digitize(boxes[column].to_numpy(), edges) - 1, 0, _COLOURS - 1)
    longitudes = np.array([shifted(value) for value in boxes["lon"].to_list()])
    grid = _Grid.of(boxes["lat"].to_numpy(), longitudes)
    for level in np.unique(levels).tolist():
        axes.add_patch(grid.outline(levels == level, to_hex(map_(level))))
    return ScalarMappable(BoundaryNorm(edges, _COLOURS), map_)


def _draw_scale(drawing: Drawing, image: ScalarMappable, axes: list[Axes], label: str) -> None:
    """The colours with round numbers beside them."""
    from matplotlib.ticker import MaxNLocator

    low, high = image.get_clim()
    ticks = [tick for tick in MaxNLocator(6).tick_values(low, high) if low <= tick <= high]
    scale = drawing.colorbar(image, ax=axes, shrink=0.85, label=label, ticks=ticks, spacing="proportional")
    scale.minorticks_off()


@dataclass(frozen=True, eq=False)
class _Grid:
    """Boxes by row and column, with the corner of the first one and their size."""

    rows: Ints
    columns: Ints
    left: float
    bottom: float
    wide: float
    tall: float

    @classmethod
    def of(cls, latitudes: Floats, longitudes: Floats) -> _Grid:
        tall, wide = _spacing(latitudes), _spacing(longitudes)
        rows = np.rint((latitudes - latitudes.min()) / tall).astype(np.int64)
        columns = np.rint((longitudes - longitudes.min()) / wide).astype(np.int64)
        return cls(rows, columns, longitudes.min() - wide / 2, latitudes.min() - tall / 2, wide, tall)

    def outline(self, which: NDArray[np.bool_], colour: str) -> PathPatch:
        """Some of the boxes as one patch, neighbours in a row as one rectangle."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        corners: list[tuple[float, float]] = []
        chosen = set(zip(self.rows[which].tolist(), self.columns[which].tolist(), strict=True))
        for row, first in sorted(chosen):
            if (row, first - 1) in chosen:
                continue
            last = next(column for column in count(first) if (row, column + 1) not in chosen)
            x0, x1 = self.left + self.wide * first, self.left + self.wide * (last + 1)
            y0, y1 = self.bottom + self.tall * row, self.bottom + self.tall * (row + 1)
            corners += [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
        steps = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * (len(corners) // 5)
        return PathPatch(Path(np.array(corners), steps), facecolor=colour, edgecolor="none", zorder=0.5)


def _spacing(values: Floats) -> float:
    steps = np.diff(np.unique(np.round(values, 6)))
    return float(steps.min()) if len(steps) else 10.0
