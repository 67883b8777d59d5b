"""Commands on tables with gaps: fit by EM, and impute."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import veridag as vd
from naive.missing import with_gaps

ASIA = vd.networks.load("asia")
CLINIC = vd.networks.load("clinic")


@pytest.fixture
def gaps(tmp_path):
    """A table with gaps, and the data in it with the states that the network declares."""
    data = with_gaps(ASIA.sample(120, seed=1), 0.15, 1)
    data.write(tmp_path / "gaps.csv")
    return tmp_path / "gaps.csv", data


def test_fit_keeps_gaps_and_says_how_em_converged(call, tmp_path, gaps):
    path, data = gaps
    options = ["--starts", "2", "--seed", "3", "--tolerance", "1e-5"]
    code, _, err = call(
        "fit", path, "--graph", "asia", "--states", "asia", "--missing", "keep", *options, "-o", tmp_path / "net.bif"
    )
    assert code == 0
    expected = vd.fit(ASIA.dag, data, starts=2, seed=3, tolerance=1e-5)
    assert vd.read_network(tmp_path / "net.bif") == expected
    assert f"{expected.fitted}\n" in err
    assert "the best of 2 starts" in err
    assert f"log-loss on these rows {-expected.log_likelihood(data) / 120:.6g}" in err


def test_fit_names_the_options_if_em_does_not_converge(call, gaps):
    path, _ = gaps
    command = ["fit", path, "--graph", "[smoke][lung|smoke]", "--missing", "keep", "--max-iterations", "1"]
    code, _, err = call(*command, "--tolerance", "0")
    assert code == 0
    assert err.count("did not converge in 1 iteration;") == 1
    assert "--max-iterations 5, or a larger --tolerance" in err


def test_impute_writes_what_is_most_probable(call, tmp_path, gaps):
    path, data = gaps
    code, _, err = call("impute", "asia", path, "-o", tmp_path / "filled.csv")
    assert code == 0
    assert "120 rows of 8 variables written" in err
    assert f"{sum(data.missing_counts.values())} missing values in" in err
    filled = vd.read(tmp_path / "filled.csv", states=ASIA.states)
    assert filled == vd.impute(ASIA, data)
    code, out, _ = call("impute", "asia", path, "--quiet")
    assert (code, out.splitlines()) == (0, (tmp_path / "filled.csv").read_text().splitlines())


def test_impute_takes_kinds_from_the_network_and_draws_into_files(call, tmp_path):
    data = with_gaps(CLINIC.sample(40, seed=1), 0.2, 1)
    data.write(tmp_path / "cases.parquet")
    code, _, err = call(
        "impute", "clinic", tmp_path / "cases.parquet", "--draws", 3, "--seed", 7, "-o", tmp_path / "f.parquet"
    )
    assert code == 0
    assert "3 tables of 40 rows written to" in err
    for number, expected in enumerate(vd.impute(CLINIC, data, draws=3, seed=7), start=1):
        assert vd.read(tmp_path / f"f-{number}.parquet") == expected
    assert not (tmp_path / "f.parquet").exists()
    one = ["impute", "clinic", tmp_path / "cases.parquet", "--draws", 1, "-o", tmp_path / "f.arrow", "--jobs", 2]
    assert call(*one)[0] == 0
    assert vd.read(tmp_path / "f.arrow") == vd.impute(CLINIC, data, draws=1)[0]


def test_several_tables_are_written_all_or_none(call, tmp_path, gaps):
    path, _ = gaps
    (tmp_path / "f-2.csv").mkdir()  # which no table can take the place of
    code, _, _ = call("impute", "asia", path, "--draws", 2, "-o", tmp_path / "f.csv")
    assert code == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f-2.csv", "gaps.csv"]


def test_mistakes_of_impute_are_one_line(call, tmp_path, gaps):
    path, _ = gaps
    for words, expected in (
        (["impute", "asia", path, "--missing", "drop"], "--missing drop: missing values are filled in here"),
        (["impute", "asia", path, "--draws", "2"], "each table needs its own file: give a file name with -o"),
        (["impute", "asia", path, "-o", "x.doc"], "must end in .csv or"),
        (["impute", "alarm", path], "no column"),
        (["impute", "-", "-"], "only one argument"),
        (["impute", "asia", path, "--draws", "0"], "draws"),
    ):
        code, _, err = call(*words)
        assert code == 2
        assert expected in err
    impossible = tmp_path / "odd.csv"
    impossible.write_text(
        "asia,tub,smoke,lung,bronc,either,xray,dysp\nno,no,no,no,no,no,no,no\nyes,no,no,no,no,yes,,no\n"
    )
    code, _, err = call("impute", "asia", impossible, "--strict")
    assert code == 2
    assert "row 1, counted from 0, has probability zero" in err
    assert "leave it out of the table, or fit" in err
    full = tmp_path / "full.csv"
    ASIA.sample(20, seed=1).write(full)
    code, out, err = call("impute", "asia", full)
    assert code == 0
    assert "no value is missing" in err
    assert np.array_equal(out.splitlines(), full.read_text().splitlines())


@pytest.mark.parametrize("missing", [[], ["--missing", "state"]])
def test_impute_leaves_gaps_that_are_a_state_of_the_network(call, tmp_path, missing):
    table, net = tmp_path / "boxes.csv", tmp_path / "net.bif"
    table.write_text("box,answer,ill\n" + "x,yes,no\n,no,yes\n,yes,yes\nx,no,no\n" * 5)
    assert call("fit", table, "--graph", "[box][answer|box][ill|box]", *missing, "-o", net)[0] == 0
    assert vd.read_network(net).states["box"] == ("x", "missing")
    later = tmp_path / "later.csv"
    later.write_text("box,answer,ill\nx,yes,no\n,no,\nx,no,yes\n")
    code, out, err = call("impute", net, later)
    assert code == 0
    assert "missing values are the state 'missing' of the network: 'box'" in err
    assert "1 missing values in 1 rows filled in" in err
    assert out.splitlines() == ["box,answer,ill", "x,yes,no", "missing,no,yes", "x,no,yes"]
    later.write_text("box,answer,ill\n,yes,no\n,no,yes\n")  # nobody ticked it
    code, out, _ = call("impute", net, later)
    assert (code, out.splitlines()[1:]) == (0, ["missing,yes,no", "missing,no,yes"])


def test_the_remedy_for_gaps_is_no_option_that_the_command_lacks(call, gaps):
    code, _, err = call("test", gaps[0], "smoke", "lung", "--test", "score(bic)")
    assert code == 2
    assert "use the score pnal" in err
    assert "--score" not in err


def test_fit_checks_the_file_before_the_work(call, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    x, site = rng.normal(size=30), rng.integers(0, 2, 30)
    rows = [
        f"{'' if i % 7 == 0 else f'{a:.4f}'},{a + noise:.4f},{s}"
        for i, (a, noise, s) in enumerate(zip(x, rng.normal(size=30), site, strict=True))
    ]
    table = tmp_path / "sites.csv"
    table.write_text("\n".join(["X,Y,site", *rows]))
    fit = ("fit", table, "--graph", "[X][Y|X]", "--group", "site", "--method", "pooled")
    code, _, err = call(*fit, "-o", tmp_path / "net.json")
    assert code == 0, err
    assert vd.read_network(tmp_path / "net-0.json") == vd.read_network(tmp_path / "net-1.json")
    monkeypatch.setattr("veridag.network.fitting.fit", None)  # whatever is refused is so before
    for output, expected in ((tmp_path / "net.doc", "must end in .bif or"), ("-", "needs its own file")):
        code, _, err = call(*fit, "-o", output)
        assert code == 2
        assert expected in err


def test_impute_counts_rows_and_keeps_the_names_of_groups_and_weights(call, tmp_path):
    table = tmp_path / "cases.csv"
    ASIA.sample(30, seed=1).to_polars().with_columns(
        pl.Series("site", ["n", "s", "s"] * 10), pl.Series("times", [1, 2, 3, 4, 5] * 6)
    ).with_columns(xray=pl.when(pl.int_range(30) > 3).then(pl.col("xray"))).write_csv(table)
    impute = ("impute", "asia", table, "--group", "site", "--weights", "times")
    code, _, err = call(*impute, "-o", tmp_path / "filled.csv")
    assert code == 0
    assert "30 rows of 8 variables written" in err
    filled = pl.read_csv(tmp_path / "filled.csv")
    before = pl.read_csv(table)
    assert {*filled.columns} == {*before.columns}
    assert filled.select("site", "times").equals(before.select("site", "times"))
    assert call(*impute, "--draws", 2, "-o", tmp_path / "f.csv")[2].count("2 tables of 30 rows") == 1
    assert {*pl.read_csv(tmp_path / "f-2.csv").columns} == {*before.columns}
    (tmp_path / "cases.toml").write_text('[reading]\ngroup = "site"\nweights = "times"\n')
    assert {*call("impute", "asia", table)[1].splitlines()[0].split(",")} == {*before.columns}
