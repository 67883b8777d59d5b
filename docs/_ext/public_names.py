"""The reference of the public names, from docstrings: `{public} search` documents all that live in veridag.search.

The names are those of the package's stub, so a new one needs no line here. Docstrings are plain text with code in
backticks and mathematics in dollars; what else would be markup, such as the bars of |Theta|, is kept as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import veridag
from veridag.criteria.independence import Test
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.search import Algorithm

_TYPES = ("class", "exception")
_METHODS = (Score, Prior, Test, Algorithm)
_PARAMETERS = re.compile(r"^## Parameters of (\w+)$", re.MULTILINE)
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[[^]]*\], ~?numpy\.dtype\[~?numpy\.\w+\]\]")
_LITERAL = re.compile(r"``.+?``|`[^`]+`|\$(?=\S)[^$]+(?<=\S)\$")
_MARKUP = re.compile(r"[|*]|(?<=\w)_(?!\w)")


def names_in(home: str) -> list[str]:
    """The public names that live in a module or package of veridag, in the order of the stub."""
    return [name for name, module in _homes().items() if f"{module}.".startswith(f"{home}.")]


@cache
def _homes() -> dict[str, str]:
    """The module of each public name, as the package's stub has it."""
    stub = ast.parse(Path(veridag.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: node.module or alias.name for node in imports for alias in node.names}


class Public(SphinxDirective):
    """`{public} homes`: every public name of these modules; a class by its path is one that is not exported."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The nodes of all names."""
        pages = _method_pages(Path(self.env.srcdir))
        lines: list[str] = []
        for home in self.arguments[0].split():
            found = [home] if home.rpartition(".")[2][0].isupper() else names_in(home)
            if not found:
                raise self.error(f"veridag.{home} has no public names")
            lines += [line for name in found for line in _directive(name, pages.get(name))]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def _method_pages(docs: Path) -> dict[str, str]:
    """The page of each method, by the name in its heading "Parameters of"."""
    pages = [path for path in docs.rglob("*.md") if path.parent != docs]
    return {
        name: f"/{p.relative_to(docs).with_suffix('')}" for p in pages for name in _PARAMETERS.findall(p.read_text())
    }


def _directive(name: str, page: str | None) -> list[str]:
    home, _, own = name.rpartition(".")
    value = getattr(import_module(f"veridag.{home}") if home else veridag, own)
    if isinstance(value, ModuleType):
        return _module(name, value)
    if not isinstance(value, type):
        return [f".. autofunction:: veridag.{name}", ""]
    kind = "exception" if issubclass(value, BaseException) else "class"
    own_page = [f"   On a page of its own, with an example: :doc:`{page}`.", ""] if page else []
    members = [] if "." not in name and issubclass(value, _METHODS) else ["   :members:"]  # a method is its settings
    inherits = ["   :show-inheritance:"] if any(b.__module__.startswith("veridag") for b in value.__bases__) else []
    return [f".. auto{kind}:: veridag.{name}", *inherits, *members, "", *own_page]


def _module(name: str, module: ModuleType) -> list[str]:
    own = [n for n in vars(module) if _is_own(n, module) and n not in veridag.__all__]
    lines = [f".. py:module:: veridag.{name}", "", (module.__doc__ or "").splitlines()[0], ""]
    for function in own:
        kind = "class" if isinstance(getattr(module, function), type) else "function"
        lines += [f".. auto{kind}:: veridag.{name}.{function}", ""]
    return lines


def _is_own(name: str, module: ModuleType) -> bool:
    value = getattr(module, name)
    public = not name.startswith("_") and callable(value)
    return public and getattr(value, "__module__", None) == module.__name__ and bool(value.__doc__)


def keep_as_written(text: str) -> str:
    """A line of a docstring in which nothing is markup but code in backticks and mathematics in dollars."""
    pieces, last = [], 0
    for literal in _LITERAL.finditer(text):
        shown = f":math:`{literal[0][1:-1]}`" if literal[0].startswith("$") else literal[0]
        pieces += [_MARKUP.sub(r"\\\g<0>", text[last : literal.start()]), shown]
        last = literal.end()
    return "".join([*pieces, _MARKUP.sub(r"\\\g<0>", text[last:])])


def with_equations(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a docstring as markup; what stands between two lines of `$$` is an equation."""
    inside = False
    for line in lines:
        if line.strip() == "$$":
            inside = not inside
            yield from (".. math::", "") if inside else ("",)
        else:
            yield f"   {line.strip()}" if inside else keep_as_written(line)


def _docstring(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    del app, what, name, obj, options
    lines[:] = with_equations(lines)


def _signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Arrays in short, and a default that is made afresh for each object as one would type it."""
    del app, what, name, options
    signature, returns = (text and _ARRAY.sub("~numpy.ndarray", text) for text in (signature, returns))
    if signature and is_dataclass(obj):
        for field in fields(obj):
            if field.default_factory is not MISSING:
                signature = signature.replace("<factory>", f"{field.default_factory.__name__}()", 1)
    return signature, returns


def _resolve(app: Sphinx, env: Any, node: pending_xref, content: nodes.Element) -> nodes.Node | None:
    """A type that a signature names by the module it lives in is the one that is documented under that name."""
    if node.get("refdomain") != "py" or not node["reftarget"].startswith("veridag."):
        return None
    domain = env.get_domain("py")
    name = node["reftarget"].rpartition(".")[2]
    known = [full for full, entry in domain.objects.items() if full.endswith(f".{name}") and entry.objtype in _TYPES]
    if len(known) != 1 or known[0] == node["reftarget"]:
        return None
    found = domain.resolve_any_xref(env, node["refdoc"], app.builder, known[0], node, content)
    return found[0][1] if found else None


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.add_directive("public", Public)
    app.connect("autodoc-process-docstring", _docstring)
    app.connect("autodoc-process-signature", _signature)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
