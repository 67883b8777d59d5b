r"""NET, the format of Hugin, for discrete networks.

What is read: ``node`` and ``discrete node`` blocks with their ``states``, ``potential`` blocks with their ``data``, and
the ``name`` in the ``net`` block; blocks in any order; ``%`` comments. Other fields (positions, labels, colours) are
not kept. The numbers of a table run through the parents in their order and the variable itself fastest; they stand in
one list of lists, nested as deep as there are variables, or in one flat list. Continuous, decision and utility nodes
are refused.

Hugin's names of nodes are letters, digits and underscores. On writing, a variable with another name gets such a name
and has its own in a field ``veridag_name``, which Hugin and others pass over, and in its label. States are between
quotes, ``\"`` stands for a quote and ``\\`` for a backslash.

Numbers are written in the shortest form that reads back as the same float.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice

from veridag.network.network import Network

from .blocks import QUOTED, Block, File, Span, blank_comments, block_pattern, blocks, quote, read_name, statements
from .family import (
    Definition,
    Family,
    Floats,
    Variable,
    assemble,
    bad_row,
    check_size,
    is_number,
    read_numbers,
    refuse_what_is_not_discrete,
    table_rows,
)

_KEYWORDS = ("net", "node", "discrete", "continuous", "decision", "utility", "function", "class", "potential")
_BLOCK = block_pattern(_KEYWORDS)
_FIELD = re.compile(r"(\w+)\s*+=(.*)", re.DOTALL)
_HEAD = re.compile(rf'\(((?:[^|"()]++|{QUOTED})*+)(?:\|((?:[^|"()]++|{QUOTED})*+))?\)', re.DOTALL)
_WORD = re.compile(rf'[^\s,"()]++|{QUOTED}', re.DOTALL)
_NODE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_LISTED = re.compile(rf'\((?:[^"()]++|{QUOTED})*+\)', re.DOTALL)
_NUMBERS = re.compile(r"[^\s()]++")
_DATA = re.compile(r"[0-9eE+\-.()\s]*+")
_ALL_BUT_PARENTHESES = re.compile(r"[^()]++")
_NAME_FIELD = "veridag_name"


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by a NET text; `source` is the name of the file in messages."""
    file = blank_comments(text, source, r"%[^\n]*+")
    names: dict[str, str] = {}
    variables, potentials, titles = [], [], []
    for block in blocks(file, _BLOCK, _KEYWORDS):
        if block.keyword == "potential":
            potentials.append(block)
        elif block.keyword == "net":
            titles.append(_read_title(file, block))
            if len(titles) > 1:
                raise file.error(block.head, "a second 'net' block: a file describes one network")
        else:
            node, variable = _read_node(file, block)
            if node in names:
                raise file.error(block.head, f"node {node!r} is declared a second time")
            names[node] = variable.name
            variables.append(variable)
    definitions = [_read_potential(file, block, names) for block in potentials]
    title = titles[0] if titles else ""

    def read_table(definition: Definition[Span], family: Family) -> Floats:
        return _read_data(file, definition.body, family)

    return assemble(source, title, variables, definitions, file.last_line, read_table)


def _fields(file: File, block: Block) -> dict[str, Span]:
    """The fields ``name = value`` of a block."""
    found = {}
    for statement in statements(file, block):
        match = _FIELD.fullmatch(statement.text)
        if match is None:
            raise file.error(statement, f"expected 'field = value', but found {statement.text[:50]!r}")
        if match[1] in found:
            raise file.error(statement, f"the field {match[1]!r} is given a second time")
        found[match[1]] = statement.part(match, 2)
    return found


def _read_title(file: File, block: Block) -> str:
    if block.head.text:
        raise file.error(block.head, f"expected 'net {{', but found {block.head.text[:50]!r} before the brace")
    name = _fields(file, block).get("name")
    return "" if name is None else read_name(file, name)


def _read_node(file: File, block: Block) -> tuple[str, Variable]:
    """The name of the node in the file, and the variable."""
    head = block.head
    if block.keyword == "discrete" and re.match(r"node\b", head.text):
        head = Span(head.text[4:], head.start + 4).strip()
    elif block.keyword != "node":
        raise file.error(head, f"'{block.keyword} {head.text[:30]}' is not read: only discrete nodes are")
    node, fields = read_name(file, head), _fields(file, block)
    if not _WORD.fullmatch(head.text):
        raise file.error(head, f"expected the name of a node, but found {head.text[:50]!r}")
    if "states" not in fields:
        raise file.error(block.head, f"node {node!r} has no 'states'")
    states = fields["states"]
    if not _LISTED.fullmatch(states.text):
        raise file.error(states, f"node {node!r} has {states.text[:50]!r} where '(\"state\" ...)' belongs")
    inside = Span(states.text[1:-1], states.start + 1)
    name = read_name(file, fields[_NAME_FIELD]) if _NAME_FIELD in fields else node
    own = tuple(read_name(file, word) for word in inside.find_all(_WORD))
    return node, Variable(name, own, file.line(states if not own else head))


def _read_potential(file: File, block: Block, names: Mapping[str, str]) -> Definition[Span]:
    match = _HEAD.fullmatch(block.head.text)
    children = block.head.part(match, 1).find_all(_WORD) if match else []
    if match is None or len(children) != 1:
        raise file.error(block.head, f"expected '( node | parents )', but found {block.head.text[:50]!r}")
    given = block.head.part(match, 2).find_all(_WORD) if match[2] else []
    child, *parents = (read_name(file, word) for word in [*children, *given])
    fields = _fields(file, block)
    if "data" not in fields:
        raise file.error(block.head, f"the potential of {child!r} has no 'data'")
    known = [names.get(node, node) for node in (child, *parents)]  # an unknown one is found by its name
    return Definition(known[0], tuple(known[1:]), file.line(block.head), fields["data"])


def _read_data(file: File, data: Span, family: Family) -> Floats:
    numbers = read_numbers(data.text.replace("(", " ").replace(")", " ")) if _DATA.fullmatch(data.text) else None
    if numbers is None:
        odd = next((word for word in data.find_all(_NUMBERS) if not is_number(word.text)), data)
        raise file.error(odd, f"{odd.text[:30]!r} is not a number")
    _check_nesting(file, data, family)
    wrong_size = check_size(family, len(numbers))
    if wrong_size:
        raise file.error(data, wrong_size)
    wrong = bad_row(numbers, family)
    if wrong:
        first = wrong[0] * len(family.states)
        match = next(islice(_NUMBERS.finditer(data.text), first, None))
        raise file.error(data.part(match, 0), wrong[1])
    return numbers


def _check_nesting(file: File, data: Span, family: Family) -> None:
    """The parentheses are those of one list, or of lists nested as the table is, each row in one of its own."""
    found = _ALL_BUT_PARENTHESES.sub("", data.text)
    outside = not data.text.startswith("(") or not data.text.endswith(")")
    nested = "()"
    for size in reversed(family.shape[:-1]):
        nested = f"({nested * size})" if len(nested) * size <= len(found) else ""
    if outside or found not in ("()", nested):
        shape = " x ".join(map(str, family.shape))
        raise file.error(data, f"the parentheses of the data of {family.child!r} do not fit a table of {shape}")
    if found == "()":
        return
    rows = [row for row in data.text.replace("(", " ").split(")") if not row.isspace() and row]
    r = len(family.states)
    bad = next((i for i, row in enumerate(rows) if len(row.split()) != r), None)
    if bad is not None or len(rows) != family.q:
        index = len(rows) if bad is None else bad
        count = "no" if bad is None else len(rows[bad].split())
        row = family.row(min(index, family.q - 1))
        raise file.error(data, f"{row} has {count} numbers, but {family.child!r} has {r} states")


# ---- writing


def write(network: Network) -> str:
    """The network as NET text. `read` gives the same network back, bit for bit."""
    refuse_what_is_not_discrete(network, "NET")
    nodes = _nodes(network.names)
    title = f"  name = {quote(network.name)};\n" if network.name else ""
    parts = [f"net\n{{\n{title}  node_size = (80 40);\n}}\n"]
    for name, states in network.states.items():
        odd = f"  label = {quote(name)};\n  {_NAME_FIELD} = {quote(name)};\n" if nodes[name] != name else ""
        parts.append(f"node {nodes[name]}\n{{\n{odd}  states = ({' '.join(map(quote, states))});\n}}\n")
    parts += [_write_potential(network, name, nodes) for name in network.names]
    return "".join(parts)


def _nodes(names: tuple[str, ...]) -> dict[str, str]:
    """A name that Hugin takes for every variable: its own, if it is one."""
    taken = {name for name in names if _NODE.fullmatch(name) and name not in _KEYWORDS}
    nodes = {}
    for name in names:
        node, number = name, 1
        if name not in taken:
            stem = re.sub(r"\W", "_", name, flags=re.ASCII)
            node = stem if _NODE.fullmatch(stem) and stem not in _KEYWORDS else f"n_{stem}"
            while node in taken:
                number += 1
                node = f"{stem if _NODE.fullmatch(stem) else f'n_{stem}'}_{number}"
            taken.add(node)
        nodes[name] = node
    return nodes


def _write_potential(network: Network, name: str, nodes: Mapping[str, str]) -> str:
    parents = network.table(name).parents
    given = f" | {' '.join(nodes[p] for p in parents)}" if parents else ""
    rows = [f"({row})" for row in table_rows(network, name, " ")]
    for parent in reversed(parents):
        size = len(network.states[parent])
        rows = [f"({''.join(rows[i : i + size])})" for i in range(0, len(rows), size)]
    return f"potential ({nodes[name]}{given})\n{{\n  data = {rows[0]};\n}}\n"
