"""What cells share is made once, within a limit."""

from __future__ import annotations

import numpy as np

import veridag as vd
from veridag.study.shared import Shared


def test_a_value_is_made_once_and_the_longest_unused_goes_first():
    made = []
    shared = Shared(100)

    def get(key):
        return shared.get(key, lambda: made.append(key) or key, lambda _: 40)

    assert [get("a"), get("b"), get("a"), get("c")] == ["a", "b", "a", "c"]
    assert made == ["a", "b", "c"]
    assert ("a" in shared, "b" in shared, "c" in shared) == (True, False, True)
    get("b")
    assert made == ["a", "b", "c", "b"]
    assert shared.held == 80


def test_a_value_above_the_limit_is_handed_out_and_not_kept():
    shared = Shared(10)
    assert shared.get("a", lambda: np.zeros(100)).size == 100
    assert (len(shared), shared.held) == (0, 0)


def test_data_counts_with_its_columns():
    data = vd.networks.load("asia").sample(1000, seed=1)
    shared = Shared(1 << 20)
    shared.get("data", lambda: data)
    assert shared.held >= 8 * 1000
