r"""DSC, the belief network format of Microsoft's MSBN, for discrete networks.

What is read: the header ``belief network "name"`` and its fields; ``node`` blocks with
``type : discrete [ 2 ] = { "a", "b" };``; ``probability ( X | A, B )`` blocks whose rows are ``(0, 1) : 0.2, 0.8;``
with the numbers, or the quoted names, of the parents' states, in any order, and ``default : 0.2, 0.8;`` for those not
given; ``//`` and ``/* */`` comments. Other fields (names for display, positions, properties) are not kept. Domains and
functions in place of numbers are refused.

A name is bare or between double quotes, where ``\"`` stands for a quote and ``\\`` for a backslash. On writing, states
are quoted and variables are not. What others may not read so gets another name, and its true one is in the properties
``veridag_name`` and ``veridag_states``, which are declared at the start of the file (see `naming`).

Numbers are written in the shortest form that reads back as the same float.
"""

from __future__ import annotations

import re
from itertools import product

import numpy as np

from veridag.errors import suggest
from veridag.network.network import Network

from .blocks import (
    QUOTED,
    Block,
    File,
    Span,
    blank_comments,
    block_pattern,
    blocks,
    quote,
    read_name,
    statements,
    unquote,
)
from .family import (
    Definition,
    Family,
    Floats,
    Variable,
    assemble,
    bad_row,
    is_number,
    located,
    read_numbers,
    refuse_what_is_not_discrete,
    table_rows,
)
from .naming import NAME, STATES, Rule, rename, true_names

_KEYWORDS = ("node", "probability", "properties")
_BLOCK = block_pattern(_KEYWORDS)
_HEADER = re.compile(
    rf"\s*+(?:belief\s++)?network\b\s*+({QUOTED}|(?!\w+\s*:|node\b|probability\b|properties\b)[\w\-.]++)?\s*+;?",
    re.DOTALL,
)
_HEADER_FIELD = re.compile(rf'\s*+(?!node\b|probability\b)\w++\s*+:(?:[^;"{{}}]++|{QUOTED})*+;', re.DOTALL)
_TYPE = re.compile(r"type\s*+:\s*+discrete\s*+\[\s*+([0-9]{1,9})\s*+\]\s*+=\s*+\{(.*)\}", re.DOTALL)
_FIELD = re.compile(r"\w++\s*+[:=].*", re.DOTALL)
_HEAD = re.compile(rf'\(((?:[^|"()]++|{QUOTED})*+)(?:\|((?:[^|"()]++|{QUOTED})*+))?\)', re.DOTALL)
_WORD = re.compile(rf'[^\s,"()]++|{QUOTED}', re.DOTALL)
_ROW = re.compile(rf'(?:(default)\s*+:|\(((?:[^"()]++|{QUOTED})*+)\)\s*+:)?([^:()"]*+)', re.DOTALL)
_PLAIN_ROW = re.compile(r"\(([0-9, ]*+)\)\s*+:([0-9eE+\-.,\s]*+);")
_OWN = re.compile(rf"({NAME}|{STATES})\s*+=\s*+({QUOTED})", re.DOTALL)
#: Identifiers as variables, and of states what needs no escape: no program at hand reads DSC to try it by.
RULE = Rule(
    re.compile(r"[A-Za-z_][A-Za-z0-9_]*+").fullmatch,
    re.compile(r"[A-Za-z0-9_.+<>\-]++").fullmatch,
    frozenset([*_KEYWORDS, "belief", "default", "network", "type"]),
)


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by a DSC text; `source` is the name of the file in messages."""
    file = blank_comments(text, source, r"//[^\n]*+|/\*.*?\*/", r"/\*")
    title, start = _read_header(file)
    found = list(blocks(file, _BLOCK, _KEYWORDS, start))
    variables = [_read_node(file, block) for block in found if block.keyword == "node"]
    definitions = [_read_head(file, block) for block in found if block.keyword == "probability"]

    def read_table(definition: Definition[Block], family: Family) -> Floats:
        rows = _read_plain_rows(definition.body.body.text, family)
        return _read_rows(file, definition.body, family) if rows is None else rows

    return assemble(source, title, variables, definitions, file.last_line, read_table)


def _read_header(file: File) -> tuple[str, int]:
    """The network's name, and where the header ends."""
    match = _HEADER.match(file.text)
    if match is None:
        raise located(file.source, 1, "expected 'belief network \"name\"' at the start of the file")
    title = (unquote(match[1]) or "") if match[1] else ""
    end = match.end()
    while field := _HEADER_FIELD.match(file.text, end):
        end = field.end()
    return ("" if match[1] == "unknown" else title), end


def _read_node(file: File, block: Block) -> Variable:
    name = read_name(file, block.head)
    if not _WORD.fullmatch(block.head.text):
        raise file.error(block.head, f"expected the name of a node, but found {block.head.text[:50]!r}")
    types, own = [], {}
    for statement in statements(file, block):
        if not _FIELD.fullmatch(statement.text):
            raise file.error(statement, f"expected 'field : value', but found {statement.text[:50]!r}")
        if re.match(r"type\b", statement.text):
            types.append(statement)
        if match := _OWN.fullmatch(statement.text):
            own[match[1]] = unquote(match[2]) or ""
    if len(types) != 1:
        raise file.error(block.head, f"node {name!r} needs one 'type' line, but has {len(types)}")
    match = _TYPE.fullmatch(types[0].text)
    if match is None:
        found = f"node {name!r} has {types[0].text[:50]!r}"
        raise file.error(types[0], f"{found} instead of 'type : discrete [ number ] = {{ states }}'")
    states = tuple(read_name(file, word) for word in types[0].part(match, 2).find_all(_WORD))
    if len(states) != int(match[1]):
        raise file.error(types[0], f"node {name!r} declares {int(match[1])} states, but lists {len(states)}")
    return Variable(name, states, file.line(types[0]), true=true_names(own))


def _read_head(file: File, block: Block) -> Definition[Block]:
    match = _HEAD.fullmatch(block.head.text)
    children = block.head.part(match, 1).find_all(_WORD) if match else []
    if match is None or len(children) != 1:
        raise file.error(block.head, f"expected '( node | parents )', but found {block.head.text[:50]!r}")
    given = block.head.part(match, 2).find_all(_WORD) if match[2] else []
    child, *parents = (read_name(file, word) for word in [*children, *given])
    return Definition(child, tuple(parents), file.line(block.head), block)


def _read_plain_rows(body: str, family: Family) -> Floats | None:
    """All rows at once, if all is valid and as `write` writes it; None leaves the block to `_read_rows`.

    It reads what that reads, only several times faster.
    """
    pieces = _PLAIN_ROW.split(body)
    if not family.parents or len(pieces) != 3 * family.q + 1 or "".join(pieces[::3]).strip():
        return None
    given = product(*([str(code) for code in range(size)] for size in family.shape[:-1]))
    position = {", ".join(codes): index for index, codes in enumerate(given)}
    index = [position.get(codes, -1) for codes in pieces[1::3]]
    r, rows = len(family.states), pieces[2::3]
    if -1 in index or len(set(index)) < len(index) or any(row.count(",") != r - 1 for row in rows):
        return None
    table = np.empty((family.q, r))
    try:
        table[index] = np.array([float(number) for number in ",".join(rows).split(",")]).reshape(-1, r)
    except ValueError:
        return None
    return table if bad_row(table, family) is None else None


def _read_rows(file: File, block: Block, family: Family) -> Floats:
    """Whatever the block has, statement by statement."""
    table = np.full((family.q, len(family.states)), np.nan)
    places: dict[int, Span] = {}
    default: Span | None = None
    for statement in statements(file, block):
        match = _ROW.fullmatch(statement.text)
        if match is None or (match[2] is None and not match[1] and family.parents):
            expected = "'(states) : numbers' or 'default : numbers'" if family.parents else "numbers"
            raise file.error(statement, f"expected {expected}, but found {statement.text[:50]!r}")
        if match[1]:
            if default is not None:
                raise file.error(statement, f"a second 'default' for {family.child!r}")
            default = statement.part(match, 3)
            continue
        index = _read_configuration(file, statement.part(match, 2), family) if family.parents else 0
        if index in places:
            raise file.error(statement, f"{family.row(index)} is given twice")
        places[index] = statement
        table[index] = _read_row(file, statement.part(match, 3), family)
    if default is not None:
        table[[i for i in range(family.q) if i not in places]] = _read_row(file, default, family)
    elif len(places) < family.q:
        missing = next(i for i in range(family.q) if i not in places)
        raise file.error(block.head, f"{family.row(missing)} is missing, and there is no 'default'")
    wrong = bad_row(table, family)
    if wrong:
        raise file.error(places.get(wrong[0], default or block.head), wrong[1])
    return table


def _read_configuration(file: File, span: Span, family: Family) -> int:
    """The row for the parents' states, each by its number or by its name between quotes."""
    words = span.find_all(_WORD)
    if len(words) != len(family.parents):
        needed = f"{family.child!r} has {len(family.parents)} parents"
        raise file.error(span, f"({span.text[:50]}) names {len(words)} states, but {needed}")
    index = 0
    for word, parent, states in zip(words, family.parents, family.parent_states, strict=True):
        if re.fullmatch(r"[0-9]{1,9}", word.text):
            code = int(word.text)
            if code >= len(states):
                known = f"0 to {len(states) - 1}"
                raise file.error(word, f"node {parent!r} has no state number {code}: they are {known}")
        else:
            name = read_name(file, word)
            if name not in states:
                raise file.error(word, f"node {parent!r} has no state {name!r}: {suggest(name, states)}")
            code = states.index(name)
        index = index * len(states) + code
    return index


def _read_row(file: File, span: Span, family: Family) -> Floats:
    numbers = read_numbers(span.text.replace(",", " "))
    if numbers is None:
        odd = next((word for word in span.find_all(_WORD) if not is_number(word.text)), span)
        raise file.error(odd, f"{odd.text[:30]!r} is not a number")
    if len(numbers) != len(family.states):
        states = f"which has {len(family.states)} states"
        raise file.error(span, f"{len(numbers)} probabilities for {family.child!r}, {states}")
    return numbers


# ---- writing


def write(network: Network) -> str:
    """The network as DSC text. `read` gives the same network back, bit for bit."""
    refuse_what_is_not_discrete(network, "DSC")
    renamed = rename(network, RULE)
    parts = [f"belief network {quote(network.name)}\n"]
    if renamed.names or renamed.states:
        declared = "".join(f"  type {name} = string;\n" for name in (NAME, STATES))
        parts.append(f"properties {{\n{declared}}}\n")
    for name, states in renamed.network.states.items():
        listed = f"[ {len(states)} ] = {{ {', '.join(map(quote, states))} }}"
        properties = "".join(f'  {field} = "{value}";\n' for field, value in renamed.fields(name))
        parts.append(f"node {name} {{\n  type : discrete {listed};\n{properties}}}\n")
    parts += [_write_table(renamed.network, name) for name in renamed.network.names]
    return "".join(parts)


def _write_table(network: Network, name: str) -> str:
    parents = network.table(name).parents
    rows = table_rows(network, name, ", ")
    if not parents:
        return f"probability ( {name} ) {{\n  {rows[0]};\n}}\n"
    codes = product(*(range(len(network.states[p])) for p in parents))
    lines = [f"  ({', '.join(map(str, given))}) : {row};\n" for given, row in zip(codes, rows, strict=True)]
    return f"probability ( {name} | {', '.join(parents)} ) {{\n{''.join(lines)}}}\n"
