from __future__ import annotations

from itertools import pairwise

import pytest

from veridag.report.charts import LABEL, Curve, learning_curves
from veridag.report.rendering import environment


@pytest.mark.parametrize(
    ("means", "sizes"),
    [([0.0, 0.0], [200, 100]), ([3.0], [50]), ([float("nan"), 2.0], [200, 100]), ([1234.5, 0.1], [10, 5])],
)
def test_curves_of_odd_shape_are_drawn(means, sizes):
    drawn = learning_curves(sizes, [Curve("x", 0, means, [float("nan")] * len(means))])
    chart = environment().get_template("chart.svg.j2").module.chart(drawn, "distance")
    assert "nan" not in chart
    assert chart.count('class="mark"') == sum(m == m for m in means)


def test_numbers_below_the_curves_do_not_run_into_each_other():
    sizes = [500_000 >> k for k in range(14)]
    numbers = learning_curves(sizes, [Curve("x", 0, [1.0] * 14, [0.1] * 14)]).numbers
    assert numbers[0].text.replace("\u202f", "") == "500000"
    assert 5 <= len(numbers) < 14
    assert all(b.at <= a.at - LABEL for a, b in pairwise(numbers))
