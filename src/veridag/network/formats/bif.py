r"""BIF, the Bayesian network interchange format (version 0.15), as in JavaBayes and the network repository.

What is read: ``//`` and ``/* */`` comments anywhere; blocks in any order; rows of a table in any order, with a
``default`` for those not given; numbers and names separated by commas or spaces; ``probability ( X | A, B )``
and, as JavaBayes writes it, ``probability ( X A B )``. A ``table`` with parents runs through the child's states
slowest, then through the parents' in their order, the last one fastest; pgmpy and pyAgrum read it so, too.
Properties are not kept.

A name is bare or between double quotes. Between quotes anything may stand, with ``\"`` for a quote and ``\\`` for
a backslash (any other backslash is one). A bare name between commas may have spaces inside, as pgmpy writes them.
On writing nothing is quoted, since few readers take quotes: what they cannot read gets another name (see `naming`),
and its true one is in the properties ``veridag_name`` and ``veridag_states``. ``network unknown`` stands for a
network without a name, as in bnlearn.

Numbers are written in the shortest form that reads back as the same float.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from math import isfinite

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
    TOLERANCE,
    Definition,
    Family,
    Floats,
    Variable,
    assemble,
    check_size,
    is_number,
    refuse_what_is_not_discrete,
    table_rows,
)
from .naming import NAME, STATES, Rule, decode, encode, rename, true_names

_KEYWORDS = ("network", "variable", "probability")
_BLOCK = block_pattern(_KEYWORDS)
_TYPE = re.compile(r"type\s++discrete\s*+\[([^\]]*+)\]\s*+\{(.*)\}", re.DOTALL)
_SIDES = re.compile(rf'((?:[^|"]++|{QUOTED})*+)(?:(\|)((?:[^|"]++|{QUOTED})*+))?', re.DOTALL)
_ENTRY = re.compile(r"(?:(table|default)\b|\((.*)\))([^()]*)", re.DOTALL)
_PLAIN_ROW = re.compile(rf'\(((?:[^()";]++|{QUOTED})*+)\)([0-9eE+\-.,\s]*+);', re.DOTALL)

_BETWEEN_COMMAS = re.compile(rf'(?:[^,"]++|{QUOTED})++', re.DOTALL)
_WORD = re.compile(rf'[^\s,"]++|{QUOTED}', re.DOTALL)
_BARE = re.compile(r'(?!.*(?://|/\*))[^\s{}()\[\];,|"]+')
_PROPERTY = re.compile(rf"property\s++({NAME}|{STATES})\s*+=\s*+({QUOTED})", re.DOTALL)
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_.\-]*+|[0-9]++[A-DF-Za-df-z_][A-Za-z0-9_]*+"
#: What pgmpy and pyAgrum read. pyAgrum takes no name that could be a number, but for integers as states.
RULE = Rule(
    re.compile(_IDENTIFIER).fullmatch,
    re.compile(rf"{_IDENTIFIER}|-?[0-9]++").fullmatch,
    frozenset(["default", "discrete", "network", "probability", "property", "table", "type", "variable"]),
    fold=True,
)


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by a BIF text; `source` is the name of the file in messages."""
    file = blank_comments(text, source, r"//[^\n]*+|/\*.*?\*/", r"/\*")
    found = list(blocks(file, _BLOCK, _KEYWORDS))
    title = _read_title(file, [b for b in found if b.keyword == "network"])
    variables = [_read_variable(file, b) for b in found if b.keyword == "variable"]
    known = {v.name for v in variables}
    definitions = [_read_definition(file, b, known) for b in found if b.keyword == "probability"]

    def read_table(definition: Definition[Block], family: Family) -> Floats:
        rows = _read_plain_rows(definition.body.body.text, family)
        return _read_rows(file, definition.body, family) if rows is None else rows

    return assemble(source, title, variables, definitions, file.last_line, read_table, block="probability")


def _statements(file: File, block: Block) -> Iterator[Span]:
    """The statements of a block without the properties."""
    return (s for s in statements(file, block) if not re.match(r"property\b", s.text))


def _own_properties(file: File, block: Block) -> dict[str, str]:
    """The properties of a block that `write` has written."""
    matches = (_PROPERTY.fullmatch(statement.text) for statement in statements(file, block))
    return {match[1]: unquote(match[2]) or "" for match in matches if match}


def _read_title(file: File, blocks: Sequence[Block]) -> str:
    if len(blocks) > 1:
        raise file.error(blocks[1].head, "a second 'network' block: a file can have only one network")
    for statement in (s for block in blocks for s in _statements(file, block)):
        raise file.error(statement, f"a 'network' block can only have properties, but found {statement.text[:50]!r}")
    true = _own_properties(file, blocks[0]).get(NAME) if blocks else None
    if true is not None:
        return decode(true)
    if not blocks or blocks[0].head.text in ("", "unknown"):
        return ""
    return read_name(file, blocks[0].head)


def _read_variable(file: File, block: Block) -> Variable:
    name = read_name(file, block.head)
    types = list(_statements(file, block))
    if len(types) != 1:
        raise file.error(block.head, f"variable {name!r} needs one 'type' line, but has {len(types)}")
    states, true = _read_states(file, name, types[0]), true_names(_own_properties(file, block))
    return Variable(name, states, file.line(block.head), file.line(types[0]), true)


def _read_states(file: File, name: str, statement: Span) -> tuple[str, ...]:
    match = _TYPE.fullmatch(statement.text)
    if match is None:
        found = f"variable {name!r} has {statement.text[:50]!r}"
        raise file.error(statement, f"{found} instead of 'type discrete [ number ] {{ states }}'")
    if not re.fullmatch(r"\s*[0-9]{1,9}\s*", match[1]):
        raise file.error(statement, f"variable {name!r} has {match[1][:30]!r} instead of its number of states")
    declared = int(match[1])
    states = _names(file, statement.part(match, 2), declared)
    if len(states) != declared:
        raise file.error(statement, f"variable {name!r} declares {declared} states, but lists {len(states)}")
    return tuple(states)


def _names(file: File, span: Span, expected: int) -> list[str]:
    """The names in a list: between commas or, if those are not as many as expected, between blanks."""
    pieces = [text for piece in _BETWEEN_COMMAS.findall(span.text) if (text := piece.strip())]
    if len(pieces) != expected:
        pieces = _WORD.findall(span.text)
    return [read_name(file, Span(piece, span.start)) if '"' in piece else piece for piece in pieces]


def _read_definition(file: File, block: Block, known: Set[str]) -> Definition[Block]:
    """``( X | A, B )`` or, as JavaBayes writes it, ``( X A B )``."""
    head = block.head
    inside = Span(head.text[1:-1], head.start + 1)
    match = _SIDES.fullmatch(inside.text)
    if match is None or not (head.text.startswith("(") and head.text.endswith(")")):
        raise file.error(head, f"expected '( variable | parents )', but found {head.text[:50]!r}")
    first = _variables(file, inside.part(match, 1), known)
    given = _variables(file, inside.part(match, 3), known) if match[2] else first[1:]
    if not first or (match[2] and len(first) > 1):
        raise file.error(head, f"expected one variable, '|' and its parents, but found {head.text[:50]!r}")
    return Definition(first[0], tuple(given), file.line(head), block)


def _variables(file: File, span: Span, known: Set[str]) -> list[str]:
    """The variables in a list; between two commas stands one name, or several with blanks between them."""
    names = []
    for piece in span.find_all(_BETWEEN_COMMAS):
        words = [piece] if unquote(piece.text) in known else piece.find_all(_WORD)
        names += [read_name(file, word) for word in words]
    return names


# ---- reading the tables


def _read_plain_rows(body: str, family: Family) -> Floats | None:
    """All rows at once, if all is valid and written in the usual way; None leaves the block to `_read_rows`.

    It reads what that reads, only faster, since tables with a million entries are common.
    """
    pieces = _PLAIN_ROW.split(body)
    if not family.parents or len(pieces) != 3 * family.q + 1 or "".join(pieces[::3]).strip():
        return None
    values = _read_plain_numbers(pieces[2::3], len(family.states))
    index = _read_plain_configurations(pieces[1::3], family)
    if values is None or -1 in index:
        return None
    table = np.full(values.shape, np.nan)
    table[index] = values
    sums = table.sum(axis=1)  # NaN, and so no distribution, where a row was not given
    return table if (table >= 0).all() and (np.abs(sums - 1) <= TOLERANCE).all() else None


def _read_plain_configurations(configurations: list[str], family: Family) -> list[int]:
    """The row of the table for each configuration, -1 for what is written in another way."""
    given = product(*([_as_read(state) for state in states] for states in family.parent_states))
    position = {", ".join(states): index for index, states in enumerate(given)}
    index = [position.get(text.strip(), -1) for text in configurations]
    if -1 in index and not any('"' in text for text in configurations):
        index = [position.get(re.sub(r"\s*,\s*", ", ", text.strip()), -1) for text in configurations]
    return index


def _as_read(name: str) -> str:
    """The name as files have it: bare, or between quotes if it must be."""
    return name if _BARE.fullmatch(name) else quote(name)


def _read_plain_numbers(rows: list[str], r: int) -> Floats | None:
    if r > 1 and "," not in rows[0]:
        rows = [",".join(row.split()) for row in rows]
    if any(row.count(",") != r - 1 for row in rows):
        return None
    try:
        return np.array([float(number) for number in ",".join(rows).split(",")]).reshape(-1, r)
    except ValueError:
        return None


def _read_rows(file: File, block: Block, family: Family) -> Floats:
    """Whatever the block has, statement by statement."""
    given: dict[int, list[float]] = {}
    default: list[float] | None = None
    for statement in _statements(file, block):
        match = _ENTRY.fullmatch(statement.text)
        if match is None:
            expected = "'(states) numbers', 'table numbers' or 'default numbers'"
            raise file.error(statement, f"expected {expected}, but found {statement.text[:50]!r}")
        numbers = statement.part(match, 3)
        if match[1] == "default":
            if default is not None:
                raise file.error(statement, f"a second 'default' for {family.child!r}")
            default = _read_distribution(file, numbers, family)
            continue
        if match[1] == "table":
            rows = _read_whole_table(file, numbers, family)
        else:
            index = _read_configuration(file, statement.part(match, 2), family)
            rows = {index: _read_distribution(file, numbers, family)}
        twice = next((index for index in rows if index in given), None)
        if twice is not None:
            raise file.error(statement, f"{family.row(twice)} is given twice")
        given.update(rows)
    if default is None and len(given) < family.q:
        missing = next(index for index in range(family.q) if index not in given)
        raise file.error(block.head, f"{family.row(missing)} is missing, and there is no 'default'")
    return _fill(family, given, default)


def _fill(family: Family, given: Mapping[int, list[float]], default: list[float] | None) -> Floats:
    table = np.empty((family.q, len(family.states)))
    if default is not None:
        table[:] = default
    if given:
        table[list(given)] = list(given.values())
    return table


def _read_configuration(file: File, span: Span, family: Family) -> int:
    names = _names(file, span, len(family.parents))
    if len(names) != len(family.parents):
        needed = f"{family.child!r} has {len(family.parents)} parents"
        raise file.error(span, f"({span.text[:50]}) names {len(names)} states, but {needed}")
    index = 0
    for name, parent, states in zip(names, family.parents, family.parent_states, strict=True):
        if name not in states:
            raise file.error(span, f"variable {parent!r} has no state {name!r}: {suggest(name, states)}")
        index = index * len(states) + states.index(name)
    return index


def _read_distribution(file: File, span: Span, family: Family) -> list[float]:
    numbers = _read_numbers(file, span)
    r = len(family.states)
    if len(numbers) != r:
        raise file.error(span, f"{len(numbers)} probabilities for {family.child!r}, which has {r} states")
    _check_distribution(file, span, numbers, "the probabilities")
    return numbers


def _read_whole_table(file: File, span: Span, family: Family) -> dict[int, list[float]]:
    """The rows of a ``table``, in which the child's state runs slowest."""
    numbers = _read_numbers(file, span)
    wrong_size, q = check_size(family, len(numbers)), family.q
    if wrong_size:
        raise file.error(span, wrong_size)
    rows = {index: numbers[index::q] for index in range(q)}
    for index, row in rows.items():
        what = family.row(index) + (", the child's state running slowest," if q > 1 else "")
        _check_distribution(file, span, row, f"the numbers of {what}")
    return rows


def _read_numbers(file: File, span: Span) -> list[float]:
    numbers = span.text.replace(",", " ").split()
    for number in numbers:
        if not is_number(number):
            raise file.error(span, f"{number[:30]!r} is not a number")
    return [float(number) for number in numbers]


def _check_distribution(file: File, span: Span, numbers: Sequence[float], what: str) -> None:
    bad = next((p for p in numbers if not (isfinite(p) and p >= 0)), None)
    if bad is not None:
        raise file.error(span, f"{bad!r} is not a probability")
    if abs(sum(numbers) - 1) > TOLERANCE:
        raise file.error(span, f"{what} sum to {sum(numbers):.6g} instead of 1")


# ---- writing


def write(network: Network) -> str:
    """The network as BIF text. `read` gives the same network back, bit for bit."""
    refuse_what_is_not_discrete(network, "BIF")
    renamed = rename(network, RULE)
    parts = [_write_title(network.name)]
    for variable, states in renamed.network.states.items():
        listed = f"[ {len(states)} ] {{ {', '.join(states)} }}"
        properties = "".join(map(_property, renamed.fields(variable)))
        parts.append(f"variable {variable} {{\n  type discrete {listed};\n{properties}}}\n")
    parts += [_write_table(renamed.network, variable) for variable in renamed.network.names]
    return "".join(parts)


def _write_title(name: str) -> str:
    if not name:
        return "network unknown {\n}\n"
    if RULE.takes_variable(name) and name != "unknown" and encode(name) == name:
        return f"network {name} {{\n}}\n"
    return f"network unknown {{\n{_property((NAME, encode(name)))}}}\n"


def _property(field: tuple[str, str]) -> str:
    return f'  property {field[0]} = "{field[1]}";\n'


def _write_table(network: Network, variable: str) -> str:
    table = network.table(variable)
    rows = table_rows(network, variable, ", ")
    if not table.parents:
        return f"probability ( {variable} ) {{\n  table {rows[0]};\n}}\n"
    given = product(*(network.states[parent] for parent in table.parents))
    lines = [f"  ({', '.join(states)}) {row};\n" for states, row in zip(given, rows, strict=True)]
    return f"probability ( {variable} | {', '.join(table.parents)} ) {{\n{''.join(lines)}}}\n"
