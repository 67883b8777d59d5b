"""The figures of the study of related data sets, after those of Azzimonti, Corani and Scutari (2020).

Boxes are of sets of parameters, each the mean of its samples: the middle half, the median, and whiskers from the 5th to
the 95th percentile. The mean in each box has a standard error over sets of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from veridag.figures import PALETTE, style
from veridag.study.kind import Figure
from veridag.study.kinds._labels import short_labels
from veridag.study.style import curve, legend, line, panels, repetitions, size_axis, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What the figures of errors show: of arcs in the CPDAG, and of joined pairs.
_ERRORS = {
    "tp": "TP, arcs",
    "fp": "FP, arcs",
    "fn": "FN, arcs",
    "joined_tp": "TP, joined pairs",
    "joined_fp": "FP, joined pairs",
    "joined_fn": "FN, joined pairs",
}
#: The kinds of parameters, in the paper's order.
_KINDS = ("hier", "iid", "id")
_SCENARIOS = {"a": "(a) one structure", "b": "(b) some data sets lack arcs"}
_AXES = {
    "nodes": "number of variables N",
    "groups": "number of data sets |F|",
    "states": "number of states",
    "arcs_per_node": "arcs per variable c",
    "changed_groups": "data sets that lack arcs N_F",
    "removed_arcs": "arcs that they lack N_A",
    "rows": "rows of a data set n_f",
}
_NOTE = "boxes: quartiles; whiskers: 5 % and 95 %; points: means and standard errors; all of {}"
#: What is counted, and whether more of it is better.
_MEASURES = {"shd": -1, "tp": 1, "fp": -1, "fn": -1, "joined_tp": 1, "joined_fp": -1, "joined_fn": -1}


def draw_all(rows: pl.DataFrame, learners: Sequence[str], baseline: str, ess: float) -> Iterator[Figure]:
    """All figures that there are rows for; all except the last have only the first equivalent sample size.

    They leave out other learners, and what was drawn from the other reading of the paper's Dirichlet distribution,
    ``iid = "cells"``.
    """
    rows = rows.filter(pl.col("learners") == "; ".join(learners))
    labels = short_labels(learners)
    name = labels[baseline]
    rows = means(rows.filter(pl.col("iid").is_null()) if "iid" in rows.columns else rows, list(labels.values()), name)
    main = rows.filter(pl.col("ess") == ess)
    gained = main.filter(pl.col("learner") != name)
    if not gained.is_empty():
        yield _by_parameters("scenarios", gained, [("shd", s) for s in _there(gained, "scenario")], name)
    for scenario, axes in {"a": ("nodes", "groups", "states", "arcs_per_node", "rows"), "b": tuple(_AXES)}.items():
        part = gained.filter(pl.col("scenario") == scenario)
        if part.is_empty():
            continue
        yield _by_axes(f"scenario-{scenario}", part, [a for a in axes if part[a].n_unique() > 1] or ["rows"], name)
        yield _by_parameters(f"errors-{scenario}", part, [(m, scenario) for m in _ERRORS], name)
    yield _distances(main)
    every_ess = with_every_ess(rows)
    if rows["ess"].n_unique() > 1 and not every_ess.is_empty():
        yield _by_ess(every_ess)


def means(rows: pl.DataFrame, labels: Sequence[str], baseline: str) -> pl.DataFrame:
    """A line for each row and learner: means over the samples, and how much better each is than the baseline's.

    `fn` are the arcs that were not found. `joined_tp`, `joined_fp` and `joined_fn` count joined pairs, whatever the
    direction: pairs that the truth does not join are in `shd` and not in `fn`, and all others in `fp` are joined in
    both graphs. All gains are positive where the learner is better than the baseline on the same samples, as in the
    paper.
    """
    sizes = rows.select("arcs_per_node", "nodes").unique()
    sizes = sizes.with_columns(arcs=pl.Series([round(c * n) for c, n in sizes.iter_rows()]))
    rows = rows.join(sizes, on=["arcs_per_node", "nodes"], maintain_order="left")
    counts = {label: _counts(label) for label in labels}
    return pl.concat(
        rows.with_columns(
            **counts[label],
            **{f"{name}_gain": s * (counts[label][name] - counts[baseline][name]) for name, s in _MEASURES.items()},
            learner=pl.lit(label),
        )
        for label in labels
    )


def _counts(label: str) -> dict[str, pl.Expr]:
    """Everything that is counted of a learner, as means over the samples."""
    shd, tp, fp = (pl.col(f"{measure}_{label}") / pl.col("samples") for measure in ("shd", "tp", "fp"))
    fn = pl.col("arcs") - tp
    joined_fp = shd - fn
    joined_tp = tp + fp - joined_fp
    joined = {"joined_tp": joined_tp, "joined_fp": joined_fp, "joined_fn": pl.col("arcs") - joined_tp}
    return {"shd": shd, "tp": tp, "fp": fp, "fn": fn, **joined}


def _there(rows: pl.DataFrame, column: str) -> list[str]:
    return sorted(rows[column].unique().to_list())


def _cell_columns(rows: pl.DataFrame) -> list[str]:
    """What tells sets of parameters apart."""
    wanted = ("scenario", "parameters", "structure", "parameter_set", "ess", *_AXES)
    return [column for column in wanted if column in rows.columns]


def _boxes(rows: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """The numbers of boxes: quartiles and percentiles, mean and standard error over sets of parameters."""
    quantiles = {f"q{round(100 * q):02}": pl.col(value).quantile(q, "linear") for q in (0.05, 0.25, 0.5, 0.75, 0.95)}
    return summary(rows, by, value).join(rows.group_by(list(by)).agg(**quantiles), on=list(by)).sort(list(by))


def _by_parameters(figure: str, rows: pl.DataFrame, shown: Sequence[tuple[str, str]], baseline: str) -> Figure:
    """Boxes by kind of parameters: one panel for each measure and scenario."""
    tables = []
    with style():
        titles = [f"{_ERRORS.get(measure, 'SHD')}, {_SCENARIOS[scenario]}" for measure, scenario in shown]
        drawing, every = panels(titles, columns=3, width=3.2, height=2.7)
        for axes, (measure, scenario) in zip(every, shown, strict=True):
            part = rows.filter(pl.col("scenario") == scenario)
            table = _boxes(part, ["scenario", "parameters", "learner"], f"{measure}_gain")
            _draw_boxes(axes, table, "parameters", [kind for kind in _KINDS if kind in table["parameters"]])
            axes.set_ylabel(f"gain over {baseline}")
            tables.append(table.with_columns(measure=pl.lit(measure)))
        data = pl.concat(tables)
        legend(drawing, every, _NOTE.format(repetitions(data).replace("repetitions", "sets of parameters")))
    return Figure(figure, drawing, data)


def _by_axes(figure: str, rows: pl.DataFrame, axes_shown: Sequence[str], baseline: str) -> Figure:
    """Boxes of the gain in SHD, one row of panels for each varied quantity, one column for each kind of parameters."""
    kinds = [kind for kind in _KINDS if kind in rows["parameters"]]
    shown = list(product(axes_shown, kinds))
    tables = []
    with style():
        drawing, every = panels([kind for _, kind in shown], columns=len(kinds), width=3.2, height=2.3)
        for axes, (quantity, kind) in zip(every, shown, strict=True):
            part = rows.filter(pl.col("parameters") == kind)
            table = _boxes(part, ["parameters", quantity, "learner"], "shd_gain")
            _draw_boxes(axes, table, quantity, sorted(table[quantity].unique().to_list()))
            axes.set_xlabel(_AXES[quantity])
            axes.set_ylabel(f"SHD gain over {baseline}")
            at = pl.col(quantity).cast(pl.Float64)
            tables.append(table.with_columns(quantity=pl.lit(quantity), at=at).drop(quantity))
        data = pl.concat(tables)
        legend(drawing, every, _NOTE.format(repetitions(data).replace("repetitions", "sets of parameters")))
    return Figure(figure, drawing, data)


def _draw_boxes(axes: Axes, table: pl.DataFrame, by: str, values: Sequence[object]) -> None:
    """Boxes side by side for the learners, at each of the values."""
    learners = sorted(table["learner"].unique().to_list())
    width = 0.8 / len(learners)
    for i, learner in enumerate(learners):
        look = line(i)
        for place, value in enumerate(values):
            found = table.filter((pl.col("learner") == learner) & (pl.col(by) == value)).to_dicts()
            if not found:
                continue
            box, at = found[0], place + (i - (len(learners) - 1) / 2) * width
            stats = {"whislo": box["q05"], "q1": box["q25"], "med": box["q50"], "q3": box["q75"], "whishi": box["q95"]}
            axes.bxp(
                [stats],
                positions=[at],
                widths=[0.8 * width],
                showfliers=False,
                manage_ticks=False,
                boxprops={"color": look["color"]},
                medianprops={"color": look["color"]},
                whiskerprops={"color": look["color"]},
                capprops={"color": look["color"]},
            )
            mark = {"color": look["color"], "marker": look["marker"], "linestyle": "none"}
            axes.errorbar([at], [box["mean"]], [box["se"] or 0.0], capsize=2, label=learner, **mark)
    axes.axhline(0.0, color=PALETTE["black"], linewidth=0.8)
    axes.set_xticks(range(len(values)), [f"{value:g}" if isinstance(value, float) else str(value) for value in values])


def _distances(rows: pl.DataFrame) -> Figure:
    """The mean SHD of every learner over n_f."""
    return _mean_shd("distances", rows, "rows", lambda axes, table: size_axis(axes, table["rows"], _AXES["rows"]))


def with_every_ess(rows: pl.DataFrame) -> pl.DataFrame:
    """What was run with every equivalent sample size, so that these are compared on the same sets of parameters."""
    keys = [column for column in _cell_columns(rows) if column != "ess"]
    number = rows.group_by(keys).agg(sizes=pl.col("ess").n_unique())
    return rows.join(number.filter(pl.col("sizes") == rows["ess"].n_unique()), on=keys)


def _by_ess(rows: pl.DataFrame) -> Figure:
    """The mean SHD over the imaginary sample size."""
    return _mean_shd("imaginary-sample-size", rows, "ess", lambda axes, _: axes.set_xlabel("equivalent sample size s"))


def _mean_shd(name: str, rows: pl.DataFrame, x: str, label: Callable[[Axes, pl.DataFrame], object]) -> Figure:
    """The mean SHD of every learner over a column, a panel for each scenario and kind of parameters."""
    table = summary(rows, ["scenario", "parameters", "learner", x], "shd")
    shown = [(s, k) for s in _there(table, "scenario") for k in _KINDS if k in table["parameters"]]
    learners = sorted(table["learner"].unique().to_list())
    with style():
        drawing, every = panels([f"{kind}, {_SCENARIOS[s]}" for s, kind in shown], columns=3, width=3.0, sharex=True)
        for axes, (scenario, kind) in zip(every, shown, strict=True):
            part = table.filter((pl.col("scenario") == scenario) & (pl.col("parameters") == kind))
            for i, learner in enumerate(learners):
                curve(axes, part.filter(pl.col("learner") == learner), x, learner, i)
            label(axes, part)
            axes.set_ylabel("mean SHD")
        legend(drawing, every, repetitions(table).replace("repetitions", "sets of parameters"))
    return Figure(name, drawing, table)
