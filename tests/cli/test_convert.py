"""`veridag convert`: between all formats of networks and of graphs."""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import veridag as vd
from veridag.graph import graph_from_json

ENDINGS = [".bif", ".xml", ".xmlbif", ".bifxml", ".net", ".dsc", ".json", ".xml.gz"]


@pytest.mark.medium
def test_a_network_goes_round_all_formats_unchanged(call, tmp_path):
    network = vd.networks.load("child")
    last: str | Path = "child"
    for i, ending in enumerate([*ENDINGS, ".bif"]):
        path = tmp_path / f"{i}{ending}"
        code, out, err = call("convert", last, path)
        assert (code, out) == (0, ""), err
        assert f"written to {path}" in err
        assert vd.read_network(path) == network
        last = path


def test_a_gaussian_network_goes_to_json_alone(call, tmp_path):
    assert call("convert", "ecoli70", tmp_path / "e.json")[0] == 0
    assert vd.read_network(tmp_path / "e.json") == vd.networks.load("ecoli70")
    code, _, err = call("convert", tmp_path / "e.json", tmp_path / "e.xml")
    assert code == 2
    assert "XMLBIF can only hold discrete networks" in err
    assert "JSON" in err


def test_graphs_go_round_their_formats_unchanged(call, tmp_path):
    dag = vd.networks.load("asia").dag
    steps = ["asia", tmp_path / "a.dot", tmp_path / "b.json", tmp_path / "c.txt", tmp_path / "d.gv"]
    for source, target in pairwise(steps):
        assert call("convert", source, target)[0] == 0
    assert graph_from_json((tmp_path / "b.json").read_text()) == dag
    assert (tmp_path / "c.txt").read_text().strip() == dag.to_modelstring()
    assert vd.DAG.from_dot((tmp_path / "d.gv").read_text()) == dag


def test_a_cpdag_keeps_its_edges_and_has_no_modelstring(call, tmp_path):
    cpdag = vd.networks.load("asia").dag.cpdag()
    (tmp_path / "c.json").write_text(cpdag.to_json())
    assert call("convert", tmp_path / "c.json", tmp_path / "c.dot")[0] == 0
    assert call("convert", tmp_path / "c.dot", tmp_path / "d.json")[0] == 0
    assert graph_from_json((tmp_path / "d.json").read_text()) == cpdag
    code, _, err = call("convert", tmp_path / "c.json", "-", "--to", "modelstring")
    assert code == 2
    assert "a modelstring can only hold a DAG, not a PDAG" in err


def test_a_partial_graph_keeps_what_is_undetermined(call, tmp_path):
    graph = vd.PartialGraph.from_arcs([("A", "B")], [], [("B", "C")])
    (tmp_path / "p.dot").write_text(graph.to_dot())
    assert call("convert", tmp_path / "p.dot", tmp_path / "p.json")[0] == 0
    assert graph_from_json((tmp_path / "p.json").read_text()) == graph


def test_a_graph_has_no_parameters_to_write(call, tmp_path):
    code, _, err = call("convert", "[A][B|A]", tmp_path / "x.bif")
    assert code == 2
    assert "is a graph without parameters, and bif needs parameters" in err
    assert not (tmp_path / "x.bif").exists()


def test_a_pipe_to_write_to_needs_its_format_named(call, monkeypatch, tmp_path):
    code, out, _ = call("convert", "[A][B|A]", "-", "--to", "modelstring")
    assert (code, out) == (0, "[A][B|A]\n")
    code, _, err = call("convert", "asia", "-")
    assert code == 2
    assert "give --to, one of bif" in err
    content = io.BytesIO(b"[A][B|A]")  # what it holds tells; --from may say so
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    assert call("convert", "-", tmp_path / "x.dot", "--from", "modelstring")[0] == 0
    assert vd.DAG.from_dot((tmp_path / "x.dot").read_text()).arcs == (("A", "B"),)


def test_a_format_can_be_named_against_the_ending(call, tmp_path):
    assert call("convert", "asia", tmp_path / "asia.data", "--to", "NET")[0] == 0
    assert call("convert", tmp_path / "asia.data", tmp_path / "b.bif", "--from", "net")[0] == 0
    assert vd.read_network(tmp_path / "b.bif") == vd.networks.load("asia")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("asia", "asia.doc"), "must end in .bif, .xml"),
        (("asia", "x.bif", "--to", "biff"), "no format 'biff': did you mean 'bif'?"),
        (("assia", "x.bif"), "did you mean 'asia'?"),
        (("none.xml", "x.bif"), "cannot be read: No such file"),
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(call, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = call("convert", *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_broken_file_is_told_with_its_line(call, tmp_path):
    (tmp_path / "x.net").write_text("net\n{\n}\nnode A\n{\n}\n")
    code, _, err = call("convert", tmp_path / "x.net", tmp_path / "y.bif")
    assert code == 2
    assert "x.net:4: node 'A' has no 'states'" in err


@pytest.mark.medium
def test_other_commands_take_json_of_networks_and_of_graphs(call, tmp_path):
    network = vd.networks.load("asia")
    network.write(tmp_path / "network.json")
    (tmp_path / "graph.json").write_text(network.dag.to_json())
    for name in ("network.json", "graph.json"):
        code, out, _ = call("draw", tmp_path / name)
        assert code == 0
        assert "<svg" in out
    assert call("sample", tmp_path / "network.json", "-n", "5", "-o", tmp_path / "x.csv")[0] == 0
    code, _, err = call("sample", tmp_path / "graph.json", "-n", "5")
    assert code == 2
    assert "holds a graph (DAG) without parameters" in err


def test_names_that_are_changed_in_a_file_are_told_once_in_a_note(call, tmp_path):
    code, out, err = call("convert", "child", tmp_path / "child.bif")
    assert (code, out) == (0, "")
    notes = [line for line in err.splitlines() if line.startswith("veridag: note: ")]
    assert len(notes) == 1
    assert "those of 13 states, such as 'Asy/Patch' to 'Asy_Patch'" in notes[0]
    assert "note" not in call("convert", "asia", tmp_path / "asia.bif")[2]
