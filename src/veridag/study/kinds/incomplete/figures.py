"""The figures of a study of incomplete data: the distance to the truth over the share of values that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from veridag.figures import style
from veridag.study.kind import Figure, Value
from veridag.study.kinds._labels import labelled
from veridag.study.style import curve, legend, panels, repetitions, summary


def draw_all(rows: pl.DataFrame, learners: Mapping[str, Mapping[str, Value]]) -> Iterator[Figure]:
    """A figure for each mechanism and size: a panel for each network, a line for each learner."""
    every = labelled(rows, learners).with_columns(
        scaled_shd=pl.col("shd") / pl.col("arcs"),
        found_share=pl.col("found") / pl.col("arcs"),
        false_share=pl.col("false") / pl.col("arcs"),
    )
    for mechanism in sorted(every["mechanism"].unique().to_list()):
        for n in sorted(every["n"].unique().to_list()):
            own = every.filter((pl.col("mechanism") == mechanism) & (pl.col("n") == n))
            if not own.is_empty():
                yield _over_shares(own, f"{mechanism}-{n}", list(learners))


def _over_shares(rows: pl.DataFrame, name: str, labels: list[str]) -> Figure:
    by = ["network", "share", "label"]
    means = summary(rows, by, "scaled_shd")
    rest = rows.group_by(by).agg(pl.col("shd", "found_share", "false_share", "rows", "seconds_learning").mean())
    there = list(dict.fromkeys(rows["network"].to_list()))
    with style():
        drawing, every = panels(there)
        for axes, network in zip(every, there, strict=True):
            own = means.filter(pl.col("network") == network)
            for i, label in enumerate(labels):
                line = own.filter(pl.col("label") == label)
                if not line.is_empty():
                    curve(axes, line, "share", label, i)
            axes.set_xlabel("share of values missing")
            axes.set_ylabel("SHD / |A|")
            axes.set_ylim(bottom=0)
        legend(drawing, every, f"mean and standard error over {repetitions(means)}", 3)
    return Figure(name, drawing, means.join(rest, on=by).sort(by))
