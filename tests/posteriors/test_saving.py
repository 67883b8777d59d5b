"""Posteriors that are copied, pickled, saved and read again."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import veridag as vd


@pytest.fixture(scope="module")
def data() -> vd.Data:
    return vd.networks.load("asia").sample(100, seed=1).select(["smoke", "lung", "bronc", "dysp"])


@pytest.mark.parametrize("order_modular", [False, True])
def test_an_exact_posterior_is_pickled_with_all_that_it_answers(data: vd.Data, order_modular: bool) -> None:
    known = vd.Knowledge(forbidden=[("lung", "bronc")])
    found = vd.posterior(data, score=vd.K2(), max_indegree=2, knowledge=known, order_modular=order_modular)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.arcs, found.arcs)
    assert (again.names, again.settings, again.log_sum) == (found.names, found.settings, found.log_sum)
    assert again.error_bound == found.error_bound
    both = [("smoke", "lung"), ("bronc", "dysp")]
    assert again.probability(both) == found.probability(both)  # from sums that are made again
    assert again.log_evidence == found.log_evidence
    assert str(again) == str(found)
    with pytest.raises(ValueError, match="read-only"):
        again.arcs[0, 1] = 1
    if not order_modular:
        np.testing.assert_array_equal(again.ancestors, found.ancestors)
        with pytest.raises(ValueError, match="read-only"):
            again.ancestors[0, 1] = 1


def test_a_pickle_has_no_sums_or_networks_and_makes_them_when_asked(data: vd.Data) -> None:
    found = vd.posterior(data)
    answer = found.query("lung", {"smoke": "yes"}, networks=40)
    again = pickle.loads(pickle.dumps(found))
    assert len(pickle.dumps(found)) < 20_000
    _ = again.ancestors
    assert again._made is None
    same = again.query("lung", {"smoke": "yes"}, networks=40)
    np.testing.assert_array_equal(same.probabilities, answer.probabilities)


def test_copies_of_an_exact_posterior_are_itself(data: vd.Data) -> None:
    """Nothing in it changes, and the sums are large."""
    found = vd.posterior(data)
    assert copy.copy(found) is found
    assert copy.deepcopy({"a": found})["a"] is found


def test_draws_answer_queries_after_they_were_saved(data: vd.Data, tmp_path: Path) -> None:
    drawn = vd.sample_posterior(data, score=vd.BDeu(ess=3), draws=10, burn_in=0)
    answer = drawn.query("lung", {"smoke": "yes"}).probabilities
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(drawn)).query("lung", {"smoke": "yes"}).probabilities, answer
    )
    path = drawn.save(tmp_path / "asia.draws")
    again = vd.Draws.load(path, data, score=vd.BDeu(ess=3))
    np.testing.assert_array_equal(again.query("lung", {"smoke": "yes"}).probabilities, answer)
    with pytest.raises(vd.InputError, match=r"read from a file, which has no data .* Draws.load\(path, data=...\)"):
        vd.Draws.load(path).query("lung")
    with pytest.raises(vd.InputError, match=r"score=BDeu\(ess=1.0\): the draws were made with BDeu\(ess=3.0\)"):
        vd.Draws.load(path, data, score=vd.BDeu())
    with pytest.raises(vd.InputError, match="the draws have the variables"):
        vd.Draws.load(path, data.select(["smoke", "lung"]))
