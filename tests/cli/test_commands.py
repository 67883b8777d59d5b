from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

import veridag as vd
from veridag import cli
from veridag.graph import graph_from_json


def run(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "veridag.cli", *words], input=stdin, capture_output=True, check=False)


@pytest.mark.medium
def test_networks_lists_them_all(call):
    code, out, _ = call("networks")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(vd.networks.names())
    assert ["alarm", "discrete", "37", "46", "509"] in [line.split() for line in out.splitlines()]


def test_networks_as_json(call):
    _, out, _ = call("networks", "--json")
    assert {"name": "ecoli70", "kind": "gaussian", "nodes": 46, "arcs": 70, "parameters": 162} in json.loads(out)


@pytest.mark.medium
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_sample_writes_what_read_reads(call, tmp_path, suffix):
    path = tmp_path / f"asia{suffix}"
    code, out, err = call("sample", "asia", "-n", "500", "--seed", "1", "-o", str(path))
    assert (code, out) == (0, "")
    assert "500 rows of 8 variables" in err
    network = vd.networks.load("asia")
    assert vd.read(path, states=dict(network.states)) == network.sample(500, seed=1)


@pytest.mark.medium
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


@pytest.mark.medium
def test_describe_takes_kinds_groups_and_weights(call, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{20 + i},s{i % 2},{'mf'[i % 3 > 0]},{i % 4}" for i in range(40)]
    path.write_text("\n".join(["age,site,sex,count", *rows]))
    code, out, err = call("describe", str(path), "--strict")
    assert code == 2
    assert "--kind age=continuous" in err
    options = ["--kind", "age=continuous", "--group", "site", "--weights", "count"]
    code, out, err = call("describe", str(path), *options, "--strict")
    assert code == 0, err
    assert "continuous" in out


def test_describe_takes_an_encoding_and_texts_for_missing_values(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("café,b\nx,-\ny,q\nx,r\n".encode("latin-1"))
    assert call("describe", str(path), "--strict")[0] == 2
    options = ["--strict", "--encoding", "latin-1", "--missing-values=-", "--missing", "drop"]
    code, out, err = call("describe", str(path), *options)
    assert code == 0, err
    assert "café" in out
    assert "2 observations" in out


def test_a_graph_file_that_is_no_text_is_named(call, tmp_path):
    path = tmp_path / "g.dot"
    path.write_bytes(b"digraph { \xff }")
    code, _, err = call("draw", str(path))
    assert code == 2
    assert "UTF-8" in err


@pytest.mark.medium
def test_draw_takes_names_files_and_modelstrings(call, tmp_path):
    for source in ("asia", "[A][B|A]", str(tmp_path / "g.dot")):
        (tmp_path / "g.dot").write_text("digraph { A -> B }")
        target = tmp_path / "g.svg"
        code, _, err = call("draw", source, "--cpdag", "-o", str(target))
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
        (["describe", "x.csv", "--kind", "age"], "COLUMN=KIND"),
        (["draw", "[A][B|A"], "modelstring"),
        (["draw", "asia", "-o", "x.png"], ".svg"),
        (["sampel"], "sampel"),
        (["networks", "--frob"], "--frob"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(call, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*words)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("veridag: ")
    assert message in err


@pytest.mark.parametrize(("words", "path"), [(["learn"], "veridag learn"), (["study", "run"], "veridag study run")])
def test_wrong_words_lead_to_the_help(call, words, path):
    code, _, err = call(*words)
    assert code == 2
    assert f"(see `{path} -h`)" in err


def test_study_alone_lists_its_commands(call):
    code, out, err = call("study")
    assert (code, err) == (0, "")
    assert "export" in out


@pytest.mark.parametrize(
    "words", [["--debug", "sample", "alram", "-n", "5"], ["sample", "alram", "-n", "5", "--debug"]]
)
def test_debug_lets_the_exception_out_wherever_it_stands(words):
    with pytest.raises(vd.InputError, match="alram"):
        cli.main(words)


@pytest.mark.medium
def test_debug_shows_the_traceback():
    finished = run("sample", "alram", "-n", "5", "--debug")
    assert finished.returncode != 0
    assert b"Traceback" in finished.stderr
    assert b"Traceback" not in run("sample", "alram", "-n", "5").stderr


@pytest.mark.medium
def test_help_and_version(call):
    for words in (["--help"], ["-h"], []):
        code, out, _ = call(*words)
        assert code == 0
        for command in ("networks", "sample", "describe", "draw"):
            assert command in out
    for command in ("networks", "sample", "describe", "draw"):
        code, out, _ = call(command, "--help")
        assert code == 0
        assert "Usage: veridag" in out
        assert call(command, "-h")[1] == out
    assert call("study", "run", "-h")[0] == 0
    for word in ("--version", "-V"):
        assert call(word)[1].strip() == f"veridag {vd.__version__}"


@pytest.mark.medium
def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m veridag.cli sample alarm -n 100000 --seed 1 | head -n 1"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert finished.stdout.count(b"\n") == 1
    assert b"Traceback" not in finished.stderr


def test_a_defect_of_veridag_is_told_apart_from_a_mistake(call, monkeypatch):
    def broken(name: str) -> None:
        raise RuntimeError("inside out")

    monkeypatch.setattr(cli.networks, "load_network", broken)
    code, _, err = call("sample", "alarm", "-n", "5")
    assert code == 1
    assert "unexpected RuntimeError: inside out" in err


@pytest.mark.medium
def test_a_graph_with_open_directions_can_be_scored_fitted_drawn_and_be_the_truth(call, asia_csv, tmp_path):
    graph = tmp_path / "g.json"
    code, _, err = call("learn", asia_csv, "-o", str(graph))
    assert code == 0, err
    learned = float(re.search(r"score (\S+),", err)[1])
    edges = len(graph_from_json(graph.read_text("utf-8")).edges)
    assert edges
    code, out, err = call("score", asia_csv, str(graph), "--score", "bdeu", "--prior", "fair")
    assert float(out) == pytest.approx(learned, abs=1e-6)
    assert "has edges without direction" in err
    code, _, err = call("fit", asia_csv, "--graph", str(graph), "-o", str(tmp_path / "g.bif"))
    assert code == 0, err
    assert vd.read_network(tmp_path / "g.bif").dag.cpdag() == graph_from_json(graph.read_text("utf-8"))
    code, _, err = call("draw", str(graph), "-o", str(tmp_path / "g.svg"))
    assert code == 0, err
    assert f"{edges} edges" in err
    code, _, err = call("learn", asia_csv, "--truth", str(graph))
    assert "structural Hamming distance 0 to the truth" in err


def test_a_graph_that_no_dag_extends_is_refused_where_a_dag_is_needed(call, asia_csv, tmp_path):
    square = [("asia", "tub"), ("tub", "lung"), ("lung", "smoke"), ("smoke", "asia")]
    (tmp_path / "square.json").write_text(vd.PDAG.from_arcs([], square).to_json())
    code, _, err = call("fit", asia_csv, "--graph", str(tmp_path / "square.json"))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "square.json" in err
    assert "no DAG extends the graph" in err
    (tmp_path / "part.json").write_text(vd.PartialGraph.from_graph(vd.DAG.empty(["asia", "tub"])).to_json())
    code, _, err = call("draw", str(tmp_path / "part.json"), "--cpdag")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "PartialGraph" in err
