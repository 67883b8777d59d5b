"""The figures of a study of learners: curves over the sample size, accuracy against speed, and the indegree priors.

Those with intervals over networks are in `comparison` and `predictions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from veridag.errors import suggest
from veridag.figures import draw_indegrees, style
from veridag.network import reference as networks
from veridag.study.kind import Figure, Settings, Spec, figure_name
from veridag.study.style import curve, legend, line, panels, repetitions, size_axis, summary

from .comparison import draw_differences
from .grid import Part
from .measures import NAMES, columns
from .predictions import draw_predictions
from .sources import is_random

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The types of figures, with the columns that each shows unless the study names others.
_TYPES = {
    "curves": ("shd",),
    "quadrants": ("scaled_shd",),
    "indegrees": (),
    "differences": ("scaled_shd",),
    "predictions": ("scaled_shd", "loglik"),
}
_SIZES = ("n", "relative")
_CALLS = ("calls", "calls_published")


@dataclass(frozen=True)
class _Wanted:
    """A table of the grid's `figures`, checked."""

    name: str
    type: str
    part: Part
    columns: tuple[str, ...]
    x: str
    labels: tuple[str, ...]
    networks: tuple[str, ...]
    baseline: str


def draw(spec: Spec, rows: pl.DataFrame, parts: Sequence[Part], key: Callable[[Settings], str]) -> Iterator[Figure]:
    """The figures that the grid asks for, of the cells that are done; without any, one of curves for each part.

    `key` tells the key of a cell from its settings.
    """
    for wanted in check(spec, parts):
        if wanted.type == "indegrees":
            drawing, points = draw_indegrees((32, 128), (5, None), 200)
            yield Figure(wanted.name, drawing, pl.DataFrame(points))
            continue
        found = _selected(rows, wanted, key)
        if found.is_empty():
            continue
        if wanted.type == "differences":
            yield draw_differences(wanted.name, found, wanted.columns[0], wanted.baseline)
        elif wanted.type == "predictions":
            yield draw_predictions(wanted.name, found, wanted.baseline)
        else:
            yield from _quadrants(found, wanted) if wanted.type == "quadrants" else _curves(found, wanted)


def check(spec: Spec, parts: Sequence[Part]) -> list[_Wanted]:
    """The figures that the grid asks for; raises `InputError` for what this study cannot draw."""
    given = spec.grid.get("figures", [{"name": part.name or spec.name, "part": part.name} for part in parts])
    if not isinstance(given, list) or not all(isinstance(table, Mapping) for table in given):
        raise spec.mistake("figures", given, "give tables, [[grid.figures]]")
    return [_wanted(spec, table, parts) for table in given]


def _wanted(spec: Spec, table: Mapping[str, Any], parts: Sequence[Part]) -> _Wanted:
    within = replace(spec, name=f"{spec.name}, figures", grid=table)
    within.allow("name", "type", "part", "columns", "x", "learners", "networks", "baseline")
    by_name = {part.name: part for part in parts}
    part = by_name[within.text("part", parts[0].name, among=tuple(by_name))]
    labels = tuple(learner.label for learner in part.learners)
    chosen = within.texts("learners", labels)
    for label in chosen:
        if label not in labels:
            raise within.mistake("learners", label, f"part {part.name!r} has {', '.join(labels)}")
    there = tuple(name for name in within.texts("networks", part.networks) if name in part.networks)
    if not there:
        raise within.mistake("networks", within.grid["networks"], f"the study has {', '.join(part.networks)}")
    what = within.text("type", "curves", among=tuple(_TYPES))
    default_x = "calls" if what == "quadrants" else "relative" if part.relative_sizes else "n"
    x = within.text("x", default_x, among=_CALLS if what == "quadrants" else _SIZES)
    if any(map(is_random, there)) and (what == "quadrants" or x == "relative"):
        remedy = "the parameters of random networks are not known before: draw curves over n, or differences"
        raise within.mistake("type" if what == "quadrants" else "x", what if what == "quadrants" else x, remedy)
    measured = columns(part.measures)
    shown = within.texts("columns", _shown(what, measured))
    needed = ("calls_published",) if x == "calls_published" else ()
    for column in (*shown, *needed, *_TYPES[what]) if what != "curves" else shown:
        if column not in measured:
            raise within.mistake("columns", column, f"it is not measured: {suggest(column, measured)}")
    baseline = within.text("baseline", chosen[0], among=chosen)
    return _Wanted(figure_name(within.text("name")), what, part, shown, x, chosen, there, baseline)


def _shown(what: str, measured: Sequence[str]) -> Sequence[str]:
    """The columns that a figure shows unless the study names others."""
    return (measured[0],) if what == "curves" and "shd" not in measured else _TYPES[what]


def _selected(rows: pl.DataFrame, wanted: _Wanted, key: Callable[[Settings], str]) -> pl.DataFrame:
    """The rows of a figure's part, with the labels of their learners and n / |Theta|."""
    part = wanted.part
    lines = [own for own in part.lines() if own.label in wanted.labels and own.settings["network"] in wanted.networks]
    about = pl.DataFrame(
        {
            "key": [key(own.settings) for own in lines],
            "label": [own.label for own in lines],
            "relative": [own.relative for own in lines],
        }
    )
    return about.join(rows, on="key", how="inner", maintain_order="left")


def _curves(rows: pl.DataFrame, wanted: _Wanted) -> Iterator[Figure]:
    """A panel for each network and measured column, a line for each learner."""
    there = [name for name in wanted.networks if name in rows["network"]]
    pairs = [(network, column) for network in there for column in wanted.columns]
    several = len(wanted.columns) > 1
    titles = [f"{network}: {NAMES.get(column, column)}" if several else network for network, column in pairs]
    tables = {column: summary(rows, ["network", "label", wanted.x], column) for column in wanted.columns}
    with style():
        drawing, every = panels(titles, len(wanted.columns) if several else 3)
        for axes, (network, column) in zip(every, pairs, strict=True):
            _draw_lines(axes, tables[column].filter(pl.col("network") == network), wanted)
            axes.set_ylabel(NAMES.get(column, column))
        legend(drawing, every, f"mean and standard error of {repetitions(tables[wanted.columns[0]])}", 3)
    measures = [table.with_columns(pl.lit(column).alias("measure")) for column, table in tables.items()]
    yield Figure(wanted.name, drawing, pl.concat(measures))


def _draw_lines(axes: Axes, table: pl.DataFrame, wanted: _Wanted) -> None:
    for i, label in enumerate(wanted.labels):
        own = table.filter(pl.col("label") == label)
        if not own.is_empty():
            curve(axes, own, wanted.x, label, i, 1.03 ** (i - len(wanted.labels) / 2))
    size_axis(axes, table[wanted.x], NAMES[wanted.x])


def _quadrants(rows: pl.DataFrame, wanted: _Wanted) -> Iterator[Figure]:
    """Scaled SHD against calls (Scutari, Graafland and Gutierrez 2019, figures 1 to 4).

    Small samples have n < |Theta|, large ones at least as many rows as parameters. The lines are at the means of all
    that is in a panel; below and to the left of both, learners are accurate and fast.
    """
    nodes = {name: networks.info(name).nodes for name in rows["network"].unique()}
    points = rows.filter(pl.col(wanted.x) > 0, pl.col("scaled_shd").is_not_null()).with_columns(
        log10_calls=pl.col(wanted.x).cast(pl.Float64).log10(),
        samples=pl.when(pl.col("relative") < 1).then(pl.lit("small")).otherwise(pl.lit("large")),
        nodes=pl.when(pl.col("network").replace_strict(nodes, return_dtype=pl.Int64) < 50)
        .then(pl.lit("below 50 nodes"))
        .otherwise(pl.lit("50 nodes and more")),
    )
    for samples in ("small", "large"):
        own = points.filter(pl.col("samples") == samples)
        for by, suffix in (("network", ""), ("nodes", "-by-nodes")):
            if not own.is_empty():
                yield _quadrant_figure(own, wanted, by, f"{wanted.name}-{samples}{suffix}")


def _quadrant_figure(points: pl.DataFrame, wanted: _Wanted, by: str, name: str) -> Figure:
    titles = [title for title in (*wanted.networks, "below 50 nodes", "50 nodes and more") if title in points[by]]
    accuracy = summary(points, [by, "label"], "scaled_shd").rename({"mean": "scaled_shd", "se": "scaled_shd_se"})
    speed = summary(points, [by, "label"], "log10_calls").rename({"mean": "log10_calls", "se": "log10_calls_se"})
    middle = points.group_by(by).agg(middle_shd=pl.col("scaled_shd").mean(), middle_calls=pl.col("log10_calls").mean())
    table = accuracy.join(speed.drop("repetitions"), on=[by, "label"]).join(middle, on=by).sort(by, "label")
    table = table.with_columns(quadrant=_quadrant())
    with style():
        drawing, every = panels(titles)
        for axes, title in zip(every, titles, strict=True):
            _draw_quadrants(axes, points.filter(pl.col(by) == title), table.filter(pl.col(by) == title), wanted)
        runs = repetitions(table).replace("repetitions", "runs, all sizes together,")
        legend(drawing, every, f"means of {runs} with standard errors; points are single runs")
    return Figure(name, drawing, table)


def _quadrant() -> pl.Expr:
    fast = pl.when(pl.col("log10_calls") <= pl.col("middle_calls")).then(pl.lit("fast")).otherwise(pl.lit("slow"))
    good = pl.col("scaled_shd") <= pl.col("middle_shd")
    return fast + pl.when(good).then(pl.lit(", accurate")).otherwise(pl.lit(", inaccurate"))


def _draw_quadrants(axes: Axes, points: pl.DataFrame, table: pl.DataFrame, wanted: _Wanted) -> None:
    for i, label in enumerate(wanted.labels):
        look = line(i) | {"linestyle": "none"}
        own, mean = points.filter(pl.col("label") == label), table.filter(pl.col("label") == label)
        if mean.is_empty():
            continue
        axes.plot(own["log10_calls"], own["scaled_shd"], alpha=0.25, markersize=2.5, markeredgewidth=0, **look)
        x, y = (mean[column].to_numpy() for column in ("log10_calls", "scaled_shd"))
        dx, dy = (mean[f"{column}_se"].fill_null(0.0).to_numpy() for column in ("log10_calls", "scaled_shd"))
        axes.errorbar(x, y, dy, dx, label=label, markersize=7, mec="white", **look)
    axes.axhline(table["middle_shd"][0], color="#888888", linewidth=0.8, linestyle="--")
    axes.axvline(table["middle_calls"][0], color="#888888", linewidth=0.8, linestyle="--")
    axes.set_xlabel("log10 of calls")
    axes.set_ylabel(NAMES["scaled_shd"])
