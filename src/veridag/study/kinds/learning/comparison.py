"""Learners against a baseline on the same samples, with intervals over networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import legend, line, panels

from .measures import NAMES
from .sources import unit

SAMPLE = ("network", "repetition", "n")
#: What the tables call all networks of a figure together.
ALL = "all"
#: Differences up to this are drawn to scale, larger ones by their logarithm: learners differ by 0.01, or by 1.
NEAR = 0.1


def draw_differences(name: str, rows: pl.DataFrame, column: str, baseline: str) -> Figure:
    """A panel for each sample size, a line for each learner, the best of all sizes together on top.

    A point is the mean difference to the baseline over networks, with a 95 % interval. Learners with the same first
    word look alike. The table also has every network alone, and all sizes together, where n is empty.
    """
    table = differences(rows, column, baseline)
    pooled = table.filter(pl.col("networks") == ALL)
    order = pooled.filter(pl.col("n").is_null()).sort("difference", "label", descending=True)["label"].to_list()
    sizes = sorted(pooled["n"].drop_nulls().unique())
    families = list(dict.fromkeys(label.split(",")[0] for label in rows["label"]))
    with style():
        titles = [f"{n} rows" for n in sizes]
        drawing, every = panels(titles, len(sizes), 2.2, 0.4 + 0.15 * len(order), sharex=True, sharey=True)
        for axes, n in zip(every, sizes, strict=True):
            axes.axvline(0.0, color="#888888", linewidth=0.8)
            for i, family in enumerate(families):
                own = pooled.filter(pl.col("n") == n, pl.col("label").str.split(",").list.first() == family)
                places = [order.index(label) for label in own["label"]]
                look = line(i) | {"linestyle": "none"}
                axes.errorbar(
                    own["difference"], places, xerr=lengths(own, "difference"), label=family, capsize=1.5, **look
                )
            axes.set_xscale("symlog", linthresh=NEAR, linscale=1.5)
            axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
            axes.set_xlabel(f"difference in {NAMES.get(column, column)}")
            axes.set_ylim(-0.7, len(order) - 0.3)
        every[0].set_yticks(range(len(order)), order)
        legend(drawing, every, f"difference to {baseline}: mean and 95 % interval over {units(pooled)}")
    return Figure(name, drawing, table)


def differences(rows: pl.DataFrame, column: str, baseline: str) -> pl.DataFrame:
    """By networks, size and learner: the mean, the mean difference to the baseline, and the interval of the latter."""
    base = rows.filter(pl.col("label") == baseline).select(*SAMPLE, base=column)
    paired = rows.join(base, on=SAMPLE, maintain_order="left").filter(
        pl.all_horizontal(pl.col(column, "base").is_finite())
    )
    paired = paired.with_columns(value=column, difference=pl.col(column) - pl.col("base"))
    return by_networks(paired, ["label"], ["value", "difference"], "difference").rename({"value": column})


def by_networks(rows: pl.DataFrame, keys: Sequence[str], values: Sequence[str], main: str) -> pl.DataFrame:
    """Means over networks of the values, for all networks and for each; and for each size and, with n null, for all.

    Samples of the same network are averaged first. `low` and `high` are the ends of the 95 % interval of `main` by the
    t distribution, null for a single network; `number` says how many networks there are.
    """
    together = rows.with_columns(networks=pl.lit(ALL))
    alone = rows.with_columns(networks="network")
    every = pl.concat([together, alone])
    every = pl.concat([every, every.with_columns(n=pl.lit(None, dtype=every.schema["n"]))])
    groups = ["networks", "n", *keys]
    of_one = every.with_columns(unit=unit()).group_by(*groups, "unit", maintain_order=True).agg(pl.col(values).mean())
    error = pl.col(main).std(ddof=1) / pl.len().sqrt()
    found = of_one.group_by(groups, maintain_order=True).agg(pl.col(values).mean(), error=error, number=pl.len())
    half = pl.Series(stdtrit((found["number"] - 1).to_numpy(), 0.975)) * found["error"]
    return found.with_columns(low=pl.col(main) - half, high=pl.col(main) + half).drop("error")


def lengths(table: pl.DataFrame, mean: str) -> NDArray[np.float64]:
    """How far the intervals of `by_networks` reach below and above the mean; 0 for a single network."""
    return np.array([(table[mean] - table["low"]).fill_null(0.0), (table["high"] - table[mean]).fill_null(0.0)])


def units(table: pl.DataFrame) -> str:
    """How many networks the means of `by_networks` are of, in words."""
    numbers = table["number"].to_list()
    least, most = min(numbers), max(numbers)
    return f"{most} networks" if least == most else f"{least} to {most} networks"
