"""Parameters and likelihoods of data in which variables were set."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import naive.interventions as by_hand
import veridag as vd
from strategies.interventions import chain, random_data


def dag_of(data: vd.Data) -> vd.DAG:
    names = data.names
    return vd.DAG.from_arcs([(names[0], names[1]), (names[1], names[2]), (names[0], names[2])], names=names)


@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_parameters_of_a_variable_are_from_the_rows_in_which_it_was_not_set(kind):
    data = random_data(kind, seed=9, weighted=True)
    network = vd.fit(dag_of(data), data)
    for name in data.names:
        assert network.cpds[name] == vd.fit(dag_of(data), by_hand.rows_without(data, [name])).cpds[name]
        together = vd.fit(dag_of(data), replace(data, targets=None)).cpds[name]
        assert (network.cpds[name] != together) == (name in data.targets.names)


def test_mixed_networks_and_groups_leave_the_rows_out_too():
    data = random_data("mixed", seed=9, n=400)
    kinds = sorted(data.names, key=lambda v: (data.kinds[v] == "continuous", v))
    dag = vd.DAG.from_arcs(list(pairwise(kinds)), names=data.names)
    network = vd.fit(dag, data)
    for name in data.names:
        assert network.cpds[name] == vd.fit(dag, by_hand.rows_without(data, [name])).cpds[name]
    data = random_data("discrete", seed=9)
    grouped = replace(data, group=np.arange(data.nrows) % 2, groups=("a", "b"))
    for method in ("hierarchical", "separate", "pooled"):
        networks = vd.fit(dag_of(data), grouped, method=method)
        for name in data.names:
            part = vd.fit(dag_of(data), by_hand.rows_without(grouped, [name]), method=method)
            assert networks["a"].cpds[name] == part["a"].cpds[name]


def test_a_variable_that_was_set_has_no_term_in_the_likelihood():
    data = random_data("discrete", seed=9, n=40)
    network = vd.fit(dag_of(data), data)
    found = network.log_likelihood(data, by_row=True)
    for i in range(data.nrows):
        expected = 0.0
        for v in data.names:
            if v in data.targets[i]:
                continue
            cpd = network.cpds[v]
            expected += np.log(cpd.probabilities[tuple(int(data.column(u)[i]) for u in (*cpd.parents, v))])
        assert found[i] == pytest.approx(expected)


def test_cross_validation_judges_only_what_was_not_set():
    data = chain(600, seed=1)
    told = vd.cross_validate(data, vd.Tabu(score=vd.BDeu()), folds=3, seed=1)
    ignored = vd.cross_validate(replace(data, targets=None), vd.Tabu(score=vd.BDeu()), folds=3, seed=1)
    assert told.loss < ignored.loss - 0.3  # half of the rows lack the term of B, about log 2


def test_what_needs_an_expectation_refuses():
    data = vd.simulate.remove_values(random_data("discrete", seed=9), 0.1, seed=1)
    network = vd.fit(dag_of(data), data.complete_cases())
    for call in (
        lambda: vd.fit(dag_of(data), data),
        lambda: vd.impute(network, data),
        lambda: network.log_likelihood(data),
    ):
        with pytest.raises(vd.InputError, match=r"not for data with interventions, and \d+ rows .*complete_cases"):
            call()


def test_averages_over_the_posterior_take_the_same_rows():
    data = chain(2000, seed=1)
    found = vd.posterior(data, score=vd.BDeu(), prior=vd.Fair(), method="exact")
    answer = found.query(["B"], {"A": "1"})
    part = by_hand.rows_without(data, ["B"]).to_pandas()
    assert answer["1"] == pytest.approx((part[part["A"] == "1"]["B"] == "1").mean(), abs=0.02)
