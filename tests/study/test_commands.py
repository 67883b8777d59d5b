"""`veridag study`, as a user types it."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from veridag.cli import app, main
from veridag.study import plan

#: The kind of these studies is in a module of the tests.
TRUST = "--trust-kinds"


def call(*words):
    result = CliRunner().invoke(app, ["study", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def complaint(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main(["study", *map(str, words)])
    assert stop.value.code == 2
    return capsys.readouterr().err


@pytest.mark.medium
def test_run_status_export_and_figures(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = sums(numbers="[1, 2]", bad="[2]")
    planned = call("run", path, TRUST, "--jobs", 1, "--plan")
    assert "4 cells, 0 already finished" in planned.stderr
    assert "of memory" in planned.stderr
    ran = call("run", path, TRUST, "--jobs", 1)
    assert ran.exit_code == 1
    assert "sums: 4 cells, 2 done, 2 failed, 0 stopped, 0 to do\n  2 x ValueError: 2 is a bad number" in ran.stdout
    assert call("status", path, TRUST).stdout == ran.stdout
    call("export", path, TRUST, "--csv", "t.csv", "--parquet", "t.parquet")
    table = pl.read_parquet("t.parquet")
    assert table["status"].to_list() == ["done"] * 6 + ["failed"] * 2
    assert pl.read_csv("t.csv").height == 8
    drawn = call("figures", path, TRUST, "-o", "figures").stdout.split()
    assert drawn == ["figures/values.svg", "figures/values.png", "figures/values.csv"]
    assert pl.read_csv("figures/values.csv")["repetitions"].to_list() == [4]
    first = (tmp_path / "figures" / "values.svg").read_bytes()
    call("figures", path, TRUST, "-o", "figures")
    assert (tmp_path / "figures" / "values.svg").read_bytes() == first


@pytest.mark.medium
def test_list_names_the_studies_of_the_package():
    listed = call("list").stdout
    for name in plan.names():
        assert name in listed
    assert {"structure-priors", "beyond-uniform-priors", "who-learns-better"} <= set(plan.names())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--jobs", 2, "--dask", "tcp://x:1"], "--jobs 2 is for this machine, and --dask for a cluster: give one of"),
        (["--processes", "--dask", "tcp://x:1"], "--processes is for this machine, and --dask tcp://x:1 for a cluster"),
        (["--jobs", 0], "--jobs 0 must be an integer from 1"),
        (["--time-limit", 0], "--time-limit 0 must be above 0"),
        (["--scale", "smoke"], "scale 'smoke': the file has no scales"),
        (["--only", "number"], "--only number: give a setting and its value, such as --only repetition=0"),
        (["--only", "numbers=1"], "numbers=1: cells have no such setting; did you mean 'number'?"),
        (["--only", "repetition=7"], "repetition=7: no cell has this value; choose from '0', '1'"),
    ],
)
def test_impossible_options_are_told(sums, tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)
    assert message in complaint(capsys, "run", sums(numbers="[1]"), TRUST, *words)


def test_only_the_cells_with_the_given_settings_are_run(sums, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = sums(numbers="[1, 2, 3]")
    run = ("run", path, TRUST, "--jobs", 1)
    some = ("--only", "number=1", "--only", "number=3.0", "--only", "repetition=0")
    assert "2 cells, 2 done" in call(*run, *some).stdout
    assert "6 cells, 2 done" in call("status", path, TRUST).stdout
    call("export", path, TRUST, "--csv", "t.csv")
    assert {*pl.read_csv("t.csv").select("number", "repetition").rows()} == {(1, 0), (3, 0)}
    assert "6 cells, 6 done" in call(*run).stdout


def test_what_is_not_there_yet_is_told(sums, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = sums(numbers="[1]")
    assert "run the study first" in complaint(capsys, "status", path, TRUST)
    assert "give --csv FILE, --parquet FILE or both" in complaint(capsys, "export", path, TRUST)
    assert "there is no such file, and no such study" in complaint(capsys, "run", "nowhere")


@pytest.mark.slow
@pytest.mark.parametrize("name", plan.names())
def test_the_smoke_of_a_study_runs_and_has_all_its_figures(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = call("run", name, "--scale", "smoke", "--jobs", 1)
    assert ran.exit_code == 0, ran.stdout
    drawn = call("figures", name, "--scale", "smoke").stdout.split()
    assert any(path.endswith(".svg") for path in drawn)
    assert {path[:-4] for path in drawn if path.endswith(".svg")} == {
        path[:-4] for path in drawn if path.endswith(".png")
    }
    figures = plan.load(name, "smoke").spec.grid.get("figures", [])
    wanted = [figure["name"] for figure in figures if isinstance(figure, dict)]
    for figure in wanted:
        assert any(path.startswith(f"figures/{figure}") and path.endswith(".svg") for path in drawn), figure
    for path in drawn:
        assert (tmp_path / path).stat().st_size > 0


@pytest.mark.parametrize("command", ["run", "status", "export", "figures"])
def test_a_kind_of_another_module_is_not_imported_unless_it_is_trusted(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"stranger_{command}.py").write_text("open('was-here', 'w').close()", "utf-8")
    path = tmp_path / "theirs.toml"
    path.write_text(f'kind = "stranger_{command}:KIND"\n', "utf-8")
    words = ["--csv", "t.csv"] if command == "export" else []
    said = complaint(capsys, command, path, *words)
    assert f"'stranger_{command}'" in said
    assert "runs its code with your permissions" in said
    assert TRUST in said
    assert not (tmp_path / "was-here").exists()
    assert "instance of a subclass of Kind" in complaint(capsys, command, path, TRUST, *words)
    assert (tmp_path / "was-here").exists()


def test_a_trusted_module_that_fails_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "failing.py").write_text("1 / 0", "utf-8")
    path = tmp_path / "theirs.toml"
    path.write_text('kind = "failing:KIND"\n', "utf-8")
    assert "ZeroDivisionError" in complaint(capsys, "run", path, TRUST)
