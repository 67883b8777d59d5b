"""The map of what a constraint-based learner joined, and of directions that contradict each other (figure 6)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl

from veridag.figures import PALETTE, style
from veridag.study.kind import Figure

from .maps import draw_boxes, draw_lines, frame, longitude_text, shifted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of each kind of pair: what the legend calls it, colour and width, the lowest first.
_KINDS = {
    "directed": ("directed by v-structures", "#8A8A8A", 0.7),
    "undirected": ("without a direction", PALETTE["blue"], 0.9),
    "conflict": ("in conflict", PALETTE["vermilion"], 1.4),
}

#: Half the width and half the height of a detail, in degrees.
_WIDE, _TALL = 32.0, 20.0


def draw_conflicts(name: str, edges: pl.DataFrame, label: str) -> Figure:
    """The whole map, and two details: the longest pair in conflict, and the box with the most pairs in conflict."""
    from matplotlib.figure import Figure as Drawing
    from matplotlib.lines import Line2D

    data = edges.select("learner", "gamma", "kind", "from_lat", "from_lon", "to_lat", "to_lon", "km")
    conflicts = data.filter(pl.col("kind") == "conflict").sort("km", descending=True)
    with style():
        drawing = Drawing(figsize=(9.2, 7.2 if len(conflicts) else 4.2))
        every = drawing.subplot_mosaic("WW;FN" if len(conflicts) else "WW")
        whole = every["W"]
        draw_boxes(whole, [(lat, shifted(lon)) for lat, lon in _ends(data)])
        lines = []
        for kind, (words, colour, width) in _KINDS.items():
            own = data.filter(pl.col("kind") == kind)
            draw_lines(whole, own, colour, width)
            lines.append(Line2D([], [], color=colour, linewidth=2 * width, label=f"{len(own)} pairs {words}"))
        frame(whole)
        whole.set_title(f"{label}, gamma = {edges['gamma'][0]:g}, before directions are propagated")
        drawing.legend(handles=lines, loc="outside lower center", ncols=3)
        if len(conflicts):
            longest = conflicts.row(0, named=True)
            turn = _turn(longest["from_lon"], longest["to_lon"])
            middle = (shifted(longest["from_lon"]) + turn / 2, (longest["from_lat"] + longest["to_lat"]) / 2)
            _draw_detail(every["F"], data, middle, max(_WIDE, abs(turn) / 2 + 10))
            every["F"].set_title(f"the longest pair in conflict: {longest['km']:.0f} km")
            (lat, lon), count = _busiest(conflicts)
            _draw_detail(every["N"], data, (shifted(lon), lat), _WIDE)
            every["N"].set_title(f"around the box with the most pairs in conflict: {count}")
    return Figure(name, drawing, data)


def _ends(pairs: pl.DataFrame) -> list[tuple[float, float]]:
    """Latitude and longitude of the boxes of these pairs, once for each pair."""
    return [*pairs.select("from_lat", "from_lon").iter_rows(), *pairs.select("to_lat", "to_lon").iter_rows()]


def _busiest(conflicts: pl.DataFrame) -> tuple[tuple[float, float], int]:
    place, count = max(Counter(_ends(conflicts)).items(), key=lambda item: (item[1], item[0]))
    return place, count


def _turn(start: float, end: float) -> float:
    """Degrees from one longitude to another, the short way: from -180 to 180."""
    return (end - start + 180) % 360 - 180


def _draw_detail(axes: Axes, pairs: pl.DataFrame, centre: tuple[float, float], wide: float) -> None:
    """Pairs with an end in the window: an arrow if directed, a line if not. Bent, since many lie along a latitude."""
    from matplotlib.patches import FancyArrowPatch

    tall = wide * _TALL / _WIDE
    x, y = centre[0], min(max(centre[1], tall - 90), 90 - tall)
    boxes = sorted({(lat, x + _turn(x, lon)) for lat, lon in _ends(pairs)})
    draw_boxes(axes, boxes)
    near = [(lon, lat) for lat, lon in boxes if abs(lon - x) <= wide and abs(lat - y) <= tall]
    axes.plot(*zip(*near, strict=True), "o", color="#666666", markersize=3)
    for level, (kind, (_, colour, width)) in enumerate(_KINDS.items()):
        own = pairs.filter(pl.col("kind") == kind)
        for lat1, lon1, lat2, lon2 in own.select("from_lat", "from_lon", "to_lat", "to_lon").iter_rows():
            start = (x + _turn(x, lon1), lat1)
            end = (start[0] + _turn(lon1, lon2), lat2)
            if any(abs(a - x) <= wide and abs(b - y) <= tall for a, b in (start, end)):
                arrow = FancyArrowPatch(
                    start,
                    end,
                    arrowstyle="-|>" if kind == "directed" else "-",
                    connectionstyle="arc3,rad=0.25",
                    mutation_scale=9,
                    color=colour,
                    linewidth=1.4 * width,
                    zorder=2 + level,
                )
                axes.add_patch(arrow)
    frame(axes)
    ticks = range(round((x - wide) / 20) * 20, round((x + wide) / 20) * 20 + 1, 20)
    axes.set_xticks(list(ticks), [longitude_text(tick) for tick in ticks])
    axes.set_xlim(x - wide, x + wide)
    axes.set_ylim(y - tall, y + tall)
