"""A file given as - is a pipe, on both sides of every command for which that makes sense."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from veridag.graph import graph_from_json


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with a table, a table of numbers and a graph, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    vd.networks.load("asia").sample(400, seed=1).write("cases.csv")
    x = np.random.default_rng(1).normal(size=(60, 1))
    noise = np.random.default_rng(2).normal(size=(60, 2))
    rows = [f"{a},{a + b},{c}" for (a,), (b, c) in zip(x.tolist(), noise.tolist(), strict=True)]
    Path("numbers.csv").write_text("\n".join(["a,b,c", *rows]))
    return tmp_path


PIPES = [
    ("veridag sample asia -n 300 | veridag describe -", b"smoke"),
    ("veridag sample asia -n 300 | veridag learn -", b" -> "),
    ("veridag sample asia -n 300 | veridag learn - -o -", b'"PDAG"'),
    ("veridag sample asia -n 300 | veridag learn - --draw -", b"<svg"),
    ("veridag sample asia -n 300 | veridag score - asia", b"-"),
    ("veridag sample asia -n 300 | veridag test - smoke lung", b"dependent"),
    ("veridag sample asia -n 300 | veridag fit - --graph asia -o - | veridag query - lung", b"lung"),
    ("veridag sample asia -n 300 | veridag bootstrap - -r 3 -o - | veridag draw -", b"<svg"),
    ("veridag sample asia -n 300 | veridag bootstrap - -r 3 --strengths -", b"from,to,strength"),
    ("veridag sample asia -n 300 | veridag bootstrap - -r 3 --figure -", b"<svg"),
    ("veridag sample asia -n 300 | veridag posterior - -o -", b"source,target,forward,backward,joined"),
    ("veridag sample asia -n 300 | veridag posterior - --figure -", b"<svg"),
    ("veridag sample asia -n 300 | veridag table - -o - --max-indegree 2 | veridag solve -", b" -> "),
    (
        "veridag sample asia -n 300 | veridag table - -o - --max-indegree 2 | veridag solve - -o - | veridag draw -",
        b"<svg",
    ),
    ("veridag sample asia -n 200 | veridag validate - --algorithm tabu --algorithm ges --repeats 1", b"Hamming"),
    (
        "veridag sample asia -n 200 | veridag report - --algorithm tabu --algorithm ges --repeats 1 -o -",
        b"standard input",
    ),
    ("veridag learn cases.csv -o - | veridag draw -", b"<svg"),
    ("veridag learn cases.csv -o - | veridag draw - --cpdag", b"<svg"),
    ("veridag learn cases.csv -o - | veridag compare asia -", b"shd"),
    ("veridag learn cases.csv -o - | veridag compare - asia", b"shd"),
    ("veridag learn cases.csv -o - | veridag score cases.csv - --score bdeu", b"-"),
    ("veridag learn cases.csv -o - | veridag convert - - --to dot | veridag draw -", b"<svg"),
    ("veridag learn cases.csv -o - | veridag learn cases.csv --truth - --json", b'"shd": 0'),
    (
        "veridag learn cases.csv -o - | veridag fit cases.csv --graph - -o - | veridag query - lung -e smoke=yes",
        b"lung",
    ),
    ("veridag fit cases.csv --graph asia | veridag sample - -n 5", b"asia,tub"),
    ("veridag fit cases.csv --graph asia | veridag convert - - --to json | veridag query - lung", b"lung"),
    ("veridag fit cases.csv --graph asia | veridag learn cases.csv --states - -o -", b'"PDAG"'),
    ("veridag learn numbers.csv -o - | veridag fit numbers.csv --graph - -o - | veridag query - b -e a=1", b"b"),
    ("veridag count --figure -o -", b"<svg"),
]


@pytest.mark.medium
@pytest.mark.parametrize(("line", "printed"), PIPES, ids=[line for line, _ in PIPES])
def test_every_command_reads_and_writes_pipes(folder, pipeline, line, printed):
    code, out, err = pipeline(line)
    assert code == 0, err
    assert printed in out
    assert not Path("-").exists()


@pytest.mark.medium
@pytest.mark.parametrize("form", ["bif", "xmlbif", "net", "dsc", "json", "dot", "modelstring"])
def test_the_format_of_a_pipe_is_told_by_its_content(folder, pipeline, form):
    code, _, err = pipeline(f"veridag convert asia - --to {form} | veridag convert - out.json")
    assert code == 0, err
    text = Path("out.json").read_text("utf-8")
    found = vd.read_network("out.json").dag if '"probabilities"' in text else graph_from_json(text)
    assert found == vd.networks.load("asia").dag


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("veridag convert '[A][B|A]' - --to dot | veridag sample - -n 5", "veridag fit DATA --graph -"),
        ("veridag sample asia -n 5 | veridag draw -", "neither a network nor a graph: it starts with 'asia,tub"),
        ("veridag convert asia - --to bif | veridag compare - -", "only one argument of a command can be -"),
        ("veridag sample asia -n 300 | veridag score - -", "only one argument of a command can be -"),
        ("veridag learn cases.csv -o - --draw -", "--output and --draw: only one of them can be -"),
        ("veridag bootstrap cases.csv --strengths - --figure -", "--strengths and --figure: only one of them"),
        ("veridag convert asia -", "give --to, one of bif"),
    ],
)
def test_a_pipe_that_cannot_work_is_explained(folder, pipeline, line, message):
    code, _, err = pipeline(line)
    assert code == 2
    assert len(err.splitlines()) == 1
    assert message in err


def test_what_is_printed_on_a_pipe_is_the_result_alone(folder, pipeline):
    code, out, err = pipeline("veridag learn cases.csv -o -")
    assert code == 0
    learned = graph_from_json(out.decode())
    assert "learned in" in err
    code, out, _ = pipeline("veridag bootstrap cases.csv -r 3 -o -")
    assert graph_from_json(out.decode()).names == learned.names


def test_learn_prints_the_arcs(folder, pipeline):
    _, out, err = pipeline("veridag learn cases.csv")
    graph = vd.learn(vd.read("cases.csv")).graph
    assert out.decode().splitlines() == [
        *(f"{a} -> {b}" for a, b in graph.arcs),
        *(f"{a} - {b}" for a, b in graph.edges),
    ]
    assert "learned in" in err
    assert json.loads(pipeline("veridag learn cases.csv --json")[1])["edges"]
    assert pipeline("veridag learn cases.csv -o g.json")[1] == b""
    assert pipeline("veridag learn cases.csv --quiet")[1:] == (out, "")


@pytest.mark.medium
def test_a_terminal_shows_a_screen_of_arcs_and_says_how_to_get_all(call, tmp_path, monkeypatch):
    vd.networks.load("alarm").sample(1000, seed=1).write(tmp_path / "wide.csv")
    words = ("learn", tmp_path / "wide.csv", "--algorithm", "tabu", "--score", "aic")
    _, everything, _ = call(*words)
    more = len(everything.splitlines()) - 40
    assert more > 0
    monkeypatch.setattr("veridag.cli.outputs.is_terminal", lambda: True)
    _, out, err = call(*words, "--quiet")
    assert out.splitlines() == everything.splitlines()[:40]
    assert err == f"... and {more} more: -o FILE, --json or a pipe gives all\n"
