from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

from veridag.data import TableSettings, inspect, read
from veridag.errors import InputError


@pytest.fixture
def table(tmp_path):
    """The effect of x on y jumps at three thresholds; z goes with y."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=1000)
    y = rng.uniform(size=1000) < np.array([0.1, 0.85, 0.2, 0.9])[np.searchsorted([-1.2, 0.3, 0.8], x)]
    frame = pl.DataFrame(
        {
            "x": x.round(3),
            "y": ["yes" if one else "no" for one in y],
            "z (mm)": (2 * y + rng.normal(size=1000)).round(3),
        }
    )
    path = tmp_path / "jumps.csv"
    frame.write_csv(path)
    return path


def states(call, table, *options):
    code, out, err = call("describe", table, "--json", *options)
    assert code == 0, err
    return {column["name"]: column.get("states") for column in json.loads(out)["columns"]}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--discretize", "quantile(4)"], {"x": 4, "y": 2, "z (mm)": 4}),
        (["--discretize", "hartemink(3, initial=10)"], {"x": 3, "y": 2, "z (mm)": 3}),
        (["--discretize", "x=interval(5)", "--discretize", "z (mm)=hartemink(2)"], {"x": 5, "y": 2, "z (mm)": 2}),
        (["--discretize", "z (mm)=quantile(2)", "--discretize", "x=mdl(by=z (mm))"], {"x": 4, "y": 2, "z (mm)": 2}),
        (["--discretize", "x=mdl(by=y)", "--discretize", "z (mm)=quantile"], {"x": 4, "y": 2, "z (mm)": 3}),
    ],
)
def test_methods_for_all_columns_or_for_one(call, table, options, expected):
    assert states(call, table, *options) == expected


def test_blanket_is_applied_by_the_commands_that_use_the_data(call, table):
    code, out, err = call("learn", table, "--discretize", "blanket")
    assert code == 0, err
    joined = {frozenset(re.split(" -> | - ", line)) for line in out.splitlines()}
    assert joined == {frozenset({"x", "y"}), frozenset({"y", "z (mm)"})}
    assert "veridag: note: discretized 'x' by blanket at " in err
    assert "description length" in err
    assert "mixed data" not in err


def test_blanket_for_some_columns_and_another_method_for_the_rest(call, table):
    code, _, err = call("learn", table, "--discretize", "x=blanket", "--discretize", "z (mm)=quantile(3)")
    assert code == 0, err
    assert "discretized 'x' by blanket" in err
    assert "discretized 'z (mm)' by quantile" in err
    code, _, err = call("learn", table, "--discretize", "x=blanket")
    assert code == 2
    assert "'z (mm)' would stay continuous" in err


def test_describe_says_that_blanket_comes_later(call, table):
    code, out, err = call("describe", table, "--discretize", "blanket")
    assert code == 0, err
    assert "discretized by blanket, alternating with learning, when a command uses it: 'x', 'z (mm)'" in out
    inspection = inspect(table, TableSettings(discretize={"x": "blanket"}, strict=False))
    assert inspection.data.kinds["x"] == "continuous"


def test_what_is_kept_beside_the_table_may_be_blanket(call, table):
    assert call("describe", table, "--discretize", "blanket", "--save")[0] == 0
    code, _, err = call("learn", table)
    assert code == 0, err
    assert "by blanket" in err
    with pytest.raises(
        InputError, match=r"discretize='blanket': this method learns networks.*veridag\.discretize\(data"
    ):
        read(table)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("q=blanket", "--discretize: there is no column 'q'"),
        ("y=blanket", "--discretize: column 'y' is discrete already"),
        ("blanket(rounds=0)", "--discretize 'blanket(rounds=0)': rounds=0 must be an integer of at least 1"),
        ("x=kmeans(3)", "there is no such method"),
        ("mdl", "mdl needs a discrete column to cut by"),
    ],
)
def test_mistakes_are_explained_in_flags(call, table, option, message):
    code, _, err = call("learn", table, "--discretize", option)
    assert code == 2
    assert message in err
