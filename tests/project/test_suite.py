"""The tests themselves: they depend on neither time nor luck, and the ways to run them are written down."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
# Cells that take time, and processes that are killed at any moment: what is waited for there is a condition.
WITH_PROCESSES = {"app/queued.py", "study/arithmetic.py", "study/test_runs.py", "tasks.py"}
# What is no test, but goes on for as long as it is asked to.
FOR_MINUTES = {"fuzz/forever.py", "mutants/run.py"}


def places(pattern: str) -> set[str]:
    """The files of tests with such code, but for this one."""
    files = [path for path in TESTS.rglob("*.py") if path != Path(__file__)]
    return {str(path.relative_to(TESTS)) for path in files if re.search(pattern, path.read_text("utf-8"))}


def test_the_number_of_examples_is_set_in_one_place():
    assert places(r"max_examples|@settings\(") == {"conftest.py", "strategies/__init__.py"}


def test_no_test_sleeps_or_measures_seconds():
    assert (
        places(r"\bsleep\(|perf_counter|time\.monotonic\(|time\.time\(\)|Timer\(|timeout=")
        <= WITH_PROCESSES | FOR_MINUTES
    )


def test_make_help_lists_every_target():
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)[1].split())
    helped = set(re.findall(r'@echo "make ([\w-]+) ', text))
    assert helped <= targets
    assert targets - helped == {"help", "cpp-tests"}
