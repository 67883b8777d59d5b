"""Score tables in files: what both formats share, and what each refuses."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag.criteria.score_table import TABLE_SUFFIXES, ScoreTable, read_table, write_table

JKL = """# written by hand
3
A 2
# the sets of A
-10.5 0
-9.25 2 B C

B 1
-3 0
C 2
-4e0 0
 -3.5   1   A
"""

PSS = """META pss_version = 0.1
META input_file=cases.csv

VAR A
META arity=2
-10.5
-9.25 B C
VAR B
-3
# a comment
VAR C
META values=0, 1
-3.5 A
-4.0
"""


@st.composite
def tables(draw: st.DrawFn) -> ScoreTable:
    n = draw(st.integers(1, 5))
    names = draw(
        st.lists(
            st.text("abcäß0,;|#_-.", min_size=1, max_size=5).filter(lambda s: s[0] != "#"),
            min_size=n,
            max_size=n,
            unique=True,
        )
    )
    numbers = st.floats(-1e9, 1e9, allow_nan=False)
    sets = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        chosen = draw(
            st.lists(st.sets(st.sampled_from(others)) if others else st.just(set()), max_size=4, unique_by=frozenset)
        )
        sets.append([(draw(numbers), sorted(s)) for s in [set(), *(c for c in chosen if c)]])
    return ScoreTable.from_sets(names, sets)


def same(a: ScoreTable, b: ScoreTable) -> bool:
    arrays = ("offsets", "scores", "parent_offsets", "parents")
    return a.names == b.names and all(np.array_equal(getattr(a, x), getattr(b, x)) for x in arrays)


@pytest.mark.parametrize("format", sorted(TABLE_SUFFIXES.values()))
@given(table=tables())
def test_a_table_is_read_back_bit_for_bit(format, table):
    stream = io.BytesIO()
    write_table(table, stream, format=format)
    stream.seek(0)
    assert same(read_table(stream, format=format), table)


@pytest.mark.parametrize("suffix", [*TABLE_SUFFIXES, *(f"{s}.gz" for s in TABLE_SUFFIXES)])
def test_a_learned_table_goes_through_a_file(tmp_path, suffix):
    table = vd.score_table(vd.networks.load("asia").sample(300, seed=1), vd.BDeu(), max_indegree=3)
    path = vd.write_table(table, tmp_path / f"t{suffix}")
    found = vd.read_table(path)
    assert same(found, table)
    assert found.max_indegree is None  # a file does not tell
    if suffix.endswith(".gz"):
        gzip.decompress(path.read_bytes())


@pytest.mark.parametrize(("suffix", "text"), [(".jkl", JKL), (".pss", PSS)])
def test_comments_blank_lines_and_any_order_are_read(tmp_path, suffix, text):
    path = tmp_path / f"t{suffix}"
    path.write_text(text)
    table = read_table(path)
    assert table.names == ("A", "B", "C")
    assert table.sets(0) == [(-9.25, (1, 2)), (-10.5, ())]
    assert table.sets(1) == [(-3.0, ())]
    assert table.sets(2) == [(-3.5, (0,)), (-4.0, ())]
    path.write_text(text.replace("\n", "\r\n"))
    assert same(read_table(path), table)


@pytest.mark.parametrize(
    ("suffix", "text", "message"),
    [
        (".jkl", "", "t.jkl:1: the first line must be the number of variables, not ''"),
        (".jkl", "two\n", "t.jkl:1: 'two' is not an integer"),
        (".jkl", "0\n", "t.jkl:1: the first line must be the number of variables"),
        (".jkl", "2\nA 1\n-1 0\n", "the file ends after 1 of 2 variables"),
        (".jkl", "1\nA 2\n-1 0\n", "the file ends within the 2 sets of 'A'"),
        (".jkl", "1\nA 1\n-1 0\n-2 0\n", "t.jkl:4: there are more lines after the last of 1 variables"),
        (".jkl", "1\nA one\n-1 0\n", "t.jkl:2: 'one' is not an integer"),
        (".jkl", "1\nA\n-1 0\n", "t.jkl:2: a name and the number of its parent sets are expected, not 'A'"),
        (".jkl", "2\nA 1\n-1 2 B\nB 1\n-1 0\n", "t.jkl:3: score, number of parents and that many parents of 'A'"),
        (".jkl", "2\nA 1\n-1 1 b\nB 1\n-1 0\n", "t.jkl:3: there is no variable 'b'"),
        (".jkl", "1\nA 1\nx 0\n", "t.jkl:3: 'x' is not a score"),
        (".jkl", "2\nA 1\n-1 0\nA 1\n-1 0\n", "variable 'A' appears twice"),
        (".jkl", "1\nA 1\n-inf 0\n", "not finite"),
        (".jkl", "1\nA 0\n", "'A' has no parent set"),
        (".pss", "", "it has no variables"),
        (".pss", "-1\n", "t.pss:1: a score comes before the first VAR line"),
        (".pss", "VAR A\nVAR A\n", "t.pss:2: VAR and a new name are expected"),
        (".pss", "VAR A\nx\n", "t.pss:2: 'x' is not a score"),
        (".pss", "VAR A\n-1 B\n", "t.pss:2: there is no variable 'B'"),
        (".txt", "", "is not a format for score tables: use one of .jkl, .jkl.gz, .pss, .pss.gz"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, monkeypatch, suffix, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"t{suffix}").write_text(text)
    with pytest.raises(vd.InputError) as error:
        read_table(f"t{suffix}")
    assert message in str(error.value)


@pytest.mark.parametrize("format", sorted(TABLE_SUFFIXES.values()))
def test_names_that_a_file_cannot_hold_are_refused(format):
    table = ScoreTable.from_sets(["a b"], [[(-1, ())]])
    with pytest.raises(vd.InputError, match="cannot hold the name 'a b'"):
        write_table(table, io.BytesIO(), format=format)
