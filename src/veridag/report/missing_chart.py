"""Where bars and dots lie in the picture of missing values; `missing_chart.svg.j2` draws it.

A row is a variable with the share of its values that are missing. A column is a combination: the variables with a dot
are missing together, in as many rows as the bar above says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from veridag.data import MissingPattern
from veridag.data.missingness import Combination, percent
from veridag.display import clipped

from .charts import Tick, ticks

#: What is drawn at most.
MOST_VARIABLES, MOST_COMBINATIONS = 40, 20
#: Where names end, where their bars begin and end, and where the columns of dots begin.
NAMES, BARS, BARS_END, DOTS = 196, 204, 304, 384
#: The distance between rows and between columns, and the height of the bars on top.
ROW, COLUMN, TOP, MARGIN = 20, 20, 88, 14
LONGEST_NAME = 28


@dataclass(frozen=True)
class Row:
    """A variable: its name, short enough and in full, and its bar."""

    short: str
    name: str
    y: float
    width: float
    share: str


@dataclass(frozen=True)
class Column:
    """A combination of variables: its bar on top, its dots, and the places of those that are observed."""

    x: float
    top: float
    height: float
    dots: Sequence[float]
    others: Sequence[float]
    label: str


@dataclass(frozen=True)
class MissingChart:
    """Everything that is drawn, in units of the picture."""

    rows: Sequence[Row]
    columns: Sequence[Column]
    numbers: Sequence[Tick]
    width: int
    height: int
    variables: int
    combinations: int
    bars: int = BARS
    names: int = NAMES
    dots: int = DOTS
    middle: float = MARGIN + TOP / 2
    bottom: int = MARGIN + TOP


def missing_chart(pattern: MissingPattern) -> MissingChart:
    """The variables with the most missing values, and the most frequent combinations of them."""
    names, sets = pattern.excerpt(MOST_VARIABLES, MOST_COMBINATIONS)
    scale = ticks(max((one.n for one in sets), default=1), 3)
    at = {name: MARGIN + TOP + ROW * (i + 1) for i, name in enumerate(names)}
    most = max(pattern.shares[name] for name in names)
    return MissingChart(
        rows=[
            Row(
                clipped(name, LONGEST_NAME),
                name,
                at[name],
                round((BARS_END - BARS) * pattern.shares[name] / most, 1),
                percent(pattern.shares[name]),
            )
            for name in names
        ],
        columns=[_column(one, i, scale[-1], at) for i, one in enumerate(sets)],
        numbers=[Tick(round(MARGIN + TOP * (1 - value / scale[-1]), 1), f"{value:g}") for value in scale],
        width=DOTS + COLUMN * MOST_COMBINATIONS,
        height=MARGIN + TOP + ROW * (len(names) + 1),
        variables=len(pattern.variables),
        combinations=pattern.n_combinations,
    )


def _column(combination: Combination, position: int, most: float, at: dict[str, int]) -> Column:
    height = round(TOP * combination.n / most, 1)
    members = {*combination.variables}
    return Column(
        x=DOTS + COLUMN * (position + 0.5),
        top=round(MARGIN + TOP - height, 1),
        height=height,
        dots=[y for name, y in at.items() if name in members],
        others=[y for name, y in at.items() if name not in members],
        label=f"{' + '.join(combination.variables)}: {combination.n} rows",
    )
