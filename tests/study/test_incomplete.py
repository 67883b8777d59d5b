"""The study of incomplete data: its grid, what a cell measures, and the figures."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec
from veridag.study.kinds import load
from veridag.study.shared import Shared

KIND = load("incomplete")

GRID: dict[str, object] = {
    "networks": ["asia", "random mixed"],
    "nodes": 5,
    "sizes": [150],
    "shares": [0.1, 0.5],
    "mechanisms": ["mcar"],
    "repetitions": 1,
    "learners": {
        "whole": {"given": "whole", "learner": "tabu(score=bic)"},
        "PNAL": "tabu(score=pnal)",
        "state": {"given": "state", "learner": "default", "networks": ["asia"]},
        "rows": {"given": "complete rows", "learner": "default"},
    },
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "incomplete", "", "smoke", Path(), {**GRID, **changes}, seed=7)


def cells(**changes: object) -> list[dict[str, object]]:
    return list(KIND.cells(spec(**changes)))


def rows(**changes: object) -> list[dict[str, object]]:
    shared = Shared(0)
    return [{**cell, **row} for cell in cells(**changes) for row in KIND.run(cell, 3, shared)]


def test_the_grid():
    made = cells()
    assert len(made) == 2 * 4 + 2 * 3  # a state of its own only where it is asked for
    assert {cell["network"] for cell in made if cell["given"] == "state"} == {"asia"}
    assert [cell["nodes"] for cell in made if cell["network"] == "asia"] == [0] * 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": ["asia2"]}, "give names of reference networks, or random discrete"),
        ({"mechanisms": ["mnar"]}, "give some of mcar, mar"),
        ({"shares": [0.9]}, "shares from 0 to 0.6"),
        ({"learners": {"a": 3}}, "structural-em"),
        ({"learners": {"a": {"given": "nothing", "learner": "default"}}}, "given = 'nothing'"),
        ({"learners": {"a": "tabuu"}}, "learners.a"),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        cells(**changes)


def test_what_a_cell_measures():
    measured = rows(networks=["asia"])
    by = {(row["given"], row["share"]): row for row in measured}
    assert by["whole", 0.1]["shd"] == by["whole", 0.5]["shd"]
    truth = vd.networks.load("asia").dag
    assert {row["arcs"] for row in measured} == {len(truth.arcs)}
    assert by["gaps", 0.5]["rows"] == by["whole", 0.5]["rows"] == 150
    assert by["complete rows", 0.1]["rows"] < 100
    nothing = by["complete rows", 0.5]  # fewer than two rows are left, and nothing is learned
    assert nothing["rows"] < 2
    assert (nothing["shd"], nothing["found"]) == (len(truth.arcs), 0)
    for row in measured:
        assert row["shd"] >= row["arcs"] - row["found"] + row["false"]


def test_figures_have_a_line_for_each_learner():
    table = pl.DataFrame(rows())
    (figure,) = KIND.figures(spec(), table)
    assert figure.name == "mcar-150"
    assert set(figure.data["label"]) == {"whole", "PNAL", "state", "rows"}
    assert set(figure.data["network"]) == {"asia", "random mixed"}
