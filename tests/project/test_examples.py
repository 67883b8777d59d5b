"""The examples of the documentation run, as a reader would type them."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from veridag import cli

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FIRST_PAGES = {"start.md", "tutorial.md"}  # run below, with their commands
PAGES = [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name not in FIRST_PAGES]
slow, medium = pytest.mark.slow, pytest.mark.medium


@pytest.mark.parametrize(
    "page",
    [pytest.param(ROOT / "README.md", marks=medium), *(pytest.param(page, marks=slow) for page in PAGES)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_examples_in_the_documentation_run(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, in an empty folder, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(block, str(page), "exec"), scope)


@pytest.mark.parametrize("name", [pytest.param("start", marks=medium), pytest.param("tutorial", marks=slow)])
def test_the_commands_of_the_first_pages_run_and_what_is_shown_is_printed(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    before, printed = "", ""
    for language, block in BLOCK.findall((ROOT / "docs" / f"{name}.md").read_text("utf-8")):
        if language == "python":
            exec(compile(block, name, "exec"), scope)
            printed = capsys.readouterr().out
        elif language == "console":
            run_commands(block)
        elif language == "text" and before == "python":
            assert block in printed
        before = language


def run_commands(block: str) -> None:
    """The commands of a console block, each after a dollar sign; all succeed."""
    for line in block.splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        assert words[0] == "veridag"
        with pytest.raises(SystemExit) as stop:
            cli.main(words[1:])
        assert not stop.value.code, line
