"""The figures of a study of calibration: how many of those said to be p are true, and the errors of each way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from veridag.figures import style
from veridag.study.kind import Figure, Value
from veridag.study.kinds._labels import labelled
from veridag.study.style import legend, line, panels

from .counting import BINS, WHAT

#: Bins with fewer probabilities are in the table, but not drawn.
LEAST_DRAWN = 20

_SAID = {
    "edges": "stated probability of edges",
    "arcs": "stated probability of arcs",
    "directions": "stated probability of arcs",
    "compelled": "stated probability of a direction",
}
_TRUE = {"edges": "share that is true", "arcs": "share that is true"}
_IN_CLASS = "share that the true class has"


def draw_all(
    rows: pl.DataFrame, ways: Mapping[str, Mapping[str, Mapping[str, Value]]], drawn: Sequence[str]
) -> Iterator[Figure]:
    """For each kind of data, and what probabilities are of, a reliability diagram with a panel for each size.

    Only the ways of `drawn` have a line, or all if it is empty; the numbers are those of all ways.
    """
    for kind, own in ways.items():
        every = labelled(rows.filter(pl.col("data") == kind), own)
        for what in WHAT:
            shown = every.filter(pl.col("what") == what)
            if not shown.is_empty():
                yield _reliability(shown, what, what if len(ways) == 1 else f"{kind}-{what}", _lines(own, drawn))


def _lines(labels: Iterable[str], drawn: Sequence[str]) -> list[str]:
    return [label for label in labels if not drawn or label in drawn]


def errors(rows: pl.DataFrame) -> pl.DataFrame:
    """Of each way and size, the errors of its probabilities.

    `ece` is the expected calibration error, `ece_from_0_3` that of stated probabilities of 0.3 and more, and
    `brier` the Brier score. `said_high` is the mean of stated probabilities of 0.9 and more, and `true_high` how many
    are true.
    """
    bins = rows.group_by("n", "label", "bin").agg(pl.col("pairs", "said", "true", "squared").sum())
    off = (pl.col("said") - pl.col("true")).abs()
    named, high = pl.col("bin") >= 3, pl.col("bin") == BINS - 1
    return (
        bins.group_by("n", "label")
        .agg(
            ece=off.sum() / pl.col("pairs").sum(),
            ece_from_0_3=off.filter(named).sum() / pl.col("pairs").filter(named).sum(),
            brier=pl.col("squared").sum() / pl.col("pairs").sum(),
            said_high=pl.col("said").filter(high).sum() / pl.col("pairs").filter(high).sum(),
            true_high=pl.col("true").filter(high).sum() / pl.col("pairs").filter(high).sum(),
        )
        .sort("n", "label")
    )


def _reliability(rows: pl.DataFrame, what: str, name: str, labels: list[str]) -> Figure:
    bins = (
        rows.group_by("n", "label", "bin")
        .agg(pl.col("pairs", "said", "true").sum())
        .with_columns(mean_said=pl.col("said") / pl.col("pairs"), share_true=pl.col("true") / pl.col("pairs"))
        .sort("n", "label", "bin")
    )
    sizes = sorted(bins["n"].unique().to_list())
    with style():
        drawing, every = panels([f"{n} rows" for n in sizes], 2 if len(sizes) == 4 else 3, sharex=True, sharey=True)
        for axes, n in zip(every, sizes, strict=True):
            axes.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
            for i, label in enumerate(labels):
                own = bins.filter((pl.col("n") == n) & (pl.col("label") == label) & (pl.col("pairs") >= LEAST_DRAWN))
                if not own.is_empty():
                    axes.plot(own["mean_said"].to_numpy(), own["share_true"].to_numpy(), label=label, **line(i))
            axes.set_xlabel(_SAID[what])
            axes.set_ylabel(_TRUE.get(what, _IN_CLASS))
        legend(drawing, every, "all networks and samples together", 3)
    return Figure(name, drawing, bins.join(errors(rows), on=["n", "label"]))
