"""The prose of the pages in rewritten.txt: no word of words.toml, no long sentence, no assert, no proselint complaint.

`python docs/_prose/lint_prose.py [file ...]`; `make lint` runs it. Code, mathematics, addresses and comments are left
out. A Python file in the list is checked for what users see: messages, help texts and other sentences in strings, and
docstrings of public names. In the list, `messages PATTERN` and `docstrings PATTERN` name modules of which one or the
other is checked.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import relpath
from pathlib import Path

from proselint.checks import __register__
from proselint.config import DEFAULT
from proselint.registry import CheckRegistry
from proselint.tools import LintFile

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LONGEST_SENTENCE = 40  # words
PARTS = ("docstrings", "messages")

# What is no prose, each replaced by spaces so that lines and columns stay.
_NOT_PROSE = re.compile(
    r"^(?P<fence>`{3,}).*?^(?P=fence)$|<!--.*?-->|\$\$.*?\$\$|(?<!\w)\$[^$\n]+\$|`+[^`]+`+|(?<=\])\([^)\s]*\)|\[@[^\]]*\]"
    r"|<[^>\n]+>|^\([\w-]+\)=$|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASSERT = re.compile(r"^ *assert\b", re.MULTILINE)
_SENTENCE = re.compile(r"(?:[^.!?:;|\n]|\n(?!\s*(?:\n|[-*#|>]|\d+\.))|[.!?:](?!\s))+")
# Of an entry such as "data, score: The table ...", what is described.
_NAMES = re.compile(r"^ {8,}\w+(, \w+)*: ")
# Of strings in Python, what no user reads: regular expressions, markup, other languages.
_PATTERN = re.compile(r"\\[wsdbS(\[.]|\(\?|<\w+|SELECT |PRAGMA ")
_OF_PATTERNS = {"re.compile", "re.sub", "re.match", "re.search", "re.fullmatch"}
# Of proselint, what is about words. Its typography is for print, and repeated words are mostly columns of a table.
_CHECKS = {**DEFAULT["checks"], "typography": False, "lexical_illusions": False}
CheckRegistry().register_many(__register__)


def prose_of(path: Path, parts: Iterable[str] = PARTS) -> str:
    """The prose of a page, or of these parts of a Python file, on the lines where it stands."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        text = _seen_by_users(text, parts)
    return _NOT_PROSE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _seen_by_users(source: str, parts: Iterable[str]) -> str:
    lines = source.splitlines()
    kept = [""] * len(lines)
    tree = ast.parse(source)
    if "docstrings" in parts:
        for said in _docstrings(tree):
            kept[said.lineno - 1 : said.end_lineno] = lines[said.lineno - 1 : said.end_lineno]
            kept[said.lineno - 1] = re.sub(r'^\s*r?"""', "", kept[said.lineno - 1])
            kept[said.end_lineno - 1] = kept[said.end_lineno - 1].replace('"""', " |")
        kept = [_NAMES.sub("", line) for line in kept]
    if "messages" in parts:
        for node, message in _messages(tree):
            kept[node.lineno - 1] += f"{message} |"  # the mark ends a sentence
    return "\n".join(kept)


def _docstrings(node: ast.AST, public: bool = True) -> Iterator[ast.Expr]:
    """Docstrings of a module and of what has a public name in it."""
    if public and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
        yield node.body[0]
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            yield from _docstrings(child, public and not getattr(child, "name", "").startswith("_"))


def _messages(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Strings with several words, with a number in the place of each value; no docstrings, patterns or long lists."""
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = _text(node)
        if text.count(" ") > 1 and not text.startswith("\n") and not _PATTERN.search(text):
            yield node, " ".join(text.split())
    elif not _holds_no_message(node):
        for child in ast.iter_child_nodes(node):
            yield from _messages(child)


def _holds_no_message(node: ast.AST) -> bool:
    """A docstring, the pattern of a regular expression, or a string of which a method is called, as "a b".split()."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Call) and ast.unparse(node.func) in _OF_PATTERNS


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) if isinstance(value, ast.Constant) else "0" for value in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@cache
def words() -> list[tuple[re.Pattern[str], str, str]]:
    """Our own words: pattern, what to write, and why."""
    table = tomllib.loads((HERE / "words.toml").read_text("utf-8"))
    return [
        (re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE), instead, about["reason"])
        for about in table.values()
        for pattern, instead in about.items()
        if pattern != "reason"
    ]


def complaints(prose: str, *, is_page: bool = True) -> Iterator[tuple[int, str]]:
    """What is wrong with a text: the line, and a sentence. proselint is for pages."""
    for pattern, instead, reason in words():
        for found in pattern.finditer(prose):
            yield _line(prose, found.start()), f"{found[0]!r}: write {instead!r} ({reason})"
    for sentence in _SENTENCE.finditer(prose):
        count = len(sentence[0].split())
        if count > LONGEST_SENTENCE:
            start = sentence.start() + len(sentence[0]) - len(sentence[0].lstrip())
            yield _line(prose, start), f"a sentence of {count} words; at most {LONGEST_SENTENCE}: split it"
    if not is_page:
        return
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


def _listed() -> Iterator[tuple[Path, Iterable[str]]]:
    """Files of rewritten.txt, each with what of it is checked."""
    modules: dict[Path, set[str]] = {}
    for line in (HERE / "rewritten.txt").read_text("utf-8").splitlines():
        part, _, place = line.rpartition(" ")
        if not part:
            yield ROOT / place, PARTS
            continue
        for module in sorted(ROOT.glob(place)):
            modules.setdefault(module, set()).add(part)
    yield from modules.items()


def main(files: list[str]) -> int:
    """Print every complaint; the number of them decides the exit code."""
    found = 0
    for path, parts in [(Path(name), PARTS) for name in files] or _listed():
        wrong = complaints(prose_of(path, parts), is_page=path.suffix != ".py")
        for line, complaint in sorted([*wrong, *asserts(path.read_text("utf-8"))]):
            sys.stdout.write(f"{relpath(path, ROOT)}:{line}: {complaint}\n")
            found += 1
    return min(found, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
