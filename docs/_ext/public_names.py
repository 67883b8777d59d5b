"""The reference of the public names, from docstrings: `{public} search` documents all that live in veridag.search.

The names are those of the package's stub, so a new one needs no line here. A docstring is plain text with code in
backticks and mathematics in dollars; what else would be markup, such as the bars of |Theta|, is kept as it is. Its
sections become a table of parameters, with types and defaults from the signature, and a list of fields.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

import docstrings
from docstrings import DOCS, names_in
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import signature, stringify_signature
from sphinx.util.typing import stringify_annotation

import veridag
from veridag.criteria.independence import Test
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.progress import Progress
from veridag.search import Algorithm

_TYPES = ("class", "exception")
_METHODS = (Score, Prior, Test, Algorithm)
_EXAMPLES = 3  # pages, at most
_ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[[^]]*\], ~?numpy\.dtype\[~?[\w.]+\]\]")
_CHOICE = re.compile(r"~?typing\.Literal\[([^]]*)\]")
_PATH = re.compile(r"~?((?:\w+\.)+)(\w+)")
_CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_USED = re.compile(r"\bvd\.((?:networks\.|simulate\.)?\w+)")
_LITERAL = re.compile(r"docs/[\w/-]+\.md|``.+?``|`[^`]+`|\$(?=\S)[^$]+(?<=\S)\$")
_MARKUP = re.compile(r"[|*]|(?<=\w)_(?!\w)")
_PROGRESS = stringify_annotation(Progress, "smart")
_MODULES = re.compile(r"^([a-z_]+\.)+(?=[A-Z])")
_CLASS = re.compile(r"`([A-Z]\w*)(\.\w+)?`")


class Public(SphinxDirective):
    """`{public} homes`: every public name of these modules; a class by its path is one that is not exported."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The nodes of all names."""
        lines: list[str] = []
        for home in self.arguments[0].split():
            found = names_in(home)
            if not found:
                raise self.error(f"veridag.{home} has no public names")
            lines += [line for name in found for line in _directive(name)]
        return self.parse_text_to_nodes("\n".join(["```{eval-rst}", *lines, "```"]))


def _directive(name: str) -> list[str]:
    value = docstrings.value_of(name)
    if isinstance(value, ModuleType):
        return _module(name, value)
    if not isinstance(value, type):
        return [f".. autofunction:: veridag.{name}", ""]
    kind = "exception" if issubclass(value, BaseException) else "class"
    members = [] if "." not in name and issubclass(value, _METHODS) else ["   :members:"]  # a method is its settings
    inherits = ["   :show-inheritance:"] if any(b.__module__.startswith("veridag") for b in value.__bases__) else []
    return [f".. auto{kind}:: veridag.{name}", *inherits, *members, ""]


def _module(name: str, module: ModuleType) -> list[str]:
    lines = [f".. py:module:: veridag.{name}", "", (module.__doc__ or "").splitlines()[0], ""]
    for own in docstrings.own_names(module):
        kind = "class" if isinstance(getattr(module, own), type) else "function"
        lines += [f".. auto{kind}:: veridag.{name}.{own}", ""]
    return lines


def keep_as_written(text: str) -> str:
    """A line of a docstring in which nothing is markup but code in backticks and mathematics in dollars.

    A public class in backticks is a link, and so is a page of the documentation.
    """
    pieces, last = [], 0
    for literal in _LITERAL.finditer(text):
        pieces += [_MARKUP.sub(r"\\\g<0>", text[last : literal.start()]), _as_markup(literal[0])]
        last = literal.end()
    return "".join([*pieces, _MARKUP.sub(r"\\\g<0>", text[last:])])


def _as_markup(literal: str) -> str:
    if literal.startswith("$"):
        return f":math:`{literal[1:-1]}`"
    if literal.startswith("docs/"):
        return _link(literal)
    name = _CLASS.fullmatch(literal)
    if name and name[1] in veridag.__all__ and (not name[2] or hasattr(getattr(veridag, name[1]), name[2][1:])):
        return f":py:obj:`{literal[1:-1]} <veridag.{literal[1:-1]}>`"
    return literal


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
    del app, what, options
    lines[:] = described(name.removeprefix("veridag."), obj, "\n".join(lines))


def described(name: str, value: Any, docstring: str) -> list[str]:
    """A docstring as markup, with its sections."""
    parsed = docstrings.parse(docstring)
    rows = _descriptions(name, value, parsed)
    lines = [*with_equations(parsed.text.splitlines()), ""]
    if rows:
        lines += _table(rows, value, attributes="Attributes" in parsed.sections)
    if "Returns" in parsed.sections:
        lines += _field("returns", with_equations(parsed.sections["Returns"].splitlines()))
    for errors, text in docstrings.entries(parsed.sections.get("Raises", "")):
        lines += [line for error in errors for line in _field(f"raises {error}", with_equations(text.splitlines()))]
    shown = _example_pages(name, parsed.see_also)
    others = [_link(other) for other in parsed.see_also if _page(other) not in shown]
    for title, links in ("See also", others), ("Examples", [f":doc:`/{page}`" for page in shown]):
        lines += _field(title, [", ".join(links)]) if links else []
    return [*lines, ""]


def _descriptions(name: str, value: Any, parsed: docstrings.Parsed) -> list[tuple[str, str]]:
    """The parameters in the order in which they are described; of a method, those of its page."""
    return (
        docstrings.descriptions(name) if isinstance(value, type) and issubclass(value, _METHODS) else parsed.described
    )


def _table(rows: list[tuple[str, str]], value: Any, *, attributes: bool) -> list[str]:
    """Name, type, default and meaning of each parameter; attributes of a result have no defaults."""
    head = ["Attribute", "Type", "Meaning"] if attributes else ["Parameter", "Type", "Default", "Meaning"]
    lines = [".. list-table::", "   :header-rows: 1", f"   :class: {'attributes' if attributes else 'parameters'}", ""]
    lines += _row(head)
    known = docstrings.signature(value, signature).parameters
    for name, text in rows:
        default = known[name].default
        cells = [f"``{name}``", type_markup(stringify_annotation(known[name].annotation, "smart"))]
        if not attributes:
            cells.append("required" if default is inspect.Parameter.empty else f"``{default!r}``")
        lines += _row([*cells, "\n".join(with_equations(text.splitlines()))])
    return [*lines, ""]


def _row(cells: list[str]) -> list[str]:
    lines = [line for cell in cells for line in f"- {cell}".replace("\n", "\n  ").splitlines()]
    return [f"   {'  ' if number else '* '}{line}".rstrip() for number, line in enumerate(lines)]


def _field(title: str, lines: Iterable[str]) -> list[str]:
    first, *others = lines
    return [f":{title}: {first}", *(f"   {line}".rstrip() for line in others)]


def type_markup(annotation: str) -> str:
    """A type with links to the classes of the package; choices are their values, and long types have short names."""
    short = _ARRAY.sub("ndarray", annotation.replace(_PROGRESS, "Progress"))
    short = "ArrayLike | None" if "numpy._typing" in short else short
    short = _CHOICE.sub(lambda choice: choice[1].replace(", ", " | "), short)
    pieces, last = [], 0
    for path in _PATH.finditer(short):
        pieces += [short[last : path.start()], path[2]]
        if path[1].startswith("veridag."):
            pieces[-1:] = [f":py:obj:`{path[2]} <{path[1]}{path[2]}>`"]
        last = path.end()
    return _joined([*pieces, short[last:]])


def _joined(pieces: list[str]) -> str:
    """Links, and code between them."""
    runs = [""]
    for piece in pieces:
        if piece.startswith(":py:"):
            runs += [piece, ""]
        else:
            runs[-1] += piece
    return r"\ ".join(run if run.startswith(":py:") else _coded(run) for run in runs if run)


def _coded(text: str) -> str:
    """Text as code; the spaces around it stay outside, where the markup wants them."""
    return text.replace(text.strip(), f"``{text.strip()}``") if text.strip() else text


def _link(other: str) -> str:
    page, shown = _page(other), _MODULES.sub("", other)
    return f":doc:`/{page}`" if page else f":py:obj:`{shown} <veridag.{other}>`"


def _page(other: str) -> str | None:
    return other.removeprefix("docs/").removesuffix(".md") if other.startswith("docs/") else None


def _example_pages(name: str, see_also: list[str]) -> list[str]:
    """The pages with an example of a name: its own, those it refers to, and then those that use it most."""
    own = [docstrings.method_tables()[name][0]] if name in docstrings.method_tables() else []
    used = _uses().get(name, {})
    referred = [page for page in map(_page, see_also) if page in used]
    others = sorted(used, key=lambda page: (-used[page], page))
    return [*dict.fromkeys([*own, *referred, *others])][:_EXAMPLES]


@cache
def _uses() -> dict[str, dict[str, int]]:
    """How often the visible examples of each page use each public name."""
    uses: dict[str, dict[str, int]] = {}
    for path in sorted(DOCS.rglob("*.md")):
        page = str(path.relative_to(DOCS).with_suffix(""))
        for code in _CODE.findall(path.read_text("utf-8")):
            for name in _USED.findall(code):
                uses.setdefault(name, {}).setdefault(page, 0)
                uses[name][page] += 1
    return uses


def _signature(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, given: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Without types where a table has them, and arrays in short."""
    del app, what, options
    if given is not None and docstrings.descriptions(name.removeprefix("veridag.")):
        given = stringify_signature(docstrings.signature(obj, signature), show_annotation=False)
    given, returns = (text and _ARRAY.sub("~numpy.ndarray", text) for text in (given, returns))
    return given, returns


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
