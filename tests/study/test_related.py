"""The study of related data sets: its grid, what a cell measures, and the figures."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.simulate.related_data import related, sample_groups
from veridag.study.kind import Spec, content_key
from veridag.study.kinds import load
from veridag.study.kinds.related.figures import means
from veridag.study.kinds.related.kind import _sample_seed, _structure_seed
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
    assert len(cells) == 2 * 2 * 2  # scenarios, parameters, sets of parameters
    assert len({content_key("related", cell) for cell in cells}) == len(cells)
    assert {(c["scenario"], c["changed_groups"], c["removed_arcs"]) for c in cells} == {("a", 0, 0), ("b", 1, 2)}


def test_further_grids_add_what_is_not_there_yet():
    cells = list(KIND.cells(spec(also=[{"ess": [1, 10], "rows": [50]}])))
    assert len(cells) == 8 + 8 + 8
    assert {cell["row_counts"] for cell in cells if cell["ess"] == 10} == {("50",)}


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


def test_a_cell_gives_the_same_rows_again_whatever_its_own_seed():
    cell = next(iter(KIND.cells(spec())))
    assert timeless(KIND.run(cell, 5, Shared(0))) == timeless(KIND.run(cell, 6, Shared(10**6)))


def test_measures_and_gains_are_those_of_learning_by_hand():
    cell = next(c for c in KIND.cells(spec()) if c["scenario"] == "b")
    table = pl.DataFrame([line(cell) | row for row in KIND.run(cell, 11, Shared(0))])
    rows = means(table, ["BHD", "BDeu", "BIC"], "BDeu")
    main = made(cell)
    truth = things(main.dag.cpdag())
    for n in (50, 200):
        data = [sample_groups(main.networks, n, _sample_seed(cell, n, sample)) for sample in (0, 1)]
        found = {
            name: [vd.HillClimbing(score=score).learn(own).cpdag for own in data] for name, score in SCORES.items()
        }
        for name, graphs in found.items():
            [row] = rows.filter(rows=n, learner=name).to_dicts()
            expected = {measure: [f(truth, things(g)) for g in graphs] for measure, f in COUNTS.items()}
            baseline = {measure: [f(truth, things(g)) for g in found["BDeu"]] for measure, f in COUNTS.items()}
            expected["shd"], baseline["shd"] = ([vd.shd(main.dag, g) for g in own] for own in (graphs, found["BDeu"]))
            for measure, values in expected.items():
                assert row[measure] == pytest.approx(sum(values) / 2)
                sign = 1 if measure.endswith("tp") else -1
                gain = sign * (sum(values) - sum(baseline[measure])) / 2
                assert row[f"{measure}_gain"] == pytest.approx(gain)


def line(cell):
    """The settings of a cell as a table has them, with its key."""
    return {"key": content_key("related", cell)} | {
        k: "; ".join(v) if isinstance(v, tuple) else v for k, v in cell.items()
    }


def made(cell):
    return related(
        cell["nodes"],
        cell["groups"],
        rows=1,
        parameters=cell["parameters"],
        iid=cell.get("iid", "ess"),
        changed_groups=cell["changed_groups"],
        removed_arcs=cell["removed_arcs"],
        seed=_structure_seed(cell),
        parameter_seed=cell["parameter_set"],
    )


SCORES = {"BHD": vd.BHD(), "BDeu": vd.BDeu(), "BIC": vd.BIC()}


COUNTS = {
    "tp": lambda true, own: len(true & own),
    "fp": lambda true, own: len(own - true),
    "fn": lambda true, own: len(true - own),
    "joined_tp": lambda true, own: len(joined(true) & joined(own)),
    "joined_fp": lambda true, own: len(joined(own) - joined(true)),
    "joined_fn": lambda true, own: len(joined(true) - joined(own)),
}


def things(graph: vd.PDAG) -> set[object]:
    return {*graph.arcs, *(frozenset(edge) for edge in graph.edges)}


def joined(found: set[object]) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in found}


def test_all_equivalent_sample_sizes_have_the_same_samples():
    first, second = (next(iter(KIND.cells(spec(ess=[ess], samples=count)))) for ess, count in ((1, 2), (5, 7)))
    assert _sample_seed(first, 50, 1) == _sample_seed(second, 50, 1)
    others = [*KIND.cells(spec()), *KIND.cells(spec(iid="cells")), *KIND.cells(spec(nodes=[6], structures=2))]
    seeds = [_sample_seed(cell, n, sample) for cell in others for n in (50, 200) for sample in (0, 1)]
    assert len(set(seeds)) == len(seeds)


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
    [strong], [weak] = (KIND.run(c, 3, Shared(0)) for c in (cell, plain))
    assert strong["shd_BIC"] == weak["shd_BIC"]
    assert strong["shd_BHD"] != weak["shd_BHD"]


@pytest.mark.medium
def test_figures_hold_the_means_of_the_rows():
    given = spec(parameters=["hier"], also=[{"ess": [5], "rows": [50]}])
    cells = list(KIND.cells(given))
    rows = pl.DataFrame(
        [line(cell) | row for cell in cells for row in KIND.run(cell, 1, Shared(0))], infer_schema_length=None
    )
    figures = {figure.name: figure for figure in KIND.figures(given, rows)}
    assert {"scenarios", "scenario-a", "scenario-b", "errors-b", "distances", "imaginary-sample-size"} <= set(figures)
    [shown] = figures["scenarios"].data.filter(scenario="a", learner="BHD").to_dicts()
    own = rows.filter(scenario="a", ess=1.0)
    assert shown["mean"] == pytest.approx((own["shd_BDeu"].mean() - own["shd_BHD"].mean()) / 2)  # samples
    assert shown["repetitions"] == 4  # two sets of parameters with two numbers of rows
    assert set(figures["imaginary-sample-size"].data["ess"]) == {1.0, 5.0}


def test_cells_of_the_other_dirichlet_distribution_are_others():
    usual, other = (list(KIND.cells(spec(iid=iid, parameters=["iid"]))) for iid in ("ess", "cells"))
    assert all("iid" not in cell for cell in usual)
    assert {cell["iid"] for cell in other} == {"cells"}
    cell = {**other[0], "samples": 1}
    main = made(cell)
    learned = vd.HillClimbing(score=vd.BIC()).learn(sample_groups(main.networks, 50, _sample_seed(cell, 50, 0)))
    [row, _] = KIND.run(cell, 3, Shared(0))
    assert row["shd_BIC"] == vd.shd(main.dag, learned.graph)
    with pytest.raises(InputError, match="iid"):
        list(KIND.cells(spec(iid="rows")))
