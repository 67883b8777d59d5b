from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive.missing import with_gaps
from strategies import few
from strategies.data import continuous, discrete, expanded
from veridag.data import Column, Data
from veridag.data.discretization import Blanket
from veridag.trust.discretizing import _Bins

THRESHOLDS = [-1.2, 0.3, 0.8]


def jumps(n: int = 2000, seed: int = 1) -> Data:
    """Y jumps at three thresholds of X, Z is continuous and goes with Y, W goes with nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = (rng.uniform(size=n) < np.array([0.1, 0.85, 0.2, 0.9])[np.searchsorted(THRESHOLDS, x)]).astype(int)
    z = rng.normal(size=n) + 2 * y
    return Data([continuous("X", x), discrete("Y", y), continuous("Z", z), continuous("W", rng.normal(size=n))])


def small(seed: int, weighted: bool = False) -> Data:
    rng = np.random.default_rng(seed)
    data = jumps(80, seed)
    rounded = [Column.continuous(c.name, np.round(c.values, 1)) for c in data.columns if c.kind == "continuous"]
    return Data([data.columns[1], *rounded], rng.integers(1, 4, 80) if weighted else None)


def edges(data: Data, name: str) -> list[float]:
    assert any(note.startswith(f"discretized {name!r} by blanket at ") for note in data.notes)
    return list(data.bin_edges[name])


def test_thresholds_that_matter_are_found_where_quantiles_miss_them():
    data = jumps()
    found = vd.discretize(data, "blanket(8)")
    assert np.allclose(edges(found, "X"), THRESHOLDS, atol=0.05)
    by_quantile = data.discretize(method="quantile(4)")
    informed, poor = (vd.local_score("Y", ["X"], d, vd.BIC()) for d in (found, by_quantile))
    assert informed > poor + 100
    assert found.kind == "discrete"


def test_gaps_stay_and_thresholds_are_found_by_what_is_observed():
    data = with_gaps(jumps(), 0.1, 3)
    found = vd.discretize(data, "blanket(8)")
    assert np.allclose(edges(found, "X"), THRESHOLDS, atol=0.06)
    assert found.kind == "discrete"
    assert found.missing_counts == data.missing_counts
    before, after = re.fullmatch(r".*length (-?[\d.]+) at first, (-?[\d.]+) at the end", found.notes[-1]).groups()
    assert float(after) < float(before)


def test_the_notes_say_what_was_done():
    notes = vd.discretize(jumps(500)).notes
    assert [note.split(" at ")[0] for note in notes[:3]] == [f"discretized {v!r} by blanket" for v in "XZW"]
    match = re.fullmatch(
        r"alternating bins and networks, \d+ networks? until nothing changed: "
        r"description length (-?[\d.]+) at first, (-?[\d.]+) at the end",
        notes[3],
    )
    assert match
    assert float(match[2]) < float(match[1])


def test_a_column_without_neighbours_keeps_the_bins_it_began_with():
    data = jumps()
    begun = data.discretize(method="hartemink(3, initial=20)")
    assert vd.discretize(data).states["W"] == begun.states["W"]


@few
@given(st.integers(0, 10**6), st.booleans())
def test_the_description_length_never_increases(seed, weighted):
    data = small(seed, weighted)
    bins = _Bins.start(data, dict.fromkeys(["X", "Z", "W"], Blanket(most=4, candidates=12)))
    dag = vd.DAG.from_modelstring("[X][Y|X][Z|Y][W|Z:X]")
    before = bins.length(dag)
    changed = bins.improve(dag)
    assert (bins.length(dag) < before) == changed
    assert not bins.improve(dag)


@few
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_and_columns_nor_names_matter(seed, random):
    data = small(seed)
    rows, names = list(range(data.nrows)), list(data.names)
    random.shuffle(rows)
    random.shuffle(names)
    found = vd.discretize(data)
    assert vd.discretize(data.rows(rows).select(names)).select(data.names) == found.rows(rows)
    renamed = Data([Column(f"V{9 - i}", c.kind, c.values, c.states) for i, c in enumerate(data.columns)])
    assert [c.states for c in vd.discretize(renamed).columns] == [c.states for c in found.columns]


@few
@given(st.integers(0, 10**6))
def test_weighted_rows_count_like_repeated_rows(seed):
    data = small(seed, weighted=True)
    assert expanded(vd.discretize(data)) == vd.discretize(expanded(data))


def test_the_other_methods_are_there_too():
    data = jumps(200)
    assert vd.discretize(data, "quantile(4)") == data.discretize(4)
    mixed = vd.discretize(data, {"X": "blanket", "Z": "interval(2)", "W": "quantile(2)"})
    assert mixed.column("Z").tolist() == data.discretize(2, "interval").column("Z").tolist()
    assert mixed.arities["W"] == 2
    assert vd.discretize(data.to_pandas()) == vd.discretize(data)


def test_rounds_limit_the_networks_that_are_learned():
    notes = vd.discretize(jumps(), "blanket(rounds=1)").notes
    assert notes[-1].startswith("alternating bins and networks, 1 network and stopped at the limit of rounds")


def test_the_algorithm_and_what_is_known_are_those_of_the_networks():
    known = vd.Knowledge(forbidden=[("X", "Y"), ("Y", "X"), ("X", "Z"), ("Z", "X")])
    data = jumps()
    assert len(edges(vd.discretize(data, algorithm=vd.HillClimbing(score=vd.BIC())), "X")) == 2
    begun = data.discretize(method="hartemink(3, initial=20)")
    assert vd.discretize(data, knowledge=known).states["X"] == begun.states["X"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": ["X"]}, "'Z' would stay continuous"),
        ({"columns": "X"}, r"must be a list of names: \['X'\]"),
        ({"method": {"X": "blanket", "Z": "blanket(4)", "W": "quantile"}}, "give all the same settings"),
        ({"method": "blankett"}, "did you mean 'blanket'"),
        ({"method": "blanket(1)"}, "most=1 must be an integer from 2"),
        ({"columns": ["Y"]}, "'Y' is discrete already"),
        ({"algorithm": "tabu"}, "algorithm='tabu' must be an algorithm"),
    ],
)
def test_mistakes_are_explained(arguments, message):
    with pytest.raises(vd.InputError, match=message):
        vd.discretize(jumps(50), **arguments)


def test_there_are_never_more_bins_than_asked_for():
    found = vd.discretize(jumps(300), "blanket(2)")
    assert set(found.arities.values()) == {2}


def test_constant_columns_and_groups_are_no_trouble():
    data = jumps(300)
    group = np.arange(300) % 2
    found = vd.discretize(Data([*data.columns, continuous("C", [1.5] * 300)], None, group, ("a", "b")))
    assert found.states["C"] == ("always_1.5",)
    assert found.groups == ("a", "b")


def test_a_column_without_observations_is_refused():
    with pytest.raises(vd.InputError, match="'X' has no observations, so it cannot be discretized: leave it out"):
        vd.discretize(Data([continuous("X", [])]))


def test_data_itself_does_not_learn():
    with pytest.raises(vd.InputError, match=r"use veridag\.discretize\(data, 'blanket'\)"):
        jumps(50).discretize(method="blanket")
