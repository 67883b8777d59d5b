"""Tables in partitions: the same data as from one frame with all rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies import few
from veridag.data import Data
from veridag.errors import InputError


def cells(data: Data) -> list[tuple[object, ...]]:
    """The rows as states, each as often as it counts, sorted: partitions may give them another order."""
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    columns = [[c.states[k] for k in c.values] if c.states else c.values.tolist() for c in data.columns]
    rows = zip(*columns, strict=True)
    return sorted(row for row, weight in zip(rows, weights.tolist(), strict=True) for _ in range(weight))


@few
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.integers(0, 60)), number=st.booleans())
def test_partitions_give_the_data_of_all_rows(seed: int, cuts: list[int], number: bool) -> None:
    """States that only some partitions have, empty partitions, and columns of numbers beside them."""
    rng = np.random.default_rng(seed)
    columns = {"a": np.sort(rng.integers(0, 5, 60)), "b": rng.choice(["x", "y", "z"], 60), "c": rng.random(60) < 0.5}
    if number:
        columns["d"] = rng.normal(size=60)
    whole = pl.DataFrame(columns)
    bounds = [0, *sorted(cuts), 60]
    parts = [whole[i:j] for i, j in pairwise(bounds)]
    expected = Data.from_frame(whole)
    for given_parts in (parts, [part.to_pandas() for part in parts], (part.to_arrow() for part in parts)):
        data = vd.read_partitions(given_parts)
        assert (data.kinds, data.states, data.n) == (expected.kinds, expected.states, 60)
        assert cells(data) == cells(expected)


def test_rows_that_repeat_become_weighted_rows_and_learn_the_same() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 3, (2, 6000))
    frame = pd.DataFrame({"a": a, "b": b, "c": (a + b + (rng.random(6000) < 0.2)) % 3})
    data = vd.read_partitions(frame[i : i + 1000] for i in range(0, 6000, 1000))
    assert data.nrows == len(frame.drop_duplicates())
    first, second = vd.HillClimbing().learn(frame), vd.HillClimbing().learn(data)
    assert first.dag == second.dag
    assert second.score == pytest.approx(first.score, rel=1e-12)


def test_an_arrow_data_set_is_read_batch_by_batch() -> None:
    table = pa.table({"a": ["x", "y", "z"] * 10, "b": [1, 0] * 15})
    data = vd.read_partitions(ds.dataset(table))
    assert cells(data) == cells(Data.from_frame(table))


def test_moments_of_partitions_add_up() -> None:
    data = vd.random_gaussian_network(vd.random_dag(5, arcs=6, seed=3), seed=3).sample(500, seed=3)
    frame = data.to_polars()
    moments = vd.read_partitions([frame[:100], frame[100:100], frame[100:]], moments=True)
    first, second = vd.HillClimbing().learn(data), vd.HillClimbing().learn(moments)
    assert first.dag == second.dag
    assert second.score == pytest.approx(first.score, rel=1e-12)
    with pytest.raises(InputError, match="missing or not finite"):
        vd.read_partitions([pl.DataFrame({"a": [1.0, None]})], moments=True)


def test_what_are_no_partitions_is_refused() -> None:
    with pytest.raises(InputError, match=r"Data\.from_frame takes a single frame"):
        vd.read_partitions(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(InputError, match="the list is empty"):
        vd.read_partitions([])
    with pytest.raises(InputError, match="different columns"):
        vd.read_partitions([pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"b": [1, 2]})])


@pytest.fixture
def frame_on_cluster() -> Iterator[object]:
    distributed = pytest.importorskip("distributed")
    dataframe = pytest.importorskip("dask.dataframe")
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, 3, (2, 4000))
    frame = pd.DataFrame({"a": a, "b": b, "c": (a + b + (rng.random(4000) < 0.2)) % 3})
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        yield frame, dataframe.from_pandas(frame, npartitions=5)


@pytest.mark.slow
def test_partitions_of_a_dask_frame_are_folded_on_the_cluster(frame_on_cluster: tuple[pd.DataFrame, object]) -> None:
    frame, partitions = frame_on_cluster
    data = vd.read_partitions(partitions)
    assert data.nrows == len(frame.drop_duplicates())
    assert cells(data) == cells(Data.from_frame(frame))
    moments = vd.read_partitions(partitions, moments=True)
    assert [row["mean"] for row in moments.describe().rows] == pytest.approx(frame.mean().tolist(), rel=1e-14)
    counts = vd.count_partitions(partitions, 3)
    assert counts.n == 4000
    np.testing.assert_array_equal(counts.table("abc"), vd.contingency_table(Data.from_frame(frame), ["a", "b", "c"]))
