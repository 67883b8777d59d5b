"""The figures of the climate study, after figures 5 to 8 of Scutari, Graafland and Gutierrez (2019)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from veridag.figures import PALETTE, style
from veridag.study.kind import Figure
from veridag.study.kinds._labels import short_labels
from veridag.study.style import curve, legend, line, panels, repetitions, summary

from .conflicts import draw_conflicts
from .maps import draw_arcs, draw_evidence, draw_field

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEASURES = {
    "calls_published": "(a) speed: calls of the criterion",
    "log_likelihood": "(b) log-likelihood (valid graphs)",
    "arcs": "(c) arcs",
    "relative_v_structures": "(d) relative v-structures (dashed: baseline)",
    "long_range_arcs": "(e) long-range arcs",
    "seconds": "(f) seconds",
}


def draw_all(rows: pl.DataFrame, learners: Sequence[str]) -> Iterator[Figure]:
    """All figures that there are rows for; those of each field have its name in front where there are several."""
    fields = rows.filter(pl.col("what") == "network")["data"].unique(maintain_order=True).to_list()
    for name in fields:
        own = rows.filter(pl.col("data") == name)
        boxes = own.filter(pl.col("what") == "network")["boxes"][0]
        baseline = _baseline(rows.filter(pl.col("boxes") == boxes))
        for figure in _draw_field(own, short_labels(learners), baseline):
            if len(fields) == 1:
                yield figure
                continue
            figure.drawing.suptitle(": ".join(filter(None, (name, figure.drawing.get_suptitle()))), fontsize=9)
            yield Figure(f"{name}-{figure.name}", figure.drawing, figure.data.with_columns(data=pl.lit(name)))


def _draw_field(rows: pl.DataFrame, labels: Mapping[str, str], baseline: pl.DataFrame) -> Iterator[Figure]:
    networks = rows.filter(pl.col("what") == "network")
    field = rows.filter(pl.col("what") == "map")
    if not field.is_empty():
        yield draw_field("map-field", field)
    yield _performance(networks, labels, baseline)
    yield _ranges(networks, labels)
    if not baseline.is_empty():
        yield _v_structures(networks, labels, baseline)
    for gamma in sorted(networks.filter(pl.col("map"))["gamma"].unique().to_list()):
        at = rows.filter((pl.col("gamma") == gamma) & pl.col("map"))
        arcs, boxes, edges = (at.filter(pl.col("what") == what) for what in ("arc", "box", "edge"))
        if not arcs.is_empty():
            yield draw_arcs(f"map-arcs-gamma-{gamma:g}", arcs, labels)
        if not boxes.is_empty():
            yield draw_evidence(f"map-evidence-gamma-{gamma:g}", boxes, labels)
        for spec, label in labels.items():
            own = edges.filter(pl.col("learner") == spec)
            if not own.is_empty():
                yield draw_conflicts(f"map-conflicts-{label}-gamma-{gamma:g}", own, label)


def _baseline(rows: pl.DataFrame) -> pl.DataFrame:
    part = rows.filter(pl.col("what") == "baseline")
    if part.is_empty():
        return part
    kept = part.filter(pl.col("share").is_not_null())
    return kept.select(pl.col("baseline_arcs").alias("arcs"), "share", "share_se", "draws").sort("arcs")


def _gamma_axis(axes: Axes) -> None:
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xticks([0, 0.5, 1, 2, 5, 10, 20, 50], ["0", "", "1", "2", "5", "10", "20", "50"])
    axes.minorticks_off()
    axes.set_xlim(-0.1, 60)
    axes.set_xlabel("gamma")


def _performance(networks: pl.DataFrame, labels: Mapping[str, str], baseline: pl.DataFrame) -> Figure:
    """Speed, fit, arcs and dependence structure over gamma (figure 7)."""
    tables = []
    with style():
        drawing, every = panels(list(_MEASURES.values()), columns=3, width=3.4, height=2.6)
        for axes, measure in zip(every, _MEASURES, strict=True):
            table = summary(networks, ["learner", "gamma"], measure)
            for i, (spec, label) in enumerate(labels.items()):
                curve(axes, table.filter(pl.col("learner") == spec), "gamma", label, i)
            if measure in ("calls_published", "arcs", "seconds", "long_range_arcs"):
                axes.set_yscale("symlog", linthresh=1.0 if measure != "seconds" else 0.01)
            if measure == "relative_v_structures":
                _draw_invalid(axes, networks, labels)
                tables.append(_draw_baseline(axes, networks, labels, baseline))
            _gamma_axis(axes)
            tables.append(table.with_columns(measure=pl.lit(measure)))
        data = pl.concat([table for table in tables if not table.is_empty()], how="diagonal")
        legend(drawing, every, f"{repetitions(data)} (permutations); grey rings: invalid on some", columns=6)
    return Figure("performance", drawing, data)


def _draw_invalid(axes: Axes, networks: pl.DataFrame, labels: Mapping[str, str]) -> None:
    """A ring round the means in which some graph stands for no DAG."""
    invalid = networks.group_by("learner", "gamma").agg(
        pl.col("relative_v_structures").mean(), all_valid=pl.col("valid").all()
    )
    part = invalid.filter(~pl.col("all_valid") & pl.col("learner").is_in(list(labels)))
    axes.plot(
        part["gamma"].to_numpy(), part["relative_v_structures"].to_numpy(), "o", mfc="none", mec="#777777", markersize=9
    )


def _draw_baseline(
    axes: Axes, networks: pl.DataFrame, labels: Mapping[str, str], baseline: pl.DataFrame
) -> pl.DataFrame:
    """What random DAGs with as many arcs have, between those that were drawn; nothing where there were none."""
    if len(baseline) < 2:
        return pl.DataFrame()
    table = summary(networks, ["learner", "gamma"], "arcs")
    x, y = baseline["arcs"].to_numpy(), baseline["share"].to_numpy()
    inside = table.filter(pl.col("mean").is_between(int(x.min()), int(x.max())))
    shares = np.interp(np.log(inside["mean"].to_numpy()), np.log(x), y)
    found = inside.with_columns(mean=pl.Series(shares, dtype=pl.Float64), se=pl.lit(None, dtype=pl.Float64))
    for i, spec in enumerate(labels):
        part = found.filter(pl.col("learner") == spec).sort("gamma")
        axes.plot(part["gamma"].to_numpy(), part["mean"].to_numpy(), "--", color=line(i)["color"], linewidth=0.9)
    return found.with_columns(measure=pl.lit("baseline_v_structures"))


def _ranges(networks: pl.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Each learner's parameter range: the gammas at which every permutation gave a valid graph."""
    table = (
        networks.group_by("learner", "gamma")
        .agg(valid=pl.col("valid").cast(pl.Float64).mean(), repetitions=pl.len())
        .sort("learner", "gamma")
    )
    whole = (
        table.filter(pl.col("valid") == 1.0)
        .group_by("learner")
        .agg(least=pl.col("gamma").min(), most=pl.col("gamma").max())
    )
    data = table.join(whole, on="learner", how="left")
    with style():
        drawing, [axes] = panels(["share of permutations with a valid graph"], columns=1, width=6.0, height=2.6)
        for i, spec in enumerate(labels):
            part = data.filter(pl.col("learner") == spec)
            look = {"color": line(i)["color"], "s": 70, "edgecolors": line(i)["color"]}
            for gamma, valid in part.select("gamma", "valid").iter_rows():
                colour = look["color"] if valid == 1 else "white" if valid == 0 else "#BBBBBB"
                axes.scatter([gamma], [i], s=70, color=colour, edgecolors=look["edgecolors"])
        axes.set_yticks(range(len(labels)), list(labels.values()))
        _gamma_axis(axes)
        axes.set_title(f"valid on all (full), some (grey), none (empty) of {repetitions(data)}")
    return Figure("parameter-range", drawing, data)


def _v_structures(networks: pl.DataFrame, labels: Mapping[str, str], baseline: pl.DataFrame) -> Figure:
    """Relative v-structures over the number of arcs, with the baseline and the paper's formula for it."""
    columns = ["learner", "gamma", "permutation", "valid", "arcs", "relative_v_structures", "formula_v_structures"]
    data = networks.select(columns).sort("learner", "gamma", "permutation")
    with style():
        drawing, [axes] = panels(
            ["unshielded v-structures over adjacent pairs of arcs"], columns=1, width=6.0, height=3.4
        )
        for i, (spec, label) in enumerate(labels.items()):
            part = data.filter(pl.col("learner") == spec)
            look = {**line(i), "linestyle": "none"}
            axes.plot(part["arcs"].to_numpy(), part["relative_v_structures"].to_numpy(), label=label, **look)
        axes.errorbar(
            baseline["arcs"].to_numpy(),
            baseline["share"].to_numpy(),
            baseline["share_se"].to_numpy(),
            color=PALETTE["black"],
            linestyle="--",
            capsize=2,
            label="uniform DAGs",
        )
        curve_of_formula = data.select("arcs", "formula_v_structures").unique().sort("arcs")
        axes.plot(*curve_of_formula.to_numpy().T, color="#777777", linestyle=":", label="1/4 - 2|A| / (N(N-1))")
        axes.set_xscale("log")
        axes.set_xlabel("arcs")
        legend(drawing, [axes], f"{baseline['draws'][0]} DAGs drawn for each number of arcs")
    return Figure("v-structures", drawing, pl.concat([data, baseline], how="diagonal"))
