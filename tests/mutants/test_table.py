"""The tables of mutants fit the source and the tests; `make mutants` runs them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mutants.table import ROOT, Mutant, load

MUTANTS = load()
CPP_TESTS = {
    name
    for path in (ROOT / "tests/cpp").rglob("*.cpp")
    for name in re.findall(r"^TEST\((\w+)\)", path.read_text("utf-8"), re.MULTILINE)
}


def python_test_exists(name: str) -> bool:
    path, function = name.split("::")
    function = function.split("[")[0]
    return (ROOT / path).is_file() and re.search(rf"^def {function}\(", (ROOT / path).read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{Path(mutant.file).name}: {mutant.why}")
def test_the_text_occurs_once_and_the_test_exists(mutant: Mutant) -> None:
    assert mutant.occurrences == 1
    assert mutant.becomes != mutant.text
    assert python_test_exists(mutant.killed_by) if mutant.by_python else mutant.killed_by in CPP_TESTS


def test_no_mutant_is_listed_twice() -> None:
    assert len({(mutant.file, mutant.text, mutant.becomes) for mutant in MUTANTS}) == len(MUTANTS)
