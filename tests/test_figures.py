"""Figures, and the numbers behind them."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data
from veridag.errors import InputError
from veridag.figures import explanation_figure, missing_figure


def with_gaps(names: list[str], n: int = 60) -> Data:
    rng = np.random.default_rng(1)
    return Data([Column.discrete(v, rng.integers(0, 2, n), "ab", observed=rng.random(n) > 0.2) for v in names])


def test_the_figure_shows_variables_and_what_is_missing_together(tmp_path):
    pattern = with_gaps(["A", "a $very$ long name of a column that does not fit", "C"]).missing_pattern()
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    rows = missing_figure(first, pattern)
    assert rows == missing_figure(second, pattern)
    assert first.read_bytes() == second.read_bytes()
    assert [row["variables"] for row in rows if row["bar"] == "variable"] == [(v,) for v in pattern.variables]
    sets = [(row["variables"], row["n"]) for row in rows if row["bar"] == "combination"]
    assert sets == [(c.variables, c.n) for c in pattern.combinations]
    assert rows[0]["share"] == pattern.shares[pattern.variables[0]]


@pytest.mark.medium
def test_of_many_columns_and_combinations_the_first_are_drawn(tmp_path):
    pattern = with_gaps([f"X{i}" for i in range(60)], 300).missing_pattern()
    rows = missing_figure(tmp_path / "many.png", pattern)
    shown = {row["variables"][0] for row in rows if row["bar"] == "variable"}
    assert len(shown) == 40
    assert all({*row["variables"]} <= shown for row in rows)


def test_there_is_no_figure_of_nothing(tmp_path):
    whole = Data([Column.discrete("A", np.zeros(3, int), "ab")])
    with pytest.raises(InputError, match="no value is missing, so there is nothing to draw"):
        missing_figure(tmp_path / "none.svg", whole.missing_pattern())
    assert not (tmp_path / "none.svg").exists()


def test_the_figure_takes_data_and_nothing_else(tmp_path):
    data = with_gaps(["A", "B"])
    assert missing_figure(tmp_path / "a.svg", data) == missing_figure(tmp_path / "b.svg", data.missing_pattern())
    with pytest.raises(InputError, match=r"pattern=3 must be data, or its missing_pattern\(\)"):
        missing_figure(tmp_path / "c.svg", 3)


def test_an_explanation_has_a_bar_for_each_piece_of_evidence(tmp_path):
    explanation = vd.networks.load("asia").explain("lung", {"xray": "yes", "smoke": "yes", "dysp": "no"}, "yes")
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    rows = explanation_figure(first, explanation)
    assert explanation_figure(second, explanation) == rows
    assert first.read_bytes() == second.read_bytes()
    assert [row["evidence"] for row in rows] == ["xray = yes", "dysp = no", "smoke = yes"]
    assert [row["contribution"] for row in rows] == [own.shapley for own in explanation.ranked]


def test_an_explanation_without_evidence_is_not_drawn(tmp_path):
    explanation = vd.networks.load("asia").explain("lung", {})
    with pytest.raises(InputError, match="no evidence"):
        explanation_figure(tmp_path / "none.svg", explanation)
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        explanation_figure(tmp_path / "a.pdf", explanation)
    assert not list(tmp_path.iterdir())
