from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from veridag.data import Data


def mixed(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=rows)
    return pl.DataFrame({"X": x, "Y": ["yes" if one > 1 else "no" for one in x]})


def test_a_table_of_both_kinds_stays_as_it_is():
    data = Data.from_frame(mixed(300), strict=False)
    assert data == Data.from_frame(mixed(300))
    assert (data.kind, data.notes) == ("mixed", ())


def test_bins_are_stated():
    data = Data.from_frame(mixed(300), strict=False, discretize="hartemink(3)")
    assert data.notes == ("discretized 'X' by hartemink at 0.8912, 1.317",)
    assert [f"{edge:.4g}" for edge in data.bin_edges["X"]] == ["0.8912", "1.317"]
    assert data.describe().rows[0]["edges"] == list(data.bin_edges["X"])


@pytest.mark.parametrize("settings", [{}, {"strict": False, "columns": ["X"]}])
def test_nothing_is_cut_without_need(settings):
    assert Data.from_frame(mixed(100), **settings).kinds["X"] == "continuous"
