"""Instruments, against all sets of all small DAGs, and against effects in linear models."""

from __future__ import annotations

import numpy as np
import pytest

from naive import causal as naive
from naive import graphs
from strategies.graphs import dag_of
from veridag import DAG, InputError, Instrument

X, Y = 0, 1


def check_instruments(n: int, arcs: graphs.Arcs) -> None:
    """Those by the definition, with the minimal sets; a variable has one exactly if it has one among ancestors."""
    dag = dag_of(n, arcs)
    found: dict[int, list[frozenset[int]]] = {}
    for z, w in dag.instruments("X1", "X2"):
        found.setdefault(dag.index(z), []).append(frozenset(dag.indices(w)))
    for z, sets in naive.instrument_sets(n, arcs, X, Y).items():
        assert set(found.get(z, [])) <= set(sets)
        above = {v for v in range(n) if graphs.descendants(n, arcs, v) & {z, Y}}
        ancestral = [w for w in sets if w <= above]
        assert bool(ancestral) <= (z in found)
    assert set(found) <= set(naive.others(n, X, Y))


def test_instruments_agree_with_the_definition_on_some_dags_of_4():
    for arcs in graphs.all_dags(4)[::4]:
        check_instruments(4, arcs)


@pytest.mark.medium
def test_instruments_agree_with_the_definition_on_some_dags_of_5():
    for arcs in graphs.all_dags(5)[::97]:
        check_instruments(5, arcs)


@pytest.mark.slow
def test_instruments_agree_with_the_definition_on_all_dags_of_5():
    for arcs in graphs.all_dags(5):
        check_instruments(5, arcs)


@pytest.mark.medium
def test_the_ratio_of_covariances_is_the_effect_in_linear_models():
    rng = np.random.default_rng(4)
    tried = 0
    for arcs in graphs.all_dags(5)[::13]:
        dag, model = dag_of(5, arcs), naive.LinearModel(5, arcs, rng)
        for z, w in dag.instruments("X1", "X2"):
            left = model.residual([dag.index(z), X, Y], sorted(dag.indices(w)))
            assert abs(left[0, 1]) > 1e-9
            assert left[0, 2] / left[0, 1] == pytest.approx(model.total[X, Y], abs=1e-8)
            tried += 1
    assert tried > 1000


def test_the_classical_instrument_needs_no_conditions():
    dag = DAG.from_modelstring("[Z][U][X|Z:U][Y|X:U]")
    assert dag.instruments("X", "Y", observed=["Z"]) == [Instrument("Z", ())]


def test_an_instrument_with_a_common_cause_is_one_given_that_cause():
    dag = DAG.from_modelstring("[U][W][Z|W][X|Z:U][Y|X:U:W]")
    assert dag.instruments("X", "Y", observed=["Z", "W"]) == [Instrument("Z", ("W",))]
    assert dag.instruments("X", "Y", observed=["Z"]) == []


def test_a_variable_with_a_way_round_x_or_below_the_effect_is_no_instrument():
    round_x = DAG.from_modelstring("[Z][U][X|Z:U][Y|X:U:Z]")
    assert round_x.instruments("X", "Y", observed=["Z"]) == []
    below = DAG.from_modelstring("[X][M|X][Y|M][D|M]")
    assert below.instruments("X", "Y") == []


def test_the_number_of_pairs_is_bounded():
    dag = DAG.from_modelstring("[A][B][U][X|A:B:U][Y|X:U]")
    assert [z for z, _ in dag.instruments("X", "Y", observed=["A", "B"])] == ["A", "B"]
    with pytest.raises(InputError, match="most=1: there are more than 1 conditioning sets for instruments"):
        dag.instruments("X", "Y", observed=["A", "B"], most=1)
