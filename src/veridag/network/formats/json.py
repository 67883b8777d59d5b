"""JSON, a format of veridag's own for networks of any kind: exact, compact, and easy to read anywhere.

A file is one object::

    {"format": "veridag network", "version": 1, "name": "rain", "kind": "discrete",
     "variables": [
      {"name": "rain", "states": ["no", "yes"], "parents": [], "probabilities": [[0.8, 0.2]]},
      {"name": "wet", "states": ["no", "yes"], "parents": ["rain"], "probabilities": [[0.9, 0.1], [0.0, 1.0]]}
     ]}

``probabilities`` has a row for every configuration of the parents, the last parent's state changing fastest, and in it
a number for every state of the variable. In a network of kind ``gaussian`` a variable has ``intercept``,
``coefficients``, one a parent in their order, and ``sd`` in place of states and probabilities. A network of kind
``mixed`` has variables of both kinds, and those with discrete parents and a regression for each of their
configurations::

      {"name": "wind", "parents": ["rain", "height"], "intercepts": [1.0, 2.5], "coefficients": [[0.1], [0.2]],
       "sds": [1.0, 1.5]}

where the last discrete parent's state changes fastest, and a coefficient belongs to each continuous parent in their
order. Parents may come after their children; the order of the variables is that of the columns. Any other key is an
error, so that a misspelled one is not overlooked.

Numbers are written in the shortest form that reads back as the same float. The JSON of a graph without parameters, as
`DAG.to_json` writes it, has no ``format``; each reader tells the other's files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from veridag.errors import InputError, suggest
from veridag.graph.text import NETWORK_FORMAT
from veridag.network.network import Network
from veridag.network.parameters import ConditionalGaussian, LinearGaussian

from .family import Definition, Family, Floats, Variable, assemble, bad_row, find_cycle, located

VERSION = 1
#: JSON holds any name, and veridag alone reads it.
RULE = None

_BLANKS = re.compile(r"[ \t\n\r]*+")
_DISCRETE = ("name", "states", "parents", "probabilities")
_GAUSSIAN = ("name", "parents", "intercept", "coefficients", "sd")
_CONDITIONAL = ("name", "parents", "intercepts", "coefficients", "sds")


# ---- reading


def read(text: str, source: str) -> Network:
    """The network described by a JSON text; `source` is the name of the file in messages."""
    scanner = _Scanner(text.removeprefix("\ufeff"), source)
    try:
        fields, variables = scanner.read()
    except RecursionError:
        raise located(source, 1, "the JSON is nested too deep to be a network") from None
    end = text.rstrip().count("\n") + 1
    kind, title = _check_fields(source, fields, end)
    if kind == "gaussian":
        return _read_gaussian(source, title, variables)
    if not variables:
        return Network({}, name=title)
    return _read_tables(source, title, variables, end, kind)


def is_network(text: str) -> bool:
    """Whether a JSON text is meant to be a network rather than a graph, valid or not."""
    return re.search(rf'"format"\s*:\s*"{NETWORK_FORMAT}"', text) is not None


class _Scanner:
    """Reads the outermost object field by field, so that every field and every variable has its line."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.at = 0
        self.decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)

    def error(self, position: int, message: str) -> InputError:
        return located(self.source, self.text.count("\n", 0, position) + 1, message)

    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def skip_blanks(self) -> None:
        match = _BLANKS.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def take(self, sign: str) -> bool:
        """Whether the next sign is this one; if so, skip it."""
        self.skip_blanks()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) if found else 0
        return found

    def expect(self, sign: str, where: str) -> None:
        if not self.take(sign):
            found = self.text[self.at : self.at + 20] or "the end of the file"
            raise self.error(self.at, f"expected {sign!r} {where}, but found {found!r}")

    def value(self) -> Any:
        self.skip_blanks()
        try:
            value, self.at = self.decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as error:
            raise self.error(error.pos, f"this is not JSON: {error.msg}") from None
        except ValueError as error:  # a constant or key that is refused, a number of too many digits
            raise self.error(self.at, str(error)) from None
        return value

    def items(self, opening: str, closing: str, where: str) -> Iterator[None]:
        """Once for every item between two brackets, with commas between; the caller reads the item."""
        self.expect(opening, where)
        if self.take(closing):
            return
        while True:
            yield
            if self.take(closing):
                return
            self.expect(",", where)

    def read(self) -> tuple[dict[str, tuple[Any, int]], list[tuple[Any, int]]]:
        fields: dict[str, tuple[Any, int]] = {}
        variables: list[tuple[Any, int]] = []
        for _ in self.items("{", "}", "in the outermost object"):
            self.skip_blanks()
            line, key = self.line(), self.value()
            if not isinstance(key, str):
                raise located(self.source, line, f"{key!r} is not the name of a field")
            if key in fields:
                raise located(self.source, line, f"the field {key!r} is given twice")
            self.expect(":", f"after {key!r}")
            self.skip_blanks()
            if key == "variables" and self.text.startswith("[", self.at):
                for _ in self.items("[", "]", "in the list of variables"):
                    self.skip_blanks()
                    line_of_variable = self.line()
                    variables.append((self.value(), line_of_variable))
                fields[key] = None, line
            else:
                fields[key] = self.value(), line
        self.skip_blanks()
        if self.at < len(self.text):
            raise self.error(self.at, f"expected the end of the file, but found {self.text[self.at :][:20]!r}")
        return fields, variables


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a valid number")


def _check_fields(source: str, fields: dict[str, tuple[Any, int]], end: int) -> tuple[str, str]:
    """The kind and the name of the network."""
    if "format" not in fields and {"kind", "variables"} <= fields.keys():
        kind = fields["kind"][0]
        raise located(
            source,
            fields["kind"][1],
            f"this JSON holds a graph ({kind}) without parameters, not a network:"
            " read it with vd.read_graph, and fit parameters to data",
        )
    for key, (_, line) in fields.items():
        known = ("format", "version", "name", "kind", "variables")
        if key not in known:
            raise located(source, line, f"the field {key!r} is not known: {suggest(key, known)}")
    for key in ("format", "version", "kind", "variables"):
        if key not in fields:
            raise located(source, end, f"the field {key!r} is missing: this is not a network in veridag's JSON")
    (form, form_line), (version, version_line), (kind, kind_line) = (fields[k] for k in ("format", "version", "kind"))
    if form != NETWORK_FORMAT:
        raise located(source, form_line, f"the format is {str(form)[:50]!r} instead of {NETWORK_FORMAT!r}")
    if version is True or version != VERSION:
        raise located(source, version_line, f"version {str(version)[:50]!r} of the format is not known, only {VERSION}")
    if kind not in ("discrete", "gaussian", "mixed"):
        raise located(source, kind_line, f"the kind is {str(kind)[:50]!r} instead of 'discrete', 'gaussian' or 'mixed'")
    if fields["variables"][0] is not None:
        raise located(source, fields["variables"][1], "'variables' must be a list of objects")
    title, title_line = fields.get("name", ("", 1))
    if not isinstance(title, str):
        raise located(source, title_line, f"the name of the network must be a string, not {str(title)[:50]!r}")
    return kind, title


def _check_object(source: str, value: Any, line: int, keys: tuple[str, ...]) -> dict[str, Any]:
    """A variable's object, with all its keys and no others."""
    if not isinstance(value, dict):
        raise located(source, line, f"a variable must be an object with {', '.join(keys)}, not {str(value)[:50]!r}")
    for key in value:
        if key not in keys:
            raise located(source, line, f"the key {key!r} of a variable is not known: {suggest(key, keys)}")
    for key in keys:
        if key not in value:
            raise located(source, line, f"a variable lacks the key {key!r}")
    if not isinstance(value["name"], str):
        raise located(source, line, f"a name must be a string, not {str(value['name'])[:50]!r}")
    for key in ("parents", "states"):
        if key in keys and not _is_list_of(value[key], str):
            raise located(source, line, f"the {key} of {value['name']!r} must be a list of strings")
    return value


def _is_list_of(value: Any, *types: type) -> bool:
    return isinstance(value, list) and {type(item) for item in value} <= set(types)


def _read_tables(source: str, title: str, found: list[tuple[Any, int]], end: int, kind: str) -> Network:
    keys = _keys_of_any_kind if kind == "mixed" else lambda _: _DISCRETE
    objects = [(_check_object(source, value, line, keys(value)), line) for value, line in found]
    variables = [Variable(o["name"], tuple(o["states"]) if "states" in o else None, line) for o, line in objects]
    definitions = [Definition(o["name"], tuple(o["parents"]), line, o) for o, line in objects]

    def read_table(definition: Definition[Any], family: Family) -> Floats:
        if family.continuous is None:
            return _read_table(source, definition, family)
        return _read_regressions(source, definition, family, family.continuous)

    return assemble(source, title, variables, definitions, end, read_table)


def _keys_of_any_kind(value: Any) -> tuple[str, ...]:
    """The keys that belong to a variable's object, by those it has."""
    if isinstance(value, dict) and not {"states", "probabilities"} & value.keys():
        return _CONDITIONAL if {"intercepts", "sds"} & value.keys() else _GAUSSIAN
    return _DISCRETE


def _read_regressions(source: str, definition: Definition[Any], family: Family, continuous: tuple[str, ...]) -> Floats:
    """A row for each configuration of the discrete parents: intercept, coefficients and standard deviation."""
    o, line, child = definition.body, definition.line, family.child
    one = "intercept" in o
    if one == bool(family.parents):
        needs = "'intercepts' and 'sds', one for each configuration" if family.parents else "'intercept' and 'sd'"
        raise located(source, line, f"{child!r} has {len(family.parents)} discrete parents, and so needs {needs}")
    intercepts, sds = ([o["intercept"]], [o["sd"]]) if one else (o["intercepts"], o["sds"])
    slopes = [o["coefficients"]] if one else o["coefficients"]
    lists = isinstance(slopes, list) and all(_is_list_of(row, int, float) for row in slopes)
    if not lists or not _is_list_of(intercepts, int, float) or not _is_list_of(sds, int, float):
        raise located(source, line, f"the parameters of {child!r} must be lists of numbers, one for each configuration")
    if not len(intercepts) == len(slopes) == len(sds) == family.q:
        have = f"{len(intercepts)} intercepts, {len(slopes)} rows of coefficients and {len(sds)} sds"
        raise located(source, line, f"{child!r} has {have}, but its parents have {family.q} configurations")
    if any(len(row) != len(continuous) for row in slopes):
        have = f"{len(continuous)} continuous parents, but another number of coefficients"
        raise located(source, line, f"{child!r} has {have}")
    try:
        rows = [[float(x) for x in (a, *b, sd)] for a, b, sd in zip(intercepts, slopes, sds, strict=True)]
    except OverflowError:
        rows = [[float("inf")]]
    if not all(isfinite(x) for row in rows for x in row) or any(row[-1] < 0 for row in rows):
        raise located(source, line, f"the numbers of {child!r} must be finite, and its sds not negative")
    return np.array(rows, dtype=np.float64)


def _read_table(source: str, definition: Definition[Any], family: Family) -> Floats:
    rows, line, r = definition.body["probabilities"], definition.line, len(family.states)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise located(
            source, line, f"the probabilities of {family.child!r} must be a list of rows, each a list of numbers"
        )
    if len(rows) != family.q:
        need = f"its parents have {family.q} configurations"
        raise located(source, line, f"{family.child!r} has {len(rows)} rows of probabilities, but {need}")
    for index, row in enumerate(rows):
        if not _is_list_of(row, int, float):
            raise located(source, line, f"{family.row(index)} must be a list of numbers")
        if len(row) != r:
            raise located(source, line, f"{family.row(index)} has {len(row)} numbers, but {r} states")
    try:
        table = np.array([[float(p) for p in row] for row in rows], dtype=np.float64)
    except OverflowError:
        raise located(
            source, line, f"the probabilities of {family.child!r} hold a number too large for a float"
        ) from None
    wrong = bad_row(table, family)
    if wrong:
        raise located(source, line, wrong[1])
    return table


def _read_gaussian(source: str, title: str, found: list[tuple[Any, int]]) -> Network:
    cpds: dict[str, LinearGaussian] = {}
    lines: dict[str, int] = {}
    for value, line in found:
        o = _check_object(source, value, line, _GAUSSIAN)
        name = o["name"]
        if not name:
            raise located(
                source, line, "a variable has an empty name; every variable needs a non-empty string as its name"
            )
        if name in cpds:
            raise located(source, line, f"variable {name!r} is declared twice")
        if not _is_list_of(o["coefficients"], int, float) or not _is_list_of([o["intercept"], o["sd"]], int, float):
            raise located(source, line, f"intercept, coefficients and sd of {name!r} must be numbers")
        if len(o["coefficients"]) != len(o["parents"]):
            have = f"{len(o['coefficients'])} coefficients but {len(o['parents'])} parents"
            raise located(source, line, f"{name!r} has {have}")
        try:
            numbers = [float(number) for number in (o["intercept"], *o["coefficients"], o["sd"])]
        except OverflowError:
            numbers = [float("inf")]
        if not all(map(isfinite, numbers)) or numbers[-1] < 0:
            raise located(source, line, f"the numbers of {name!r} must be finite, and its sd not negative")
        cpds[name] = LinearGaussian(tuple(o["parents"]), numbers[0], np.array(numbers[1:-1]), numbers[-1])
        lines[name] = line
    _check_gaussian_parents(source, cpds, lines)
    return Network(cpds, name=title)


def _check_gaussian_parents(source: str, cpds: dict[str, LinearGaussian], lines: dict[str, int]) -> None:
    for name, cpd in cpds.items():
        for parent in cpd.parents:
            if parent not in cpds:
                raise located(source, lines[name], f"there is no variable {parent!r}: {suggest(parent, cpds)}")
        if len({name, *cpd.parents}) <= len(cpd.parents):
            raise located(source, lines[name], f"the parents of {name!r} name a variable twice")
    cycle = find_cycle({name: cpd.parents for name, cpd in cpds.items()})
    if cycle:
        raise located(source, lines[cycle[0]], f"the arcs form a cycle: {' -> '.join(cycle)}")


# ---- writing


def write(network: Network) -> str:
    """The network as JSON text. `read` gives the same network back, bit for bit."""
    head = {
        "format": NETWORK_FORMAT,
        "version": VERSION,
        "name": network.name,
        "kind": network.kind,
    }
    start = json.dumps(head, ensure_ascii=False)[:-1]
    variables = ",\n".join("  " + json.dumps(_object_of(network, v), ensure_ascii=False) for v in network.names)
    return f'{start},\n "variables": [\n{variables}\n ]}}\n'


def _object_of(network: Network, name: str) -> dict[str, Any]:
    cpd = network.cpds[name]
    if isinstance(cpd, LinearGaussian):
        numbers = {"intercept": cpd.intercept, "coefficients": cpd.coefficients.tolist(), "sd": cpd.sd}
        return {"name": name, "parents": cpd.parents, **numbers}
    if isinstance(cpd, ConditionalGaussian):
        table = cpd.rows
        lists = {"intercepts": table[:, 0], "coefficients": table[:, 1:-1], "sds": table[:, -1]}
        return {"name": name, "parents": cpd.parents, **{key: values.tolist() for key, values in lists.items()}}
    rows = cpd.probabilities.reshape(-1, cpd.probabilities.shape[-1]).tolist()
    return {"name": name, "states": network.states[name], "parents": cpd.parents, "probabilities": rows}
