"""The study of interventions: its grid, what a cell measures, data given by path, and the figures."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec
from veridag.study.kinds import load
from veridag.study.kinds.interventions.kind import counted
from veridag.study.shared import Shared

KIND = load("interventions")
GRID: dict[str, object] = {
    "networks": ["cancer"],
    "set": ["Cancer"],
    "sizes": [3000],
    "repetitions": 2,
    "learners": ["tabu(score=bdeu)", "exact(score=bic)"],
}


def spec(base: Path = Path(), **changes: object) -> Spec:
    return Spec("trial", "interventions", "", "smoke", base, {**GRID, **changes}, seed=7)


def cells(base: Path = Path(), **changes: object) -> list[dict[str, object]]:
    return list(KIND.cells(spec(base, **changes)))


def rows(base: Path = Path(), **changes: object) -> list[dict[str, object]]:
    shared = Shared(0)
    return [{**cell, **row} for cell in cells(base, **changes) for row in KIND.run(cell, 3, shared)]


def test_the_grid():
    made = cells()
    assert len(made) == 2 * 2 * 3
    assert {cell["given"] for cell in made} == {"targets", "ignored", "observed"}


def test_what_is_counted():
    truth = vd.DAG.from_arcs([("A", "B"), ("B", "C"), ("C", "D")], names="ABCDE")
    found = vd.PDAG.from_arcs([("A", "B"), ("C", "B"), ("A", "E")], [("C", "D")], names="ABCDE")
    assert counted(truth, found) == {"arcs": 3, "right": 1, "wrong": 1, "open": 1, "false": 1}


def test_targets_tell_more_directions_than_rows_that_were_observed():
    found = rows(networks=["sachs"], set=["PKA", "PKC"], repetitions=1, learners=["tabu(score=bdeu)"])
    told, ignored, observed = (row for row in found)
    assert told["rows"] == ignored["rows"] == 3000
    assert observed["rows"] == 1000
    assert told["right"] > max(ignored["right"], observed["right"])
    assert told["wrong"] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": ["cancer2"]}, "give names of reference networks"),
        ({"unknown": 1}, "unknown"),
        ({"data": ["nowhere.csv"]}, "there is no such file"),
    ],
)
def test_mistakes_in_the_file(changes, message):
    with pytest.raises(InputError, match=message):
        cells(**changes)


def test_a_table_with_conditions_is_read_by_path(tmp_path):
    data = vd.simulate.experiments(vd.networks.load("cancer"), [None, "Cancer", "Smoker"], rows=200, seed=2)
    frame = data.to_polars().drop("targets")
    condition = pl.Series("what", ["control"] * 200 + ["drug"] * 200 + ["other"] * 200)
    frame.with_columns(condition).write_csv(tmp_path / "trial.csv")
    given = {
        "data": ["trial.csv"],
        "truth": "cancer",
        "condition": "what",
        "conditions": ["control=", "drug=Cancer"],
        "networks": [],
        "learners": ["tabu(score=bdeu)"],
    }
    found = rows(tmp_path, **given)
    assert [row["rows"] for row in found] == [400, 400, 200]
    kept = data.rows(slice(0, 400))
    told = vd.Tabu(score=vd.BDeu()).learn(kept)
    assert {key: found[0][key] for key in ("right", "wrong", "open", "false")} == {
        key: value for key, value in counted(vd.networks.load("cancer").dag, told.cpdag).items() if key != "arcs"
    }
    with pytest.raises(InputError, match="give what was set, as in 'drug=A;B'"):
        cells(tmp_path, **{**given, "conditions": ["control"]})


@pytest.mark.medium
def test_the_figures_have_the_numbers_behind_them():
    table = pl.DataFrame(rows(sizes=[60, 120]), infer_schema_length=None)
    figures = list(KIND.figures(spec(), table))
    assert [figure.name for figure in figures] == ["arcs-60", "arcs-120"]
    assert figures[0].data.height == 2 * 3
    assert figures[0].data["repetitions"].to_list() == [2] * 6
