"""Files that commands write appear whole or not at all."""

from __future__ import annotations

import os

import pytest

import veridag as vd
from veridag.cli.outputs import whole, write_drawing, write_graph, write_network, write_text

GRAPH = vd.DAG.from_arcs([("a", "b")], names=["a", "b"])


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old", "utf-8")
    with whole(str(path)) as draft:
        draft.write_text("new", "utf-8")
        assert path.read_text("utf-8") == "old"
        assert draft.suffix == ".txt"
    assert path.read_text("utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_goes_wrong_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "x.txt"
    path.write_text("old", "utf-8")

    def fail():
        with whole(str(path)) as draft:
            draft.write_text("half", "utf-8")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_and_permissions_too(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old", "utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write_text("new", str(link))
    assert link.is_symlink()
    assert real.read_text("utf-8") == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text("text", str(pipe))
    assert os.read(reader, 100) == b"text"
    os.close(reader)


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    lost = tmp_path / "nowhere" / "x.json"
    with pytest.raises(OSError, match="No such file") as missing:
        write_graph(GRAPH, str(lost))
    assert missing.value.filename == str(lost)
    odd = tmp_path / "x.gif"
    with pytest.raises(vd.InputError, match=rf"path '{odd}': drawings are written as SVG"):
        write_drawing(GRAPH, str(odd), "")
    with pytest.raises(vd.InputError, match=rf"the ending of '{odd}' names no format"):
        write_network(vd.networks.load("asia"), str(odd))
    assert list(tmp_path.iterdir()) == []
