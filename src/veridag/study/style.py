"""The figures of studies: panels, curves with error bars, and the numbers behind them, in the style of `figures`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from veridag.figures import PALETTE, save, style
from veridag.files.writing import write_text

from .kind import Figure
from .tables import spreadsheet_csv

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure as Drawing

_COLOURS = ("blue", "vermilion", "green", "orange", "purple", "sky", "black")
_MARKERS = "osD^vPX<>"
_DASHES = ("-", "--", ":", "-.")


def line(i: int) -> dict[str, Any]:
    """Colour, marker and dash of the i-th thing shown; no two of the first 63 look alike, even without colour."""
    return {
        "color": PALETTE[_COLOURS[i % len(_COLOURS)]],
        "marker": _MARKERS[i % len(_MARKERS)],
        "linestyle": _DASHES[i // len(_COLOURS) % len(_DASHES)],
    }


def summary(rows: pl.DataFrame, by: Sequence[str], value: str) -> pl.DataFrame:
    """The columns `by`, with mean, se (standard error) and repetitions (number) of the values of each group, sorted.

    The standard error of the mean of n values is sqrt(sum (d - mean)^2 / (n - 1)) / sqrt(n); null of a single one.
    """
    kept = rows.filter(pl.col(value).is_not_null())
    error = pl.col(value).std(ddof=1) / pl.len().sqrt()
    return kept.group_by(list(by)).agg(mean=pl.col(value).mean(), se=error, repetitions=pl.len()).sort(list(by))


def panels(
    titles: Sequence[str],
    columns: int = 3,
    width: float = 2.9,
    height: float = 2.4,
    *,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Drawing, list[Axes]]:
    """A drawing with one panel a title, in rows of one length. Call it inside ``with veridag.figures.style():``."""
    from matplotlib.figure import Figure as Drawing

    down = max(1, math.ceil(len(titles) / columns))
    across = max(1, math.ceil(len(titles) / down))
    drawing = Drawing(figsize=(max(4.2, width * across), 0.8 + height * down))
    every = list(drawing.subplots(down, across, squeeze=False, sharex=sharex, sharey=sharey).flat)
    for axes in every[len(titles) :]:
        axes.remove()
    for axes, title in zip(every, titles, strict=False):
        axes.set_title(title)
    return drawing, every[: len(titles)]


def curve(axes: Axes, table: pl.DataFrame, x: str, label: str, i: int, stretch: float = 1.0) -> ErrorbarContainer:
    """One line of a `summary` with its standard errors, in the look of the i-th.

    On a logarithmic axis, x times a `stretch` near 1 keeps the error bars of several lines apart.
    """
    ordered = table.sort(x)
    errors = ordered["se"].fill_null(0.0).fill_nan(0.0).to_numpy()
    return axes.errorbar(
        stretch * ordered[x].to_numpy(), ordered["mean"].to_numpy(), errors, label=label, capsize=2, **line(i)
    )


def size_axis(axes: Axes, values: pl.Series, label: str = "rows") -> None:
    """A logarithmic axis with a tick at every size; at every other one where there are many."""
    ticks = sorted(values.unique().to_list())
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks if len(ticks) < 6 else ticks[::2], minor=False)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(label)


def repetitions(table: pl.DataFrame) -> str:
    """How many values each mean of a `summary` is of, in words for a figure."""
    if table.is_empty():
        return "no repetitions"
    numbers = table["repetitions"].to_list()
    least, most = min(numbers), max(numbers)
    return f"{most} repetitions" if least == most else f"{least} to {most} repetitions"


def legend(drawing: Drawing, axes: Sequence[Axes], note: str, columns: int = 4) -> None:
    """One legend below all panels, each label once, with a note such as the number of repetitions above them."""
    found: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    drawing.legend(
        list(found.values()), list(found), loc="outside lower center", ncols=columns, title=note, title_fontsize=8
    )


def write(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as SVG and PNG, and the data behind it as CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / f"{figure.name}.csv"
    assert table.parent == folder  # the name was checked when the figure was made
    write_text(table, spreadsheet_csv(figure.data))
    with style():
        return [*(save(figure.drawing, folder / f"{figure.name}{suffix}") for suffix in (".svg", ".png")), table]
