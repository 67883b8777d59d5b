"""Moments that are added up block by block: those of all rows, to rounding, and enough to learn from."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies import few
from veridag.data.moments import MomentData, Moments
from veridag.data.reading import blocks
from veridag.errors import InputError


def exact(x: np.ndarray) -> tuple[list[Fraction], list[list[Fraction]], list[Fraction], list[Fraction]]:
    """Means, scatter, and sums of third and fourth powers, in rational numbers."""
    columns = [[Fraction(v) for v in column] for column in x.T.tolist()]
    means = [sum(column, Fraction()) / len(column) for column in columns]
    deviations = [[v - m for v in column] for column, m in zip(columns, means, strict=True)]
    scatter = [[sum((a * b for a, b in zip(u, v, strict=True)), Fraction()) for v in deviations] for u in deviations]
    powers = [[sum((d**k for d in own), Fraction()) for own in deviations] for k in (3, 4)]
    return means, scatter, *powers


@few
@given(seed=st.integers(0, 2**32 - 1), offset=st.sampled_from([0.0, 1e3, 1e8]), cuts=st.lists(st.integers(1, 79)))
def test_blocks_of_any_size_add_up_to_the_exact_moments(seed: int, offset: float, cuts: list[int]) -> None:
    """With means of up to 10^8 deviations; sums in plain doubles would lose all digits of the scatter there."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)) + offset * rng.normal(size=3)
    parts = [part for part in np.split(x, sorted(cuts)) if len(part)]
    total = Moments.of_rows(parts[0])
    for part in parts[1:]:
        total = total.plus(Moments.of_rows(part))
    means, scatter, third, fourth = exact(x)
    assert total.n == 80
    for i in range(3):
        own = float(scatter[i][i])
        error = abs(float(Fraction(float(total.mean[i])) - means[i]))
        assert error <= np.spacing(abs(float(means[i]))) + 1e-15 * np.sqrt(own)
        for j in range(3):
            error = abs(float(Fraction(float(total.scatter[i, j])) - scatter[i][j]))
            assert error <= 1e-14 * np.sqrt(own * float(scatter[j][j]))
        assert abs(float(total.third[i]) - float(third[i])) <= 1e-13 * own**1.5
        assert abs(float(total.fourth[i]) - float(fourth[i])) <= 1e-13 * own**2
    assert np.array_equal(total.low, x.min(axis=0))
    assert np.array_equal(total.high, x.max(axis=0))


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_learning_from_moments_finds_what_the_rows_give(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "VALUES", 1000)
    monkeypatch.setattr(blocks, "BYTES", 10_000)
    network = vd.random_gaussian_network(vd.random_dag(6, arcs=8, seed=2), seed=2)
    data = network.sample(800, seed=2)
    path = tmp_path / f"table{suffix}"
    data.write(path)
    moments = vd.read_moments(path)
    assert (moments.n, moments.names, moments.kind) == (800, data.names, "continuous")
    assert moments.in_data_order().names == data.in_data_order().names
    for learner in (vd.HillClimbing(), vd.HillClimbing(vd.BGe()), vd.GES(), vd.PCStable()):
        first, second = learner.learn(data), learner.learn(moments)
        assert first.graph == second.graph
        assert second.score == (None if first.score is None else pytest.approx(first.score, rel=1e-12))
    for row, other in zip(moments.describe().rows, data.describe().rows, strict=True):
        assert {k: row[k] for k in ("mean", "sd", "min", "max")} == pytest.approx(
            {k: other[k] for k in ("mean", "sd", "min", "max")}, rel=1e-12
        )


def test_what_needs_rows_is_refused(tmp_path: Path) -> None:
    data = MomentData.from_moments("ab", Moments.of_rows(np.random.default_rng(0).normal(size=(50, 2))))
    for act in (
        lambda: vd.fit(vd.DAG("ab", np.array([[False, True], [False, False]])), data),
        lambda: data.rows([0, 1]),
        lambda: data.subsample(10, seed=0),
        lambda: data.column("a"),
        data.to_polars,
        lambda: data.discretize(3),
    ):
        with pytest.raises(InputError, match=r"only the moments of column 'a' were kept"):
            act()
    assert pickle.loads(pickle.dumps(data)) == data
    assert data.select(["b"]).names == ("b",)
    assert data.select(["b"]) != data


def test_missing_values_texts_and_constants(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,y,z\n" + "".join(f"{i / 4},{'NA' if i % 5 == 0 else i},7.5\n" for i in range(40)))
    with pytest.raises(InputError, match=r"8 in column 'y'; pass missing='drop'"):
        vd.read_moments(path)
    data = vd.read_moments(path, missing="drop")
    rows = np.array([(i / 4, i, 7.5) for i in range(40) if i % 5])
    assert (data.n, data.constants) == (32, ("z",))
    assert data.notes == ("dropped 8 of 40 rows with missing values",)
    assert [row["mean"] for row in data.describe().rows] == pytest.approx(rows.mean(axis=0).tolist(), rel=1e-14)
    assert vd.read_moments(path, columns=["x"]).names == ("x",)
    path.write_text("x,y\n1.5,a\n2.5,b\n")
    with pytest.raises(InputError, match="'y' should hold numbers, but has the value 'a'"):
        vd.read_moments(path)
    assert vd.read_moments(path, drop=["y"]).n == 2
    pl.DataFrame({"x": [1.0, 2e80]}).write_parquet(tmp_path / "large.parquet")
    with pytest.raises(InputError, match="divide it by"):
        vd.read_moments(tmp_path / "large.parquet")
