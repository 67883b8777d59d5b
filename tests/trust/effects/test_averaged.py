"""Effects over many graphs."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from naive import effects as naive
from veridag import DAG, PDAG, InputError, Interrupted, averaged_effect, effect

ASIA = vd.networks.load("asia")
DATA = ASIA.sample(1000, seed=1)


def test_graphs_without_a_path_give_no_estimate() -> None:
    found = averaged_effect(DATA, "dysp", "smoke", [ASIA.dag] * 3)
    assert found.sentence == (
        "In none of the 3 graphs does a directed path lead from dysp to smoke: they imply no effect."
    )
    assert str(found) == f"{found.sentence}\nchance of any effect  0"


def test_one_graph_gives_the_bootstrap_distribution_of_its_effect() -> None:
    found = averaged_effect(DATA, "smoke", "dysp", [ASIA.dag] * 200, values=("no", "yes"), outcome="yes")
    alone = effect(DATA, ASIA.dag, "smoke", "dysp", values=("no", "yes"), outcome="yes")
    assert (found.graphs, found.any_effect, found.positive, found.negative) == (
        200,
        pytest.approx(1),
        pytest.approx(1),
        0,
    )
    assert found.mean == pytest.approx(alone.value, abs=0.01)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    assert found.directions == 0
    assert str(found).endswith("variance from unknown directions  0 %")


def test_a_class_contributes_all_its_effects() -> None:
    dag = DAG.from_arcs([("X", "Y")])
    data = naive.exact_rows(np.array([[1, 0.5], [0.5, 1]]), dag.names)
    found = averaged_effect(data, "X", "Y", [dag.cpdag()] * 50)
    assert found.any_effect == pytest.approx(0.5)
    assert found.positive + found.negative == pytest.approx(0.5)
    assert (found.exists == (found.values != 0)).all()
    assert found.weights.sum() == pytest.approx(1)
    assert found.directions > 0.5
    three = averaged_effect(data, "X", "Y", [dag, dag, DAG.from_arcs([("Y", "X")], dag.names)])
    assert three.any_effect == pytest.approx(2 / 3)
    assert list(three.values).count(0.0) == 1
    assert three.mean == pytest.approx(sum(three.values) / 3)


def test_quantiles_are_those_of_the_weighted_values() -> None:
    dag = DAG.from_arcs([("X", "Y")])
    data = naive.exact_rows(np.array([[1, 0.5], [0.5, 1]]), dag.names)
    found = averaged_effect(data, "X", "Y", [dag] * 40)
    ordered = np.sort(found.values)
    assert found.quantile(0.25) == ordered[9]
    assert found.median == ordered[19]
    assert found.quantile(1.0) == ordered[-1]


@pytest.mark.medium
def test_the_bootstrap_learns_a_class_from_each_sample() -> None:
    learner = vd.Tabu(score=vd.BDeu())
    known = vd.Knowledge(required=[("smoke", "bronc"), ("smoke", "lung")])
    found = averaged_effect(
        DATA, "smoke", "bronc", algorithm=learner, knowledge=known, values=("no", "yes"), outcome="yes", repeats=20
    )
    truth = effect(DATA, ASIA.dag, "smoke", "bronc", values=("no", "yes"), outcome="yes", repeats=0)
    assert (found.any_effect, found.positive) == (pytest.approx(1), pytest.approx(1))
    assert found.low <= truth.value <= found.high
    again = averaged_effect(
        DATA,
        "smoke",
        "bronc",
        algorithm=learner,
        knowledge=known,
        values=("no", "yes"),
        outcome="yes",
        repeats=20,
        jobs=3,
    )
    np.testing.assert_array_equal(found.values, again.values)
    np.testing.assert_array_equal(found.weights, again.weights)


@pytest.mark.medium
def test_draws_of_the_posterior() -> None:
    data = DATA.select(["smoke", "bronc", "dysp"])
    posterior = vd.posterior(data, max_indegree=2)
    found = averaged_effect(data, "smoke", "bronc", posterior, repeats=300)
    assert found.graphs == 300
    assert found.any_effect == pytest.approx(posterior.ancestors[0, 1], abs=0.08)
    draws = posterior.sample(100, seed=2)
    some = averaged_effect(data, "smoke", "bronc", draws, repeats=40)
    assert some.graphs == 40


def test_words_and_what_is_left_out() -> None:
    square = PDAG.from_arcs([], [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")])
    data = naive.exact_rows(np.eye(4) + 0.2, tuple("ABCD"))
    dag = DAG.from_arcs([("A", "B")], list("ABCD"))
    found = averaged_effect(data, "A", "B", [dag, square, dag])
    assert found.graphs == 2
    assert found.notes[0].startswith("1 of 3 graphs are left out: no DAG extends them")
    assert found.sentence.startswith("Over 2 graphs, one unit more of A changes the mean of B by +")
    assert found.sentence.endswith("the chance of any effect is 1.00, of a positive one 0.50.")
    assert "chance of any effect" in str(found)
    assert "chance of any effect" in found._repr_html_()
    assert repr(found).endswith("over 2 graphs>")
    none = averaged_effect(data, "A", "B", [square])
    assert none.sentence == "The effect of A on B could be estimated in none of the graphs."
    assert np.isnan([none.mean, none.median]).all()


def test_an_interrupt_keeps_the_graphs_that_are_done(ctrl_c) -> None:
    with pytest.raises(Interrupted) as stopped:
        averaged_effect(DATA, "smoke", "dysp", [ASIA.dag] * 100_000, progress=ctrl_c(6))
    assert 0 < stopped.value.result.graphs < 100_000


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("posterior", "source='posterior' must be 'bootstrap'"),
        (5, "source: a int has no graphs"),
        ([], "there are no graphs in it"),
        ([ASIA], "it holds a Network"),
        ([DAG.empty(["smoke", "dysp"])], "different variables"),
    ],
)
def test_mistakes_are_named(source, message: str) -> None:
    with pytest.raises(InputError, match=message):
        averaged_effect(DATA, "smoke", "dysp", source)
    with pytest.raises(InputError, match=r"algorithm and knowledge are for source='bootstrap'"):
        averaged_effect(DATA, "smoke", "dysp", [ASIA.dag], algorithm=vd.Tabu())


def age_and_illness() -> vd.Data:
    """A number that causes a category: age -> ill -> pulse <- drug."""
    rng = np.random.default_rng(5)
    n = 800
    age = rng.uniform(20, 80, n)
    ill = np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 55) / 8)), "yes", "no")
    drug = rng.choice(["a", "b"], n)
    pulse = 60 + 10 * (ill == "yes") + 3 * (drug == "a") + 5 * rng.normal(size=n)
    return vd.Data.from_frame({"age": age, "ill": ill, "drug": drug, "pulse": pulse})


@pytest.mark.medium
@pytest.mark.parametrize("source", ["bootstrap", "exact", "draws"])
def test_a_direction_that_the_model_rules_out_stays_open(source: str) -> None:
    data = age_and_illness()
    posterior = vd.posterior(data) if source != "bootstrap" else None
    graphs = {"bootstrap": "bootstrap", "exact": posterior, "draws": posterior and posterior.sample(20, seed=1)}[source]
    class_alone = vd.possible_effects(data, vd.learn(data).cpdag, "age", "ill", repeats=0)
    assert class_alone.exists is None
    for x, y in (("age", "ill"), ("ill", "age")):
        found = averaged_effect(data, x, y, graphs, repeats=10)
        assert 0.3 < found.any_effect < 0.7
        assert found.directions > 0.5
        assert found.notes[0].startswith("BCG rules out arcs from continuous to discrete variables")
    assert averaged_effect(data, "age", "ill", graphs, repeats=10).high == pytest.approx(
        class_alone.bounds[1], abs=2e-3
    )


@pytest.mark.medium
def test_what_the_user_knows_directs_the_classes_of_mixed_data() -> None:
    data = age_and_illness()
    known = vd.Knowledge(forbidden=[("age", "ill")])
    assert averaged_effect(data, "age", "ill", knowledge=known, repeats=10).any_effect < 0.2
    posterior = vd.posterior(data, knowledge=known)
    assert averaged_effect(data, "age", "ill", posterior, repeats=10).any_effect < 0.2
    both = averaged_effect(data, "age", "ill", algorithm=vd.Tabu(score=vd.DegenerateGaussian()), repeats=4)
    assert both.notes == ()


@pytest.mark.medium
def test_interventions_direct_the_classes_of_the_bootstrap() -> None:
    network = vd.random_network(DAG.from_arcs([("A", "B")]), states=2, alpha=0.3, seed=2)
    data = vd.simulate.experiments(network, [None, "A"], rows=1000, seed=1)
    learner = vd.HillClimbing(score=vd.BDeu())
    assert averaged_effect(data, "A", "B", algorithm=learner, repeats=5).any_effect == 1
    assert averaged_effect(data, "B", "A", algorithm=learner, repeats=5).any_effect == 0
