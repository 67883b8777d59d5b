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
    with pytest.raises(vd.InputError, match=rf"the ending of '{odd}' is not a format"):
        write_network(vd.networks.load("asia"), str(odd))
    assert list(tmp_path.iterdir()) == []


# ---- what cannot be written is found before the work begins


def _commands(group=None, path=()):
    """Every command with its words."""
    import typer

    from veridag.cli import app

    for name, command in (group or typer.main.get_command(app)).commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        else:
            yield (*path, name), command


#: The option that names a file to read.
READ = {"--tiers"}


def _writing_options():
    """Each option that names a file or a folder to write, with what its command needs beside it."""
    for words, command in _commands():
        arguments = [p for p in command.params if p.param_type_name == "argument" and p.required]
        for param in command.params:
            if param.param_type_name != "option" or param.metavar not in ("FILE", "FOLDER") or {*param.opts} & READ:
                continue
            yield pytest.param(words, arguments, param, id=" ".join((*words, max(param.opts, key=len))))


#: What a command needs beside its arguments before it writes.
NEEDED = {("count",): ["--figure"], ("sample",): ["-n", "10"]}
NEEDED |= {("fit",): ["--graph", "no-such.json", "-o", "net.bif"], ("simulate", "missing"): ["--share", "0.1"]}


def _ending(param) -> str:
    """An ending that the option's own help names, or that of a table."""
    known = (".html", ".json", ".bif", ".jkl", ".csv", ".svg")
    return next((ending for ending in known if ending in (param.help or "")), "")


def _words(words, arguments, param, path) -> list[str]:
    needed = NEEDED.get(words, [])
    if "-o" in param.opts and "-o" in needed:
        needed = needed[: needed.index("-o")]
    given = ["5" if a.metavar == "N" else f"no-such-{a.name}.bif" for a in arguments]
    return [*words, *given, *needed, max(param.opts, key=len), str(path)]


ENDINGS = {("simulate", "dag"): ".json", ("simulate", "network"): ".bif"}
ENDINGS |= {("simulate", "related"): ".csv", ("simulate", "missing"): ".csv"}
ENDINGS |= {("sample",): ".csv", ("draw",): ".svg", ("impute",): ".csv", ("predict",): ".csv", ("count",): ".svg"}


@pytest.mark.parametrize(("words", "arguments", "param"), list(_writing_options()))
def test_every_command_looks_at_the_folder_of_its_output_before_it_reads_anything(
    call, tmp_path, monkeypatch, words, arguments, param
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    ending = _ending(param) or ENDINGS.get(words, "")
    place = tmp_path / ("file" if param.metavar == "FOLDER" else "missing") / f"x{ending}"
    code, out, err = call(*_words(words, arguments, param, place))
    assert (code, out) == (2, "")
    assert str(place.parent) in err, err
    assert "no-such" not in err, err
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("words", "arguments", "param"), list(_writing_options()))
def test_every_command_sees_before_it_reads_anything_that_its_output_is_a_folder_or_protected(
    call, tmp_path, monkeypatch, words, arguments, param
):
    monkeypatch.chdir(tmp_path)
    ending = _ending(param) or ENDINGS.get(words, "")
    place = tmp_path / f"x{ending}"
    place.mkdir()
    if param.metavar == "FOLDER":
        monkeypatch.setattr(os, "access", lambda *_: False)
    code, out, err = call(*_words(words, arguments, param, place))
    assert (code, out) == (2, "")
    assert str(place) in err, err
    assert "folder" in err
    assert "no-such" not in err, err


@pytest.mark.parametrize(("words", "arguments", "param"), list(_writing_options()))
def test_every_command_looks_at_the_format_of_its_output_before_it_reads_anything(
    call, tmp_path, monkeypatch, words, arguments, param
):
    if param.metavar == "FOLDER" or words == ("study", "export"):
        return  # figures have one format, and the options of export name theirs
    monkeypatch.chdir(tmp_path)
    code, out, err = call(*_words(words, arguments, param, tmp_path / "x.xyz"))
    assert (code, out) == (2, "")
    assert "must end in" in err, err
    assert "no-such" not in err, err


def test_a_protected_folder_is_seen_before_the_work(call, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, _, err = call("learn", "no-such.csv", "-o", tmp_path / "x.json")
    assert code == 2
    assert "cannot be written" in err


def test_convert_looks_at_its_target_before_it_reads(call, tmp_path):
    code, _, err = call("convert", "no-such.bif", tmp_path / "missing" / "x.bif")
    assert code == 2
    assert "missing" in err
    assert "no-such" not in err


def test_save_looks_at_standard_input_before_it_reads(call):
    code, out, err = call("describe", "-", "--save")
    assert (code, out) == (2, "")
    assert "--save" in err
