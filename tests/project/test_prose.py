"""The lint of the documentation's words finds what it should, and reads prose alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_prose"))
from lint_prose import LONGEST_SENTENCE, asserts, complaints, main, prose_of  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "_prose"))


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Use it when tests are expensive.", 0),
        ("Use it where tests are dear.", 1),
        ("Hence the table is refused, nor is it read.", 2),
        ("The dearth of data.", 0),
        ("Nothing is dropped in\nsilence.", 1),
        ("An arc. " * LONGEST_SENTENCE, 0),
        ("arc " * (LONGEST_SENTENCE + 1) + ".", 1),
        ("- " + "arc " * 30 + "\n- " + "arc " * 30, 0),
        ("A directed edge is an undirected arc.", 2),
    ],
)
def test_words_and_long_sentences_are_found(sentence, found):
    assert len(list(complaints(sentence))) == found


def test_a_complaint_names_the_line_and_the_remedy():
    [(line, complaint)] = complaints("Good.\n\nTests are dear.")
    assert line == 3
    assert "'expensive'" in complaint


def test_code_mathematics_and_addresses_are_no_prose(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page\n```python\nhence = 1\n```\nIs `hence` or $hence$ or [this](hence.md) or <!-- hence --> fine?\n\n"
        "$$ hence $$\n\nHence no.\n",
        "utf-8",
    )
    assert [line for line, _ in complaints(prose_of(page))] == [9]


MODULE = '''"""Hence."""

import re

hence = "hence"
PATTERN = re.compile("or so hence")


def hence():
    """Hence

    hence."""
    raise ValueError(f"{hence!r} hence: split "
        "it anew")


def _hidden():
    """So it is hence."""
    "or so hence".split()
    say(help="Tests are dear.")
'''


def lines_of(path, *parts):
    return [line for line, _ in sorted(complaints(prose_of(path, *parts), is_page=False))]


def test_of_a_module_what_users_see_is_read(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(MODULE, "utf-8")
    assert lines_of(module, ["docstrings"]) == [1, 10, 12]
    assert lines_of(module, ["messages"]) == [13, 13, 20]  # a message is complained about where it starts
    assert lines_of(module) == [1, 10, 12, 13, 13, 20]


def test_messages_are_sentences_of_their_own(tmp_path):
    module = tmp_path / "module.py"
    words = " ".join(["arc"] * 30)
    module.write_text(f'say("{words}")\nsay("{words}")\n', "utf-8")
    assert lines_of(module) == []


def test_an_assert_in_a_visible_example_is_found():
    text = "```python\nx = 1\nassert x\n```\n\n<!--python\nassert x\n-->\n"
    assert [line for line, _ in asserts(text)] == [3]


@pytest.mark.slow  # `make lint` does the same
def test_the_rewritten_pages_pass(capsys):
    assert main([]) == 0
    assert capsys.readouterr().out == ""


def test_a_page_with_a_bad_word_does_not_pass(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("This is very unique.\n", "utf-8")
    assert main([str(page)]) == 1
    assert "page.md:1:" in capsys.readouterr().out


def test_names_of_parameters_are_no_prose(tmp_path):
    module = tmp_path / "module.py"
    module.write_text(
        'def f():\n    """Text.\n\n    Args:\n        hence: What follows.\n        then: Hence.\n    """\n', "utf-8"
    )
    assert [line for line, _ in complaints(prose_of(module))] == [6]
