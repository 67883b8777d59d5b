"""Effects from data with interventions: those of rows in which nothing was set, from all rows that tell of them."""

from __future__ import annotations

import numpy as np
import pytest

from naive import effects as naive
from veridag import (
    DAG,
    Data,
    InputError,
    Network,
    averaged_effect,
    effect,
    networks,
    possible_effects,
    random_dag,
    random_network,
    simulate,
)
from veridag.data import Column
from veridag.data.targets import Targets
from veridag.network.parameters import Table


def exact_experiments(network: Network, experiments: list[tuple[str, ...]]) -> Data:
    """As many observations of each experiment, distributed exactly; what is set is so at odds of 1 to 2 to 3 ..."""
    parts = []
    for targets in experiments:
        tables: dict[str, Table] = {}
        for v in network.names:
            odds = np.arange(1.0, len(network.states[v]) + 1)
            tables[v] = Table((), odds / odds.sum()) if v in targets else network.table(v)
        parts.append(naive.exact_table(Network(tables, network.states)))
    rows = parts[0].nrows
    columns = [
        Column.discrete(v, np.concatenate([p.column(v) for p in parts]), network.states[v]) for v in network.names
    ]
    codes = np.repeat(np.arange(len(experiments)), rows)
    weights = np.concatenate([p.weights // len(experiments) for p in parts])
    return Data(columns, weights, targets=Targets(experiments, codes))


@pytest.mark.medium
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adjustment", ["optimal", "parents"])
def test_effects_are_those_of_the_network_whatever_was_set(seed: int, adjustment: str) -> None:
    network = random_network(random_dag(5, arcs=7, seed=seed), states=2, alpha=2, seed=seed)
    experiments = [(), *((v,) for v in network.names), network.names[:2], network.names[2:4], network.names[1:5:3]]
    data = exact_experiments(network, experiments)
    for x in network.names:
        for y in network.dag.descendants(x):
            found = effect(data, network.dag, x, y, adjustment=adjustment, repeats=0)
            truth = naive.do_probabilities(network, x, y)
            assert found.value == pytest.approx(truth[1, 1] - truth[0, 1], abs=1e-9)
            assert found.n > data.n / 8  # at least the rows in which x was set are used, too
            for g in set(network.names) - {x, y} - set(network.dag.descendants(x)):
                among = effect(data, network.dag, x, y, given={g: network.states[g][1]}, repeats=0)
                truth_among = naive.do_probabilities(network, x, y, {g: 1})
                assert among.value == pytest.approx(truth_among[1, 1] - truth_among[0, 1], abs=1e-9)


@pytest.mark.medium
@pytest.mark.parametrize("seed", range(6))
def test_all_valid_sets_stay_valid(seed: int) -> None:
    """Also those with effects of x that are not on the way to y."""
    network = random_network(random_dag(5, arcs=6, seed=seed), states=2, alpha=2, seed=seed)
    data = exact_experiments(network, [(), *((v,) for v in network.names), network.names[::2], network.names[1::2]])
    for x in network.names:
        for y in network.dag.descendants(x):
            truth = naive.do_probabilities(network, x, y)
            for names in network.dag.adjustment_sets(x, y, "all"):
                found = effect(data, network.dag, x, y, adjustment=names, repeats=0)
                assert found.value == pytest.approx(truth[1, 1] - truth[0, 1], abs=1e-9)


@pytest.mark.medium
@pytest.mark.parametrize("seed", range(4))
def test_possible_effects_are_those_without_interventions(seed: int) -> None:
    network = random_network(random_dag(5, arcs=6, seed=seed), states=2, alpha=2, seed=seed)
    plain = naive.exact_table(network)
    for target in network.names:
        data, graph = exact_experiments(network, [(), (target,)]), network.dag.interventional_cpdag([target])
        for x in network.names:
            for y in set(network.names) - {x}:
                found = possible_effects(data, graph, x, y, repeats=0).values
                expected = possible_effects(plain, graph, x, y, repeats=0).values
                np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.medium
def test_averaged_effects_leave_out_the_same_rows() -> None:
    sachs = networks.load("sachs")
    data = simulate.experiments(sachs, [None, "Akt", "PKA"], rows=20_000, seed=1)
    found = averaged_effect(data, "PKA", "Akt", [sachs.dag] * 3)
    low, high = (sachs.query("Akt", do={"PKA": state})["HIGH"] for state in sachs.states["PKA"][:2])
    assert found.mean == pytest.approx(high - low, abs=0.01)


def test_joint_effects_use_rows_in_which_no_cause_was_set() -> None:
    dag = DAG.from_arcs([("A", "B"), ("A", "C"), ("B", "C"), ("C", "D")])
    b = naive.random_coefficients(dag, 1)
    plain = naive.exact_rows(naive.covariance(b, np.ones(4)), dag.names)
    cut = b.copy()
    cut[:, 1] = 0
    other = naive.exact_rows(naive.covariance(cut, np.full(4, 3.0)), dag.names, seed=2)
    columns = [Column.continuous(v, np.concatenate([plain.column(v), other.column(v)])) for v in dag.names]
    for target in ("B", "D"):
        data = Data(columns, targets=Targets.of_rows([None] * plain.nrows + [target] * other.nrows))
        found = possible_effects(data, dag, ["A", "B"], "D", method="joint", repeats=0)
        expected = possible_effects(plain, dag, ["A", "B"], "D", method="joint", repeats=0)
        assert found.effects == expected.effects
    assert found.notes[0].startswith(f"uses the {plain.nrows} of {data.n} observations in which 'D' was not set")


def test_what_was_left_out_is_said() -> None:
    sachs = networks.load("sachs")
    data = simulate.experiments(sachs, [None, "Akt"], rows=3000, seed=1)
    found = effect(data, sachs.dag, "PKA", "Akt", repeats=0)
    assert found.value == effect(data.rows(~data.targets.is_set(["Akt"])), sachs.dag, "PKA", "Akt", repeats=0).value
    assert found.notes[0] == "uses the 3000 of 6000 observations in which 'Akt' was not set"
    assert found.n == 3000
    with_x = simulate.experiments(sachs, [None, "PKA", "Jnk"], rows=3000, seed=1)
    used = effect(with_x, sachs.dag, "PKA", "Akt", repeats=0)
    assert used.n == 9000  # setting x, or what has no part in it, does no harm
    assert used.notes == ()
    only = data.rows(data.targets.is_set(["Akt"]))
    with pytest.raises(InputError, match=r"data: 'Akt' was set in every row.*add rows in which nothing but x was set"):
        effect(only, sachs.dag, "PKA", "Akt")
    none = averaged_effect(only, "PKA", "Akt", [sachs.dag] * 2)
    assert none.graphs == 0
    assert none.notes[0].startswith("2 of 2 graphs are left out")


def test_a_variable_that_the_graph_lacks_must_not_be_set() -> None:
    sachs = networks.load("sachs")
    data = simulate.experiments(sachs, [None, "PKC"], rows=300, seed=1)
    small = DAG.from_arcs([("PKA", "Akt")])
    assert effect(data, small, "PKA", "Akt", repeats=0).n == 300
