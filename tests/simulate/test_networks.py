"""Random networks have the parameters that were asked for."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import veridag as vd
from veridag.errors import InputError

MISTAKES = {
    "alpha": (lambda: vd.random_network(vd.DAG.empty(["a"]), alpha=0), "alpha=0"),
    "states": (lambda: vd.random_network(vd.DAG.empty(["a"]), states=0), "states=0"),
    "range of states": (lambda: vd.random_network(vd.DAG.empty(["a"]), states=(3, 2)), "states=(3, 2)"),
    "states missing": (lambda: vd.random_network(vd.DAG.empty(["a"]), states={}), "states of 'a' are missing"),
    "table": (
        lambda: vd.random_network(vd.random_dag(40, arcs=780)),
        "numbers; the limit is 268435456: give a DAG with a smaller max_indegree",
    ),
    "range": (lambda: vd.random_gaussian_network(vd.DAG.empty(["a"]), sds=(2, 1)), "sds=(2, 1): give a range"),
    "share": (lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), continuous=1.5), "continuous=1.5 must be"),
    "one name": (lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), continuous="a"), "continuous='a': give a share"),
    "unknown": (lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), continuous=["b"]), "'b' is not a variable"),
    "kinds": (
        lambda: vd.random_mixed_network(vd.DAG.from_arcs([("a", "b")]), continuous=["a"]),
        "the arc a -> b would lead from a continuous to a discrete variable",
    ),
    "states of a continuous one": (
        lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), continuous=["a"], states={"a": ["x"]}),
        "'a' is continuous and has no states",
    ),
    "strength": (lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), strength=-1), "strength=-1 must be"),
    "shifts": (lambda: vd.random_mixed_network(vd.DAG.empty(["a"]), shifts=(-1, 1)), "shifts=(-1, 1): give a range"),
    "negative sd": (lambda: vd.random_gaussian_network(vd.DAG.empty(["a"]), sds=(-1, 1)), "0 or more"),
}


@pytest.mark.parametrize(("call", "message"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.0])
def test_distributions_are_dirichlet(alpha: float) -> None:
    """Mean 1 / r and variance (r - 1) / (r^2 (r alpha + 1)) of every probability."""
    r = 3
    dag = vd.DAG.from_arcs([(f"p{i}", "x") for i in range(6)])
    p = vd.random_network(dag, states=r, alpha=alpha, seed=1).table("x").probabilities.reshape(-1, r)[:, 0]
    variance = (r - 1) / (r**2 * (r * alpha + 1))
    assert p.mean() == pytest.approx(1 / r, abs=4 * math.sqrt(variance / len(p)))
    assert p.var() == pytest.approx(variance, rel=0.25)


@pytest.mark.medium
def test_numbers_of_states_are_drawn_from_the_range_or_given() -> None:
    dag = vd.random_dag(200, arcs=200, max_indegree=2, seed=1)
    network = vd.random_network(dag, states=(2, 4), seed=3)
    assert {len(own) for own in network.states.values()} == {2, 3, 4}
    assert network.dag == dag
    assert network == vd.random_network(dag, states=(2, 4), seed=3)
    assert network != vd.random_network(dag, states=(2, 4), seed=4)
    given = {"a": ["x", "y"], "b": ["1", "2", "3"]}
    named = vd.random_network(vd.DAG.from_arcs([("a", "b")]), states=given, name="n")
    assert dict(named.states) == {"a": ("x", "y"), "b": ("1", "2", "3")}
    assert named.name == "n"


def test_gaussian_parameters_are_drawn_from_their_ranges() -> None:
    dag = vd.random_dag(60, arcs=600, seed=1)
    network = vd.random_gaussian_network(dag, coefficients=(0.5, 2.0), intercepts=(-1, 1), sds=(1.0, 3.0), seed=2)
    slopes = np.concatenate([network.gaussian(v).coefficients for v in network.names])
    assert stats.kstest(np.abs(slopes), stats.uniform(0.5, 1.5).cdf).pvalue > 1e-3
    assert abs((slopes > 0).mean() - 0.5) < 4 * 0.5 / math.sqrt(len(slopes))
    sds = [network.gaussian(v).sd for v in network.names]
    assert stats.kstest(sds, stats.uniform(1, 2).cdf).pvalue > 1e-3
    assert stats.kstest([network.gaussian(v).intercept for v in network.names], stats.uniform(-1, 2).cdf).pvalue > 1e-3
    assert network.dag == dag
    assert network == vd.random_gaussian_network(
        dag, coefficients=(0.5, 2.0), intercepts=(-1, 1), sds=(1.0, 3.0), seed=2
    )
    assert vd.random_gaussian_network(dag).gaussian(dag.names[0]).intercept == 0


def test_mixed_networks_have_the_dag_and_the_share_of_continuous_variables_that_was_asked_for() -> None:
    dag = vd.random_dag(30, arcs=50, max_indegree=4, seed=2)
    for share, number in [(0, 0), (0.5, 15), (0.9, 27), (1, 30)]:
        network = vd.random_mixed_network(dag, continuous=share, states=(2, 3), seed=5)
        assert network.dag == dag
        assert len(network.names) - len(network.states) == number
        assert network == vd.random_mixed_network(dag, continuous=share, states=(2, 3), seed=5)
    chosen = {frozenset(vd.random_mixed_network(dag, seed=seed).states) for seed in range(5)}
    assert len(chosen) == 5
    ends = [v for v in dag.names if not dag.children(v)]
    assert set(vd.random_mixed_network(dag, continuous=ends).states) == set(dag.names) - set(ends)


def test_effects_on_continuous_variables_are_as_large_as_asked_for() -> None:
    dag = vd.DAG.from_arcs([("a", "z"), ("b", "z"), ("x", "z"), ("y", "z")])
    ranges = {"shifts": (1.0, 2.0), "coefficients": (0.3, 0.6), "sds": (0.8, 0.9)}
    states = {"a": ["0", "1", "2"], "b": ["0", "1"]}
    for strength in (1.0, 0.5):
        network = vd.random_mixed_network(
            dag, continuous=list("xyz"), states=states, strength=strength, seed=4, **ranges
        )
        z = network.conditional_gaussian("z")
        assert (z.discrete, z.continuous) == (("a", "b"), ("x", "y"))
        for axis in (0, 1):
            gaps = np.diff(np.sort(z.intercepts, axis=axis), axis=axis) / strength
            assert ((gaps >= 1 - 1e-12) & (gaps <= 2 + 1e-12)).all()
        sizes = np.abs(z.coefficients) / strength
        assert ((sizes >= 0.3) & (sizes <= 0.6)).all()
        assert len(np.unique(sizes)) == sizes.size
        assert (np.sign(z.coefficients) == np.sign(z.coefficients[0, 0])).all()
        assert ((z.sds >= 0.8) & (z.sds <= 0.9)).all()
        assert len(np.unique(z.sds)) == 6
