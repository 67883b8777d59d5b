"""The study of mixed data: truths of every mechanism, its grid, what a cell measures, and the figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec, content_key
from veridag.study.kinds import load
from veridag.study.kinds.mixed.measures import directions, measure
from veridag.study.kinds.mixed.truths import MECHANISMS, Setting, random_truth
from veridag.study.shared import Shared

KIND = load("mixed")

GRID: dict[str, object] = {
    "mechanisms": ["conditional-gaussian", "thresholds"],
    "nodes": [5],
    "continuous": [0.4],
    "strength": [1],
    "arcs_per_node": [1.2],
    "sizes": [60, 200],
    "repetitions": 1,
    "test_rows": 50,
    "learners": {
        "BCG": "tabu(score=bcg)",
        "DG": "ges(score=dg)",
        "bins": {"discretize": "hartemink(3)", "learner": "tabu(score=bdeu)", "tiers": True},
    },
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "mixed", "", "smoke", Path(), {**GRID, **changes}, seed=7)


def cells(**changes: object) -> list[dict[str, object]]:
    return list(KIND.cells(spec(**changes)))


def timeless(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if not name.startswith("seconds")} for row in rows]


def truth(mechanism: str, seed: int = 3, nodes: int = 12, strength: float = 1.0):
    return random_truth(Setting(mechanism, nodes, 0.5, strength, 1.5), seed)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_truth_samples_the_same_rows_for_a_seed_and_others_for_another(mechanism):
    made = truth(mechanism)
    data = made.sample(40, 1)
    assert data == truth(mechanism).sample(40, 1)
    assert data != made.sample(40, 2)
    assert data.names == made.dag.names
    assert sum(kind == "continuous" for kind in data.kinds.values()) == 6
    assert all(2 <= arity <= 4 for arity in data.arities.values() if arity)


def test_all_mechanisms_have_the_same_dag_but_only_one_keeps_measurements_from_causing_categories():
    back = {}
    for mechanism in MECHANISMS:
        made = truth(mechanism)
        assert made.dag == truth("logistic").dag
        kinds = made.sample(10).kinds
        back[mechanism] = any((kinds[u], kinds[v]) == ("continuous", "discrete") for u, v in made.dag.arcs)
    assert back == {mechanism: mechanism != "conditional-gaussian" for mechanism in MECHANISMS}


def effects(mechanism: str, strength: float) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """The columns of all arcs between continuous variables of which the child has no other parent."""
    made = truth(mechanism, nodes=40, strength=strength)
    data = made.sample(3000, 5)
    pairs = [arc for arc in made.dag.arcs if made.dag.parents(arc[1]) == (arc[0],)]
    measured = [(u, v) for u, v in pairs if data.kinds[u] == data.kinds[v] == "continuous"]
    assert measured
    return {(u, v): (data.column(u), data.column(v)) for u, v in measured}


def residuals(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return y - np.polyval(np.polyfit(x, y, 1), x)


@pytest.mark.medium
def test_effects_are_linear_unless_the_mechanism_says_otherwise():
    """Of ten bins by the parent, the mean residual of a line differs from zero only where the effect is no line."""

    def bend(pair):
        x, y = pair
        place = np.searchsorted(np.quantile(x, np.arange(0.1, 1, 0.1)), x)
        return max(abs(residuals(x, y)[place == k].mean()) for k in range(10))

    for mechanism in ("logistic", "skewed"):
        assert all(bend(pair) < 0.25 for pair in effects(mechanism, 1.0).values())
    for mechanism in ("thresholds", "nonlinear"):
        assert all(bend(pair) > 0.25 for pair in effects(mechanism, 1.5).values())


def test_noise_is_skewed_where_the_mechanism_says_so():
    def skewness(pair):
        noise = residuals(*pair)
        return float(((noise / noise.std()) ** 3).mean())

    assert all(abs(skewness(pair)) < 0.25 for pair in effects("logistic", 1.0).values())
    assert all(skewness(pair) > 1 for pair in effects("skewed", 1.0).values())


@pytest.mark.parametrize("mechanism", MECHANISMS[1:])
def test_without_strength_nothing_depends_on_anything(mechanism):
    data = truth(mechanism, strength=0.0).sample(2000, 1)
    values = np.corrcoef(np.stack([data.column(v).astype(float) for v in data.names]))
    assert np.abs(values - np.eye(len(values))).max() < 0.1
    data = truth(mechanism, strength=2.0).sample(2000, 1)
    values = np.corrcoef(np.stack([data.column(v).astype(float) for v in data.names]))
    assert np.abs(values - np.eye(len(values))).max() > 0.4


def test_the_grid_has_every_combination_once():
    made = cells()
    assert len(made) == 2 * 2 * 3  # mechanisms, sizes, learners
    assert len({content_key("mixed", cell) for cell in made}) == len(made)
    assert {(cell["discretize"], cell["tiers"]) for cell in made} == {(None, False), ("hartemink(3)", True)}


def test_further_grids_add_truths_and_learners_may_be_for_few_variables_or_rows():
    small = {"BCG": {"learner": "tabu(score=bcg)", "most_rows": 100}}
    assert {cell["n"] for cell in cells(learners=small)} == {60}
    limited = {"BCG": {"learner": "tabu(score=bcg)", "most_nodes": 5}, "DG": "ges(score=dg)"}
    made = cells(learners=limited, also=[{"nodes": [8], "mechanisms": ["skewed"], "sizes": [60]}])
    assert [cell["learner"][:3] for cell in made if cell["nodes"] == 8] == ["GES"]
    assert len(made) == 2 * 2 * 2 + 1


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"colour": 1}, "colour"),
        ({"mechanisms": ["magic"]}, "mechanisms = 'magic'"),
        ({"continuous": [1.0]}, "continuous = 1.0"),
        ({"strength": [-1]}, "strength = -1"),
        ({"arcs_per_node": [4]}, "arcs_per_node = 4.0"),
        ({"also": [{"node": [3]}]}, "node"),
        ({"learners": {"A": "tabu(score=bcgg)"}}, "learners.A.*bcgg"),
        ({"learners": {"A": 3}}, "learners.A = 3"),
        ({"learners": {"A": {"learner": "tabu", "discretize": "magic(3)"}}}, "learners.A: discretize = 'magic"),
        ({"learners": {"A": {"learner": "tabu", "tiers": 1}}}, "learners.A: tiers = 1"),
        ({"learners": {"A": {"learner": "tabu", "bins": 1}}}, "bins"),
        ({"learners": {"A": {"discretize": "hartemink"}}}, "'learner' is missing"),
    ],
)
def test_mistakes_in_the_grid_are_named(changes, named):
    with pytest.raises(InputError, match=named):
        cells(**changes)


def test_a_cell_gives_the_same_row_again_whether_or_not_samples_are_shared():
    for cell in cells(sizes=[60]):
        assert timeless(KIND.run(cell, 5, Shared(0))) == timeless(KIND.run(cell, 5, Shared(10**7)))


def test_a_row_counts_edges_and_directions_of_the_graph_that_a_learner_gives():
    """X and Y are measurements, D a category; of D -> X -> Y a learner has X - D and a false D - Y."""
    dag = vd.DAG.from_arcs([("D", "X"), ("X", "Y")], ["D", "X", "Y"])
    data = vd.random_mixed_network(dag, continuous=["X", "Y"], seed=1).sample(400, 1)
    learner = vd.Tabu(score=vd.BCG())
    result = learner.learn(data, vd.Knowledge(forbidden=[("X", "Y"), ("Y", "X")], required=[("D", "Y")]))
    assert set(result.dag.arcs) == {("D", "X"), ("D", "Y")}
    row = measure(dag, result, directions(learner, data, None), data, None)
    assert {name: row[name] for name in ("arcs", "found", "false", "shd", "gain")} == {
        "arcs": 2,
        "found": 1,
        "false": 1,
        "shd": 2,
        "gain": None,
    }
    assert (row["right"], row["wrong"]) == (1, 0)  # by what BCG says of directions: the class leaves both open
    blind = measure(dag, result, vd.Knowledge(), data, None)
    assert (blind["right"], blind["wrong"]) == (0, 0)
    reverse = vd.DAG.from_arcs([("X", "D"), ("X", "Y")], ["D", "X", "Y"])
    against = measure(reverse, result, directions(learner, data, None), data, None)
    assert (against["right"], against["wrong"]) == (0, 1)


def test_the_gain_is_what_the_log_loss_of_fresh_rows_falls_by():
    network = vd.random_mixed_network(vd.DAG.from_arcs([("D", "X")]), continuous=["X"], seed=1)
    data, test = network.sample(300, 1), network.sample(200, 2)
    result = vd.GES(score=vd.DegenerateGaussian()).learn(data)
    assert result.graph.edges  # either direction; only one of them has parameters
    row = measure(network.dag, result, vd.Knowledge(), data, test)
    empty = vd.DAG.from_arcs([], ["D", "X"])
    expected = vd.log_loss(vd.fit(empty, data), test) - vd.log_loss(vd.fit(network.dag, data), test)
    assert row["gain"] == pytest.approx(expected)
    assert row["gain"] > 0


@pytest.mark.medium
def test_there_is_no_gain_where_no_member_of_the_class_has_parameters():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 800))
    data = vd.Data.from_frame(pl.DataFrame({"x": x, "y": y, "d": x + y + 0.5 * rng.logistic(size=800) > 0}))
    result = vd.GES(score=vd.DegenerateGaussian()).learn(data)
    assert set(result.graph.arcs) == {("x", "d"), ("y", "d")}
    assert measure(result.dag, result, vd.Knowledge(), data, data)["gain"] is None


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    shared = Shared(10**7)
    return pl.DataFrame([cell | row for cell in cells() for row in KIND.run(cell, 1, shared)], infer_schema_length=None)


@pytest.mark.medium
def test_figures_have_means_of_the_rows(table):
    wanted = [
        {"name": "all", "type": "learners"},
        {"name": "two", "learners": ["BCG", "bins"]},
    ]
    every, two = KIND.figures(spec(figures=wanted), table)
    assert set(every.data["label"]) == {"BCG", "DG", "bins"}
    row = table.filter(pl.col("mechanism") == "thresholds", pl.col("n") == 200, pl.col("discretize").is_not_null())
    own = every.data.filter(pl.col("mechanism") == "thresholds", pl.col("n") == 200, pl.col("label") == "bins")
    assert own["scaled_shd"].item() == pytest.approx(row["shd"].item() / row["arcs"].item())
    assert own["found"].item() == pytest.approx(row["found"].item() / row["arcs"].item())
    assert set(two.data["label"]) == {"BCG", "bins"}
    assert two.data["value"].unique().sort().to_list() == [60, 200]
    assert [axes.get_title("left") for axes in two.drawing.axes] == ["conditional-gaussian", "thresholds"]


@pytest.mark.medium
def test_curves_are_means_of_the_samples_that_all_their_learners_are_done_with(table):
    lacking = table.filter(~((pl.col("n") == 60) & pl.col("discretize").is_not_null()))
    wanted = [{"name": "two", "learners": ["BCG", "bins"], "over": ["n", "mechanism"]}]
    with pytest.raises(InputError, match="over = 'mechanism'"):
        list(KIND.figures(spec(figures=wanted), lacking))
    wanted[0]["over"] = ["n"]
    with pytest.raises(InputError, match="n has only one value"):  # 200 rows are left
        list(KIND.figures(spec(figures=wanted), lacking))
