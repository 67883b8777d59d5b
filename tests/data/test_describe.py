from __future__ import annotations

import numpy as np
import pytest

from strategies.data import continuous, discrete
from veridag.data import Data


def test_describe_is_an_aligned_table_with_the_notes():
    data = Data([discrete("smoker", states=("no", "yes", "unknown")), continuous()], notes=("dropped 2 rows",))
    assert str(data.describe()).splitlines() == [
        "<Data: 4 observations of 2 mixed variables>",
        "name    kind        states          commonest or range            rule",
        "smoker  discrete    3 (2 observed)  no 50.0%                      given",
        "Z       continuous                  mean 2, sd 1.291, 0.5 to 3.5  given",
        "note: dropped 2 rows",
    ]


def test_describe_counts_observations_and_not_rows():
    data = Data([discrete(), continuous()], weights=[1, 5, 0, 2])
    states, values = data.describe().rows
    assert (states["commonest"], states["share"]) == ("yes", 5 / 8)
    repeated = [0.5] + [1.5] * 5 + [3.5] * 2
    assert values["mean"] == pytest.approx(np.mean(repeated))
    assert values["sd"] == pytest.approx(np.std(repeated, ddof=1))
    assert (values["min"], values["max"]) == (0.5, 3.5)


def test_the_html_form_is_short_and_escaped():
    page = Data([discrete(f"<b{j}>") for j in range(30)])._repr_html_()
    assert "&lt;b0&gt;" in page
    assert "<b0>" not in page
    assert "and 10 more variables" in page
