"""Front-door sets, against all paths of all small DAGs, and against effects in linear models."""

from __future__ import annotations

import numpy as np
import pytest

from naive import causal as naive
from naive import graphs
from strategies.graphs import dag_of
from veridag import DAG, InputError

X, Y = 0, 1


def names(dag, which):
    return tuple(dag.names[v] for v in which)


def check_front_door(n: int, arcs: graphs.Arcs) -> None:
    dag = dag_of(n, arcs)
    for m in naive.subsets(naive.others(n, X, Y)):
        assert dag.is_front_door("X1", "X2", names(dag, m)) == naive.is_front_door(n, arcs, X, Y, m)
    minimal = naive.minimal(n, X, Y, lambda m: naive.is_front_door(n, arcs, X, Y, m))
    assert dag.front_door("X1", "X2") == [names(dag, m) for m in naive.in_order(minimal)]


def test_sets_agree_with_the_definition_on_some_dags_of_4():
    for arcs in graphs.all_dags(4)[::4]:
        check_front_door(4, arcs)


@pytest.mark.medium
def test_sets_agree_with_the_definition_on_some_dags_of_5():
    for arcs in graphs.all_dags(5)[::97]:
        check_front_door(5, arcs)


@pytest.mark.slow
def test_sets_agree_with_the_definition_on_all_dags_of_5():
    for arcs in graphs.all_dags(5):
        check_front_door(5, arcs)


@pytest.mark.medium
def test_the_front_door_formula_yields_the_effect_in_linear_models():
    """The effects of x on m, by regression on x alone, times those of m on y, by regression on m and x."""
    rng = np.random.default_rng(3)
    tried = 0
    for arcs in graphs.all_dags(5)[::13]:
        dag, model = dag_of(5, arcs), naive.LinearModel(5, arcs, rng)
        for through in dag.front_door("X1", "X2"):
            m = sorted(dag.indices(through))
            first = np.array([model.regression(v, [X])[0] for v in m])
            second = model.regression(Y, [*m, X])[: len(m)]
            assert first @ second == pytest.approx(model.total[X, Y], abs=1e-9)
            tried += len(m) > 0
    assert tried > 30


def test_pearls_example_of_smoking_tar_and_cancer():
    dag = DAG.from_modelstring("[U][smoking|U][tar|smoking][cancer|tar:U]")
    assert dag.front_door("smoking", "cancer", observed=["tar"]) == [("tar",)]
    assert dag.is_front_door("smoking", "cancer", "tar")
    assert dag.adjustment_sets("smoking", "cancer", observed=["tar"]) == []
    assert dag.front_door("smoking", "cancer", observed=[]) == []


def test_two_ways_through_make_all_choices_of_one_on_each_way():
    dag = DAG.from_modelstring("[U][X|U][A|X][B|A][C|X][D|C][Y|B:D:U]")
    seen = [v for v in dag.names if v != "U"]
    assert dag.front_door("X", "Y", observed=seen) == [("A", "C"), ("A", "D"), ("B", "C"), ("B", "D")]
    with pytest.raises(InputError, match="most=3: there are more than 3 minimal front-door sets"):
        dag.front_door("X", "Y", most=3)


def test_without_a_causal_path_the_empty_set_is_the_only_one():
    dag = DAG.from_modelstring("[Y][M][X|Y:M]")
    assert dag.front_door("X", "Y") == [()]


def test_mistakes_name_the_argument():
    dag = DAG.from_modelstring("[X][M|X][Y|M]")
    with pytest.raises(InputError, match="x: this criterion takes one variable, not 2"):
        dag.front_door(["X", "M"], "Y")
    with pytest.raises(InputError, match="through: 'X' is also in x or y"):
        dag.is_front_door("X", "Y", ["X"])
