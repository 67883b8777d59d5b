from __future__ import annotations

import importlib.metadata
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import veridag as vd
from veridag import cli

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FIRST_PAGES = {"start.md", "tutorial.md"}  # run below, with their commands
PAGES = [ROOT / "README.md", *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name not in FIRST_PAGES)]


def test_every_public_name_can_be_reached():
    for name in vd.__all__:
        assert getattr(vd, name) is not None
    assert set(vd.__all__) <= set(dir(vd))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="attribute Foo"):
        vd.Foo  # noqa: B018


def test_the_version_stands_in_one_place():
    assert vd.__version__ == importlib.metadata.version("veridag")
    elsewhere = [
        path
        for path in (ROOT / "src").rglob("*")
        if path.suffix in (".py", ".pyi", ".cpp", ".hpp") and f'"{vd.__version__}"' in path.read_text("utf-8")
    ]
    assert elsewhere == []


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, veridag; print([m for m in ('numpy', 'polars', 'veridag._core') if m in sys.modules])"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"


def test_the_cores_stub_is_fresh(tmp_path):
    fresh = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "veridag._core", "-o", str(fresh)], check=True
    )
    assert (ROOT / "src" / "veridag" / "_core.pyi").read_text() == fresh.read_text(), "run `make stub`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_in_the_documentation_run(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, in an empty folder, as a reader would type them."""
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for language, block in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(block, str(page), "exec"), scope)


@pytest.mark.parametrize("name", ["start", "tutorial"])
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


def test_the_readme_shows_the_two_commands():
    text = (ROOT / "README.md").read_text("utf-8")
    assert "make demo" in text
    assert "make test" in text
