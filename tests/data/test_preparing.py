from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from strategies.data import continuous, discrete
from veridag.data import Data
from veridag.data.discretization import Hartemink, Quantile
from veridag.data.preparing import default_method


def mixed(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=rows)
    return pl.DataFrame({"X": x, "Y": ["yes" if one > 1 else "no" for one in x]})


def test_a_mixed_table_read_with_care_is_cut_by_hartemink():
    data = Data.from_frame(mixed(300), strict=False)
    assert data == Data.from_frame(mixed(300), discretize="hartemink(3)")
    assert data.notes == (
        "cut into up to three bins that keep what columns say about each other, by hartemink(3), since other columns "
        "are discrete: 'X'; to change that: discretize='quantile(4)'",
        "discretized 'X' by hartemink at 0.8912, 1.317",
    )
    assert [f"{edge:.4g}" for edge in data.bin_edges["X"]] == ["0.8912", "1.317"]
    assert data.describe().rows[0]["edges"] == list(data.bin_edges["X"])


def test_a_large_mixed_table_is_cut_by_quantiles(monkeypatch):
    monkeypatch.setattr("veridag.data.preparing._LARGE", 10_000)
    data = Data.from_frame(mixed(300), strict=False)
    assert data == Data.from_frame(mixed(300), discretize="quantile(3)")
    assert data.notes[0].startswith("cut into up to three bins with as many rows each, by quantile(3), since")


@pytest.mark.parametrize(("columns", "rows", "method"), [(200, 10, Hartemink(3)), (400, 10, Quantile(3))])
def test_what_is_large_goes_by_pairs_and_rows(columns, rows, method):
    table = {f"C{i}": continuous(f"C{i}", range(rows)) for i in range(columns)}
    assert default_method({**table, "D": discrete("D", [0] * rows)}) == method


@pytest.mark.parametrize("settings", [{}, {"strict": False, "columns": ["X"]}])
@pytest.mark.filterwarnings("ignore::veridag.DataWarning")
def test_nothing_is_cut_without_need(settings):
    assert Data.from_frame(mixed(100), **settings).kinds["X"] == "continuous"
