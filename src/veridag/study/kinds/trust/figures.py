"""The figures of a study of trust: reliability of the chances, and verdicts against outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import legend, line, panels

from .fitting import Judged
from .judging import LEVELS, WAYS, groups_of, judged_by_model, level_counts, said
from .tables import tables_of

BINS = 10
#: Bins with fewer chances are in the table, but not drawn.
LEAST_DRAWN = 10


def draw_all(rows: pl.DataFrame) -> Iterator[Figure]:
    """Reliability diagrams of edges and of directions, and the levels, for networks that nothing was fitted to."""
    judged = judged_by_model(tables_of(rows))
    if not judged:
        return
    for what in ("edges", "directions"):
        yield _reliability(judged, what)
    yield _levels(judged)


def _reliability(judged: Sequence[Judged], what: str) -> Figure:
    every = [(name, own) for name, own in groups_of(judged) if own]
    lines = []
    for name, own in every:
        for way in WAYS:
            found = said(own, way, what)
            which = np.minimum((found.chances * BINS).astype(int), BINS - 1)
            for k in range(BINS):
                inside = which == k
                if inside.any():
                    lines.append(
                        {
                            "tables": name,
                            "way": way,
                            "bin": k,
                            "pairs": int(inside.sum()),
                            "said": float(found.chances[inside].mean()),
                            "true": float(found.true[inside].mean()),
                            "error_from_0_3": found.error,
                            "brier": found.brier,
                        }
                    )
    table = pl.DataFrame(lines)
    with style():
        drawing, axes = panels([f"{name}, {len(own)} tables" for name, own in every], sharex=True, sharey=True)
        for ax, (name, _) in zip(axes, every, strict=True):
            ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
            for i, way in enumerate(WAYS):
                shown = table.filter(
                    (pl.col("tables") == name) & (pl.col("way") == way) & (pl.col("pairs") >= LEAST_DRAWN)
                )
                ax.plot(shown["said"].to_numpy(), shown["true"].to_numpy(), label=way, **line(i))
            ax.set_xlabel(f"stated chance of {what}")
            ax.set_ylabel("share that is true")
        legend(drawing, axes, "networks that the model was not fitted to", 3)
    return Figure(what, drawing, table)


def _levels(judged: Sequence[Judged]) -> Figure:
    every = [(name, level_counts(own)) for name, own in groups_of(judged) if own]
    table = pl.DataFrame(
        [
            {"tables": name, "level": level, "number": counts[level][0], "within_one": counts[level][1]}
            for name, counts in every
            for level in LEVELS
        ]
    )
    with style():
        drawing, (ax,) = panels(["recommended within one pair of the best compared"])
        for i, (name, counts) in enumerate(every):
            shares = [counts[level][1] / counts[level][0] if counts[level][0] else np.nan for level in LEVELS]
            ax.plot(range(len(LEVELS)), shares, label=name, **line(i))
        ax.set_xticks(range(len(LEVELS)), LEVELS)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("stated level")
        ax.set_ylabel("share of tables")
        legend(drawing, (ax,), "networks that the model was not fitted to", 3)
    return Figure("levels", drawing, table)
