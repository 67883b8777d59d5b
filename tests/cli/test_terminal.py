"""What is said beside results: notes without source lines, nothing with --quiet, more with --verbose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings

import pytest
import typer

from veridag.cli import app, terminal
from veridag.cli.app import ORDER
from veridag.cli.progress_bar import progress_bar
from veridag.cli.terminal import Volume, note, set_volume, warnings_as_notes

TYPER = typer.main.get_command(app)


@pytest.fixture(autouse=True)
def normal_volume():
    yield
    set_volume(Volume.NORMAL)


@pytest.fixture
def constant_csv(tmp_path) -> str:
    """A table that gives rise to a note: one column is constant."""
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n" + "".join(f"{'xy'[i % 2]},{'uv'[i % 3 > 0]},k\n" for i in range(30)))
    return str(path)


def test_a_warning_is_one_line_without_path_or_source(constant_csv):
    words = [sys.executable, "-m", "veridag.cli", "learn", constant_csv, "--json"]
    finished = subprocess.run(words, capture_output=True, text=True, check=True)
    notes = [line for line in finished.stderr.splitlines() if "constant" in line]
    assert len(notes) == 1
    assert notes[0].startswith("veridag: note: ")
    assert "Warning" not in finished.stderr
    assert ".py" not in finished.stderr


def test_the_same_warning_is_said_once(capsys):
    with warnings_as_notes():
        for _ in range(3):
            warnings.warn("the table\nis odd", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "veridag: note: the table is odd\n"


@pytest.mark.parametrize("place", [0, 1, 2], ids=["before the command", "after it", "last"])
@pytest.mark.parametrize("word", ["--quiet", "-q"])
def test_quiet_leaves_results_alone(call, constant_csv, tmp_path, place, word):
    words = ["learn", constant_csv, "-o", str(tmp_path / "g.json")]
    assert call(*words)[2] != ""
    words.insert([0, 1, len(words)][place], word)
    assert call(*words) == (0, "", "")
    assert (tmp_path / "g.json").exists()


def test_quiet_still_shows_errors(call):
    code, _, err = call("--quiet", "sample", "alram", "-n", "5")
    assert code == 2
    assert "alarm" in err


def test_quiet_shows_no_progress_bar(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    set_volume(Volume.QUIET)
    with progress_bar("search", lines=True) as progress:
        assert progress is None


@pytest.mark.parametrize("words", [["--verbose", "count", "4"], ["count", "4", "--verbose"], ["count", "-v", "4"]])
def test_verbose_says_the_settings_and_the_time(call, words):
    code, out, err = call(*words)
    assert (code, out) == (0, "543\n")
    assert "count with N 4, --output indegrees.svg" in err
    assert "count took" in err
    assert call("count", "4")[2] == ""


def test_verbose_says_what_was_read(call, asia_csv):
    _, _, err = call("score", asia_csv, "asia", "--verbose")
    assert f"veridag: read {asia_csv} in " in err
    assert "400 observations of 8 discrete variables" in err


def test_quiet_and_verbose_exclude_each_other(call):
    for words in (["--quiet", "--verbose", "count", "4"], ["count", "4", "-q", "-v"]):
        code, _, err = call(*words)
        assert code == 2
        assert "give only one of them" in err


def test_the_volume_of_one_call_does_not_last(call, capsys):
    call("count", "4", "--quiet")
    note("still here")
    assert "still here" in capsys.readouterr().err


def test_every_command_has_a_place_in_the_order_of_work(call):
    placed = [name for names in ORDER.values() for name in names]
    assert sorted(placed) == sorted(TYPER.commands)
    lines = [line.split()[0] for line in call("-h")[1].splitlines() if line.startswith("  ") and line.split()]
    assert [word for word in lines if word in placed] == placed
    assert "..." not in call("-h")[1].split("Options:")[1]  # no summary is cut short
    assert placed.index("describe") < placed.index("learn") < placed.index("report")


def test_lines_fit_a_terminal_and_specs_are_not_broken(monkeypatch, capsys):
    spec = '--algorithm "BOSS(score=BDeu, prior=Fair, max_indegree=5)"'
    text = f"chosen for discrete data of many kinds and groups: {spec}\nshort"
    terminal.say(text)
    assert capsys.readouterr().err == f"{text}\n"  # a file gets lines as they are
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    terminal.say(text)
    shown = capsys.readouterr().err
    assert spec.partition(" ")[2] in shown
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert shown.split() == text.split()
    assert shown.splitlines()[-1] == "short"


def test_only_the_first_of_many_columns_that_are_cut_have_a_note_each(call, tmp_path):
    names = [f"c{i}" for i in range(11)]
    rows = [",".join(["yn"[i % 2], *(f"{(i * 7 + j) % 13}.5" for j in range(11))]) for i in range(40)]
    path = tmp_path / "cases.csv"
    path.write_text("\n".join([",".join(["a", *names]), *rows, ""]))
    graph = "".join(f"[{name}]" for name in ("a", *names))
    _, out, err = call("score", path, graph, "--discretize", "quantile(3)", "--json")
    assert err.count("note: discretized") == 8
    assert "note: and 3 more columns: `veridag describe` shows all cut points" in err
    assert sum(note.startswith("discretized") for note in json.loads(out)["notes"]) == 11


def test_json_says_where_columns_are_cut(call, tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(["a,x", *(f"{'yn'[i % 2]},{(i * 7) % 13}.5" for i in range(40)), ""]))
    options = ("--discretize", "x=interval(2)", "--json")
    assert json.loads(call("learn", path, *options)[1])["bin_edges"] == {"x": [6.5]}
    described = json.loads(call("describe", path, *options)[1])["columns"]
    assert [column.get("edges") for column in described] == [None, [6.5]]
    assert "cut at 6.5 by interval" in call("describe", path, *options[:2])[1]
