"""The study of calibration: its grid, what a cell counts, and the figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec
from veridag.study.kinds import load
from veridag.study.kinds.calibration.kind import counted
from veridag.study.shared import Shared

KIND = load("calibration")
GRID: dict[str, object] = {
    "networks": ["cancer", "random", "alarm"],
    "nodes": 4,
    "sizes": [60],
    "repetitions": 1,
    "ways": {
        "exact": {"how": "exact", "score": "bdeu(ess=1)"},
        "draws": {"how": "sample", "score": "bdeu(ess=1)", "draws": 20},
        "bootstrap": {"how": "bootstrap", "learner": "tabu(score=bdeu)", "repeats": 5},
    },
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "calibration", "", "smoke", Path(), {**GRID, **changes}, seed=7)


def cells(**changes: object) -> list[dict[str, object]]:
    return list(KIND.cells(spec(**changes)))


def test_the_grid_has_no_exact_posterior_of_large_networks():
    made = cells()
    assert len(made) == 3 + 3 + 2
    assert {cell["how"] for cell in made if cell["network"] == "alarm"} == {"sample", "bootstrap"}


def test_what_is_counted():
    truth = vd.DAG.from_arcs([("a", "b")], names=["a", "b", "c"])
    arcs = np.array([[0.0, 0.55, 0.0], [0.3, 0.0, 1.0], [0.0, 0.0, 0.0]])
    rows = {(row["what"], row["bin"]): row for row in counted(arcs, truth)}
    assert rows["edges", 8]["said"] == pytest.approx(0.85)
    assert (rows["edges", 8]["pairs"], rows["edges", 8]["true"]) == (1, 1)
    assert rows["edges", 8]["squared"] == pytest.approx(0.15**2)
    assert (rows["edges", 9]["said"], rows["edges", 9]["true"]) == (1.0, 0)  # b - c, said for sure and wrong
    assert (rows["arcs", 5]["pairs"], rows["arcs", 5]["true"]) == (1, 1)
    assert sum(row["pairs"] for row in rows.values() if row["what"] == "arcs") == 6
    assert sum(row["pairs"] for row in rows.values() if row["what"] == "edges") == 3


def test_the_three_ways_find_probabilities_of_the_same_pairs():
    shared = Shared(0)
    for cell in cells(networks=["cancer"]):
        rows = KIND.run(cell, 3, shared)
        assert sum(row["pairs"] for row in rows if row["what"] == "edges") == 10
        assert all(0 <= row["said"] <= row["pairs"] for row in rows)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": ["cancr"]}, "give names of reference networks, or random"),
        ({"ways": {}}, "give a table of labels"),
        ({"ways": {"a": "bdeu"}}, "give a table, such as"),
        ({"ways": {"a": {"how": "guess"}}}, "how = 'guess'"),
        ({"ways": {"a": {"how": "exact", "score": "bdu"}}}, "score = 'bdu'"),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        cells(**changes)


def test_figures_have_the_errors_of_each_way():
    shared = Shared(0)
    made = [{**cell, **row} for cell in cells(networks=["cancer"]) for row in KIND.run(cell, 3, shared)]
    edges, arcs = KIND.figures(spec(), pl.DataFrame(made, infer_schema_length=None))
    assert (edges.name, arcs.name) == ("edges", "arcs")
    assert set(edges.data["label"]) == {"exact", "draws", "bootstrap"}
    own = edges.data.filter(pl.col("label") == "exact")
    by_hand = (own["said"] - own["true"]).abs().sum() / own["pairs"].sum()
    assert own["ece"][0] == pytest.approx(by_hand)
