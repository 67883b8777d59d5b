"""The prose of the pages in rewritten.txt: no word of words.toml, no long sentence, no assert, no proselint complaint.

`python docs/_prose/lint_prose.py [file ...]`; `make lint` runs it. Of a Python file, the docstrings are read, and of a
folder all its Python files. Code, mathematics, addresses and comments are left out.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path

from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LONGEST_SENTENCE = 40  # words

# What is no prose, each replaced by spaces so that lines and columns stay.
_NOT_PROSE = re.compile(
    r"^(?P<fence>`{3,}).*?^(?P=fence)$|<!--.*?-->|\$\$.*?\$\$|(?<!\w)\$[^$\n]+\$|`+[^`]+`+|(?<=\])\([^)\s]*\)|\[@[^\]]*\]"
    r"|<[^>\n]+>|^\([\w-]+\)=$|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_PARAMETER = re.compile(r"^ +\w+(, \w+)*:(?= [A-Z])", re.MULTILINE)  # of a docstring: its name is code
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASSERT = re.compile(r"^ *assert\b", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?:;|\n]|\n(?!\s*(?:\n|[-*#|>]|\d+\.))|[.!?:](?!\s))+")
# Of proselint, what is about words. Its typography is for print, and repeated words are mostly columns of a table.
_CHECKS = {**DEFAULT["checks"], "typography": False, "lexical_illusions": False}
CheckRegistry().register_many(__register__)


def prose_of(path: Path) -> str:
    """The prose of a page, or of the docstrings of a Python file, on the lines where it stands."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = _PARAMETER.sub(lambda found: " " * len(found[0]), _docstrings(text))
    return _NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _docstrings(source: str) -> str:
    lines = source.splitlines()
    kept = [""] * len(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            said = node.body[0]
            kept[said.lineno - 1 : said.end_lineno] = lines[said.lineno - 1 : said.end_lineno]
    return "\n".join(kept).replace('"""', "   ")


def words() -> list[tuple[re.Pattern[str], str, str]]:
    """Our own words: pattern, what to write, and why."""
    table = tomllib.loads((HERE / "words.toml").read_text("utf-8"))
    return [
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE), instead, about["reason"])
        for about in table.values()
        for pattern, instead in about.items()
        if pattern != "reason"
    ]


def complaints(prose: str) -> Iterator[tuple[int, str]]:
    """What is wrong with a text: the line, and a sentence."""
    for pattern, instead, reason in words():
        for found in pattern.finditer(prose):
            yield _line(prose, found.start()), f"{found[0]!r}: write {instead!r} ({reason})"
    for sentence in _SENTENCE.finditer(prose):
        count = len(sentence[0].split())
        if count > LONGEST_SENTENCE:
            start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
            yield _line(prose, start), f"a sentence of {count} words; at most {LONGEST_SENTENCE}: split it"
    for result in LintFile("page", prose).lint({"max_errors": 1000, "checks": _CHECKS}):
        line, _ = result.pos
        yield line, f"{result.check_result.message} ({result.check_result.check_path})"


def asserts(text: str) -> Iterator[tuple[int, str]]:
    """The checks in visible examples of a page."""
    for code in _CODE.finditer(text):
        for found in _ASSERT.finditer(code[1]):
            yield _line(text, code.start(1) + found.start()), "an assert in a visible example: show the output instead"


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def main(files: list[str]) -> int:
    """Print every complaint; the number of them decides the exit code."""
    listed = (HERE / "rewritten.txt").read_text("utf-8").split()
    found = 0
    given = [Path(name) for name in files] or [ROOT / name for name in listed]
    for path in [file for name in given for file in (sorted(name.rglob("*.py")) if name.is_dir() else [name])]:
        for line, complaint in sorted([*complaints(prose_of(path)), *asserts(path.read_text("utf-8"))]):
            sys.stdout.write(f"{relpath(path, ROOT)}:{line}: {complaint}\n")
            found += 1
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
