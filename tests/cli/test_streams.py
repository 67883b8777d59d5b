"""Standard streams that are closed, full or cannot show a character, and Ctrl-C while modules are imported."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

import veridag as vd

PROGRAM = f"{sys.executable} -m veridag.cli"


def _run(line: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["/bin/sh", "-c", line], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.medium
def test_closed_standard_output_is_one_line():
    code, _, err = _run(f"{PROGRAM} networks >&-")
    assert code == 2
    assert err.startswith("veridag: standard output is closed")
    assert err.count("\n") == 1


@pytest.mark.medium
def test_closed_streams_do_not_matter_where_they_are_not_needed(tmp_path):
    path = tmp_path / "x.csv"
    code, out, err = _run(f"{PROGRAM} sample asia -n 900 --seed 1 -o {path} <&- >&- 2>&-")
    assert (code, out, err) == (0, "", "")
    assert vd.read(path).n == 900


@pytest.mark.medium
def test_closed_standard_input_is_an_empty_file():
    code, _, err = _run(f"{PROGRAM} describe - <&-")
    assert code == 2
    assert "the file is empty" in err
    assert "Traceback" not in err


@pytest.mark.medium
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")
@pytest.mark.parametrize("words", ["networks", "sample asia -n 5", "networks --json"])
def test_a_full_device_behind_standard_output_is_one_line(words):
    code, _, err = _run(f"{PROGRAM} {words} > /dev/full")
    assert code == 2
    assert "no space left" in err.lower()
    assert err.count("\n") == 1


@pytest.mark.medium
def test_a_console_that_cannot_show_a_character_shows_its_code(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,\N{GREEK SMALL LETTER ALPHA}\n" + "x,y\ny,x\n" * 10, "utf-8")
    code, out, err = _run(f"{PROGRAM} describe {path}", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert code == 0, err
    assert "\\u03b1" in out


def test_an_interrupt_while_the_commands_are_imported_ends_with_130(monkeypatch):
    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == "veridag.cli.learn":
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    for name in [name for name in sys.modules if name.startswith("veridag.cli")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit) as stop:
        import_module("veridag.cli")
    assert stop.value.code == 130
