"""Looking at a table again: the same answers as a first look gives, from columns that are not read anew."""

from __future__ import annotations

import os
import random
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from veridag.data.inspection import inspect
from veridag.data.reading import delimited, files
from veridag.data.remembering import Memory, remembered, remembering
from veridag.data.settings import TableSettings
from veridag.errors import InputError

NAMES = ["smoker", "age", "bmi", "twin", "<b> 'x'", "when", "id"]
ROWS = 700


def cells(i: int) -> list[str]:
    """A row of a table in which most things that can go wrong do."""
    return [
        ["yes", "Yes ", "no", "NA", "n/k"][i % 5],
        "NA" if i % 97 == 0 else f"{20 + (i * 37 % 1151) / 16}",
        "" if i % 50 == 0 else str(-99 if i % 83 == 0 else 15 + i % 40),
        ["y", "y", "n", "n", "u"][i % 5],
        ["a", "b'\"", "-", "3"][i % 4],
        f"2024-01-{1 + i % 28:02d}",
        f"P{i}",
    ]


def csv_text(separator: str = ",") -> str:
    rows = [NAMES, *(cells(i) for i in range(ROWS))]
    return "".join(separator.join('"{}"'.format(text.replace('"', '""')) for text in row) + "\n" for row in rows)


def written(folder: Path, kind: str) -> Path:
    path = folder / f"cases{kind}"
    if kind == ".sqlite":
        with sqlite3.connect(path) as base:
            quoted = ['"{}"'.format(name.replace('"', '""')) for name in NAMES]
            base.execute(f"CREATE TABLE cases ({', '.join(quoted)})")
            base.executemany(f"INSERT INTO cases VALUES ({','.join('?' * len(NAMES))})", map(cells, range(300)))
    elif kind == ".xlsx":
        xlsxwriter = pytest.importorskip("xlsxwriter")
        with xlsxwriter.Workbook(path) as book:
            sheet = book.add_worksheet()
            for i, row in enumerate([NAMES, *(cells(i) for i in range(300))]):
                sheet.write_row(i, 0, row)
    elif kind == ".parquet":
        polars = pytest.importorskip("polars")
        columns = zip(*(cells(i) for i in range(300)), strict=True)
        polars.DataFrame({name: list(values) for name, values in zip(NAMES, columns, strict=True)}).write_parquet(path)
    elif kind == " with a comma.csv":
        path.write_text(csv_text(";").replace(".", ","))
    else:
        path.write_text(csv_text("\t" if kind == ".tsv" else ","))
    return path


CLICKS = [
    *((field, name) for field in ("kinds", "missing_values", "as_written", "drop") for name in NAMES),
    *(("discretize", name) for name in ("age", "bmi")),
    *(("transform", name) for name in ("age", "bmi")),
    *(("merge_rare", name) for name in ("smoker", "twin")),
    ("merge_states", "smoker"),
    ("states", "twin"),
    ("missing", None),
    ("group", None),
    ("decimal", None),
]
CHOSEN: dict[str, list[Any]] = {
    "kinds": ["discrete", "continuous"],
    "missing_values": [["no", "3", "20.5"], ["-99"]],
    "merge_states": [{"n/k": "no"}],
    "states": [["n", "y", "u"]],
    "discretize": ["quantile(3)", "interval(2)"],
    "transform": ["rank"],
    "merge_rare": [100],
    "missing": ["drop", "state"],
    "group": ["twin"],
    "decimal": [","],
}


def clicked(settings: TableSettings, chance: random.Random) -> TableSettings:
    """After a click, on something that may be chosen already and is taken back then."""
    field, name = chance.choice(CLICKS)
    before = getattr(settings, field)
    if name is None:
        return replace(settings, **{field: None if before else chance.choice(CHOSEN[field])})
    if field in ("drop", "as_written"):
        return replace(settings, **{field: tuple({*before} ^ {name})})
    own = dict(before or {})
    if own.pop(name, None) is None:
        own[name] = chance.choice(CHOSEN[field])
    return replace(settings, **{field: own or None})


def seen(path: Path, settings: TableSettings) -> tuple[object, ...]:
    """All that a look shows, or why it fails."""
    try:
        found = inspect(path, settings, beside=False, pattern=False)
    except InputError as error:
        return (str(error),)
    return found.to_json(), found.data


KINDS = [".csv", ".tsv", ".sqlite", ".xlsx", ".parquet", " with a comma.csv"]


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.medium if kind == ".csv" else pytest.mark.slow) for kind in KINDS]
)
def test_a_sequence_of_choices_is_answered_as_by_a_first_look(tmp_path, kind):
    path, memory = written(tmp_path, kind), Memory()
    settings, chance, answers = TableSettings(strict=False), random.Random(KINDS.index(kind)), 0
    for _ in range(20):
        wanted = clicked(settings, chance)
        expected = seen(path, wanted)
        with remembering(memory):
            assert seen(path, wanted) == expected
        if len(expected) > 1:  # what cannot be is taken back, as on the page
            settings, answers = wanted, answers + 1
    assert answers > 8


@pytest.mark.slow
def test_a_large_text_file_is_answered_as_by_a_first_look(tmp_path, monkeypatch):
    pytest.importorskip("polars")
    monkeypatch.setattr(delimited, "_SMALL", 0)
    test_a_sequence_of_choices_is_answered_as_by_a_first_look(tmp_path, ".csv")


def test_a_choice_about_a_column_leaves_the_others_as_they_were_and_reads_no_file(tmp_path, monkeypatch):
    path, memory = written(tmp_path, ".csv"), Memory()
    plain = TableSettings(strict=False)
    with remembering(memory):
        inspect(path, plain, beside=False)
    monkeypatch.setattr(files, "read_content", None)
    for change in ({"kinds": {"age": "discrete"}}, {"missing_values": {"smoker": ["no"]}}, {"drop": ["bmi"]}):
        with remembering(memory):
            before = inspect(path, plain, beside=False).data
        with remembering(memory):
            after = inspect(path, replace(plain, **change), beside=False).data
        kept = {column.name for column in after.columns if any(column is known for known in before.columns)}
        assert kept == {*before.names} - {name for value in change.values() for name in value}


def test_a_file_that_was_written_anew_is_read_anew(tmp_path):
    path, memory = tmp_path / "cases.csv", Memory()
    looks = []
    for k, text in enumerate(("a,b\n1,x\n0,y\n", "a,b\n1,x\n0,z\n")):
        path.write_text(text)
        os.utime(path, ns=(k, k))
        with remembering(memory):
            looks.append(inspect(path, beside=False).data.states["b"])
    assert looks == [("x", "y"), ("x", "z")]


def test_what_is_needed_no_more_is_forgotten(tmp_path):
    path, memory = written(tmp_path, ".csv"), Memory()
    sizes = []
    for count in range(2, 12):
        with remembering(memory):
            inspect(path, TableSettings(strict=False, merge_rare={"smoker": count}), beside=False)
        sizes.append(len(memory))
    assert max(sizes[1:]) == sizes[1]


def test_nothing_is_remembered_outside_and_other_objects_are_other_arguments():
    calls = []

    @remembered
    def told(value: object) -> int:
        calls.append(value)
        return len(calls)

    memory, thing = Memory(), []
    assert [told(1), told(1)] == [1, 2]
    with remembering(memory):
        assert [told(1), told(1), told(True), told(thing), told(thing), told([])] == [3, 3, 4, 5, 5, 6]
    with remembering(memory):
        assert told(thing) == 5
