from __future__ import annotations

import pytest

from veridag import InputError
from veridag.graph.knowledge import Knowledge, parse_arc


@pytest.mark.parametrize(
    ("text", "arc"),
    [
        ("A:B", ("A", "B")),
        (" age : blood pressure ", ("age", "blood pressure")),
        ("A->B", ("A", "B")),
        ("A -> B", ("A", "B")),
        ("ns:a->ns:b", ("ns:a", "ns:b")),
        ("x-1:y>2", ("x-1", "y>2")),
    ],
)
def test_an_arc_is_read_in_both_forms(text, arc):
    assert parse_arc(text) == arc


@pytest.mark.parametrize("text", ["", "A", "A:", ":B", "A:B:C", "A->B->C", "->", "A-> ", "A B", "A,B", "A<-B"])
def test_text_that_is_no_arc_is_refused_with_the_form(text):
    with pytest.raises(InputError, match="FROM:TO, or as FROM->TO"):
        parse_arc(text)


def test_a_file_of_tiers_is_read_a_tier_a_line(tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_bytes(
        "\ufeff# what happens when\r\n"
        "age, sex , blood group\r\n"
        "\r\n"
        "  # later\n"
        'smoker,item#1 # a comment, with a comma and a "quote\n'
        '"income, yearly", "the #1 ""hit""" # comment\n'
        "  Größe".encode()
    )
    assert Knowledge.read_tiers(path) == Knowledge(
        tiers=[["age", "sex", "blood group"], ["smoker", "item#1"], ["income, yearly", 'the #1 "hit"'], ["Größe"]]
    )
    assert Knowledge.read_tiers(str(path)) == Knowledge.read_tiers(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("A\n\nB,,C\n", "line 3: a name is missing before or after a comma"),
        ("A\nB,\n", "line 2: a name is missing"),
        (",A\n", "line 1: a name is missing"),
        ("A,B\n# no\nC, A\n", "line 3: 'A' is in line 1 already"),
        ("A\nB,B\n", "line 2: 'B' is in line 2 already"),
        ('A\n"B, C\n', "line 2: the quotes do not match"),
        ('"A" b, C\n', "line 1: the quotes do not match"),
        ("# nothing\n\n", "it has no tiers"),
        ("", "it has no tiers"),
    ],
)
def test_a_mistake_in_a_file_of_tiers_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "tiers.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        Knowledge.read_tiers(path)
    assert "tiers.txt" in str(caught.value)


def test_a_file_of_tiers_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "tiers.txt"
    path.write_bytes("A\nGröße\n".encode("latin-1"))
    with pytest.raises(InputError, match="line 2: the text is not UTF-8"):
        Knowledge.read_tiers(path)


def test_a_file_of_tiers_that_cannot_be_read_is_an_input_error(tmp_path):
    (tmp_path / "tiers.txt").write_text("A")
    with pytest.raises(InputError, match=r"no such file; did you mean 'tiers.txt'"):
        Knowledge.read_tiers(tmp_path / "tier.txt")
    with pytest.raises(InputError, match="no such file"):
        Knowledge.read_tiers(tmp_path / "absent" / "tiers.txt")
    with pytest.raises(InputError, match="cannot be read"):
        Knowledge.read_tiers(tmp_path)
