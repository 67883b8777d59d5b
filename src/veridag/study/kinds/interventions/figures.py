"""The figures of a study of interventions: arcs of the truth that are found, by what a learner knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from veridag.figures import PALETTE, style
from veridag.study.kind import Figure
from veridag.study.kinds._labels import short_labels
from veridag.study.style import panels

_PARTS = {"right": "green", "open": "sky", "wrong": "orange", "false": "vermilion"}
_MEANING = {"right": "right direction", "open": "no direction", "wrong": "wrong direction", "false": "not in the truth"}


def draw_all(rows: pl.DataFrame, learners: Sequence[str]) -> Iterator[Figure]:
    """A figure for each number of rows, with a panel for each data set: a bar for each learner and way of telling."""
    names = short_labels(learners)
    every = rows.with_columns(label=pl.col("learner").replace_strict(names, default=None))
    for n in sorted(every["n"].unique().to_list()):
        yield _bars(every.filter(pl.col("n") == n), "arcs" if n == 0 else f"arcs-{n}")


def _bars(rows: pl.DataFrame, name: str) -> Figure:
    by = ["source", "label", "given"]
    means = rows.group_by(by).agg(pl.col("rows", "arcs", *_PARTS).mean(), repetitions=pl.len()).sort(by)
    sources = means["source"].unique(maintain_order=True).to_list()
    with style():
        drawing, every = panels(sources, columns=2, width=4.2, height=3.0)
        for axes, source in zip(every, sources, strict=True):
            own = means.filter(pl.col("source") == source)
            labels = [f"{label}, {given}" for label, given in own.select("label", "given").iter_rows()]
            start = [0.0] * own.height
            for part, colour in _PARTS.items():
                values = own[part].to_list()
                axes.barh(labels, values, left=start, color=PALETTE[colour], label=_MEANING[part])
                start = [a + b for a, b in zip(start, values, strict=True)]
            axes.axvline(float(own["arcs"].to_list()[0]), color=PALETTE["black"], linewidth=0.8)
            axes.set_xlabel("arcs (the line: those of the truth)")
        handles, meanings = every[0].get_legend_handles_labels()
        drawing.legend(handles, meanings, loc="outside lower center", ncols=2)
    return Figure(name, drawing, means)
