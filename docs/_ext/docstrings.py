"""How docstrings describe parameters: the sections `Args:` or `Attributes:`, `Returns:`, `Raises:` and `See also:`.

CONTRIBUTING.md shows the form. Types and defaults are those of the signature. A score, prior, test or algorithm has no
`Args:`: the table "Parameters of ..." on its page describes its fields. Nothing here needs Sphinx.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import veridag

DOCS = Path(__file__).parents[1]
MODULES = ("figures",)
TITLES = ("Args", "Attributes", "Returns", "Raises", "See also")

_SECTION = re.compile(rf"^({'|'.join(TITLES)}):\n((?:(?:[ ]{{4}}.*)?(?:\n|\Z))+)", re.MULTILINE)
_ENTRY = re.compile(r"^(\S[^:\n]*):(?: |\n)(.*(?:\n(?: .*)?)*)", re.MULTILINE)
_SAME = re.compile(r"As in `([\w.]+)`\.")
_TABLE = re.compile(r"^## Parameters of (\w+)\n(?:\|.*\n\|.*\n((?:\|.*\n)*))?", re.MULTILINE)
_CELL = re.compile(r"(?<!\\)\|")
_MARKDOWN_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_PUBLIC = re.compile(r"^```\{public\} (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Parsed:
    """A docstring: its text, and its sections by title."""

    text: str
    sections: dict[str, str]

    @property
    def described(self) -> list[tuple[str, str]]:
        """The parameters that it describes, in its order, and what it says about each."""
        rows = entries(self.sections.get("Args", self.sections.get("Attributes", "")))
        return [(name, _looked_up(name, text)) for names, text in rows for name in names]

    @property
    def see_also(self) -> list[str]:
        """The names and pages that it refers to."""
        return [name.strip("` ") for name in re.split(r"[,\n]", self.sections.get("See also", "")) if name.strip()]


def parse(docstring: str | None) -> Parsed:
    """Split a docstring into its text and its sections."""
    text = inspect.cleandoc(docstring or "")
    found = _SECTION.findall(text)
    titles = [title for title, _ in found]
    if len(titles) != len(set(titles)):
        raise ValueError(f"a section is there twice: {titles}")
    return Parsed(_SECTION.sub("", text).strip(), {title: dedent(body).strip("\n") for title, body in found})


def entries(section: str) -> list[tuple[list[str], str]]:
    """The entries `names: text` of a section."""
    return [(re.split(r", *", names), inspect.cleandoc(text)) for names, text in _ENTRY.findall(section)]


def _looked_up(name: str, text: str) -> str:
    """What is said about a parameter; "As in `read`." is what `read` says about it."""
    same = _SAME.fullmatch(text)
    return dict(descriptions(same[1]))[name] if same else text


def descriptions(name: str) -> list[tuple[str, str]]:
    """The parameters of a documented name and what each means, from the table on its page or from its docstring."""
    return method_tables().get(name, (None, None))[1] or parse(value_of(name).__doc__).described


@cache
def method_tables() -> dict[str, tuple[str, list[tuple[str, str]]]]:
    """For each method with a table "Parameters of ...": its page, and what the table says about each parameter."""
    tables = {}
    for path in sorted(DOCS.rglob("*.md")):
        for name, rows in _TABLE.findall(path.read_text("utf-8")):
            cells = [[cell.strip() for cell in _CELL.split(row)[1:-1]] for row in rows.splitlines()]
            said = [(cell[0].strip("`"), _meaning(*cell[2:])) for cell in cells]
            tables[name] = (str(path.relative_to(DOCS).with_suffix("")), said)
    return tables


def _meaning(allowed: str, larger: str) -> str:
    more = "" if larger == "-" else f" A larger value {larger}."
    return _MARKDOWN_LINK.sub(r"\1", f"{allowed[0].upper()}{allowed[1:]}.{more}").replace(r"\|", "|")


@cache
def homes() -> dict[str, str]:
    """The module of each public name, as the package's stub has it."""
    stub = ast.parse(Path(veridag.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or alias.name for node in imports for alias in node.names}


def names_in(home: str) -> list[str]:
    """The public names that live in a module or package of veridag, in the order of the stub.

    A class by its path is itself, and so is a module of functions that the stub does not list.
    """
    if home.rpartition(".")[2][0].isupper() or home in MODULES:
        return [home]
    return [name for name, module in homes().items() if f"{module}.".startswith(f"{home}.")]


def value_of(name: str) -> Any:
    """What a name stands for, such as `read`, `Data.from_frame` or `search.result.Step`."""
    home, _, own = name.rpartition(".")
    if not home:
        return import_module(f"veridag.{own}") if own in MODULES else getattr(veridag, own)
    try:  # a module first: veridag.metrics has a function of the same name as its module confusion
        return getattr(import_module(f"veridag.{home}"), own)
    except ModuleNotFoundError:
        return getattr(value_of(home), own)


def own_names(module: ModuleType) -> list[str]:
    """The documented functions and classes of a public module, such as `veridag.simulate`, that are not exported."""
    listed = getattr(module, "__all__", None) or [name for name in vars(module) if _is_own(name, module)]
    return [name for name in listed if getattr(veridag, name, None) is not getattr(module, name)]


def _is_own(name: str, module: ModuleType) -> bool:
    value = getattr(module, name)
    public = not name.startswith("_") and callable(value)
    return public and getattr(value, "__module__", None) == module.__name__ and bool(value.__doc__)


def documented() -> Iterator[tuple[str, Any]]:
    """Every function and class of the API reference."""
    for page in sorted((DOCS / "api").glob("*.md")):
        for home in " ".join(_PUBLIC.findall(page.read_text("utf-8"))).split():
            for name in names_in(home):
                value = value_of(name)
                if isinstance(value, ModuleType):
                    yield from ((f"{name}.{own}", getattr(value, own)) for own in own_names(value))
                else:
                    yield name, value


class _Shown:
    """A default as one would type it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature(value: Any, of: Callable[[Any], inspect.Signature] = inspect.signature) -> inspect.Signature:
    """The parameters of a function or class that are for everyone; a default made by a factory is its call."""
    try:
        found = of(value)
    except ValueError:  # an exception without a constructor of its own
        return inspect.Signature()
    factories = {f.name: f.default_factory for f in fields(value)} if is_dataclass(value) else {}
    made = {name: _Shown(f"{of.__name__}()") for name, of in factories.items() if of is not MISSING}
    return found.replace(
        parameters=[
            p.replace(default=made.get(p.name, p.default))
            for p in found.parameters.values()
            if p.name not in ("self", "cls")
            and not p.name.startswith("_")
            and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
    )


def complaints(name: str, value: Any) -> Iterator[str]:
    """What is wrong with the sections of a docstring."""
    expected = list(signature(value).parameters)
    given = [parameter for parameter, _ in descriptions(name)]
    if given != expected:
        yield f"describes the parameters {given}; its signature has {expected}"
    if name in veridag.__all__ and not parse(value.__doc__).see_also:
        yield "See also: is missing"
    for title, body in parse(value.__doc__).sections.items():
        if title in ("Args", "Attributes", "Raises") and _ENTRY.sub("", body).strip():
            yield f"{title}: an entry is 'name: text'"
    for other in parse(value.__doc__).see_also:
        if not _exists(other):
            yield f"See also: there is neither a name nor a page {other!r}"


def _exists(name_or_page: str) -> bool:
    if name_or_page.startswith("docs/"):
        return (DOCS.parent / name_or_page).exists()
    try:
        value_of(name_or_page)
    except AttributeError:
        return False
    return True
