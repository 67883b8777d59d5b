"""Samples in which variables were set."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd


def test_a_variable_that_was_set_has_nothing_to_do_with_its_parents():
    data = vd.simulate.experiments(vd.networks.load("asia"), [None, "lung"], rows=[4000, 6000], seed=1)
    assert list(data.targets) == [()] * 4000 + [("lung",)] * 6000
    observed, forced = data.rows(slice(0, 4000)), data.rows(slice(4000, 10000))
    assert not vd.test("smoke", "lung", [], observed.not_set([])).independent
    table = vd.contingency_table(forced.not_set([]), ["smoke", "lung"])
    share = table / table.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(share, 0.5, atol=0.03)  # as often either way, whatever the parent is
    xray = {
        name: vd.contingency_table(part.not_set([]), ["either", "xray"])
        for name, part in (("o", observed), ("f", forced))
    }
    shares = [t / t.sum(axis=1, keepdims=True) for t in xray.values()]
    np.testing.assert_allclose(shares[0], shares[1], atol=0.05)  # what follows depends on it as before


def test_continuous_variables_keep_their_mean_and_deviation():
    network = vd.Network(
        {"A": vd.LinearGaussian((), 3.0, np.zeros(0), 2.0), "B": vd.LinearGaussian(("A",), 1.0, np.array([2.0]), 1.0)}
    )
    data = vd.simulate.experiments(network, [None, "B"], rows=5000, seed=3)
    forced = data.rows(slice(5000, 10000)).to_pandas()
    assert forced["B"].mean() == pytest.approx(7.0, abs=0.3)
    assert forced["B"].std() == pytest.approx(np.sqrt(17.0), rel=0.05)
    assert abs(forced["A"].corr(forced["B"])) < 0.05
    assert data.kind == "continuous"


def test_the_seed_decides():
    network = vd.networks.load("asia")
    one, same, other = (vd.simulate.experiments(network, [("lung", "bronc")], 50, seed=s) for s in (1, 1, 2))
    assert one == same
    assert one != other


@pytest.mark.parametrize(
    ("targets", "rows", "message"),
    [
        ([], 5, "targets: give at least one experiment"),
        (["lungs"], 5, "no variable 'lungs': did you mean 'lung'"),
        ([None, "lung"], [5], "rows: 1 numbers for 2 experiments"),
        ([None], 0, "rows=0"),
    ],
)
def test_mistakes_are_named(targets, rows, message):
    with pytest.raises(vd.InputError, match=message):
        vd.simulate.experiments(vd.networks.load("asia"), targets, rows)
