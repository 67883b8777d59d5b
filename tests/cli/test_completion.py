"""Completion in shells: the scripts, and what they offer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import veridag as vd
from veridag.cli.completion import network_names, spec_names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_each_shell_is_printed(call, shell):
    code, out, err = call("completion", shell)
    assert (code, err) == (0, "")
    assert f"_VERIDAG_COMPLETE=complete_{shell}" in out


def test_other_shells_are_refused(call):
    code, _, err = call("completion", "tcsh")
    assert code == 2
    assert "fish" in err


def test_bash_reads_the_script(call):
    script = call("completion", "bash")[1]
    shown = subprocess.run(["bash", "-c", f"{script}\ncomplete -p veridag"], capture_output=True, text=True, check=True)
    assert "-F _veridag_completion veridag" in shown.stdout


@pytest.mark.medium
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("veridag le", {"learn"}),
        ("veridag learn cases.csv --max", {"--max-indegree"}),
        ("veridag learn cases.csv --qu", {"--quiet"}),
        ("veridag sample ala", {"alarm"}),
        ("veridag learn cases.csv --algorithm pc", {"pc-stable"}),
        ("veridag study ex", {"export"}),
        ("veridag learn cases.csv --truth chi", {"child"}),
    ],
)
def test_what_is_typed_is_completed(tmp_path, words, offered):
    environment = os.environ | {
        "_VERIDAG_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    finished = subprocess.run(
        [sys.executable, "-m", "veridag.cli"], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert offered <= set(finished.stdout.split())
    assert all(word.startswith(words.split()[-1]) for word in finished.stdout.split())


def test_networks_are_completed_by_name_and_by_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alarm2.bif").touch()
    assert network_names("al") == ["alarm", "alarm2.bif"]
    assert network_names("") == [*vd.networks.names(), "alarm2.bif"]


def test_specs_are_completed():
    assert {"bdeu", "bds"} <= set(spec_names("score")("bd"))
    assert spec_names("algorithm")("tab") == ["tabu"]
    assert spec_names("prior")("x") == []
