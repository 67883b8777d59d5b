from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import scores as naive
from veridag import InputError
from veridag.counts import contingency_table, family_counts
from veridag.data import Column, Data


def test_a_dense_table_that_would_not_fit_is_refused_with_its_variables():
    columns = [Column.discrete(f"v{i}", np.zeros(3, np.uint8), [str(k) for k in range(100)]) for i in range(6)]
    with pytest.raises(InputError, match="table of v0, v1, v2, v3, v4, v5 would have 1000000000000 cells"):
        contingency_table(Data(columns), [f"v{i}" for i in range(6)])


def test_a_dense_table_has_an_axis_for_each_variable():
    asia = vd.networks.load("asia").sample(300, seed=3)
    table = contingency_table(asia, ["smoke", "lung", "bronc"])
    assert table.shape == (2, 2, 2)
    assert table.sum() == 300
    both = (asia.column("smoke") == 1) & (asia.column("lung") == 0) & (asia.column("bronc") == 1)
    assert table[1, 0, 1] == both.sum()


def test_counts_that_would_not_fit_are_refused_with_their_family():
    states = [str(k) for k in range(60_000)]
    codes = np.arange(60_000, dtype=np.uint16)
    data = Data([Column.discrete("a", codes, states), Column.discrete("b", codes[::-1].copy(), states)])
    with pytest.raises(InputError, match="counting 'a' given"):
        family_counts(data, "a", ["b"])


@pytest.mark.medium
@given(st.integers(0, 2**32), st.booleans())
def test_a_family_is_counted_as_the_slow_obvious_version_counts_it(seed, weighted):
    rng = np.random.default_rng(seed)
    columns = [Column.discrete(v, rng.integers(0, 2, 12), "abc") for v in "XYZ"]
    data = Data(columns, rng.integers(0, 3, 12) + (np.arange(12) < 1) if weighted else None)
    family = family_counts(data, "Y", ["Z", "X"])
    assert family.parents == ("X", "Z")  # in column order
    assert (family.r, family.q, family.n) == (3, 9, data.n)
    expected = naive.counts(data, "Y", ["X", "Z"])
    assert family.q_observed == len(expected)
    found = {tuple(j): n for j, n in zip(family.configurations.tolist(), family.n_ijk.tolist(), strict=True)}
    for configuration, states in expected.items():  # by the names of states
        j = tuple(map("abc".index, configuration))
        assert found[j] == [states[k] for k in "abc"]
