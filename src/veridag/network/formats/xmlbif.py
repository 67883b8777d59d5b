"""XMLBIF, the interchange format in XML (version 0.3), for discrete networks.

What is read: ``VARIABLE`` with its ``NAME`` and ``OUTCOME`` (or ``VALUE``, as in older files), ``DEFINITION`` (or
``PROBABILITY``) with ``FOR``, ``GIVEN`` and ``TABLE``, in any order; comments anywhere. The numbers of a table run
through the parents in their order and the variable itself fastest. Any other ``PROPERTY`` is not kept. Decision and
utility variables are refused.

The text of a name has no spaces around it, unless its element says ``xml:space="preserve"``. XML has no way to write
some control characters, and other programs do not keep spaces at the ends of names: such names get others, and the true
ones are in properties ``veridag_name`` and ``veridag_states`` (see `naming`).

Files come from strangers. Entities are refused where they are declared, so that none is ever expanded, and nothing is
fetched: no external entity, no DTD from elsewhere. The standard's own DTD inside the file, which many programs
write, is ignored; one that is far longer is refused.

Numbers are written in the shortest form that reads back as the same float.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from xml.sax import SAXParseException, handler
from xml.sax.saxutils import escape
from xml.sax.xmlreader import AttributesImpl

from defusedxml import DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden
from defusedxml.sax import make_parser

from veridag.errors import InputError, suggest
from veridag.network.network import Network

from .family import (
    Definition,
    Family,
    Floats,
    Variable,
    assemble,
    bad_row,
    check_size,
    is_number,
    located,
    read_numbers,
    refuse_what_is_not_discrete,
    table_rows,
)
from .naming import NAME, STATES, Rule, decode, encode, rename, true_names

#: The standard's DTD has about 900 characters. A far longer one could hold attributes to be copied to every element.
MAX_DTD = 5000

#: What each element may hold; those without an entry hold text.
_INSIDE = {
    "": ("BIF",),
    "BIF": ("NETWORK",),
    "NETWORK": ("NAME", "PROPERTY", "VARIABLE", "DEFINITION", "PROBABILITY"),
    "VARIABLE": ("NAME", "OUTCOME", "VALUE", "PROPERTY", "OBSERVED"),
    "DEFINITION": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
    "PROBABILITY": ("FOR", "GIVEN", "TABLE", "PROPERTY"),
}
_OWN = re.compile(rf"({NAME}|{STATES})\s*+=\s*+(.*)", re.DOTALL)


def _is_safe(name: str) -> bool:
    """What pgmpy and pyAgrum read: all but blanks at the ends, tabs and line ends; XML cannot hold control signs."""
    return bool(name) and name.isprintable() and name == name.strip()


RULE = Rule(_is_safe, _is_safe)


@dataclass
class _Element:
    """An open element: its text and, by name, the texts of what it holds, each with its line."""

    name: str
    line: int
    keep_blanks: bool = False
    chunks: list[str] = field(default_factory=list)
    parts: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        text = "".join(self.chunks)
        return text if self.keep_blanks else text.strip()


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by an XMLBIF text; `source` is the name of the file in messages."""
    # The text is decoded already: what the XML declaration says of its bytes no longer holds.
    decoded = re.sub(r"^(<\?xml[^>]*?)\s+encoding\s*=\s*(?:\"[^\"]*\"|'[^']*')", r"\1", text.removeprefix("\ufeff"))
    reader = _Reader(decoded, source)
    parser = make_parser()
    parser.setFeature(handler.feature_external_ges, False)
    parser.setContentHandler(reader)
    parser.setProperty(handler.property_lexical_handler, reader)
    try:
        parser.parse(io.StringIO(decoded))
    except SAXParseException as error:
        raise located(
            source, error.getLineNumber() or 1, f"this is not well-formed XML: {error.getMessage()}"
        ) from None
    except (DTDForbidden, EntitiesForbidden, ExternalReferenceForbidden):
        raise located(
            source,
            reader.line,
            "the file declares an XML entity, which can be used for attacks and is not supported: remove it",
        ) from None
    except UnicodeEncodeError as error:
        line = decoded.count("\n", 0, error.start) + 1
        raise located(source, line, "the file holds half a character (a lone surrogate)") from None
    end = text.count("\n") + 1

    def read_table(definition: Definition[tuple[str, int]], family: Family) -> Floats:
        return _read_table(source, definition.body, family)

    return assemble(source, reader.title, reader.variables, reader.definitions, end, read_table)


class _Reader(handler.ContentHandler, handler.LexicalHandler):
    """Collects variables and definitions from the events of the parser."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__()
        self.text = text
        self.source = source
        self.open = [_Element("", 1)]
        self.title = ""
        self.networks = 0
        self.dtd_line = 0
        self.variables: list[Variable] = []
        self.definitions: list[Definition[tuple[str, int]]] = []
        self.locator: Any = None

    @property
    def line(self) -> int:
        return int(self.locator.getLineNumber() or 1) if self.locator is not None else 1

    def error(self, line: int, message: str) -> InputError:
        return located(self.source, line, message)

    # The names of the methods are those of xml.sax.

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802
        self.locator = locator

    def startDTD(self, name: str, public_id: str | None, system_id: str | None) -> None:  # noqa: N802
        del name
        if public_id or system_id:
            raise self.error(
                self.line,
                f"the external DTD {system_id or public_id!r} is not loaded: remove the DOCTYPE line",
            )
        self.dtd_line = self.line

    def endDTD(self) -> None:  # noqa: N802
        lines = re.split(r"\r\n|\r|\n", self.text)[self.dtd_line - 1 : self.line]
        if sum(map(len, lines)) > MAX_DTD:
            raise self.error(self.dtd_line, f"the DTD has more than {MAX_DTD} characters: remove it")

    def comment(self, content: str) -> None:
        """A comment leaves its line ends, so that lines can be counted."""
        self.open[-1].chunks.append("\n" * content.count("\n"))

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802
        outer = self.open[-1]
        allowed = _INSIDE.get(outer.name, ())
        if name not in allowed:
            where = f"in {outer.name}" if outer.name else "as the outermost element"
            raise self.error(self.line, f"the element {name!r} is not known {where}: {suggest(name, allowed)}")
        kind = attrs.get("TYPE", "nature") if name == "VARIABLE" else "nature"
        if kind not in ("nature", "discrete"):
            raise self.error(self.line, f"a variable of type {kind!r} is not supported: only 'nature' is")
        if name == "NETWORK":
            self.networks += 1
            if self.networks > 1:
                raise self.error(self.line, "a second NETWORK: a file can have only one network")
        self.open.append(_Element(name, self.line, attrs.get("xml:space") == "preserve"))

    def characters(self, content: str) -> None:
        self.open[-1].chunks.append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        element, outer = self.open.pop(), self.open[-1]
        if name in _INSIDE and element.text:
            raise self.error(element.line, f"{name} can only have elements, but found {element.text[:30]!r}")
        if name == "VARIABLE":
            states = tuple(text for text, _ in element.parts.get("OUTCOME", []) + element.parts.get("VALUE", []))
            true = true_names(_own_properties(element))
            self.variables.append(Variable(self.only(element, "NAME")[0], states, element.line, true=true))
        elif name in ("DEFINITION", "PROBABILITY"):
            child = self.only(element, "FOR")[0]
            parents = tuple(text for text, _ in element.parts.get("GIVEN", []))
            self.definitions.append(Definition(child, parents, element.line, self.only(element, "TABLE")))
        elif name == "NETWORK":
            own = _own_properties(element)
            title = self.only(element, "NAME")[0] if "NAME" in element.parts else ""
            self.title = decode(own[NAME]) if NAME in own else title
        elif name == "TABLE":
            outer.parts.setdefault(name, []).append(("".join(element.chunks), element.line))
        elif name not in _INSIDE:
            outer.parts.setdefault(name, []).append((element.text, element.line))

    def only(self, element: _Element, part: str) -> tuple[str, int]:
        """The one part of a name that an element has."""
        found = element.parts.get(part, [])
        if len(found) != 1:
            raise self.error(element.line, f"{element.name} needs one {part}, but has {len(found)}")
        return found[0]


def _own_properties(element: _Element) -> dict[str, str]:
    """The properties of an element that `write` has written."""
    matches = (_OWN.fullmatch(text) for text, _ in element.parts.get("PROPERTY", []))
    return {match[1]: match[2] for match in matches if match}


def _read_table(source: str, body: tuple[str, int], family: Family) -> Floats:
    text, line = body

    def error(word: int, message: str) -> InputError:
        found = next(islice(re.finditer(r"\S+", text), word, None), None)
        return located(source, line + text.count("\n", 0, found.start() if found else 0), message)

    numbers = read_numbers(text)
    if numbers is None:
        index, odd = next((i, word) for i, word in enumerate(text.split()) if not is_number(word))
        raise error(index, f"{odd[:30]!r} is not a number")
    wrong_size = check_size(family, len(numbers))
    if wrong_size:
        raise located(source, line, wrong_size)
    wrong = bad_row(numbers, family)
    if wrong:
        raise error(wrong[0] * len(family.states), wrong[1])
    return numbers


# ---- writing


def write(network: Network) -> str:
    """The network as XMLBIF text. `read` gives the same network back, bit for bit."""
    refuse_what_is_not_discrete(network, "XMLBIF")
    renamed = rename(network, RULE)
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n', _title(network.name)]
    for name, states in renamed.network.states.items():
        outcomes = "".join(_element("OUTCOME", state) for state in states)
        properties = "".join(map(_property, renamed.fields(name)))
        parts.append(f'<VARIABLE TYPE="nature">\n{_element("NAME", name)}{outcomes}{properties}</VARIABLE>\n')
    for name in renamed.network.names:
        given = "".join(_element("GIVEN", parent) for parent in renamed.network.table(name).parents)
        rows = "\n".join(table_rows(renamed.network, name, " "))
        parts.append(f"<DEFINITION>\n{_element('FOR', name)}{given}<TABLE>{rows}</TABLE>\n</DEFINITION>\n")
    return "".join([*parts, "</NETWORK>\n</BIF>\n"])


def _title(name: str) -> str:
    if not name or RULE.takes_variable(name):
        return _element("NAME", name)
    return _element("NAME", "unknown") + _property((NAME, encode(name)))


def _property(field: tuple[str, str]) -> str:
    return _element("PROPERTY", f"{field[0]} = {field[1]}")


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{escape(text)}</{tag}>\n"
