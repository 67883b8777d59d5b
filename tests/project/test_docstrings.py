"""Docstrings of the API reference describe every parameter, and refer to what exists."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from docstrings import complaints, documented, parse  # noqa: E402

sys.path.remove(str(ROOT / "docs" / "_ext"))

NAMES = dict(documented())


def test_public_names_describe_every_parameter_in_order_and_what_to_see_also():
    found = {name: complaint for name, value in NAMES.items() for complaint in complaints(name, value)}
    assert found == {}


class Described:
    """Something.

    Args:
        first: What it is.
            More about it: everything.
        second, third: Both.

    See also:
        `read`, `Data.from_frame`,
        docs/data.md
    """

    def __init__(self, first: int, second: int, third: int = 3) -> None: ...


class Wrong(Described):
    """Something.

    Args:
        first: What it is.
        third, second: Both.
        without a colon

    See also:
        `reed`, docs/nowhere.md
    """


def test_a_docstring_is_split_into_its_sections():
    parsed = parse(Described.__doc__)
    assert parsed.text == "Something."
    assert parsed.described == [
        ("first", "What it is.\nMore about it: everything."),
        ("second", "Both."),
        ("third", "Both."),
    ]
    assert parsed.see_also == ["read", "Data.from_frame", "docs/data.md"]


def test_a_section_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        parse("Text.\n\nReturns:\n    a\n\nReturns:\n    b\n")


def test_the_parameter_of_another_function_is_described_in_its_words():
    name, text = parse("Text.\n\nArgs:\n    progress: As in `best_networks`.").described[0]
    assert name == "progress"
    assert text.startswith("Progress callback")


def test_an_exported_name_needs_a_see_also():
    assert list(complaints("read", lambda: None))[-1] == "See also: is missing"


def test_what_is_wrong_with_a_description_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "veridag.described", sys.modules[__name__])
    assert list(complaints("described.Described", Described)) == []
    order, entry, name, page = complaints("described.Wrong", Wrong)
    assert "['first', 'third', 'second']" in order
    assert "an entry is" in entry
    assert "'reed'" in name
    assert "'docs/nowhere.md'" in page
