"""The figures of a study of calibration: how many of those said to be p are true, and the errors of each way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from veridag.figures import style
from veridag.study.kind import Figure, Value
from veridag.study.kinds._labels import labelled
from veridag.study.style import legend, line, panels

#: Bins with fewer probabilities are in the table, but not drawn.
LEAST_DRAWN = 20


def draw_all(rows: pl.DataFrame, ways: Mapping[str, Mapping[str, Value]]) -> Iterator[Figure]:
    """For edges and for arcs a reliability diagram, with a panel for each sample size."""
    every = labelled(rows, ways)
    for what in ("edges", "arcs"):
        own = every.filter(pl.col("what") == what)
        if not own.is_empty():
            yield _reliability(own, what, list(ways))


def errors(rows: pl.DataFrame) -> pl.DataFrame:
    """Of each way and size: expected calibration error, that of what is said to be 0.3 and more, and Brier score."""
    bins = rows.group_by("n", "label", "bin").agg(pl.col("pairs", "said", "true", "squared").sum())
    off = (pl.col("said") - pl.col("true")).abs()
    named = pl.col("bin") >= 3
    return (
        bins.group_by("n", "label")
        .agg(
            ece=off.sum() / pl.col("pairs").sum(),
            ece_from_0_3=off.filter(named).sum() / pl.col("pairs").filter(named).sum(),
            brier=pl.col("squared").sum() / pl.col("pairs").sum(),
        )
        .sort("n", "label")
    )


def _reliability(rows: pl.DataFrame, what: str, labels: list[str]) -> Figure:
    bins = (
        rows.group_by("n", "label", "bin")
        .agg(pl.col("pairs", "said", "true").sum())
        .with_columns(mean_said=pl.col("said") / pl.col("pairs"), share_true=pl.col("true") / pl.col("pairs"))
        .sort("n", "label", "bin")
    )
    sizes = sorted(bins["n"].unique().to_list())
    with style():
        drawing, every = panels([f"{n} rows" for n in sizes], sharex=True, sharey=True)
        for axes, n in zip(every, sizes, strict=True):
            axes.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
            for i, label in enumerate(labels):
                own = bins.filter((pl.col("n") == n) & (pl.col("label") == label) & (pl.col("pairs") >= LEAST_DRAWN))
                if not own.is_empty():
                    axes.plot(own["mean_said"].to_numpy(), own["share_true"].to_numpy(), label=label, **line(i))
            axes.set_xlabel(f"probability said of {what}")
            axes.set_ylabel("share that is true")
        legend(drawing, every, "all networks and samples together", 3)
    return Figure(what, drawing, bins.join(errors(rows), on=["n", "label"]))
