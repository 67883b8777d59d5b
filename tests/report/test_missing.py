"""What the report's section on the data says and draws of missing values."""

from __future__ import annotations

import re

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data
from veridag.report.missing_chart import BARS, BARS_END, MARGIN, MOST_COMBINATIONS, MOST_VARIABLES, TOP, missing_chart
from veridag.report.rendering import environment
from veridag.report.sections.data import view_of

EVIL = "<b class='evil'>income</b>\"'&"


def render(data: Data) -> str:
    return environment().get_template("data.html.j2").render(view=view_of(data))


def with_gaps(n: int = 300) -> Data:
    """Two variables that are missing together where age is high, and one in which nothing is missing."""
    rng = np.random.default_rng(1)
    age = rng.normal(50, 10, n)
    gone = age > 60
    more = gone | (rng.random(n) < 0.1)
    return Data(
        [
            Column.continuous("age", age),
            Column.discrete(EVIL, rng.integers(0, 2, n), "ab", observed=~gone),
            Column.continuous("bmi", rng.normal(size=n), observed=~more),
        ]
    )


def test_the_section_has_the_verdict_and_the_picture():
    data = with_gaps()
    page = render(data)
    pattern = data.missing_pattern()
    assert page.count("<svg") == page.count("</svg>") == 1
    assert f"{pattern.complete} of 300 rows" in page
    for sentence in pattern.verdict[1:]:
        assert sentence in page
    assert "Whether a variable is missing, against the values of another one" in page
    assert "Variables that are missing together more often than by chance" in page
    assert "<b class" not in page  # a name is no element
    assert "income&lt;/b&gt;" in page


def test_complete_data_has_no_picture():
    data = with_gaps().select(["age"])
    assert view_of(data).gaps is None
    assert "<svg" not in render(data)
    assert "missing" not in render(data)


def test_gaps_in_rows_of_weight_zero_are_none():
    data = with_gaps()
    weights = np.where(data.observed("bmi"), 1, 0)
    assert view_of(Data(data.columns, weights)).gaps is None


def test_bars_and_dots_show_the_numbers():
    pattern = with_gaps().missing_pattern()
    drawn = missing_chart(pattern)
    assert [row.name for row in drawn.rows] == ["bmi", EVIL]
    assert drawn.rows[0].width == BARS_END - BARS
    assert drawn.rows[1].width == pytest.approx(
        (BARS_END - BARS) * pattern.counts[EVIL] / pattern.counts["bmi"], abs=0.1
    )
    both, alone = drawn.columns
    assert [len(c.dots) for c in (both, alone)] == [len(c.variables) for c in pattern.combinations]
    assert both.height / alone.height == pytest.approx(pattern.combinations[0].n / pattern.combinations[1].n, rel=0.05)
    for column in drawn.columns:
        assert column.top + column.height == pytest.approx(MARGIN + TOP)
        assert sorted((*column.dots, *column.others)) == [row.y for row in drawn.rows]


def test_of_many_variables_with_long_names_the_first_are_drawn():
    rng = np.random.default_rng(2)
    names = [f"a very long name of a measurement in some unit, number {i}" for i in range(60)]
    data = Data([Column.discrete(v, np.zeros(90, int), "ab", observed=rng.random(90) > 0.1) for v in names])
    drawn = missing_chart(data.missing_pattern())
    assert len(drawn.rows) == MOST_VARIABLES
    assert len(drawn.columns) <= MOST_COMBINATIONS
    assert all(len(row.short) <= 28 for row in drawn.rows)
    assert len({row.short for row in drawn.rows}) == MOST_VARIABLES  # the ends of names tell them apart
    page = render(data)
    assert f"{MOST_VARIABLES} of 60 variables" in page
    inside = [float(x) for x in re.findall(r'\b(?:cx|x2)="([\d.]+)"', page)]
    assert max(inside) <= drawn.width


def test_indicators_are_variables_like_others_but_not_in_the_picture():
    frame = {"A": ["x", None, "y", "x"] * 5, "B": ["u", "v"] * 10}
    view = view_of(vd.Data.from_frame(frame, missing="indicator"))
    assert [row[0] for row in view.rows] == ["A", "B", "A_missing"]
    assert [row.name for row in view.gaps.chart.rows] == ["A"]
