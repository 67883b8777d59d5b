"""Tables of the study of intersection-validation, drawn as shaded grids of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.kinds._labels import short_labels
from veridag.study.style import panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def power_table(name: str, data: pl.DataFrame) -> Figure:
    """The correlation of the agreement graph's size with Pearson's, a row a source and a column a size (table 2).

    The data has every predictor and outcome.
    """
    shown = data.filter((pl.col("predictor") == "agreement_size") & (pl.col("outcome") == "pearson"))
    sources = list(dict.fromkeys(shown.select("source", "score").rows()))
    sizes = sorted(shown["size"].unique().to_list())
    values = np.full((len(sources), len(sizes)), np.nan)
    for row in shown.iter_rows(named=True):
        if row["correlation"] is not None:
            values[sources.index((row["source"], row["score"])), sizes.index(row["size"])] = row["correlation"]
    with style():
        title = "correlation of the agreement graph's size with that of SHD and PHD, by rows"
        drawing, [axes] = panels([title], columns=1, width=0.9 * len(sizes) + 1.5, height=0.5 * len(sources) + 0.8)
        _shade(axes, values, [" ".join(filter(None, source)) for source in sources], [str(s) for s in sizes], -1.0)
    return Figure(name, drawing, data)


def table_of_pairs(name: str, data: pl.DataFrame) -> Figure:
    """Above the diagonal by the means, below with overlapping standard errors counted as alike (table 3)."""
    specs = sorted({*data["learner"].to_list(), *data["other"].to_list()})
    labels = short_labels(specs)
    values = np.full((len(specs), len(specs)), np.nan)
    for row in data.iter_rows(named=True):
        i, j = sorted((specs.index(row["learner"]), specs.index(row["other"])))
        values[i, j], values[j, i] = row["alike"], row["alike_or_close"]
    with style():
        title = "share ranked alike: above the diagonal by means, below if not apart"
        drawing, [axes] = panels([title], columns=1, width=1.1 * len(specs) + 1.0, height=0.6 * len(specs) + 0.8)
        _shade(axes, values, _in_order(labels, specs), _in_order(labels, specs), 0.5)
    return Figure(name, drawing, data)


def _in_order(labels: Mapping[str, str], specs: Sequence[str]) -> list[str]:
    return [labels[spec] for spec in specs]


def _shade(axes: Axes, values: Floats, rows: Sequence[str], columns: Sequence[str], least: float) -> None:
    """Numbers on shades from light to dark; what is not known stays white."""
    axes.imshow(values, cmap="Blues", vmin=least, vmax=1.4, aspect="auto")
    axes.grid(visible=False)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            axes.text(j, i, f"{value:.3f}", ha="center", va="center", fontsize=8)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
