"""Adjustment sets, against all paths of all small DAGs, and against effects in linear models."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import causal as naive
from naive import graphs
from strategies.graphs import dag_of, dags
from veridag import DAG, InputError

X, Y = 0, 1


def names(dag, which):
    return tuple(dag.names[v] for v in which)


def check_all_sets(n: int, arcs: graphs.Arcs) -> None:
    """Of the effect of the first variable on the second; other pairs have the same DAG with other labels."""
    dag, criterion = dag_of(n, arcs), naive.Adjustment(n, arcs, frozenset([X]), frozenset([Y]))
    valid = [z for z in naive.subsets(naive.others(n, X, Y)) if criterion.holds(z)]
    for z in naive.subsets(naive.others(n, X, Y)):
        assert dag.is_valid_adjustment("X1", "X2", names(dag, z)) == (z in valid)
        back_door = dag.is_valid_adjustment("X1", "X2", names(dag, z), criterion="backdoor")
        assert back_door == naive.is_back_door(n, arcs, X, Y, z)
    expected = {
        "all": valid,
        "minimal": naive.minimal(n, X, Y, criterion.holds),
        "backdoor": naive.minimal(n, X, Y, lambda z: naive.is_back_door(n, arcs, X, Y, z)),
    }
    for kind, sets in expected.items():
        assert dag.adjustment_sets("X1", "X2", kind) == [names(dag, z) for z in naive.in_order(sets)]
    optimal = dag.optimal_adjustment("X1", "X2")
    assert (optimal is None) == (Y not in graphs.descendants(n, arcs, X))
    assert optimal is None or dag.indices(optimal) in [set(z) for z in valid]


def test_sets_agree_with_the_definition_on_some_dags_of_4():
    for arcs in graphs.all_dags(4)[::4]:
        check_all_sets(4, arcs)


@pytest.mark.medium
def test_sets_agree_with_the_definition_on_some_dags_of_5():
    for arcs in graphs.all_dags(5)[::97]:
        check_all_sets(5, arcs)


@pytest.mark.slow
def test_sets_agree_with_the_definition_on_all_dags_of_5():
    for arcs in graphs.all_dags(5):
        check_all_sets(5, arcs)


def check_joint_sets(n: int, arcs: graphs.Arcs) -> None:
    dag = dag_of(n, arcs)
    for x, y in [((0, 1), (2,)), ((0,), (1, 2)), ((0, 1), (2, 3))]:
        criterion = naive.Adjustment(n, arcs, frozenset(x), frozenset(y))
        usable = naive.others(n, *x, *y)
        valid = [z for z in naive.subsets(usable) if criterion.holds(z)]
        minimal = [z for z in valid if not any(other < z for other in valid)]
        found = dag.adjustment_sets(names(dag, x), names(dag, y))
        assert found == [names(dag, z) for z in naive.in_order(minimal)]
        optimal = dag.optimal_adjustment(names(dag, x), names(dag, y))
        assert optimal is None or frozenset(dag.indices(optimal)) in valid
        below = frozenset().union(*(graphs.descendants(n, arcs, v) for v in x))
        assert optimal is not None or not valid or not set(y) <= below


@pytest.mark.medium
def test_sets_of_several_causes_or_outcomes_agree_with_the_definition():
    for arcs in graphs.all_dags(5)[::61]:
        check_joint_sets(5, arcs)


def check_effects(n: int, arcs: graphs.Arcs, rng: np.random.Generator) -> None:
    """A set is valid exactly if the coefficient of x is the total effect, for generic coefficients of the model."""
    dag, model = dag_of(n, arcs), naive.LinearModel(n, arcs, rng)
    for z in naive.subsets(naive.others(n, X, Y)):
        same = np.isclose(model.regression(Y, [X, *sorted(z)])[0], model.total[X, Y], rtol=1e-9, atol=1e-9)
        assert dag.is_valid_adjustment("X1", "X2", names(dag, z)) == same


@pytest.mark.slow
def test_a_set_is_valid_exactly_if_a_regression_on_it_yields_the_effect_in_linear_models():
    rng = np.random.default_rng(1)
    for arcs in graphs.all_dags(5)[::31]:
        check_effects(5, arcs, rng)


@pytest.mark.medium
def test_no_valid_set_has_a_smaller_variance_than_the_optimal_one():
    rng = np.random.default_rng(2)
    improved = 0
    for arcs in graphs.all_dags(5)[::17]:
        dag = dag_of(5, arcs)
        optimal = dag.optimal_adjustment("X1", "X2")
        if optimal is None:
            continue
        model = naive.LinearModel(5, arcs, rng)
        least = model.variance(X, Y, sorted(dag.indices(optimal)))
        for z in dag.adjustment_sets("X1", "X2", "all"):
            variance = model.variance(X, Y, sorted(dag.indices(z)))
            assert least <= variance * (1 + 1e-9)
            improved += least < 0.99 * variance
    assert improved > 100


@given(dags(8), st.data())
def test_every_listed_set_is_valid_and_none_of_its_members_can_be_left_out(dag, choose):
    if len(dag) < 2:
        return
    x, y, *rest = choose.draw(st.permutations(dag.names))
    observed = [v for v in rest if choose.draw(st.booleans())]
    for kind, criterion in (("minimal", "general"), ("backdoor", "backdoor")):
        for z in dag.adjustment_sets(x, y, kind, observed=observed):
            assert set(z) <= set(observed)
            assert dag.is_valid_adjustment(x, y, z, criterion)
            for smaller in combinations(z, max(len(z) - 1, 0)):
                assert not z or not dag.is_valid_adjustment(x, y, smaller, criterion)


@given(dags(7), st.data())
def test_with_observed_the_sets_are_those_without_the_latent_variables(dag, choose):
    if len(dag) < 2:
        return
    x, y, *rest = choose.draw(st.permutations(dag.names))
    observed = {v for v in rest if choose.draw(st.booleans())}
    everything = [set(z) for z in dag.adjustment_sets(x, y, "all")]
    seen = [z for z in everything if z <= observed]
    assert [set(z) for z in dag.adjustment_sets(x, y, "all", observed=observed)] == seen
    minimal = [z for z in seen if not any(other < z for other in seen)]
    assert [set(z) for z in dag.adjustment_sets(x, y, observed=observed)] == minimal


def test_the_m_bias_graph_needs_nothing_and_its_collider_does_harm():
    dag = DAG.from_modelstring("[U][V][X|U][M|U:V][Y|X:V]")
    assert dag.adjustment_sets("X", "Y") == [()]
    assert not dag.is_valid_adjustment("X", "Y", "M")
    assert dag.is_valid_adjustment("X", "Y", ["M", "U"])
    assert dag.optimal_adjustment("X", "Y") == ("V",)


def test_a_descendant_of_x_off_the_causal_paths_is_valid_but_not_by_the_back_door():
    dag = DAG.from_modelstring("[X][D|X][Y|X]")
    assert dag.is_valid_adjustment("X", "Y", "D")
    assert not dag.is_valid_adjustment("X", "Y", "D", criterion="backdoor")
    assert dag.adjustment_sets("X", "Y", "all") == [(), ("D",)]


def test_what_lies_between_two_causes_is_on_no_proper_path():
    assert DAG.from_arcs([("a", "w"), ("w", "c"), ("c", "y")]).is_valid_adjustment(["a", "c"], "y", ["w"])


def test_there_is_no_set_for_the_effect_on_a_parent():
    dag = DAG.from_modelstring("[Y][X|Y]")
    assert dag.adjustment_sets("X", "Y") == []
    assert dag.optimal_adjustment("X", "Y") is None


def test_two_long_chains_of_confounding_have_many_minimal_sets_and_a_bound():
    arcs = [("C", "A0"), ("C", "B0")]
    for i in range(12):
        arcs += [(f"A{i}", f"A{i + 1}"), (f"B{i}", f"B{i + 1}")]
    arcs += [("A12", "X"), ("B12", "X"), ("C", "Y"), ("X", "Y")]
    dag = DAG.from_arcs(arcs)
    assert len(dag.adjustment_sets("X", "Y")) == 1 + 13 * 13
    with pytest.raises(InputError, match="most=100: there are more than 100 minimal adjustment sets: raise most="):
        dag.adjustment_sets("X", "Y", most=100)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: d.adjustment_sets("X", "X"), "x and y: 'X' is in both"),
        (lambda d: d.adjustment_sets("Z", "Y"), "no variable 'Z'"),
        (lambda d: d.adjustment_sets([], "Y"), "x: name at least one variable"),
        (lambda d: d.adjustment_sets("X", "Y", "best"), "kind='best' must be 'minimal', 'all' or 'backdoor'"),
        (lambda d: d.adjustment_sets(["X", "W"], "Y", "backdoor"), "x: this criterion takes one variable"),
        (lambda d: d.adjustment_sets("X", "Y", observed=["Q"]), "no variable 'Q'"),
        (lambda d: d.adjustment_sets("X", "Y", most=0), "most=0 must be an integer of at least 1"),
        (lambda d: d.is_valid_adjustment("X", "Y", ["Y"]), "given: 'Y' is also in x or y"),
        (lambda d: d.is_valid_adjustment("X", "Y", [], "front"), "criterion='front' must be 'general' or 'backdoor'"),
    ],
)
def test_mistakes_name_the_argument(call, message):
    with pytest.raises(InputError, match=message):
        call(DAG.from_modelstring("[W][X|W][Y|X:W]"))
