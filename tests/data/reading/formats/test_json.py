from __future__ import annotations

import gzip
import io
import json

import pytest

from veridag.data import Data, read
from veridag.errors import InputError

RECORDS = [{"A": "x", "B": 1, "C": True, "D": 0.5}, {"A": "y", "B": 2, "C": False, "D": 1}, {"A": "x", "B": 1}]


@pytest.fixture
def files(tmp_path):
    lines = "\n".join(map(json.dumps, RECORDS)) + "\n\n"
    columns = {name: [record.get(name) for record in RECORDS] for name in "ABCD"}
    (tmp_path / "lines.jsonl").write_text(lines)
    (tmp_path / "lines.ndjson.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "lines.json").write_text(lines)
    (tmp_path / "list.json").write_text("\ufeff" + json.dumps(RECORDS, indent=1))
    (tmp_path / "columns.json").write_text(json.dumps(columns))
    pandas = {name: dict(zip("012", values, strict=True)) for name, values in columns.items()}
    (tmp_path / "pandas.json").write_text(json.dumps(pandas))
    return sorted(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:mixed data")
def test_every_form_gives_the_same_table(files):
    assert len(files) == 6
    for path in files:
        data = read(path, missing="drop")
        assert data.names == ("A", "B", "C", "D")
        assert data.states == {"A": ("x", "y"), "B": ("1", "2"), "C": ("False", "True")}
        assert data.columns[3].values.tolist() == [0.5, 1.0]
        assert data.n == 2
        if path.suffix != ".jsonl":
            with path.open("rb") as stream:
                assert read(stream, missing="drop") == data


def refusal(text):
    with pytest.raises(InputError) as error:
        read(io.BytesIO(text.encode()))
    return str(error.value)


def test_what_is_no_table_gives_one_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"A": 1}\n{"A": 2\n')
    with pytest.raises(InputError, match=r"a\.jsonl: line 2 is not JSON \(.*, column 8\): save it again"):
        read(path)
    path.write_text('{"A": 1}\n[1, 2]\n')
    with pytest.raises(InputError, match=r"line 2 is \[1, 2\] and not an object such as"):
        read(path)
    path.write_bytes(b'{"A": 1}\n{"A": "\xe9"}\n')
    with pytest.raises(InputError, match="line 2 is not UTF-8, the encoding of JSON"):
        read(path)
    (tmp_path / "a.json").write_text("[ ]")
    with pytest.raises(InputError, match=r"a\.json: there are no rows: the table needs at least one"):
        read(tmp_path / "a.json")
    assert "entry 2 is 5 and not an object" in refusal('[{"A": 1}, 5]')
    assert "column 'B' does not have the rows of the first column" in refusal('{"A": [1, 2], "B": [1]}')
    assert "is not JSON" in refusal('[{"A": 1},')
    assert "a list of objects" in refusal('{"meta": "x", "data": [{"A": 1}]}')
    assert "cannot be read as JSON" in refusal('[{"A": ' + "[" * 200_000 + "]")
    assert "cannot be read as JSON" in refusal('[{"A": ' + "9" * 5000 + "}]")


def test_a_record_alone_is_a_table_of_one_row(tmp_path):
    (tmp_path / "a.json").write_text('{"A": "x", "B": 1}')
    data = read(tmp_path / "a.json", strict=False)
    assert (data.n, data.names) == (1, ("A", "B"))
    (tmp_path / "a.json").write_text('{"A": [], "B": []}')
    with pytest.raises(InputError, match="there are no rows"):
        read(tmp_path / "a.json")


def test_nested_values_are_no_variable():
    text = '[{"A": "x", "B": [1]}, {"A": "y", "B": [2]}]'
    assert "column 'B' holds values of the type list" in refusal(text)
    data = read(io.BytesIO(text.encode()), strict=False)
    assert data.names == ("A",)
    assert any("'B'" in note for note in data.notes)


def test_values_of_several_types():
    text = json.dumps([{"A": value} for value in ("x", 1, 2.5, True, None) * 3])
    assert "column 'A' mixes values of the types bool, float, int, str" in refusal(text)
    data = read(io.BytesIO(text.encode()), strict=False)
    assert set(data.states["A"]) == {"x", "1", "2.5", "True"}
    assert data.missing_counts["A"] == 3


def test_integers_of_any_size_are_states():
    data = read(io.BytesIO(json.dumps([{"A": 2**70 + i % 2} for i in range(4)]).encode()))
    assert isinstance(data, Data)
    assert data.states["A"] == (str(2**70), str(2**70 + 1))
