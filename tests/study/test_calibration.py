"""The study of calibration: its grid, what a cell counts, and the figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.posteriors.sample_size import SIZES
from veridag.study.kind import Spec, derive_seed
from veridag.study.kinds import load
from veridag.study.kinds.calibration.counting import counted
from veridag.study.kinds.calibration.truths import TRUTH, compelled, truth_of
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
    never = np.zeros((3, 3), dtype=bool)  # a single arc can be turned
    said = np.where(arcs == 1.0, 0.45, 0.0)
    rows = {(row["what"], row["bin"]): row for row in counted(arcs, truth.adjacency, never, said)}
    assert rows["edges", 8]["said"] == pytest.approx(0.85)
    assert (rows["edges", 8]["pairs"], rows["edges", 8]["true"]) == (1, 1)
    assert rows["edges", 8]["squared"] == pytest.approx(0.15**2)
    assert (rows["edges", 9]["said"], rows["edges", 9]["true"]) == (1.0, 0)  # b - c, said for sure and wrong
    assert (rows["arcs", 5]["pairs"], rows["arcs", 5]["true"]) == (1, 1)
    assert (rows["directions", 5]["pairs"], rows["directions", 5]["true"]) == (1, 0)
    assert (rows["compelled", 4]["pairs"], rows["compelled", 4]["true"]) == (1, 0)
    assert "compelled" not in {row["what"] for row in counted(arcs, truth.adjacency, never)}
    assert sum(row["pairs"] for row in rows.values() if row["what"] == "arcs") == 6
    assert sum(row["pairs"] for row in rows.values() if row["what"] == "edges") == 3


def test_arcs_of_the_class_are_those_that_data_can_tell():
    dag = vd.DAG.from_arcs([("a", "c"), ("b", "c"), ("c", "d"), ("d", "e"), ("f", "g")])
    data = vd.Data.from_frame({name: ["x", "y"] for name in dag.names})
    named = {(dag.names[u], dag.names[v]) for u, v in zip(*compelled(dag, data).nonzero(), strict=True)}
    assert named == {("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")}


def test_arcs_from_categories_to_measurements_are_in_the_class_of_mixed_data():
    dag = vd.DAG.from_arcs([("a", "x"), ("x", "y"), ("b", "a")])
    frame = {"a": ["s", "t"], "b": ["s", "t"], "x": [0.5, 1.5], "y": [2.5, 0.5]}
    found = compelled(dag, vd.Data.from_frame(frame).select(dag.names))
    named = {(dag.names[u], dag.names[v]) for u, v in zip(*found.nonzero(), strict=True)}
    assert named == {("a", "x"), ("x", "y")}  # the second follows, or x would be a collider


@pytest.mark.parametrize(("data", "network"), [("continuous", "random"), ("mixed", "random"), ("mixed", "clinic")])
def test_every_kind_of_data_has_its_networks(data, network):
    ways = {"auto": {"how": "auto", "score": {"continuous": "bge", "mixed": "bcg"}[data], "choose": "network"}}
    (cell,) = cells(data=data, networks=[network], ways=ways)
    truth = truth_of(cell)
    assert truth.sample(5).kind == data
    rows = KIND.run(cell, 3, Shared(0))
    n = len(truth.names)
    assert sum(row["pairs"] for row in rows if row["what"] == "directions") == n * (n - 1)
    assert {row["agree"] for row in rows} == {None}  # exact
    (chosen,) = {row["chosen"] for row in rows}
    assert "iss_w=" in chosen
    assert "iss_w=None" not in chosen


@pytest.mark.medium
def test_draws_tell_of_classes():
    (cell,) = cells(networks=["cancer"], ways={"draws": {"how": "sample", "score": "bdeu", "draws": 10}})
    rows = KIND.run(cell, 3, Shared(0))
    assert sum(row["pairs"] for row in rows if row["what"] == "compelled") == 20
    assert all(isinstance(row["agree"], bool) for row in rows)


def test_the_size_with_the_greatest_evidence_can_be_chosen():
    (cell,) = cells(networks=["cancer"], ways={"e": {"how": "exact", "score": "bdeu", "choose": "evidence"}})
    (chosen,) = {row["chosen"] for row in KIND.run(cell, 3, Shared(0))}
    truth = vd.networks.load("cancer")
    data = Shared(0).get("sample", lambda: truth.sample(60, derive_seed(*(cell[name] for name in (*TRUTH, "n")))))
    every = {
        repr(score): vd.posterior(data, score=score, max_indegree=4, method="exact").log_evidence
        for score in (vd.BDeu(ess=size) for size in SIZES)
    }
    assert chosen == max(every, key=lambda score: every[score])


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
        ({"ways": {"a": {"how": "sample", "score": "bdeu", "choose": "evidence"}}}, "draws do not give the evidence"),
        ({"data": "mixed"}, 'it has discrete data: set data = "discrete"'),
        ({"drawn": ["K3"]}, "drawn = 'K3': give labels of ways"),
        ({"coefficients": [1.5, 0.5]}, "give the smallest and the largest size"),
        (
            {"also": [{"ways": {"exact": {"how": "exact", "score": "bic"}}}]},
            "another grid has a different way of this name",
        ),
    ],
)
def test_mistakes_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        cells(**changes)


def test_figures_have_the_errors_of_each_way():
    shared = Shared(0)
    made = [{**cell, **row} for cell in cells(networks=["cancer"]) for row in KIND.run(cell, 3, shared)]
    every = list(KIND.figures(spec(), pl.DataFrame(made, infer_schema_length=None)))
    assert [figure.name for figure in every] == ["edges", "arcs", "directions", "compelled"]
    edges = every[0]
    assert set(edges.data["label"]) == {"exact", "draws", "bootstrap"}
    own = edges.data.filter(pl.col("label") == "exact")
    by_hand = (own["said"] - own["true"]).abs().sum() / own["pairs"].sum()
    assert own["ece"][0] == pytest.approx(by_hand)
    high = own.filter(pl.col("bin") == 9)
    if not high.is_empty():
        assert high["true_high"][0] == pytest.approx(high["true"][0] / high["pairs"][0])


def test_of_many_ways_some_are_drawn_and_all_have_numbers():
    given = {"networks": ["cancer"], "repetitions": 3, "drawn": ["bootstrap"]}
    made = [{**cell, **row} for cell in cells(**given) for row in KIND.run(cell, 3, Shared(0))]
    edges = next(iter(KIND.figures(spec(**given), pl.DataFrame(made, infer_schema_length=None))))
    drawn = {line.get_label() for axes in edges.drawing.axes for line in axes.get_lines()}
    assert {label for label in drawn if not label.startswith("_")} <= {"bootstrap"}
    assert set(edges.data["label"]) == {"exact", "draws", "bootstrap"}


def test_each_kind_of_data_has_figures_of_its_own():
    gaussian = {"data": "continuous", "networks": ["random"], "ways": {"BGe": {"how": "auto", "score": "bge"}}}
    given = {"networks": ["cancer"], "ways": {"exact": {"how": "exact", "score": "bdeu"}}, "also": [gaussian]}
    made = [{**cell, **row} for cell in cells(**given) for row in KIND.run(cell, 3, Shared(0))]
    every = {
        figure.name: figure for figure in KIND.figures(spec(**given), pl.DataFrame(made, infer_schema_length=None))
    }
    assert set(every) == {
        f"{kind}-{what}" for kind in ("discrete", "continuous") for what in ("edges", "arcs", "directions")
    }
    assert set(every["continuous-edges"].data["label"]) == {"BGe"}
