"""Parameters of related data sets: partially pooled, pooled and separate, and which predicts best."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest

import oracle
import veridag as vd
from veridag import InputError
from veridag.counts.hierarchy import shared_prior
from veridag.data import Column, Data

FAMILIES = oracle.load("related")


def data_of(family: dict) -> Data:
    *arities, groups = family["dim"]
    codes = np.array([cell[::-1] for cell in product(*(range(r) for r in (groups, *arities[::-1])))])
    names = [family["node"], *family["parents"]]
    columns = [Column.discrete(v, codes[:, i], [f"s{k}" for k in range(arities[i])]) for i, v in enumerate(names)]
    return Data(columns, np.array(family["counts"]), codes[:, -1], [f"g{f}" for f in range(groups)])


@pytest.mark.parametrize(
    "family", [f for f in FAMILIES if f["settings"] and len(f["dim"]) > 2], ids=lambda f: f["node"]
)
def test_hierarchical_parameters_are_those_of_equation_7(family):
    data, child, parents = data_of(family), family["node"], family["parents"]
    dag = vd.DAG.from_arcs([(p, child) for p in parents], names=data.names)
    for setting in family["settings"]:
        networks = vd.fit(dag, data, setting["s"], method="hierarchical", alpha0=setting["alpha0"])
        # In the file the variable varies fastest and the groups slowest, so that its parents come in reverse order.
        shape = family["dim"][::-1]
        joint = setting["s"] * np.array(setting["kappa"]).reshape(shape[1:]) + np.array(family["counts"]).reshape(shape)
        expected = joint / joint.sum(axis=-1, keepdims=True)
        for f, label in enumerate(data.groups):
            found = networks[label].table(child)
            order = [len(parents) - 1 - parents.index(p) for p in found.parents]
            np.testing.assert_allclose(found.probabilities, expected[f].transpose(*order, -1), rtol=1e-6)
        if setting["cpt_bnlearn"]:
            np.testing.assert_allclose(expected.reshape(-1), setting["cpt_bnlearn"], atol=2e-3)


def test_a_group_without_rows_has_what_all_have_in_common():
    sample = vd.simulate.related(4, 3, states=3, rows=[50, 0, 70], seed=1)
    networks = vd.fit(sample.dag, sample.data, 2, method="hierarchical")
    assert list(networks) == ["F1", "F2", "F3"]
    n_kf = np.column_stack([np.bincount(p.column("X1"), minlength=3) for p in sample.data.by_group().values()])
    empty = vd.DAG.empty(sample.dag.names)
    shared = vd.fit(empty, sample.data, 2, method="hierarchical")["F2"].table("X1").probabilities
    np.testing.assert_allclose(shared, shared_prior(n_kf, 2.0, 1.0).kappa, rtol=1e-12)
    separate = vd.fit(sample.dag, sample.data, method="separate")
    assert np.allclose(separate["F2"].table("X1").probabilities, 1 / 3)


def test_pooled_and_separate_parameters_are_those_of_the_parts():
    sample = vd.simulate.related(4, 3, rows=40, seed=2)
    pooled, separate = (vd.fit(sample.dag, sample.data, 3, method=m) for m in ("pooled", "separate"))
    whole = vd.fit(sample.dag, Data(sample.data.columns), 3)
    for label, part in sample.data.by_group().items():
        assert pooled[label] == whole
        assert separate[label] == vd.fit(sample.dag, part, 3)


def test_partial_pooling_lies_between_none_and_a_shared_prior():
    """Small groups lean on the others: with much weight on what is shared, all come close to each other."""
    sample = vd.simulate.related(2, 4, rows=[500, 500, 500, 3], arcs_per_node=0, seed=3)
    firm = vd.fit(sample.dag, sample.data, 1000, method="hierarchical")
    loose = vd.fit(sample.dag, sample.data, 0.01, method="hierarchical")
    separate = vd.fit(sample.dag, sample.data, 0.01, method="separate")
    p = {
        name: nets["F4"].table("X1").probabilities
        for name, nets in (("firm", firm), ("loose", loose), ("no", separate))
    }
    np.testing.assert_allclose(p["loose"], p["no"], atol=0.01)
    others = np.mean([firm[g].table("X1").probabilities for g in ("F1", "F2", "F3")], axis=0)
    assert np.abs(p["firm"] - others).max() < np.abs(p["no"] - others).max()


def test_the_log_likelihood_takes_each_row_under_its_own_group():
    sample = vd.simulate.related(4, 3, rows=30, seed=4)
    networks = vd.fit(sample.dag, sample.data, method="hierarchical")
    parts = sample.data.by_group()
    expected = sum(networks[g].log_likelihood(part) for g, part in parts.items())
    assert networks.log_likelihood(sample.data) == pytest.approx(expected, rel=1e-14)
    assert pickle.loads(pickle.dumps(networks)) == networks
    with pytest.raises(InputError, match="no group 'F9'"):
        networks["F9"]


def test_continuous_groups_may_be_pooled_or_apart():
    rng = np.random.default_rng(1)
    data = Data([Column.continuous("X", rng.normal(size=40))], None, np.arange(40) % 2, "ab")
    dag = vd.DAG.empty(["X"])
    assert vd.fit(dag, data, method="separate")["a"] == vd.fit(dag, data.by_group()["a"])
    assert vd.fit(dag, data, method="pooled")["b"] == vd.fit(dag, Data(data.columns))
    with pytest.raises(InputError, match="'hierarchical' is for discrete data"):
        vd.fit(dag, data, method="hierarchical")


def test_what_cannot_be_fitted_is_refused():
    sample = vd.simulate.related(3, 2, rows=10)
    with pytest.raises(InputError, match=r"2 groups.*method='hierarchical'"):
        vd.fit(sample.dag, sample.data)
    with pytest.raises(InputError, match="the data has no groups"):
        vd.fit(sample.dag, Data(sample.data.columns), method="pooled")
    with pytest.raises(InputError, match="ess is 0"):
        vd.fit(sample.dag, sample.data, 0, method="hierarchical")
    with pytest.raises(InputError, match="alpha0=0"):
        vd.fit(sample.dag, sample.data, method="hierarchical", alpha0=0)
    with pytest.raises(InputError, match="'separate'"):
        vd.fit(sample.dag, sample.data, method="none")
    with pytest.raises(InputError, match="it has no groups"):
        vd.compare_pooling(sample.dag, Data(sample.data.columns))


@pytest.mark.slow
@pytest.mark.parametrize(("parameters", "rows", "best"), [("hier", 25, "hierarchical"), ("id", 25, "pooled")])
def test_the_kind_of_pooling_that_fits_predicts_best(parameters, rows, best):
    found = [
        vd.compare_pooling(sample.dag, sample.data, folds=5, ess=10, seed=1).best
        for sample in (vd.simulate.related(6, 8, states=3, parameters=parameters, rows=rows, seed=s) for s in range(5))
    ]
    assert found.count(best) >= 4


def test_different_groups_are_best_kept_apart_and_the_gain_says_how_much_is_lost():
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1], 200)
    codes = (rng.random(400) < np.where(group == 0, 0.02, 0.98)).astype(int)
    data = Data([Column.discrete("X", codes, "ab")], None, group, "uv")
    found = vd.compare_pooling(vd.DAG.empty(["X"]), data, seed=1)
    assert found.pooled < found.separate - 0.3
    assert found.gain == pytest.approx(found.hierarchical - found.separate, abs=1e-12)
    assert abs(found.gain) < 0.01
