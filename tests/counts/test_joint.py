"""Counts without rows: the same as those of one frame with all rows, wherever its partitions lie."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies import few
from veridag.counts import family_counts
from veridag.errors import InputError

SCORES = [vd.BIC(), vd.AIC(), vd.BDeu(ess=2), vd.BDs(), vd.K2(), vd.QNML(), vd.FNML(), vd.BDJeffreys()]


def asia(rows: int, seed: int) -> pl.DataFrame:
    return vd.networks.load("asia").sample(rows, seed=seed).to_polars()


@few
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(0, 60)), size=st.integers(1, 6))
def test_counts_of_partitions_are_those_of_all_rows(seed: int, cuts: list[int], size: int) -> None:
    """States that only some partitions have, empty partitions, more variables asked for than there are."""
    rng = np.random.default_rng(seed)
    columns = {"a": np.sort(rng.integers(0, 15, 60)), "b": rng.choice(["x", "y", "z"], 60), "c": rng.random(60) < 0.5}
    whole = pl.DataFrame({**columns, "d": rng.integers(3, 5, 60)})
    counts = vd.count_partitions([whole[i:j] for i, j in pairwise([0, *sorted(cuts), 60])], size)
    data = vd.Data.from_frame(whole)
    assert (dict(counts.states), counts.n, counts.size) == (data.states, 60, min(size, 4))
    for number in range(counts.size + 1):
        for names in combinations(data.names, number):
            for order in (names, names[::-1]):
                np.testing.assert_array_equal(counts.table(order), vd.contingency_table(data, order))
    for child, *parents in combinations(data.names, counts.size):
        found, expected = counts.family(child, parents), family_counts(data, child, parents)
        assert (found.child, found.parents, found.arities, found.nvariables) == (
            expected.child,
            expected.parents,
            expected.arities,
            expected.nvariables,
        )
        np.testing.assert_array_equal(found.n_ijk, expected.n_ijk)
        np.testing.assert_array_equal(found.configurations, expected.configurations)


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_a_score_table_of_counts_is_that_of_the_rows(score: vd.BIC) -> None:
    frame = asia(500, 1)
    counts = vd.count_partitions(ds.dataset(frame.to_arrow()), 4)
    knowledge = vd.Knowledge(forbidden=[("dysp", "smoke")])
    for prior in (vd.Uniform(), vd.Fair()):
        found = vd.score_table(counts, score, prior, knowledge=knowledge)
        rows = vd.score_table(vd.Data.from_frame(frame), score, prior, max_indegree=3, knowledge=knowledge)
        assert found.max_indegree == 3
        for v in range(len(found.names)):
            expected = {parents: value for value, parents in rows.sets(v)}
            own = {parents: value for value, parents in found.sets(v)}
            assert own == pytest.approx(expected, rel=1e-11)


def test_the_best_network_of_partitions_is_that_of_the_rows() -> None:
    frame = asia(2000, 2)
    table = vd.score_table(vd.count_partitions([frame[:700], frame[700:]], 3), vd.BDeu())
    found, expected = vd.solve(table), vd.Exact(vd.BDeu(), max_indegree=2).learn(frame)
    assert found.dag == expected.dag
    assert found.score == pytest.approx(expected.score, rel=1e-12)


def test_missing_values_are_dropped_or_a_state_as_in_a_frame() -> None:
    frame = pl.DataFrame({"a": ["x", None, "y", "x"] * 5, "b": [1, 0, 0, None] * 5})
    parts = [frame[:7], frame[7:]]
    for how in ("drop", "state"):
        data = vd.Data.from_frame(frame, missing=how)
        counts = vd.count_partitions(parts, 2, missing=how)
        assert (dict(counts.states), counts.n) == (data.states, data.n)
        np.testing.assert_array_equal(counts.table(["a", "b"]), vd.contingency_table(data, ["a", "b"]))
    with pytest.raises(InputError, match="missing"):
        vd.count_partitions(parts, 2)
    with pytest.raises(InputError, match="complete rows: use 'drop' or 'state'"):
        vd.count_partitions(parts, 2, missing="keep")


def test_bad_requests_are_refused_with_a_remedy() -> None:
    frame = asia(50, 3)
    counts = vd.count_partitions(iter([frame]), 2)
    with pytest.raises(InputError, match=r"max_indegree=2, but only 2 variables .* size=3"):
        vd.score_table(counts, vd.BIC(), max_indegree=2)
    with pytest.raises(InputError, match="does not score counts"):
        vd.score_table(counts, vd.BGe())
    with pytest.raises(InputError, match="at most 2 different variables"):
        counts.table(["asia", "tub", "lung"])
    with pytest.raises(InputError, match="'lung'"):
        counts.table(["lungs"])
    with pytest.raises(
        InputError, match=r"leave it out with drop=, or make it discrete with kinds=\{'x': 'discrete'\}"
    ):
        vd.count_partitions([pl.DataFrame({"x": [0.5, 1.5], "y": ["a", "b"]})])
    many = {f"v{i}": [*range(600)] * 2 for i in range(3)}
    with pytest.raises(InputError, match=r"size=3: .* lower size"):
        vd.count_partitions([pl.DataFrame(many)], 3, kinds=dict.fromkeys(many, "discrete"))
    with pytest.raises(InputError, match="the list is empty"):
        vd.count_partitions([])
    with pytest.raises(InputError, match="size"):
        vd.count_partitions([frame], 0)
    assert repr(counts) == "<JointCounts of every 2 of 8 variables, 50 rows>"
