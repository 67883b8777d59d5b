from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag.errors import InputError

NAMES = ["here", "there"]


def monthly(years: int, seed: int, first: int = 1981) -> pl.DataFrame:
    """Rows of whole years in any order, with an annual cycle."""
    rng = np.random.default_rng(seed)
    months = [f"{first + i // 12}-{i % 12 + 1:02}" for i in range(12 * years)]
    cycle = rng.normal(0, 20, (12, 2))[np.arange(12 * years) % 12]
    table = pl.DataFrame(cycle + rng.normal(5, 1, cycle.shape), schema=NAMES).insert_column(1, pl.Series("t", months))
    return table[rng.permutation(len(table)).tolist()]


def naive_anomalies(table: pl.DataFrame, name: str, first: int, last: int) -> list[float]:
    """Value by value, from the sentence in section 5.1 of the paper."""
    rows = table.select(name, "t").rows()
    found = []
    for value, month in rows:
        same = [other for other, when in rows if when[5:] == month[5:] and first <= int(when[:4]) <= last]
        found.append(value - sum(same) / len(same))
    return found


def values_of(data: vd.Data) -> np.ndarray:
    return np.column_stack([data.column(name) for name in NAMES])


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_anomalies_are_values_less_the_mean_of_their_month_over_the_period(years, seed):
    table = monthly(years, seed)
    for period in (None, (1981, 1982), (1900, 2100)):
        found = vd.anomalies(table, "t", period=period)
        assert found.names == tuple(NAMES)
        for name in NAMES:
            expected = naive_anomalies(table, name, *(period or (0, 9999)))
            assert found.column(name) == pytest.approx(expected, abs=1e-9)


@given(st.integers(2, 5), st.integers(0, 10**6))
def test_anomalies_of_each_month_sum_to_zero(years, seed):
    table = monthly(years, seed)
    values, months = values_of(vd.anomalies(table, "t")), table["t"].str.slice(5).to_numpy()
    for month in np.unique(months):
        assert values[months == month].sum(axis=0) == pytest.approx(0.0, abs=1e-9)


@given(st.integers(0, 10**6), st.lists(st.floats(-1e3, 1e3), min_size=12, max_size=12))
def test_adding_any_annual_cycle_changes_nothing(seed, cycle):
    table = monthly(3, seed)
    added = pl.Series([cycle[int(month[5:]) - 1] for month in table["t"]])
    more = table.with_columns(here=pl.col("here") + added)
    period = (1981, 1982)
    assert values_of(vd.anomalies(more, "t", period=period)) == pytest.approx(
        values_of(vd.anomalies(table, "t", period=period)), abs=1e-9
    )


def test_anomalies_stay_what_they_are():
    table = monthly(4, 1)
    once = values_of(vd.anomalies(table, "t"))
    again = table.with_columns(pl.Series(name, once[:, i]) for i, name in enumerate(NAMES))
    assert values_of(vd.anomalies(again, "t")) == pytest.approx(once, abs=1e-12)


def test_months_may_be_texts_dates_or_numbers_in_any_kind_of_table():
    table = monthly(3, 2)
    expected = values_of(vd.anomalies(table, "t"))
    numbers = table["t"].str.slice(5).cast(pl.Int64)
    days = table["t"].map_elements(lambda text: date(int(text[:4]), int(text[5:]), 28), return_dtype=pl.Date)
    stamps = table.to_pandas().assign(t=pd.to_datetime(table["t"].to_list()))
    periods = stamps.assign(t=pd.PeriodIndex(stamps["t"], freq="M"))
    others = [table.with_columns(t=numbers), table.with_columns(t=days), stamps, periods, table.to_arrow()]
    others.append(table.with_columns(t=table["t"].str.replace("-", "/") + "/31"))
    for other in others:
        assert (values_of(vd.anomalies(other, "t")) == expected).all()
    assert (values_of(vd.anomalies(stamps, "t", period=(1981, 1983))) == expected).all()


def test_a_part_of_the_year_is_enough():
    winter = monthly(3, 3).filter(pl.col("t").str.slice(5).is_in(["12", "01", "02"]))
    assert len(values_of(vd.anomalies(winter, "t"))) == 9


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda t: t, {"month": "time"}, "month='time': there is no such column"),
        (lambda t: t.with_columns(t=pl.lit("spring")), {}, "must have months, not 'spring'"),
        (lambda t: t.with_columns(t=pl.lit("1981-13")), {}, "must have months, not '1981-13'"),
        (lambda t: t.with_columns(t=pl.lit(None)), {}, "must have months, not None"),
        (lambda t: t.with_columns(t=pl.lit(True)), {}, "must have months, not True"),
        (lambda t: t.with_columns(here=pl.lit(None, pl.Float64)), {}, "column 'here' must have a number in every row"),
        (lambda t: t.with_columns(here=pl.lit(float("nan"))), {}, "column 'here' must have a number in every row"),
        (lambda t: t.with_columns(here=pl.lit("warm")), {}, "column 'here' must have a number in every row"),
        (lambda t: t.select("t"), {}, "there is no column besides 't'"),
        (lambda t: t.filter(pl.col("t") != "1982-03"), {}, "March has 1 rows in the table"),
        (lambda t: t, {"period": (1982, 1990)}, "January has 1 rows in 1982 to 1990"),
        (lambda t: t, {"period": (1982, 1981)}, r"period=\(1982, 1981\)"),
        (lambda t: t, {"period": (1981,)}, r"period=\(1981,\)"),
        (lambda t: t, {"period": 1981}, "period=1981"),
        (lambda t: t.with_columns(t=pl.lit(1)), {"period": (1981, 1982)}, "column 't' has no years"),
        (lambda t: {"t": ["1981-01"]}, {}, "table is needed, not dict"),
    ],
)
def test_tables_without_an_annual_cycle_to_remove_are_refused(change, arguments, message):
    with pytest.raises(InputError, match=message):
        vd.anomalies(change(monthly(2, 1)), **{"month": "t", **arguments})


def test_months_with_and_without_a_year_do_not_mix():
    with pytest.raises(InputError, match="some months have a year"):
        vd.anomalies(pd.DataFrame({"t": ["1981-01", 1], "x": [0.5, 1.5]}), "t")
