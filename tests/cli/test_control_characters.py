"""Control characters in names are shown, and never sent to a terminal, whatever the command."""

from __future__ import annotations

import ast
import io
import re
import sys
import unicodedata
from pathlib import Path

import pytest

import veridag as vd
from veridag import cli
from veridag.cli import outputs, terminal
from veridag.display import visible, visible_line
from veridag.progress import ProgressBar, describe_progress

#: Clears the screen, sets the title, overwrites the line, and turns text around; the last is one byte in old terminals.
EVIL = "x\x1b[2J\x1b]0;t\x07\r\x7f\u202e\x9b1m"
ALLOWED = {"\n", "\t"}


def controls(text: str) -> set[str]:
    """Characters that a terminal obeys, found in another way than the code does."""
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return {
        c
        for c in text
        if c not in ALLOWED
        and (unicodedata.category(c) in {"Cc", "Zl", "Zp"} or unicodedata.bidirectional(c) in turning)
    }


@pytest.fixture
def evil_csv(tmp_path) -> str:
    """A table with such characters in the names of its columns and states, and in its own name."""
    path = tmp_path / f"t{EVIL[:5]}.csv"
    rows = "".join(f"{'xy'[i % 2]},{['no', EVIL][i % 2 if i % 7 else 0]},{'uv'[i % 3 > 0]}\n" for i in range(120))
    path.write_text(f'"{EVIL}",b,c\n{rows}', "utf-8", newline="")
    return str(path)


def test_the_table_really_has_them(evil_csv):
    data = vd.read(evil_csv, strict=True)
    assert controls("".join(data.names))
    assert controls("".join(data.states["b"]))


@pytest.mark.parametrize(
    "words",
    [
        "describe FILE --strict",
        "describe FILE --counts *",
        "learn FILE --strict --verbose",
        "learn FILE --strict --json",
        "score FILE [b][c] --strict",
        "test FILE b c --strict --verbose",
        "bootstrap FILE --strict --repeats 3 --threshold 0",
        "best-networks FILE --strict -k 2",
        "posterior FILE --strict",
        "learn FILE.nowhere",
        "networks EVIL",
        "EVIL FILE",
    ],
)
def test_commands_print_none(call, evil_csv, words):
    _, out, err = call(*(word.replace("FILE", evil_csv).replace("EVIL", EVIL) for word in words.split()))
    assert out + err != ""
    assert controls(out + err) == set()
    assert "1b[2J" in out + err or words.startswith(("describe FILE --counts", "score"))


def test_arcs_are_one_line_each_even_if_a_name_has_a_line_feed(capsys):
    outputs.print_arcs(vd.DAG.from_arcs([("a\nb -> c", "d")], names=["a\nb -> c", "d"]))
    assert capsys.readouterr().out == "a\\nb -> c -> d\n"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_content_of_files_is_shown_on_a_terminal_and_exact_in_a_pipe(monkeypatch, capfdbinary, is_terminal):
    monkeypatch.setattr(outputs, "is_terminal", lambda: is_terminal)
    columns = [vd.data.Column.discrete(name, [0, 1, 0], ["a", EVIL]) for name in (EVIL, "b")]
    data = vd.Data(columns)
    outputs.write_data(data, "-")
    outputs.write_text(EVIL, "-")
    written = capfdbinary.readouterr().out.decode()
    assert bool(controls(written)) is not is_terminal
    if not is_terminal:
        assert written.endswith(EVIL)
        assert vd.read(io.BytesIO(written.removesuffix(EVIL).encode()), strict=True).states[EVIL] == ("a", EVIL)


def test_a_traceback_has_none(capsys, monkeypatch):
    monkeypatch.setattr("sys.excepthook", lambda *_: None)
    with pytest.raises(vd.InputError) as raised:
        cli.main(["sample", f"nowhere{EVIL}", "-n", "5", "--debug"])
    sys.excepthook(ValueError, ValueError(EVIL), raised.tb)
    err = capsys.readouterr().err
    assert "ValueError: x\\x1b[2J" in err
    assert controls(err) == set()


def test_progress_has_none():
    assert controls(describe_progress(EVIL, 1, 2, {})) == set()
    shown = io.StringIO()
    ProgressBar(shown, interval=0)(EVIL, 1, 2, {})
    assert controls(shown.getvalue()) == set()


def test_each_control_character_is_shown_as_python_writes_it():
    assert visible("a\x1b[1mb\r\x00\x85\u202e") == "a\\x1b[1mb\\r\\x00\\x85\\u202e"
    everything = "".join(map(chr, (*range(0x3000), 0xFFFD, 0x1F600)))
    assert controls(visible(everything)) == set()
    assert visible_line("a\tb\n") == "a\\tb\\n"
    for kept in ("é", "中", "\N{GRINNING FACE}", "\t", "\n", "\N{NO-BREAK SPACE}"):
        assert visible(kept) == kept


def test_only_one_place_prints():
    """Whatever a command prints goes through `echo`, or else through what gives pipes the content of files."""
    folder = Path(terminal.__file__).parent
    found = {
        (path.name, ast.unparse(node.func))
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and re.search(r"^print$|echo|std(out|err)\.(buffer\.)?write$", ast.unparse(node.func))
    }
    assert {(file, call) for file, call in found if call != "echo"} == {
        ("terminal.py", "typer.echo"),
        ("progress_bar.py", "print"),  # of `describe_progress`, which has none
    }
