r"""NET, the format of Hugin, for discrete, Gaussian and mixed networks.

What is read: ``node`` and ``discrete node`` blocks with their ``states``, ``continuous node`` blocks, ``potential``
blocks with their ``data``, and the ``name`` in the ``net`` block; blocks in any order; ``%`` comments; names of nodes
between quotes, or bare with spaces inside, as pgmpy and pyAgrum write them. Other fields (positions, labels, colours)
are not kept. The numbers of a table run through the parents in their order and the variable itself fastest; they stand
in one list of lists, nested as deep as there are variables, or in one flat list. For a continuous node there is a
``normal ( mean, variance )`` for each configuration of its discrete parents, and the mean is a sum such as
``1.5 + 2 * Y - Z`` (see `normal`). Decision and utility nodes are refused.

Hugin's names of nodes are letters, digits and underscores. On writing, a variable with another name gets such a name
and has its own in a field ``veridag_name``, which Hugin and others pass over, and in its label. States are between
quotes, ``\"`` stands for a quote and ``\\`` for a backslash; those that others cannot read so get another name, and
the true ones are in a field ``veridag_states`` (see `naming`).

Numbers are written in the shortest form that reads back as the same float.
"""

from __future__ import annotations

import re
from collections.abc import Set
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
    refuse_empty,
    table_rows,
)
from .naming import NAME, STATES, Rule, decode, encode, rename, true_names
from .normal import read_normals, write_normal

_KEYWORDS = ("net", "node", "discrete", "continuous", "decision", "utility", "function", "class", "potential")
_BLOCK = block_pattern(_KEYWORDS)
_FIELD = re.compile(r"(\w+)\s*+=(.*)", re.DOTALL)
_HEAD = re.compile(rf'\(((?:[^|"()]++|{QUOTED})*+)(?:\|((?:[^|"()]++|{QUOTED})*+))?\)', re.DOTALL)
_WORD = re.compile(rf'[^\s,"()]++|{QUOTED}', re.DOTALL)
_BARE_WORDS = re.compile(r'[^\s,"()|]++(?:\s++[^\s,"()|]++)*+')
_LISTED = re.compile(rf'\((?:[^"()]++|{QUOTED})*+\)', re.DOTALL)
_NUMBERS = re.compile(r"[^\s()]++")
_DATA = re.compile(r"[0-9eE+\-.()\s]*+")
_ALL_BUT_PARENTHESES = re.compile(r"[^()]++")
#: Labels are for display; pgmpy finds nodes, states and data in them, too.
_LABEL = re.compile(r"(?!.*(?:node|states|data|potential))[A-Za-z0-9_ .,+<>()&'\-]++")
#: What pgmpy and pyAgrum read. pgmpy takes a parent whose name ends in "node" for the start of a node.
RULE = Rule(
    re.compile(r"(?!.*node$)[A-Za-z_][A-Za-z0-9_]*+").fullmatch,
    re.compile(r"[A-Za-z0-9_.+<>\-]++").fullmatch,
    frozenset([*_KEYWORDS, "data"]),
)


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by a NET text; `source` is the name of the file in messages."""
    file = blank_comments(text, source, r"%[^\n]*+")
    variables, potentials, titles = [], [], []
    for block in blocks(file, _BLOCK, _KEYWORDS):
        if block.keyword == "potential":
            potentials.append(block)
        elif block.keyword == "net":
            titles.append(_read_title(file, block))
            if len(titles) > 1:
                raise file.error(block.head, "a second 'net' block: a file can have only one network")
        else:
            variables.append(_read_node(file, block))
    of_words = {variable.name for variable in variables if " " in variable.name}
    definitions = [_read_potential(file, block, of_words) for block in potentials]
    title = titles[0] if titles else ""

    def read_table(definition: Definition[Span], family: Family) -> Floats:
        if family.continuous is not None:
            return read_normals(file, definition.body, family, family.continuous)
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
            raise file.error(statement, f"the field {match[1]!r} is given twice")
        found[match[1]] = statement.part(match, 2)
    return found


def _read_title(file: File, block: Block) -> str:
    if block.head.text:
        raise file.error(block.head, f"expected 'net {{', but found {block.head.text[:50]!r} before the brace")
    fields = _fields(file, block)
    if NAME in fields:
        return decode(read_name(file, fields[NAME]))
    return read_name(file, fields["name"]) if "name" in fields else ""


def _read_node(file: File, block: Block) -> Variable:
    head = block.head
    if block.keyword in ("discrete", "continuous") and re.match(r"node\b", head.text):
        head = Span(head.text[4:], head.start + 4).strip()
    elif block.keyword != "node":
        known = "only discrete and continuous nodes are"
        raise file.error(head, f"'{block.keyword} {head.text[:30]}' is not supported: {known}")
    if not _WORD.fullmatch(head.text) and not _BARE_WORDS.fullmatch(head.text):
        raise file.error(head, f"expected the name of a node, but found {head.text[:50]!r}")
    node, fields = " ".join(head.text.split()) if '"' not in head.text else read_name(file, head), _fields(file, block)
    if block.keyword == "continuous":
        true = true_names({NAME: read_name(file, fields[NAME])} if NAME in fields else {})
        return Variable(node, None, file.line(head), true=true)
    if "states" not in fields:
        raise file.error(block.head, f"node {node!r} has no 'states'")
    states = fields["states"]
    if not _LISTED.fullmatch(states.text):
        raise file.error(states, f"node {node!r} has {states.text[:50]!r} where '(\"state\" ...)' is expected")
    inside = Span(states.text[1:-1], states.start + 1)
    own = tuple(read_name(file, word) for word in inside.find_all(_WORD))
    true = true_names({key: read_name(file, fields[key]) for key in (NAME, STATES) if key in fields})
    return Variable(node, own, file.line(states if not own else head), true=true)


def _nodes(file: File, span: Span, of_words: Set[str]) -> list[str]:
    """The nodes in a list; those `of_words` may stand there without quotes, the longest counts."""
    words = span.find_all(_WORD)
    found = []
    while words:
        lengths = range(len(words), 1, -1) if of_words else ()
        length = next((k for k in lengths if " ".join(word.text for word in words[:k]) in of_words), 1)
        found.append(" ".join(w.text for w in words[:length]) if length > 1 else read_name(file, words[0]))
        words = words[length:]
    return found


def _read_potential(file: File, block: Block, of_words: Set[str]) -> Definition[Span]:
    match = _HEAD.fullmatch(block.head.text)
    children = _nodes(file, block.head.part(match, 1), of_words) if match else []
    if match is None or len(children) != 1:
        raise file.error(block.head, f"expected '( node | parents )', but found {block.head.text[:50]!r}")
    given = _nodes(file, block.head.part(match, 2), of_words) if match[2] else []
    fields = _fields(file, block)
    if "data" not in fields:
        raise file.error(block.head, f"the potential of {children[0]!r} has no 'data'")
    return Definition(children[0], tuple(given), file.line(block.head), fields["data"])


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
    refuse_empty(network, "NET")
    renamed = rename(network, RULE)
    parts = [f"net\n{{\n{_title(network.name)}  node_size = (80 40);\n}}\n"]
    for name in renamed.network.names:
        label = f"  label = {quote(renamed.names[name])};\n" if _is_label(renamed.names.get(name, "")) else ""
        fields = "".join(map(_field, renamed.fields(name)))
        own = renamed.network.states.get(name)
        kind = "node" if own is not None else "continuous node"
        states = f"  states = ({' '.join(map(quote, own))});\n" if own is not None else ""
        parts.append(f"{kind} {name}\n{{\n{label}{states}{fields}}}\n")
    parts += [_write_potential(renamed.network, name) for name in renamed.network.names]
    return "".join(parts)


def _title(name: str) -> str:
    if not name:
        return ""
    return f"  name = {quote(name)};\n" if _is_label(name) else _field((NAME, encode(name)))


def _is_label(text: str) -> bool:
    """Whether others can read the text between quotes."""
    return _LABEL.fullmatch(text) is not None


def _field(field: tuple[str, str]) -> str:
    return f'  {field[0]} = "{field[1]}";\n'


def _write_potential(network: Network, name: str) -> str:
    parents = network.cpds[name].parents
    given = f" | {' '.join(parents)}" if parents else ""
    between = "" if name in network.states else " "
    if name in network.states:
        rows = [f"({row})" for row in table_rows(network, name, " ")]
    else:
        own = network.conditional_gaussian(name)
        rows = [write_normal(row, own.continuous, name) for row in own.rows.tolist()]
        rows = rows if own.discrete else [f"({rows[0]})"]
    for parent in reversed([p for p in parents if p in network.states]):
        size = len(network.states[parent])
        rows = [f"({between.join(rows[i : i + size])})" for i in range(0, len(rows), size)]
    return f"potential ({name}{given})\n{{\n  data = {rows[0]};\n}}\n"
