"""Gaps made in complete data."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.simulate import remove_values

ALARM = vd.networks.load("alarm").sample(2000, seed=4)
CLINIC = vd.networks.load("clinic").sample(2000, seed=4)


def share(data: vd.Data) -> float:
    return sum(data.missing_counts.values()) / (data.n * len(data.names))


@pytest.mark.parametrize("mechanism", ["mcar", "mar"])
@pytest.mark.parametrize("wanted", [0.05, 0.3])
@pytest.mark.parametrize("whole", [ALARM, CLINIC], ids=["discrete", "mixed"])
def test_the_share_that_was_asked_for_is_missing_and_the_rest_is_as_it_was(whole, mechanism, wanted):
    data = remove_values(whole, wanted, mechanism=mechanism, seed=1)
    assert share(data) == pytest.approx(wanted, rel=0.1)
    assert data == remove_values(whole, wanted, mechanism=mechanism, seed=1)
    assert data != remove_values(whole, wanted, mechanism=mechanism, seed=2)
    for before, after in zip(whole.columns, data.columns, strict=True):
        seen = data.observed(after.name)
        assert np.array_equal(before.values[seen], after.values[seen])
        assert before.states == after.states


def test_at_random_means_that_a_third_is_whole_and_decides():
    data = remove_values(CLINIC, 0.2, mechanism="mar", seed=3)
    whole = [name for name, count in data.missing_counts.items() if count == 0]
    assert len(whole) == round(len(data.names) / 3)
    for name in set(data.names) - set(whole):
        gone = ~data.observed(name)
        strongest = 0.0
        for other in whole:
            values = data.column(other)
            halves = values > np.median(values) if other not in data.states else None
            groups = [halves, ~halves] if halves is not None else [values == k for k in range(len(data.states[other]))]
            rates = [gone[rows].mean() for rows in groups if rows.sum() > 50]
            strongest = max(strongest, max(rates) - min(rates))
        assert strongest > 0.1, name


def test_completely_at_random_depends_on_nothing():
    data = remove_values(ALARM, 0.2, seed=3)
    gone = np.stack([~data.observed(name) for name in data.names], axis=1).astype(float)
    correlations = np.corrcoef(gone.T) - np.eye(len(data.names))
    assert np.abs(correlations).max() < 0.1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 1.0}, "share=1.0 must be"),
        ({"share": 0.1, "mechanism": "mnar"}, "mechanism='mnar' must be"),
        ({"share": 0.8, "mechanism": "mar"}, "share=0.8 is too large"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        remove_values(ALARM, **given)


def test_gaps_are_made_in_complete_data_only():
    once = remove_values(ALARM, 0.1)
    with pytest.raises(InputError, match="needs complete data"):
        remove_values(once, 0.1)
    assert remove_values(ALARM, 0.0) == ALARM
