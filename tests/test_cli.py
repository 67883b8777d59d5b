from __future__ import annotations

import json
import subprocess
import sys

import pytest

import veridag as vd
from veridag import cli


def run(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "veridag.cli", *words], input=stdin, capture_output=True, check=False)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The command within this process, where coverage sees it: exit code, output, complaints."""
    with pytest.raises(SystemExit) as stop:
        cli.main(list(words))
    streams = capsys.readouterr()
    return int(stop.value.code or 0), streams.out, streams.err


def test_networks_lists_them_all(capsys):
    code, out, _ = call(capsys, "networks")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(vd.networks.names())
    assert ["alarm", "discrete", "37", "46", "509"] in [line.split() for line in out.splitlines()]


def test_networks_as_json(capsys):
    _, out, _ = call(capsys, "networks", "--json")
    assert {"name": "ecoli70", "kind": "gaussian", "nodes": 46, "arcs": 70, "parameters": 162} in json.loads(out)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_sample_writes_what_read_reads(capsys, tmp_path, suffix):
    path = tmp_path / f"asia{suffix}"
    code, out, err = call(capsys, "sample", "asia", "-n", "500", "--seed", "1", "-o", str(path))
    assert (code, out) == (0, "")
    assert "500 rows of 8 variables" in err
    network = vd.networks.load("asia")
    assert vd.read(path, states=dict(network.states)) == network.sample(500, seed=1)


def test_streams_can_be_piped_from_command_to_command(tmp_path):
    bif = tmp_path / "asia.bif"
    vd.networks.load("asia").write(bif)
    sampled = run("sample", "-", "-n", "200", "--seed", "3", stdin=bif.read_bytes())
    assert sampled.returncode == 0, sampled.stderr
    assert sampled.stdout.splitlines()[0] == b"asia,tub,smoke,lung,bronc,either,xray,dysp"
    described = run("describe", "-", stdin=sampled.stdout)
    assert described.returncode == 0, described.stderr
    assert b"smoke" in described.stdout
    drawn = run("draw", "-", stdin=bif.read_bytes())
    assert drawn.stdout.startswith(b"<svg")


def test_describe_takes_kinds_groups_and_weights(capsys, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{20 + i},s{i % 2},{'mf'[i % 3 > 0]},{i % 4}" for i in range(40)]
    path.write_text("\n".join(["age,site,sex,count", *rows]))
    code, out, err = call(capsys, "describe", str(path))
    assert code == 2
    assert "age" in err
    options = ["--kind", "age=continuous", "--group", "site", "--weights", "count"]
    with pytest.warns(UserWarning, match="discrete"):
        code, out, err = call(capsys, "describe", str(path), *options)
    assert code == 0, err
    assert "continuous" in out


def test_draw_takes_names_files_and_modelstrings(capsys, tmp_path):
    for source in ("asia", "[A][B|A]", str(tmp_path / "g.dot")):
        (tmp_path / "g.dot").write_text("digraph { A -> B }")
        target = tmp_path / "g.svg"
        code, _, err = call(capsys, "draw", source, "--cpdag", "-o", str(target))
        assert code == 0, err
        assert target.read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sample", "alram", "-n", "5"], "did you mean 'alarm'"),
        (["sample", "alarm"], "-n"),
        (["sample", "alarm", "-n", "-5"], "-5"),
        (["sample", "alarm", "-n", "many"], "--rows"),
        (["sample", "alarm", "-n", "5", "-o", "x.docx"], ".docx"),
        (["sample", "nowhere.bif", "-n", "5"], "No such file"),
        (["describe", "nowhere.csv"], "nowhere.csv"),
        (["describe", "x.csv", "--kind", "age"], "NAME=KIND"),
        (["draw", "[A][B|A"], "modelstring"),
        (["draw", "asia", "-o", "x.png"], ".svg"),
        (["sampel"], "sampel"),
        (["networks", "--frob"], "--frob"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, *words)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("veridag: ")
    assert message in err


def test_debug_shows_the_traceback_wherever_it_stands():
    for words in (["--debug", "sample", "alram", "-n", "5"], ["sample", "alram", "-n", "5", "--debug"]):
        finished = run(*words)
        assert finished.returncode != 0
        assert b"Traceback" in finished.stderr
    assert b"Traceback" not in run("sample", "alram", "-n", "5").stderr


def test_help_and_version(capsys):
    for words in (["--help"], []):
        code, out, _ = call(capsys, *words)
        assert code == 0
        for command in ("networks", "sample", "describe", "draw"):
            assert command in out
    for command in ("networks", "sample", "describe", "draw"):
        code, out, _ = call(capsys, command, "--help")
        assert code == 0
        assert "Usage: veridag" in out
    assert call(capsys, "--version")[1].strip() == f"veridag {vd.__version__}"


def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m veridag.cli sample alarm -n 100000 --seed 1 | head -n 1"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert finished.stdout.count(b"\n") == 1
    assert b"Traceback" not in finished.stderr


def test_a_defect_of_veridag_is_told_apart_from_a_mistake(capsys, monkeypatch):
    def broken(name: str) -> None:
        raise RuntimeError("inside out")

    monkeypatch.setattr(cli, "_load_network", broken)
    code, _, err = call(capsys, "sample", "alarm", "-n", "5")
    assert code == 1
    assert "unexpected RuntimeError: inside out" in err
