from __future__ import annotations

import sqlite3
import sys

import duckdb
import pytest

from veridag.data import read
from veridag.data.reading import tables_of
from veridag.errors import InputError, speaking_flags

ROWS = [("a", 1, 0.5), ("b", 2, 1.5), ("a", 1, 2.5), (None, 3, None)]


@pytest.fixture
def sqlite(tmp_path):
    def make(*statements):
        path = tmp_path / "cases.sqlite"
        connection = sqlite3.connect(path)
        for statement in ("CREATE TABLE cases (X TEXT, Y INTEGER, Z REAL)", *statements):
            connection.execute(statement)
        connection.executemany("INSERT INTO cases VALUES (?, ?, ?)", ROWS)
        connection.commit()
        connection.close()
        return path

    return make


@pytest.fixture
def duck(tmp_path):
    def make(*statements):
        path = tmp_path / "cases.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute("CREATE TABLE cases (X TEXT, Y INTEGER, Z DOUBLE)")
            connection.executemany("INSERT INTO cases VALUES (?, ?, ?)", ROWS)
            for statement in statements:
                connection.execute(statement)
        return path

    return make


@pytest.fixture(params=["sqlite", "duck"])
def database(request):
    return request.getfixturevalue(request.param)


@pytest.mark.filterwarnings("ignore:mixed data")
def test_the_only_table_is_read(database):
    path = database()
    data = read(path, missing="drop")
    assert data.states == {"X": ("a", "b"), "Y": ("1", "2")}
    assert data.columns[2].values.tolist() == [0.5, 1.5, 2.5]
    assert data.notes == ("dropped 1 of 4 rows with missing values (1 in column 'X', 1 in column 'Z')",)
    with path.open("rb") as stream:
        assert read(stream, missing="drop") == data
    other = path.rename(path.with_suffix(".db"))  # which says no more than that it is a database
    assert read(other, missing="drop") == data


def test_one_of_several_tables_is_named(database):
    path = database('CREATE TABLE "odd "" name" AS SELECT \'u\' AS V', "CREATE VIEW seen AS SELECT X FROM cases")
    with pytest.raises(InputError, match=r"has 3 tables and views, 'cases', .*: choose one, such as sheet='cases'"):
        read(path)
    with speaking_flags(), pytest.raises(InputError, match="choose one, such as --sheet cases"):
        read(path)
    assert sorted(tables_of(path)) == ["cases", 'odd " name', "seen"]
    assert read(path, sheet="seen", missing="drop").names == ("X",)
    with pytest.warns(match="constant"):
        assert read(path, sheet='odd " name').names == ("V",)
    with pytest.raises(InputError, match="sheet='case' names no table of the file: did you mean 'cases'"):
        read(path, sheet="case")
    with pytest.raises(InputError, match="sheet=1 must be the name of a table, as a string: choose from 'cases'"):
        read(path, sheet=1)


def test_tables_without_rows(database):
    path = database("CREATE TABLE vacant (A INTEGER)")
    with pytest.raises(InputError, match="the table 'vacant' has no rows"):
        read(path, sheet="vacant")


def test_databases_without_tables(tmp_path):
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("CREATE TABLE t (A)")
        connection.execute("DROP TABLE t")
    connection.close()
    with pytest.raises(InputError, match=r"a\.db: the database has no tables"):
        read(tmp_path / "a.db")


def test_damaged_databases_give_one_line(database):
    path = database()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * 4000 + whole[4100:5000])
    with pytest.raises(InputError, match=r"cannot be read as a (SQLite|DuckDB) database \(.*\): ") as error:
        read(path)
    assert "\n" not in str(error.value)
    path.write_text("X,Y\n1,2\n")
    with pytest.raises(InputError, match=r"not an SQLite database|not a valid DuckDB database"):
        read(path)


def test_values_of_several_types_and_bytes_in_sqlite(sqlite):
    path = sqlite("CREATE TABLE odd (A, B)")
    with sqlite3.connect(path) as connection:
        connection.executemany("INSERT INTO odd VALUES (?, ?)", [("u", b"x"), (1, b"y"), ("u", None)])
    connection.close()
    with pytest.raises(InputError, match="column 'A' mixes values of the types int, str"):
        read(path, sheet="odd")
    data = read(path, sheet="odd", strict=False)
    assert data.states == {"A": ("1", "u")}
    assert "left out: 'B' (values of a type that cannot be a variable, values of the type bytes)" in data.notes


@pytest.mark.filterwarnings("ignore:mixed data")
def test_types_of_duckdb(duck):
    path = duck(
        "CREATE TYPE grade AS ENUM ('low', 'mid', 'high')",
        "CREATE TABLE typed AS SELECT ['mid', 'low'][1 + i % 2]::grade AS e, sum(i)::HUGEINT AS h, i % 2 = 0 AS b,"
        " (i / 4)::DECIMAL(5, 2) AS d FROM range(4) t(i) GROUP BY i ORDER BY i",
    )
    data = read(path, sheet="typed")
    assert data.states == {"e": ("low", "mid", "high"), "h": ("0", "1", "2", "3"), "b": ("False", "True")}
    assert data.columns[3].values.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert data.columns[0].values.tolist() == [1, 0, 1, 0]


def test_a_view_of_a_stranger_reads_no_other_file(duck, tmp_path):
    (tmp_path / "secret.csv").write_text("A\nx\ny\n")
    path = duck(f"CREATE VIEW v AS SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')")
    with pytest.raises(InputError, match="Permission Error"):
        read(path, sheet="v")


def test_without_the_package_the_command_that_installs_it_is_named(duck, monkeypatch):
    path = duck()
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(
        InputError,
        match=r"a DuckDB database needs the package duckdb, .* not installed: pip install 'veridag\[files\]'",
    ):
        read(path)
