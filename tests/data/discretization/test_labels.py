from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from veridag.data.discretization.labels import bin_labels, constant_label
from veridag.network.formats import bif, dsc, net, xmlbif


@pytest.mark.parametrize(
    ("edges", "labels"),
    [
        ([5.4, 6.1], ["up_to_5.4", "from_5.4_to_6.1", "above_6.1"]),
        ([-1.5], ["up_to_-1.5", "above_-1.5"]),
        ([-2.0, -1e-7, 3e12], ["up_to_-2", "from_-2_to_-1e-07", "from_-1e-07_to_3e12", "above_3e12"]),
        ([1e300, 1.7e308], ["up_to_1e300", "from_1e300_to_1.7e308", "above_1.7e308"]),
        ([1.0, 1.0000001], ["up_to_1", "from_1_to_1.0000001", "above_1.0000001"]),
        ([], ["all"]),
    ],
)
def test_labels_are_words_and_numbers(edges, labels):
    assert bin_labels(np.array(edges, dtype=float)) == labels


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6, unique=True).map(sorted))
def test_labels_differ_and_every_network_format_takes_them_as_they_are(edges):
    labels = bin_labels(np.array(edges) + 0.0)  # -0.0 is 0.0
    assert len(set(labels)) == len(labels) == len(edges) + 1
    for label in [*labels, *map(constant_label, edges)]:
        assert re.fullmatch(r"[a-z][a-z0-9_.-]*", label)
        assert all(rule.takes_state(label) for rule in (bif.RULE, dsc.RULE, net.RULE, xmlbif.RULE))
