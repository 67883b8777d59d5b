"""Agreement graphs next to the true one, as figure 12 of Viinikka (2019) has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from veridag.figures import PALETTE, style
from veridag.graph import PDAG, PartialGraph
from veridag.graph.drawing import layered
from veridag.network.reference import load
from veridag.study.kind import Figure
from veridag.study.style import legend, panels

from .measures import SOURCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point = tuple[float, float]


class _Pair(NamedTuple):
    """How a graph joins two variables, and how the true one does; both as `PartialGraph.pair` has it."""

    a: str
    b: str
    agreed: str
    true: str


#: How the lines look, by what they stand for.
_LOOKS: dict[str, dict[str, Any]] = {
    "as in the true graph": {"color": PALETTE["black"], "linewidth": 1.2},
    "spurious or misoriented": {"color": PALETTE["vermilion"], "linewidth": 1.6},
    "missing": {"color": PALETTE["orange"], "linewidth": 1.4, "linestyle": "-."},
    "no agreement": {"color": "#9aa3ad", "linewidth": 0.7, "linestyle": (0, (3, 2))},
}


def agreement_graphs(rows: pl.DataFrame) -> Iterator[Figure]:
    """For each network the true CPDAG, and the agreement graphs at three intersection points, of the first data sets.

    The points are the middle one and the last two: 800, 6400 and 12 800 in the thesis.
    """
    if "graph" not in rows.columns:
        return
    kept = rows.filter((pl.col("what") == "agreement") & (pl.col("repetition") == 0)).sort([*SOURCE, "point"])
    for (source, score), part in kept.group_by(SOURCE, maintain_order=True):
        graphs = dict(part.select("point", "graph").rows())
        points = list(graphs)
        shown = sorted({points[len(points) // 2], *points[-2:]})
        agreements = {point: PartialGraph.from_dot(graphs[point]) for point in shown if graphs[point] is not None}
        if agreements:
            title = f"{source}, {score}" if score else str(source)
            name = "-".join(filter(None, ("graphs", source, score)))
            yield _figure(name, title, load(source).dag.cpdag(), agreements)


def _figure(name: str, title: str, truth: PDAG, agreements: dict[int, PartialGraph]) -> Figure:
    whole = PartialGraph.from_graph(truth)
    tables = [(None, _pairs(whole, whole)), *((point, _pairs(graph, whole)) for point, graph in agreements.items())]
    places = _circle(truth)
    with style():
        titles = [f"{title}: the true CPDAG", *(f"agreement of {point} rows" for point in agreements)]
        drawing, every = panels(titles, columns=2, width=4.4, height=4.2)
        for axes, (_, pairs) in zip(every, tables, strict=True):
            _draw(axes, places, pairs)
        legend(drawing, every, "first repetition; arrows are directed edges")
    lines = [{"point": point, **pair._asdict()} for point, pairs in tables for pair in pairs]
    return Figure(name, drawing, pl.DataFrame(lines, schema_overrides={"point": pl.Int64}, infer_schema_length=None))


def _pairs(graph: PartialGraph, truth: PartialGraph) -> list[_Pair]:
    """The pairs that are joined in either graph, or not agreed on."""
    every = (_Pair(a, b, graph.pair(a, b), truth.pair(a, b)) for a, b in combinations(truth.names, 2))
    return [pair for pair in every if not pair.agreed == pair.true == "none"]


def _circle(graph: PDAG) -> dict[str, Point]:
    """Places on a circle, where no line crosses a third node, in their order around the middle of a layered drawing."""
    at = {name: i for i, name in enumerate(graph.names)}
    arcs, edges = ([(at[a], at[b]) for a, b in pairs] for pairs in (graph.arcs, graph.edges))
    centres = np.array(layered([(1.0, 1.0)] * len(at), arcs, edges).centres)
    x, y = (centres - centres.mean(axis=0)).T
    turns = 2 * np.pi * np.arange(len(at)) / len(at)
    order = np.argsort(np.arctan2(y / y.std() if y.std() > 0 else y, x / x.std() if x.std() > 0 else x), kind="stable")
    return {graph.names[v]: (float(np.cos(turn)), float(np.sin(turn))) for v, turn in zip(order, turns, strict=True)}


def _look_of(pair: _Pair) -> str:
    if pair.agreed == "undetermined":
        return "no agreement"
    if pair.agreed == "none":
        return "missing"
    return "as in the true graph" if pair.agreed == pair.true else "spurious or misoriented"


def _draw(axes: Axes, places: dict[str, Point], pairs: Sequence[_Pair]) -> None:
    for look, how in reversed(_LOOKS.items()):  # what is not agreed on lies below
        own = [pair for pair in pairs if _look_of(pair) == look]
        for pair in own:
            _line(axes, places[pair.a], places[pair.b], pair.agreed, how)
        if own:
            axes.plot([], [], label=look, **how)
    for name, (x, y) in places.items():
        axes.plot(x, y, "o", color=PALETTE["blue"], markersize=4)
        turn = np.degrees(np.arctan2(y, x))
        left = abs(turn) > 90
        axes.text(
            1.06 * x,
            1.06 * y,
            name,
            fontsize=6,
            rotation=turn + 180 if left else turn,
            rotation_mode="anchor",
            ha="right" if left else "left",
            va="center",
        )
    axes.set_xlim(-1.4, 1.4)
    axes.set_ylim(-1.4, 1.4)
    axes.set_aspect("equal")
    axes.axis("off")


def _line(axes: Axes, a: Point, b: Point, kind: str, how: Mapping[str, Any]) -> None:
    """A curve that bends towards the middle, so that lines between neighbours on the circle do not run into others."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    start, end = (np.array(b), np.array(a)) if kind == "backward" else (np.array(a), np.array(b))
    bend = 0.36 * (start + end)
    curve = Path([tuple(start), tuple(bend), tuple(end)], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
    axes.add_patch(PathPatch(curve, fill=False, zorder=1, **how))
    if kind in ("forward", "backward"):
        back = (end - bend) / np.linalg.norm(end - bend)
        head = {"arrowstyle": "-|>,head_width=0.25,head_length=0.5", "color": how["color"], "shrinkB": 2.5}
        axes.annotate("", tuple(end), tuple(end - 0.1 * back), arrowprops={**head, "linewidth": 0.5})
