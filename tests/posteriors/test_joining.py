"""Draws made apart, as one."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd

DATA = vd.networks.load("cancer").sample(100, seed=3)


def drawn(**changes: object) -> vd.Draws:
    return vd.sample_posterior(DATA, **{"score": vd.BDeu(), "draws": 30, "chains": 2, "burn_in": 5, **changes})


def test_joined_chains_are_those_of_the_parts():
    parts = [drawn(seed=1), drawn(seed=2, draws=20), drawn(seed=3, chains=3)]
    joined = vd.join_draws(parts)
    assert (joined.chains, joined.per_chain) == (7, 20)
    np.testing.assert_array_equal(joined.log_posterior[2:4], parts[1].log_posterior)
    assert joined[5, 7] == parts[2][1, 7]
    assert joined.arcs == pytest.approx(
        sum(
            part.chains * np.mean([part[c, i].adjacency for c in range(part.chains) for i in range(20)], axis=0)
            for part in parts
        )
        / 7
    )
    assert joined.query("Cancer").probabilities.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (list, "must be draws"),
        (lambda: [drawn(seed=1), drawn(seed=1)], "seed=1 is given twice"),
        (
            lambda: [drawn(seed=1), drawn(seed=2, score=vd.BDeu(ess=3))],
            r"score=BDeu\(ess=1.0\), others with score=BDeu\(ess=3.0\)",
        ),
        (
            lambda: [drawn(), vd.sample_posterior(vd.networks.load("survey").sample(50, seed=1), draws=10, burn_in=0)],
            "different variables",
        ),
    ],
)
def test_draws_of_other_posteriors_are_refused(parts, message: str):
    with pytest.raises(vd.InputError, match=message):
        vd.join_draws(parts())


def test_joined_draws_are_not_resumed():
    joined = vd.join_draws([drawn(seed=1), drawn(seed=2)])
    with pytest.raises(vd.InputError, match="seed=1 and 2"):
        drawn(seed=1, chains=4, draws=40, resume=joined)
