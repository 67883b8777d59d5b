"""Small files cannot cost much: each limit holds for the whole file, is stated, and can be raised."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pytest

import veridag as vd
from veridag.files.limits import Limits, current_limits
from veridag.graph.files import read_graph
from veridag.graph.text import dot
from veridag.network.formats import bif, family
from veridag.specs import MAX_DIGITS, parse


def _bif(parents: int, children: int = 1) -> str:
    """A short file with tables of 2^(parents + 1) numbers, all of them by default."""
    names = [f"p{i}" for i in range(parents)]
    own = [f"c{i}" for i in range(children)]
    lines = [f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}" for name in (*names, *own)]
    lines += [f"probability ( {name} ) {{ table 0.5, 0.5; }}" for name in names]
    lines += [f"probability ( {c} | {', '.join(names)} ) {{ default 0.5, 0.5; }}" for c in own]
    return "network x { }\n" + "\n".join(lines)


def test_a_table_of_27_binary_parents_is_refused_before_it_is_allocated(monkeypatch):
    asked: list[object] = []
    monkeypatch.setattr(np, "empty", lambda shape, *words, **named: asked.append(shape))
    with pytest.raises(vd.InputError, match=r"x.bif:\d+: the table of 'c0' with 27 parents needs 268435456 numbers"):
        bif.read(_bif(27), "x.bif")
    assert asked == []


def test_the_limit_on_tables_is_for_the_whole_file_and_can_be_raised():
    text = _bif(9, children=20)  # 20 x 1024 + 9 x 2 numbers
    with vd.limits(table_entries=20_000):
        with pytest.raises(vd.InputError, match=r"up to it.*the limit is 20000; .*vd.limits\(table_entries=\d+\)"):
            bif.read(text, "x.bif")
        with vd.limits(table_entries=20 * 1024 + 18):
            assert len(bif.read(text, "x.bif").names) == 29
        assert current_limits().table_entries == 20_000
    assert current_limits() == Limits()


def test_a_table_whose_size_has_thousands_of_digits_is_refused_in_a_short_line():
    with pytest.raises(vd.InputError, match=r"about 2\^20001") as error:
        bif.read(_bif(20_000), "x.bif")
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("name", ["cases.csv.gz", "net.bif.gz", "scores.jkl.gz"])
def test_a_decompression_bomb_is_refused_when_the_limit_is_reached(tmp_path, monkeypatch, name):
    read: list[int] = []
    own = gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda self, size=-1: (read.append(size), own(self, size))[1])
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"\n" * 10**7))
    readers = {".csv.gz": vd.read, ".bif.gz": vd.read_network, ".jkl.gz": vd.read_table}
    with (
        vd.limits(unpacked_bytes=10_000),
        pytest.raises(vd.InputError, match=r"more than 10000 bytes.*unpacked_bytes="),
    ):
        readers[name[name.index(".") :]](path)
    assert 0 < sum(read) <= 10_001


def test_a_zip_archive_has_the_same_limit(tmp_path):
    path = tmp_path / "cases.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cases.csv", "a,b\n" + "x,y\nu,v\n" * 2000)
    with vd.limits(unpacked_bytes=10_000), pytest.raises(vd.InputError, match="more than 10000 bytes"):
        vd.read(path)
    assert vd.read(path).n == 4000


def test_the_environment_raises_limits_for_commands(monkeypatch, tmp_path, capsys):
    from veridag.cli import main

    path = tmp_path / "x.bif"
    path.write_text(_bif(9), "utf-8")
    monkeypatch.setenv("VERIDAG_TABLE_ENTRIES", "1000")
    with pytest.raises(SystemExit) as stop:
        main(["convert", str(path), "-", "--to", "modelstring"])
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert "the limit is 1000" in said
    assert "set VERIDAG_TABLE_ENTRIES=" in said
    monkeypatch.setenv("VERIDAG_TABLE_ENTRIES", "2000")
    assert len(vd.read_network(path).names) == 10


@pytest.mark.parametrize("value", ["0", "-1", "many", "9" * 5000])
def test_a_limit_that_is_no_number_is_named(monkeypatch, value):
    monkeypatch.setenv("VERIDAG_UNPACKED_BYTES", value)
    with pytest.raises(vd.InputError, match="VERIDAG_UNPACKED_BYTES"):
        current_limits()


@pytest.mark.parametrize("value", [0, -1, 2.5, "x", True, 2**70])
def test_a_limit_is_a_positive_integer(value):
    with pytest.raises(vd.InputError, match="table_entries"), vd.limits(table_entries=value):
        pass


class _CountingPattern:
    """A pattern that counts how many characters it is given to look at, at most."""

    def __init__(self, pattern) -> None:
        self.pattern, self.calls = pattern, 0

    def match(self, text, position):
        self.calls += 1
        return self.pattern.match(text, position)


def test_many_open_comments_in_dot_are_one_search(tmp_path, monkeypatch):
    counted = _CountingPattern(dot._DOT_TOKEN)
    monkeypatch.setattr(dot, "_DOT_TOKEN", counted)
    path = tmp_path / "x.dot"
    path.write_text("digraph {\n" + "/* " * 100_000, "utf-8")
    with pytest.raises(vd.InputError, match="comment that starts in line 2 and is not closed"):
        read_graph(path)
    assert counted.calls < 10


def test_comments_that_end_are_left_out_as_before():
    assert vd.DAG.from_dot("digraph { /* x */ a -> b; /**/ c // y\n}").arcs == (("a", "b"),)


@pytest.mark.parametrize("end", ["", "x", ".", "e"])
def test_a_number_of_20_000_digits_in_a_spec_is_refused_without_trying_every_part(end):
    with pytest.raises(vd.InputError) as error:
        parse(f"bdeu(ess={'9' * 20_000}{end})", "score")
    assert len(str(error.value)) < 25_000


def test_numbers_that_are_as_exact_as_can_be_are_read():
    exact = f"{5e-324:.1074f}".rstrip("0")
    assert len(exact) > MAX_DIGITS  # even this one has zeros that nobody writes
    assert parse("bdeu(ess=0.1000000000000000055511151231257827021181583404541015625)", "score") == vd.BDeu(ess=0.1)


class _Name(str):
    """A name that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        _Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_work_on_names_grows_with_their_number_and_not_its_square():
    def compared(n: int) -> int:
        _Name.compared = 0
        variables = [family.Variable(_Name(f"v{i}"), ("a", "b"), 1) for i in range(n)]
        family._true_names("x", variables)
        return _Name.compared

    assert compared(2000) <= 2 * compared(1000) + 1000


def test_the_first_repeated_name_is_found_in_one_pass():
    assert family.first_repeated(iter(["a", "b", "b", "a"])) == "b"
    with pytest.raises(vd.InputError, match="'a' appears twice"):
        vd.read_table(io.BytesIO(b"3\na 0\nb 0\na 0\n"), format="jkl")
