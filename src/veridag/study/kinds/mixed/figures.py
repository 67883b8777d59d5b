"""The figures of a study of mixed data: all learners side by side, and some of them over sizes or other settings.

The data of every figure has all measures, each with its standard error over samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from veridag.errors import InputError
from veridag.figures import style
from veridag.study.kind import Figure, Spec, Value, figure_name
from veridag.study.kinds._labels import labelled
from veridag.study.style import curve, legend, line, panels, repetitions, size_axis, summary

from .truths import MECHANISMS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The measures: of each row, and what axes call them.
_MEASURES = {
    "scaled_shd": (pl.col("shd") / pl.col("arcs"), "SHD / |A|"),
    "found": (pl.col("found") / pl.col("arcs"), "edges found / |A|"),
    "false": (pl.col("false") / pl.col("arcs"), "false edges / |A|"),
    "right": (pl.col("right") / pl.col("found"), "right directions / found"),
    "wrong": (pl.col("wrong") / pl.col("found"), "wrong directions / found"),
}
_AXES = {
    "n": "number of rows",
    "nodes": "number of variables",
    "continuous": "share of continuous variables",
    "strength": "strength of effects",
    "arcs_per_node": "arcs per variable",
}
_SAMPLE = ("mechanism", *_AXES, "repetition")


@dataclass(frozen=True)
class _Wanted:
    """A table of the grid's `figures`, checked."""

    name: str
    type: str
    labels: tuple[str, ...]
    measure: str
    over: tuple[str, ...]


def draw_all(spec: Spec, rows: pl.DataFrame, learners: Mapping[str, Mapping[str, Value]]) -> Iterator[Figure]:
    """The figures that the grid asks for; without any, one of all learners."""
    measured = _measured(rows, learners)
    for wanted in check(spec, tuple(learners)):
        own = measured.filter(pl.col("label").is_in(wanted.labels))
        if not own.is_empty():
            yield _side_by_side(own, wanted) if wanted.type == "learners" else _curves(_common(own), wanted)


def check(spec: Spec, labels: tuple[str, ...]) -> list[_Wanted]:
    """The figures that the grid asks for; raises `InputError` for what this study cannot draw."""
    given = spec.grid.get("figures", [{"name": spec.name, "type": "learners"}])
    if not isinstance(given, list) or not all(isinstance(table, Mapping) for table in given):
        raise spec.mistake("figures", given, "give tables, [[grid.figures]]")
    return [_wanted(replace(spec, name=f"{spec.name}, figures", grid=table), labels) for table in given]


def _wanted(table: Spec, labels: tuple[str, ...]) -> _Wanted:
    table.allow("name", "type", "learners", "measure", "over")
    chosen = table.texts("learners", labels)
    for label in chosen:
        if label not in labels:
            raise table.mistake("learners", label, f"the study has {', '.join(labels)}")
    over = table.texts("over", ["n"])
    for axis in over:
        if axis not in _AXES:
            raise table.mistake("over", axis, f"give some of {', '.join(_AXES)}")
    return _Wanted(
        figure_name(table.text("name")),
        table.text("type", "curves", among=("curves", "learners")),
        chosen,
        table.text("measure", "scaled_shd", among=tuple(_MEASURES)),
        over,
    )


def _measured(rows: pl.DataFrame, learners: Mapping[str, Mapping[str, Value]]) -> pl.DataFrame:
    """The rows with the labels of their learners, and the measures of each."""
    return labelled(rows, learners).with_columns(**{name: formula for name, (formula, _) in _MEASURES.items()})


def _common(rows: pl.DataFrame) -> pl.DataFrame:
    """The samples that all of these learners are done with, so that means are of the same ones."""
    learners = rows.group_by(_SAMPLE).agg(learners=pl.col("label").n_unique())
    return rows.join(learners.filter(pl.col("learners") == rows["label"].n_unique()).drop("learners"), on=list(_SAMPLE))


def _means(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """All measures of each group: means, standard errors, and the number of samples.

    Of gains it is the median, since a standard deviation estimated from few rows can cost hundreds of nats; `fitted` is
    the share of samples in which there is one.
    """
    gains = {"gain": pl.col("gain").median(), "fitted": pl.col("gain").is_not_null().mean()}
    table = rows.group_by(by).agg(repetitions=pl.len(), **gains)
    for name in _MEASURES:
        kept = rows.filter(pl.col(name).is_finite())
        own = summary(kept, by, name).drop("repetitions").rename({"mean": name, "se": f"{name}_se"})
        table = table.join(own, on=list(by), how="left")
    return table.sort(by)


def _side_by_side(rows: pl.DataFrame, wanted: _Wanted) -> Figure:
    """A line for each learner, a point for each sample size, a panel for each mechanism."""
    table = _means(rows, ["mechanism", "n", "label"])
    there = [mechanism for mechanism in MECHANISMS if mechanism in table["mechanism"]]
    labels = [label for label in wanted.labels if label in table["label"]][::-1]
    with style():
        drawing, every = panels(
            [mechanism.replace("-", "\n") for mechanism in there],
            len(there),
            2.4,
            max(2.4, 0.22 * len(labels)),
            sharey=True,
        )
        for axes, mechanism in zip(every, there, strict=True):
            for i, n in enumerate(sorted(table["n"].unique().to_list())):
                points = table.filter((pl.col("mechanism") == mechanism) & (pl.col("n") == n))
                places = [labels.index(label) for label in points["label"]]
                errors = points[f"{wanted.measure}_se"].fill_null(0.0).to_numpy()
                look = line(i) | {"linestyle": "none"}
                axes.errorbar(points[wanted.measure].to_numpy(), places, xerr=errors, label=f"{n} rows", **look)
            axes.set_xlabel(_MEASURES[wanted.measure][1])
            axes.set_yticks(range(len(labels)), labels)
            axes.set_xlim(left=0)
        legend(drawing, every, f"mean and standard error over {_samples(table)}")
    return Figure(wanted.name, drawing, table)


def _curves(rows: pl.DataFrame, wanted: _Wanted) -> Figure:
    """A line for each learner; a panel for each mechanism and each axis on which there is something to see."""
    shown: list[tuple[str, str, pl.DataFrame]] = []
    for mechanism in MECHANISMS:
        own = rows.filter(pl.col("mechanism") == mechanism)
        varied = [axis for axis in wanted.over if not own.is_empty() and own[axis].n_unique() > 1]
        shown += [(mechanism, axis, _means(own, [axis, "label"])) for axis in varied]
    if not shown:
        raise InputError(f"figure {wanted.name!r}: {', '.join(wanted.over)} has only one value: give others in over")
    with style():
        drawing, every = panels([mechanism for mechanism, _, _ in shown])
        for axes, (_, axis, table) in zip(every, shown, strict=True):
            _draw_lines(axes, table, axis, wanted)
        note = _samples(pl.concat([table.select("repetitions") for _, _, table in shown]))
        legend(drawing, every, f"mean and standard error over {note}", min(3, len(shown)))
    tables = [
        table.rename({axis: "value"}).select(
            pl.lit(mechanism).alias("mechanism"),
            pl.lit(axis).alias("over"),
            pl.col("value").cast(pl.Float64),
            pl.exclude("value"),
        )
        for mechanism, axis, table in shown
    ]
    return Figure(wanted.name, drawing, pl.concat(tables))


def _draw_lines(axes: Axes, table: pl.DataFrame, axis: str, wanted: _Wanted) -> None:
    measure = wanted.measure
    plotted = table.select(axis, "label", mean=measure, se=f"{measure}_se")
    for i, label in enumerate(wanted.labels):
        own = plotted.filter((pl.col("label") == label) & pl.col("mean").is_not_null())
        if not own.is_empty():
            curve(axes, own, axis, label, i, 1.02 ** (i - len(wanted.labels) / 2))
    size_axis(axes, table[axis], _AXES[axis])
    axes.set_ylabel(_MEASURES[measure][1])


def _samples(table: pl.DataFrame) -> str:
    return repetitions(table).replace("repetitions", "samples of random truths")
