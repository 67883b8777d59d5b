"""A study goes on from an exported table: the same rows with the same types, and only what is missing is done."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import veridag as vd
from strategies import few
from study import arithmetic
from veridag.cli import app
from veridag.errors import InputError
from veridag.study import cost, plan, resuming, tables, typed_csv
from veridag.study.kind import Spec
from veridag.study.plan import Cell, Plan
from veridag.study.store import Outcome, Store

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8")),
    st.sampled_from(["1e5", "inf", "NaN", "'=x", "@a", '"', "\r\n"]),
)
ROWS = st.lists(st.dictionaries(st.sampled_from(["x", "y", "=z", "count", "seconds_made"]), VALUES, min_size=1))
SUMS = Plan(Spec("sums", "arithmetic:KIND", "Sums", "", None, {}), arithmetic.KIND, ())
TRUST = "--trust-kinds"


def study(count):
    """A plan of so many cells, of which the settings differ, too."""
    settings = [{"number": i, "same": 1, "names": ("a", "b")} | ({"odd": True} if i % 2 else {}) for i in range(count)]
    return replace(SUMS, cells=tuple(Cell(SUMS.key(own), "arithmetic", own) for own in settings))


def stored(path, outcomes):
    with Store(path) as store:
        for outcome in outcomes:
            store.write(outcome)
    return path


def carried_over(planned, source, csv, target, table):
    """The finished cells of one store, through a CSV, in another."""
    with Store(source, read_only=True) as store:
        csv.write_bytes(typed_csv.write(table(planned, store)).encode())
    with Store(target) as store:
        resuming.take_over(store, resuming.read_cells(planned, csv))
    return target


def rows(path, planned):
    with Store(path, read_only=True) as store:
        return dict(store.rows(cell.key for cell in planned.cells))


@pytest.mark.parametrize(
    "value", [None, True, 1, 1.0, 1e300, 10**30, -0.5, "", "1", "007", "-1.5", "true", "'", "=x", "\r", "a,b"]
)
def test_a_value_of_any_type_comes_back(value):
    [_, line] = typed_csv.read(typed_csv.write(tables.Table(("a", "b"), ({"a": value, "b": 1},))), "it")
    assert line == [value, 1]
    assert type(line[0]) is type(value)


@given(VALUES)
def test_a_value_comes_back_with_its_type(value):
    text = typed_csv.write(tables.Table(("a", "b"), ({"a": value, "b": 1},)))
    header, line = typed_csv.read(text, "it")
    assert header == ["a", "b"]
    assert line == [value, 1]
    assert type(line[0]) is type(value)


@pytest.mark.medium
@few
@given(st.lists(ROWS.filter(len), min_size=1, max_size=4))
def test_the_table_of_cells_that_are_taken_over_is_that_of_the_original(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("s")
    planned = study(len(found))
    outcomes = [
        Outcome(c, "done", tuple(r), None, 10.5, 0.25, "0.9") for c, r in zip(planned.cells, found, strict=True)
    ]
    stored(folder / "a.sqlite", outcomes)
    for name, table in {"exported": tables.exported, "compact": tables.compact}.items():
        csv = folder / f"{name}.csv"
        again = carried_over(planned, folder / "a.sqlite", csv, folder / f"{name}.sqlite", table)
        with Store(folder / "a.sqlite") as first, Store(again) as second:
            assert typed_csv.write(table(planned, second)) == csv.read_bytes().decode()
            before, after = tables.results(planned, first), tables.results(planned, second)
        times = [c for c in before.columns if c.startswith("seconds") or c == "started"]
        same = [] if name == "exported" else times
        assert before.drop(same).write_csv() == after.drop(same).write_csv()


def test_a_compact_table_has_what_differs_and_no_times(tmp_path):
    planned = study(3)
    outcomes = [Outcome(cell, "done", ({"x": 0.1, "seconds": 7.0},), None, 1.0, 0.5) for cell in planned.cells[:2]]
    failed = Outcome(planned.cells[2], "failed", (), "ValueError: no", 1.0, 0.5)
    with Store(stored(tmp_path / "s.sqlite", [*outcomes, failed])) as store:
        table = tables.compact(planned, store)
    assert table.columns == ("key", "number", "odd", "x", "seconds", "version")
    assert table.frame["key"].to_list() == [cell.key[:16] for cell in planned.cells[:2]]
    assert table.frame["seconds"].to_list() == [None, None]


def test_a_label_of_the_study_file_replaces_the_settings_that_follow_from_it(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        """kind = "learning"
        [grid]
        networks = ["asia", "cancer"]
        sizes = [20]
        repetitions = 1
        [grid.parts.one.learners]
        BIC = "tabu(score=bic)"
        [grid.parts.two.learners]
        ours = "tabu(score=bic)"
        AIC = "tabu(score=aic)"
        """,
        "utf-8",
    )
    planned = plan.load(path)
    outcomes = [Outcome(cell, "done", ({"shd": 1},), None, 1.0, 0.5) for cell in planned.cells]
    with Store(stored(tmp_path / "s.sqlite", outcomes)) as store:
        compact, whole = tables.compact(planned, store).frame, tables.exported(planned, store).frame
    assert sorted(compact.drop("key", "version").rows()) == [
        ("one; two", "BIC; ours", "asia", 1),
        ("one; two", "BIC; ours", "cancer", 1),
        ("two", "AIC", "asia", 1),
        ("two", "AIC", "cancer", 1),
    ]
    assert whole["label"].to_list() == compact["label"].to_list()
    assert whole["learner"].n_unique() == 2


def test_a_finished_cell_of_the_store_stays_and_a_failed_one_gives_way(tmp_path):
    planned = study(2)
    theirs = stored(tmp_path / "a.sqlite", [Outcome(c, "done", ({"x": 1},), None, 1.0, 0.5) for c in planned.cells])
    ours = [
        Outcome(planned.cells[0], "done", ({"x": 2},), None, 1.0, 0.5),
        Outcome(planned.cells[1], "failed", (), "ValueError: no", 1.0, 0.5),
    ]
    stored(tmp_path / "b.sqlite", ours)
    carried_over(planned, theirs, tmp_path / "t.csv", tmp_path / "b.sqlite", tables.compact)
    assert list(rows(tmp_path / "b.sqlite", planned).values()) == [[{"x": 2}], [{"x": 1}]]


def test_cells_without_a_time_do_not_count_in_the_estimate(tmp_path):
    planned = study(3)
    with Store(tmp_path / "s.sqlite") as store:
        store.write(Outcome(planned.cells[0], "done", ({"x": 1},), None, 1.0, 0.0, "0.9"))
        store.write(Outcome(planned.cells[1], "done", ({"x": 1},), None, 1.0, 8.0))
        expected = cost.estimate(planned, planned.cells[2:], 1, 0, store)
    assert expected.seconds == 8.0
    assert expected.timed == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version,x\n0.1,1\n", "it has no column 'key'"),
        ("key,x\n00,1\n", "it has no column 'version'"),
        ("", "it has no column 'key'"),
        ("key,x,version\n00,1,0.1\n11,1,0.1\n", "none of its 2 finished cells is in sums"),
        ("key,x,version,status\nKEY,,0.1,failed\n", "none of its 0 finished cells is in sums"),
        ("key,x,version\nKEY,1,0.1\n00,1,0.1\nKEY,1,0.1\n", "is there twice"),
        ("key,x,version\nKEY,1\n", "line 2 has 2 fields, and the header 3"),
        ('key,x,version\nKEY,"1,0.1\n', "line 2 is no CSV"),
        ("key,number,version\nKEY,0,0.1\n", "it has no column of measurements"),
        ("key,x,version,started\nKEY,1,0.1,soon\n", "started = 'soon' is no time"),
    ],
)
def test_a_table_that_cannot_be_taken_over_is_told(tmp_path, text, message):
    planned = study(1)
    path = tmp_path / "t.csv"
    path.write_text(text.replace("KEY", planned.cells[0].key[:16]), "utf-8")
    with pytest.raises(vd.InputError, match=message):
        resuming.read_cells(planned, path)


def test_a_damaged_or_missing_file_is_told(tmp_path):
    with pytest.raises(vd.InputError, match="cannot be read"):
        resuming.read_cells(study(1), tmp_path / "t.csv")
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"key,x,version\n")[:-6])
    with pytest.raises(vd.InputError, match="the file is damaged"):
        resuming.read_cells(study(1), tmp_path / "t.csv.gz")


def call(*words):
    result = CliRunner().invoke(app, ["study", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.medium
def test_only_the_missing_cells_are_run_and_figures_are_the_same(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    few = sums(numbers="[1, 2]")
    assert call("run", few, TRUST, "--jobs", 1, "--store", "a.sqlite").exit_code == 0
    for name in ("t.csv.gz", "again.csv.gz"):
        call("export", few, TRUST, "--store", "a.sqlite", "--compact", "--csv", name)
    assert (tmp_path / "t.csv.gz").read_bytes() == (tmp_path / "again.csv.gz").read_bytes()
    assert pl.read_csv("t.csv.gz")["value"].null_count() == 4

    log = tmp_path / "log"
    all_ = sums(numbers="[1, 2, 3]", log=f'"{log}"')
    planned = call("run", all_, TRUST, "--from", "t.csv.gz", "--plan", "--store", "b.sqlite").stderr
    assert "t.csv.gz: 4 cells taken over, 0 there before" in planned
    assert "6 cells, 4 already finished" in planned
    log.unlink()  # what --plan did to measure the time
    ran = call("run", all_, TRUST, "--jobs", 1, "--from", "t.csv.gz", "--store", "b.sqlite")
    assert "6 cells, 6 done" in ran.stdout
    assert {line.split()[0] for line in log.read_text().splitlines()} == {"3"}
    again = call("run", all_, TRUST, "--jobs", 1, "--from", "t.csv.gz", "--from", "again.csv.gz", "--store", "b.sqlite")
    assert "again.csv.gz: 0 cells taken over, 4 there before" in again.stderr

    few = sums(numbers="[1, 2]")
    for store in ("a", "b"):
        call("figures", few, TRUST, "--store", f"{store}.sqlite", "-o", store)
        call("export", few, TRUST, "--store", f"{store}.sqlite", "--compact", "--csv", f"{store}/t.csv")
    assert len(list((tmp_path / "a").iterdir())) == 4
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_a_refused_table_leaves_no_store(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("key,value,version\n0123,1.0,0.1.0\n")
    with pytest.raises(InputError, match="none of its 1 finished cells"):
        call("run", sums(numbers="[1]"), TRUST, "--from", "t.csv", "--store", "b.sqlite")
    assert not Path("b.sqlite").exists()


def test_cells_outside_of_only_are_taken_over_and_not_run(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = sums(numbers="[1, 2]")
    two = [cell for cell in plan.load(path, trust_kinds=True).cells if cell.settings["number"] == 2]
    stored(tmp_path / "a.sqlite", [Outcome(cell, "done", ({"value": 1.0},), None, 1.0, 0.5) for cell in two])
    call("export", path, TRUST, "--store", "a.sqlite", "--csv", "t.csv")
    call("run", path, TRUST, "--jobs", 1, "--from", "t.csv", "--only", "number=1", "--only", "repetition=1")
    assert "4 cells, 3 done" in call("status", path, TRUST).stdout


def test_cells_of_another_scale_are_noted(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    large = plan.load(sums(numbers="[1, 2]"), trust_kinds=True)
    stored(tmp_path / "a.sqlite", [Outcome(c, "done", ({"value": 1.0},), None, 1.0, 0.5) for c in large.cells])
    call("export", tmp_path / "sums.toml", TRUST, "--store", "a.sqlite", "--csv", "t.csv")
    said = call("run", sums(numbers="[2]"), TRUST, "--from", "t.csv", "--store", "b.sqlite").stderr
    assert "note: 2 of its cells are not in this study at this scale" in said
