from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies.data import csv, labels
from strategies.messy import TEXTS
from strategies.messy import content as messy
from veridag.data import DataWarning, read
from veridag.errors import InputError


@pytest.mark.parametrize(
    ("fields", "states"),
    [
        (["1", "10", "9"], ("1", "9", "10")),
        (["01", "1", "01"], ("01", "1")),
        (["+1", "1", "-1"], ("-1", "+1", "1")),
        (["-0", "0", "1"], ("-0", "0", "1")),
        ([" 1", "1", "2"], (" 1", "1", "2")),
        (["99999999999999999999", "1", "1"], ("1", "99999999999999999999")),
        (["3000000000", "-3000000000", "1"], ("-3000000000", "1", "3000000000")),
        (["true", "false", "true"], ("false", "true")),
        (["1", "a", "2"], ("1", "2", "a")),
        (["1_0", "10", "10"], ("10", "1_0")),
    ],
)
@pytest.mark.parametrize("after", [0, 1500])
def test_no_two_different_fields_become_one_state(fields, states, after):
    """Also when they come so late that the columns have been taken for integers."""
    rows = ["0,u"] * after + [f"{v},k{i}" for i, v in enumerate(fields)]
    data = csv("X,Y\n" + "\n".join(rows) + "\n")
    assert labels(data)[after:] == fields
    assert set(data.states["X"]) == {*states, *(["0"] if after else [])}
    if not after:
        assert data.states["X"] == states


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
def test_line_endings_do_not_matter(ending, last):
    text = ending.join(["X,Y", "1,a", "2,b", "-13,a"]) + (ending if last else "")
    assert labels(csv(text)) == ["1", "2", "-13"]
    assert labels(csv(text), "Y") == ["a", "b", "a"]


@given(st.lists(st.integers(-120, 120), min_size=1, max_size=20), st.data())
def test_a_field_in_another_form_is_never_read_as_the_plain_one(values, draw):
    """Reading integers fast is safe only if this holds wherever the odd field is."""
    fields = [str(v) for v in values] + ["7"]
    odd = draw.draw(st.integers(0, len(fields) - 1))
    fields[odd] = fields[odd].replace("-", "-0") if "-" in fields[odd] else "0" + fields[odd]
    ending = draw.draw(st.sampled_from(["\n", "\r\n"]))
    body = "".join(f"{v},k{i % 2}{ending}" for i, v in enumerate(["5"] * 1100 + fields))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        data = csv(f"X,Y{ending}{body}", kinds={"X": "discrete"})
    assert labels(data)[1100:] == fields


@pytest.mark.parametrize("after", [0, 1500])
def test_numbers_in_files_are_continuous_if_one_has_a_decimal_point(after):
    text = "X\n" + "".join(f"{i}.5\n" for i in range(after)) + "1\n2.5\n-.5\n1e3\n+2.\n"
    data = csv(text)
    assert data.column("X")[after:].tolist() == [1, 2.5, -0.5, 1000, 2]
    assert csv("X\n1.0\n1\n2.50\n", kinds={"X": "discrete"}).states["X"] == ("1", "1.0", "2.50")


def test_a_late_text_makes_a_column_of_numbers_text():
    rows = [f"{i % 700}.5" for i in range(1500)]
    data = csv("X\n" + "\n".join([*rows, "low"]) + "\n")
    assert labels(data) == [*rows, "low"]
    with pytest.raises(InputError, match="1 in column 'X'"):
        csv("X\n" + "\n".join([*rows, "NA"]) + "\n")
    with pytest.raises(InputError, match="'X' should hold numbers, but has the value 'low'"):
        csv("X\n" + "\n".join([*rows, "low"]) + "\n", kinds={"X": "continuous"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("X,Y\n", "there is a header, but there are no rows"),
        ("X,X\n1,2\n", "column name 'X' occurs 2 times"),
        (",X\n1,2\n", "column 1 has no name"),
        ("X,Y\n1,2\n3\n", "line 3 has 1 fields where the header has 2"),
        ("X,Y\n1,2\n3,4,5\n", "line 3 has 3 fields where the header has 2"),
        ("X,Y\na,b\n\nc,d\n", "line 3 is blank: remove it"),
        ('X,Y\n"a\nb",1\n"c,d",2\ne\n', "line 5 has 1 fields"),
        ('X,Y\n"a\nb",1\n"c,d",2,3\n', "line 4 has 3 fields"),
        ('"X\n1",Y\n1,2\n3\n', "line 4 has 1 fields"),
        ('X,Y\n"a,1\nb,2\n', "line 2: a quoted field is not closed properly"),
        ("X,Y\r1,2\n3,4\n", "line 1: the header cannot be read .it holds a carriage return"),
        ('X,"Y\n1,2\n', "line 2: the header cannot be read .unexpected end of data"),
        ("X;Y\n1;2\n", "only one column, 'X;Y': try separator=';'"),
        ("X\tY\n1\t2\n", r"try separator='\\t'"),
        (b"X,Y\na,b\n\xe9,c\n", "line 3 is not in utf-8: the byte 0xe9 is invalid; pass encoding=.*'latin-1'"),
        ("X\n1\n".encode("utf-16"), "line 1 is not in utf-8"),
        ("a,b\nx,q\ny,z".encode("utf-16-le"), "line 1 holds a NUL byte.*pass encoding='utf-16'"),
        ("a,b\nx,q\ny,z".encode("utf-16-be"), "line 1 holds a NUL byte.*utf-16-be"),
        ("a,b\nx,q\ny,\0z\n", "line 3 holds a NUL byte.*or remove the byte"),
    ],
)
def test_files_that_cannot_be_read_are_explained(text, message):
    with pytest.raises(InputError, match=message):
        csv(text)


def test_short_rows_are_found_wherever_they_are():
    for end in ("1,2\n" * 3, ""):
        with pytest.raises(InputError, match="line 1502 has 1 fields where the header has 2"):
            csv("X,Y\n" + "1,2\n" * 1500 + "01\n" + end)


def test_an_empty_last_field_is_missing_and_not_a_short_row():
    with pytest.raises(InputError, match="1 in column 'Y'"):
        csv("X,Y\na,\nb,c\n")
    with pytest.raises(InputError, match="1 in column 'Y'"):
        csv('X,Y\n"a,b",\nb,c\n')


def test_quotes_separators_and_newlines_inside_fields():
    data = csv('X,"Y, too"\n"a,b",1\n"c\nd",2\n"say ""hi""",1\n')
    assert data.names == ("X", "Y, too")
    assert labels(data) == ["a,b", "c\nd", 'say "hi"']


def test_a_carriage_return_in_a_name_does_not_cost_a_row():
    data = csv('"X\r1",Y\na,b\nb,a\n')
    assert data.names == ("X\r1", "Y")
    assert labels(data, "Y") == ["b", "a"]


def test_empty_lines_at_the_end_are_no_rows():
    assert csv("X,Y\na,1\nb,2\n\n\n").nrows == 2
    assert csv("X,Y\r\na,1\r\nb,2\r\n\r\n").nrows == 2


def test_encodings_and_separators():
    assert labels(csv("X;Y\né;1\nü;2\n".encode("latin-1"), encoding="latin-1", separator=";")) == ["é", "ü"]
    assert labels(csv("\ufeffX,Y\né,1\nü,2\n")) == ["é", "ü"]
    assert labels(csv("X,Y\né,1\nü,2\n".encode("utf-16"), encoding="utf-16")) == ["é", "ü"]
    assert labels(csv("X,Y\né,1\nü,2\n".encode("utf-16-le"), encoding="utf-16")) == ["é", "ü"]
    with pytest.raises(InputError, match="encoding=5 must be the name of one"):
        csv("X\n1\n", encoding=5)
    with pytest.raises(InputError, match="separator=5 must be one character"):
        csv("X\n1\n", separator=5)
    with pytest.raises(InputError, match="encoding='klingon' is not known"):
        csv("X\n1\n", encoding="klingon")
    with pytest.raises(InputError, match="separator='ab' must be one character"):
        csv("X\n1\n", separator="ab")


FIELDS = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from(["01", "+1", "-0", "1.5", "1e3", ".5", "nan", "NA", "", "?", "yes", " no", "é", "2147483648"]),
)
QUOTED = st.sampled_from(
    ['"a,b"', '"c\nd"', '"e\r\nf"', '"g\n\nh"', '"say ""hi"""', '""', '"1"', '"1.5"', ' "x"', 'a""b']
)
WRONG = st.sampled_from(['5"', '"x"y', '"x" ', '"', '"""', "a\rb", "x,y"])


def outcome(content: bytes, small: int, **options: object) -> tuple[object, list[str]]:
    """What reading gives, and what it says; files of at most `small` bytes are split by Python."""
    with (
        pytest.MonkeyPatch.context() as patch,
        tempfile.TemporaryDirectory() as folder,
        warnings.catch_warnings(record=True) as said,
    ):
        warnings.simplefilter("always")
        patch.setattr("veridag.data.reading.delimited._SMALL", small)
        path = Path(folder, "table.csv")
        path.write_bytes(content)
        try:
            found: object = read(path, **options)
        except InputError as error:
            found = str(error).replace(folder, "")
        return found, [str(warning.message).replace(folder, "") for warning in said]


def rows_of(fields: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    return st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(fields, min_size=width, max_size=width), min_size=1, max_size=12)
    )


@given(
    st.one_of(rows_of(FIELDS), rows_of(FIELDS | QUOTED), rows_of(FIELDS | QUOTED | WRONG)),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([{}, {"strict": True}, {"strict": True, "missing_values": ["NA"], "missing": "state"}]),
)
def test_python_splits_files_as_polars_does(rows, newline, options):
    lines = [[f"c{j}" for j in range(len(rows[0]))], *rows]
    content = (newline.join(map(",".join, lines)) + newline).encode()
    assert outcome(content, 1 << 21, **options) == outcome(content, 0, **options)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_python_splits_messy_files_as_polars_does(name, strict):
    assert outcome(messy(name), 1 << 21, strict=strict) == outcome(messy(name), 0, strict=strict)


@pytest.mark.parametrize("last", ["1.25", "inf", "1e400", "", "NA", "-99", "low", "1,5", '"2.5"', '""', "01.5"])
def test_python_splits_long_columns_of_numbers_as_polars_does(last):
    content = ("X,Y\n" + "".join(f"{i % 999}.5,u{i % 2}\n" for i in range(1200)) + f"{last},u1\n").encode()
    for options in ({}, {"strict": True, "missing": "keep"}, {"missing_values": {"X": [-99]}}):
        assert outcome(content, 1 << 21, **options) == outcome(content, 0, **options)
