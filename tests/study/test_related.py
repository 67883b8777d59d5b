"""The study of related data sets: its grid, what a cell measures, and the figures."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.simulate.related_data import related, sample_groups
from veridag.study.kind import Spec, content_key, derive_seed
from veridag.study.kinds import load
from veridag.study.kinds.related.kind import _structure_seed
from veridag.study.shared import Shared

KIND = load("related")

GRID: dict[str, object] = {
    "scenarios": ["a", "b"],
    "nodes": [5],
    "groups": [3],
    "states": [2],
    "arcs_per_node": [1.2],
    "parameters": ["hier", "id"],
    "changed_groups": [1],
    "removed_arcs": [2],
    "rows": [50, 200],
    "ess": [1],
    "structures": 1,
    "parameter_sets": 2,
    "samples": 2,
    "learners": ["hill-climbing(score=bhd)", "hill-climbing(score=bdeu)", "hill-climbing(score=bic)"],
    "baseline": "hill-climbing(score=bdeu)",
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "related", "", "smoke", Path(), {**GRID, **changes}, seed=7)


def timeless(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if not name.startswith("seconds")} for row in rows]


def test_the_grid_has_every_combination_once_and_no_changes_in_scenario_a():
    cells = list(KIND.cells(spec()))
    assert len(cells) == 2 * 2 * 2 * 2  # scenarios, parameters, rows, sets of parameters
    assert len({content_key("related", cell) for cell in cells}) == len(cells)
    assert {(c["scenario"], c["changed_groups"], c["removed_arcs"]) for c in cells} == {("a", 0, 0), ("b", 1, 2)}


def test_further_grids_add_what_is_not_there_yet():
    cells = list(KIND.cells(spec(also=[{"ess": [1, 10], "rows": [50]}])))
    assert len(cells) == 16 + 8
    assert {cell["rows"] for cell in cells if cell["ess"] == 10} == {50}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"colour": 1}, "colour"),
        ({"also": [{"structure": 2}]}, "structure"),
        ({"arcs_per_node": [3]}, "arcs_per_node"),
        ({"changed_groups": [4]}, "changed_groups"),
        ({"removed_arcs": [7]}, "removed_arcs"),
        ({"scenarios": ["c"]}, "scenarios"),
        ({"parameters": ["other"]}, "parameters"),
        ({"baseline": "tabu"}, "baseline"),
        ({"learners": ["hill-climbing(score=bhdd)"]}, "bhdd"),
    ],
)
def test_mistakes_in_the_grid_are_named(changes, named):
    with pytest.raises(InputError, match=named):
        list(KIND.cells(spec(**changes)))


def test_a_cell_gives_the_same_rows_again():
    cell = next(iter(KIND.cells(spec())))
    assert timeless(KIND.run(cell, 5, Shared(0))) == timeless(KIND.run(cell, 5, Shared(10**6)))
    assert timeless(KIND.run(cell, 5, Shared(0))) != timeless(KIND.run(cell, 6, Shared(0)))


def test_measures_and_gains_are_those_of_learning_by_hand():
    cell = next(c for c in KIND.cells(spec()) if c["scenario"] == "b" and c["rows"] == 200)
    rows = KIND.run(cell, 11, Shared(0))
    seed = derive_seed(7, 5, 3, 2, 1.2, 0)
    main = related(5, 3, rows=1, changed_groups=1, removed_arcs=2, seed=seed, parameter_seed=cell["parameter_set"])
    truth = main.dag.cpdag()
    for sample in (0, 1):
        data = sample_groups(main.networks, 200, derive_seed(11, sample))
        found = {name: vd.HillClimbing(score=score).learn(data).cpdag for name, score in SCORES.items()}
        for name, graph in found.items():
            row = next(r for r in rows if r["sample"] == sample and f"score={name})" in str(r["learner"]))
            assert row["shd"] == vd.shd(truth, graph)
            assert row["shd_gain"] == vd.shd(truth, found["bdeu"]) - vd.shd(truth, graph)
            true, own, base = things(truth), things(graph), things(found["bdeu"])
            assert (row["tp"], row["fp"], row["fn"]) == (len(true & own), len(own - true), len(true - own))
            assert row["tp_gain"] == len(true & own) - len(true & base)
            assert row["fp_gain"] == len(base - true) - len(own - true)
            assert row["fn_gain"] == len(true - base) - len(true - own)


SCORES = {"bhd": vd.BHD(), "bdeu": vd.BDeu(), "bic": vd.BIC()}


def things(graph: vd.PDAG) -> set[object]:
    return {*graph.arcs, *(frozenset(edge) for edge in graph.edges)}


def test_structures_are_common_and_parameters_are_not():
    first, second = (related(6, 3, seed=4, parameter_seed=p, changed_groups=1, removed_arcs=1) for p in (0, 1))
    assert first.dag == second.dag
    assert first.removed == second.removed
    assert first.networks["F1"] != second.networks["F1"]
    again = sample_groups(first.networks, [3, 0, 4], seed=1)
    assert again == sample_groups(first.networks, [3, 0, 4], seed=1)
    assert again.n == 7
    assert again.groups == ("F1", "F2", "F3")


def test_every_ess_reaches_the_scores_that_have_one():
    cell = next(iter(KIND.cells(spec(ess=[50], rows=[200]))))
    plain = {**cell, "ess": 1.0}
    strong, weak = ({r["learner"]: r["shd"] for r in KIND.run(c, 3, Shared(0))} for c in (cell, plain))
    assert strong["hill-climbing(score=bic)"] == weak["hill-climbing(score=bic)"]
    assert strong != weak


@pytest.mark.medium
def test_figures_hold_the_means_of_the_rows():
    given = spec(parameters=["hier"], also=[{"ess": [5], "rows": [50]}])
    cells = list(KIND.cells(given))
    rows = pl.DataFrame(
        [{**cell, "learners": "", **row} for cell in cells for row in KIND.run(cell, 1, Shared(0))],
        infer_schema_length=None,
    )
    figures = {figure.name: figure for figure in KIND.figures(given, rows)}
    assert {"scenarios", "scenario-a", "scenario-b", "errors-b", "distances", "imaginary-sample-size"} <= set(figures)
    [shown] = figures["scenarios"].data.filter(scenario="a", learner="hill-climbing(score=bhd)").to_dicts()
    own = rows.filter(scenario="a", learner="hill-climbing(score=bhd)", ess=1.0)
    assert shown["mean"] == pytest.approx(own["shd_gain"].mean())
    assert shown["samples"] == len(own)
    assert shown["repetitions"] == 4  # two sets of parameters with two numbers of rows
    assert set(figures["imaginary-sample-size"].data["ess"]) == {1.0, 5.0}


def test_cells_of_the_other_dirichlet_distribution_are_others():
    usual, other = (list(KIND.cells(spec(iid=iid, parameters=["iid"]))) for iid in ("ess", "cells"))
    assert all("iid" not in cell for cell in usual)
    assert {cell["iid"] for cell in other} == {"cells"}
    cell = other[0]
    made = related(
        5, 3, rows=1, parameters="iid", iid="cells", seed=_structure_seed(cell), parameter_seed=cell["parameter_set"]
    )
    drawn = sample_groups(made.networks, 50, derive_seed(3, 0))
    learned = vd.HillClimbing(score=vd.BIC()).learn(drawn)
    row = next(r for r in KIND.run(cell, 3, Shared(0)) if r["learner"] == "hill-climbing(score=bic)")
    assert row["shd"] == vd.shd(made.dag, learned.graph)
    with pytest.raises(InputError, match="iid"):
        list(KIND.cells(spec(iid="rows")))
