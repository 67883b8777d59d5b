"""Graphs in files: what was written is read back, and what cannot be is an error that names the file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from strategies.graphs import dags
from veridag.errors import InputError

NAMES = ["sepal length (cm)", '"', "<script>", "é"]
DAG = vd.DAG.from_arcs([(NAMES[0], NAMES[1]), (NAMES[2], NAMES[1])], NAMES)
PDAG = vd.PDAG.from_arcs([(NAMES[0], NAMES[1])], [(NAMES[2], NAMES[3])], NAMES)
PARTIAL = vd.PartialGraph.from_arcs([(NAMES[0], NAMES[1])], [(NAMES[2], NAMES[3])], [(NAMES[0], NAMES[3])], NAMES)


@pytest.mark.parametrize("ending", ["json", "dot", "gv", "JSON"])
@pytest.mark.parametrize(
    "graph", [DAG, PDAG, PARTIAL, vd.DAG.empty(["A", "B"])], ids=["dag", "pdag", "partial", "empty"]
)
def test_a_graph_that_was_written_is_read_back(graph: vd.DAG, ending: str, tmp_path: Path) -> None:
    path = graph.write(tmp_path / f"x.{ending}")
    found = vd.read_graph(str(path))
    assert found == graph
    assert type(found) is type(graph)
    assert found.names == graph.names


@given(data=st.data())
def test_a_modelstring_holds_every_dag(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    dag = data.draw(dags())
    assert vd.read_graph(dag.write(tmp_path_factory.mktemp("x") / "x.txt")) == dag


def test_a_modelstring_holds_no_undirected_edge(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.txt': a modelstring can only hold a DAG, not a PDAG: write it as"):
        PDAG.write(tmp_path / "x.txt")


def test_an_ending_that_names_no_format_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "x.bif", tmp_path / "x"):
        with pytest.raises(InputError, match=r"is not a graph format: use one of \.json, \.dot, \.gv, \.txt"):
            DAG.write(path)
        with pytest.raises(InputError, match="is not a graph format"):
            vd.read_graph(path)
    assert not list(tmp_path.iterdir())


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json' cannot be read: No such file"):
        vd.read_graph(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"x\.json' cannot be written: No such file"):
        DAG.write(tmp_path / "none" / "x.json")
    (tmp_path / "latin.txt").write_bytes(b"[\xe9]")
    with pytest.raises(InputError, match=r"latin\.txt' is not UTF-8 text, at byte 1"):
        vd.read_graph(tmp_path / "latin.txt")
    (tmp_path / "broken.dot").write_text("digraph { A -> ", "utf-8")
    with pytest.raises(InputError, match=r"broken\.dot: the DOT text ends before"):
        vd.read_graph(tmp_path / "broken.dot")
    with pytest.raises(InputError, match=r"network\.json: .* read it with vd\.read_network"):
        vd.read_graph(vd.networks.load("asia").write(tmp_path / "network.json"))
