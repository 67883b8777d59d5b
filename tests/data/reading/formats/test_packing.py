from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from veridag.data import read
from veridag.data.reading import tables_of
from veridag.errors import InputError, speaking_flags

TABLE = "X,Y\na,1\nb,2\na,1\n"


def archive(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name.replace("__", "."), text)
    return path


def test_an_archive_of_one_table(tmp_path):
    plain = tmp_path / "plain.csv"
    plain.write_text(TABLE)
    path = archive(tmp_path / "cases.csv.zip", cases__csv=TABLE)
    assert read(path) == read(plain)
    assert read(path).notes == ()
    assert tables_of(path) == tables_of(plain) == []
    with path.open("rb") as stream:
        assert read(stream) == read(plain)
    assert read(archive(tmp_path / "cases.zip", cases__tsv=TABLE.replace(",", "\t"))) == read(plain)


def test_what_systems_add_to_an_archive_is_no_table(tmp_path):
    path = tmp_path / "cases.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data/", "")
        file.writestr("data/cases.csv", TABLE)
        file.writestr("__MACOSX/data/._cases.csv", b"\0\0")
        file.writestr("data/.hidden.csv", "")
        file.writestr("data/LICENSE", "free")
    assert read(path).names == ("X", "Y")


def test_an_archive_of_several_tables_needs_a_name(tmp_path):
    path = archive(tmp_path / "cases.zip", a__csv=TABLE, b__csv=TABLE.replace("X", "Z"))
    with pytest.raises(InputError, match=r"has 2 tables, 'a\.csv', 'b\.csv': choose one, such as sheet='a\.csv'"):
        read(path)
    with speaking_flags(), pytest.raises(InputError, match=r"choose one, such as --sheet a\.csv"):
        read(path)
    assert tables_of(path) == ["a.csv", "b.csv"]
    found = read(path, sheet="b.csv")
    assert found.names == ("Z", "Y")
    assert found.notes == ("'b.csv' is read from the archive, which has 1 more",)
    with pytest.raises(InputError, match=r"sheet='c\.csv' is not a file in the archive: did you mean"):
        read(path, sheet="c.csv")


def test_archives_without_a_table(tmp_path):
    with pytest.raises(InputError, match=r"the archive has no table, only 'notes\.md'"):
        read(archive(tmp_path / "a.zip", notes__md="x"))
    with pytest.raises(InputError, match="the archive has no table, nothing"):
        read(archive(tmp_path / "b.zip"))
    with pytest.raises(InputError, match=r"the archive has no table, only 'inner\.zip'"):
        read(archive(tmp_path / "c.zip", inner__zip="x"))
    with pytest.raises(InputError, match=r"the archive has another archive in it, 'inner\.zip': unpack it first"):
        read(tmp_path / "c.zip", sheet="inner.zip")


def test_damaged_archives_give_one_line(tmp_path):
    path = archive(tmp_path / "cases.csv.zip", cases__csv=TABLE * 100)
    whole = path.read_bytes()
    path.write_bytes(whole[:60])
    with pytest.raises(InputError, match=r"cases\.csv\.zip: the archive is damaged or is not zip"):
        read(path)
    path.write_bytes(whole[:45] + b"\xff\xff\xff" + whole[48:])
    with pytest.raises(InputError, match=r"'cases\.csv' in the archive is damaged"):
        read(path)
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    with pytest.raises(InputError, match=r"'cases\.csv' in the archive is encrypted: unpack it first"):
        read(path)


def test_what_is_too_large_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setenv("VERIDAG_UNPACKED_BYTES", str(1 << 20))
    path = archive(tmp_path / "cases.csv.zip", cases__csv="X\n" + "a\n" * (1 << 20))
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match=r"'cases\.csv' in the archive has more than 1048576 bytes"):
        read(path)
    with pytest.raises(InputError, match="the file has more than 1048576 bytes when unpacked"):
        read(io.BytesIO(gzip.compress(b"X\n" + b"a\n" * (1 << 20))))
