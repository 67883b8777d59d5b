"""Columns that say where others are missing: their names and states, and that no arc joins them with their own."""

from __future__ import annotations

import io
import pickle

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.data import Data
from veridag.data.files import load
from veridag.errors import InputError

CSV = b"A,B,w\nx,1.5,1\n,2.5,2\ny,,1\nx,4.5,3\n"


def coupled(n: int = 400) -> Data:
    """B is missing where A is 1, more often than where it is 0; C goes with B."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, n), rng.integers(0, 2, n)
    c = b ^ (rng.random(n) < 0.1)
    gone = rng.random(n) < np.where(a == 1, 0.6, 0.1)
    frame = pl.DataFrame({"A": a, "B": [None if g else v for v, g in zip(b.tolist(), gone, strict=True)], "C": c})
    return Data.from_frame(frame, missing="indicator")


def test_each_column_with_gaps_has_an_indicator():
    data = vd.read(io.BytesIO(CSV), missing="indicator", weights="w")
    assert data.names == ("A", "B", "A_missing", "B_missing")
    assert data.missing_counts == {"A": 2, "B": 1, "A_missing": 0, "B_missing": 0}
    assert data.states["A_missing"] == data.states["B_missing"] == ("observed", "missing")
    assert data.column("A_missing").tolist() == [0, 1, 0, 0]
    assert data.column("B_missing").tolist() == [0, 0, 1, 0]
    assert data.indicators == {"A_missing": "A", "B_missing": "B"}
    assert data.notes[-1] == "added columns that show where values are missing: 'A_missing', 'B_missing'"
    assert data.select(["A", "B"]) == vd.read(io.BytesIO(CSV), missing="keep", weights="w")


def test_complete_tables_get_none():
    data = Data.from_frame({"A": ["x", "y"]}, missing="indicator")
    assert data.names == ("A",)
    assert not data.notes


def test_names_that_are_there_are_not_taken():
    frame = {"A": ["x", None], "A_missing": ["u", "v"], "A_missing_2": ["u", "u"]}
    with pytest.warns(vd.DataWarning):
        data = Data.from_frame(frame, missing="indicator")
    assert data.names == ("A", "A_missing", "A_missing_2", "A_missing_3")
    weighted = Data.from_frame(
        {"A": ["x", None, "y"], "A_missing": [2, 3, 4]}, missing="indicator", weights="A_missing"
    )
    assert weighted.names == ("A", "A_missing_2")
    dropped = Data.from_frame({"A": ["x", None, "y"], "A_missing": [2, 3, 4]}, missing="indicator", drop=["A_missing"])
    assert dropped.names == ("A", "A_missing_2")


def test_indicators_stay_what_they_are_in_parts_and_pickles():
    data = coupled()
    for part in (data.rows(slice(0, 9)), data.select(["B_missing", "B"]), pickle.loads(pickle.dumps(data))):
        assert part.indicators == {"B_missing": "B"}
    assert data.discretize().indicators == {"B_missing": "B"}


def test_an_indicator_can_be_asked_for_alone():
    settings = vd.TableSettings(missing="indicator")
    assert load(io.BytesIO(CSV), settings, only=["A_missing", "B"]).data.names == ("B", "A_missing")
    with pytest.raises(InputError, match="there is no column 'A_missing'"):
        load(io.BytesIO(CSV), vd.TableSettings(missing="keep"), only=["A_missing"])


def test_settings_beside_a_table_can_ask_for_indicators(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_bytes(CSV)
    vd.TableSettings(missing="indicator").write(tmp_path / "cases.toml")
    assert "A_missing" in vd.read(path).names


def test_the_pattern_of_gaps_does_not_see_indicators():
    data = coupled()
    pattern = data.missing_pattern()
    assert pattern.to_dict() == data.select(["A", "B", "C"]).missing_pattern().to_dict()
    assert [(one.variable, one.other) for one in pattern.dependences] == [("B", "A")]
    assert data.select(["B_missing"]).missing_pattern().variables == ()


@pytest.mark.parametrize("learner", [vd.Tabu(score=vd.PNAL()), vd.BOSS(score=vd.PNAL()), vd.PCStable(test=vd.X2())])
def test_no_arc_joins_a_variable_and_its_indicator(learner):
    data = coupled()
    alone = vd.local_score("B_missing", [], data, vd.PNAL())
    assert vd.local_score("B_missing", ["B"], data, vd.PNAL()) > alone + 50  # a constant looks like a perfect fit
    found = learner.learn(data)
    joined = {frozenset(pair) for pair in (found.dag or found.graph).arcs}
    assert frozenset(("B", "B_missing")) not in joined
    assert frozenset(("A", "B_missing")) in joined
    assert "no arc joins a variable and the column that shows where it is missing" in found.notes[-1]
    assert ("B", "B_missing") in learner.obeyed(None, data).forbidden


def test_such_an_arc_cannot_be_required():
    with pytest.raises(InputError, match="required: the arc B -> B_missing joins a variable and the column"):
        vd.Tabu(score=vd.PNAL()).learn(coupled(), vd.Knowledge(required=[("B", "B_missing")]))
