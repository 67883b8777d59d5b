"""What the readers of networks share: variables and definitions with their lines, checked and put together.

A reader finds the variables and, for each, a definition: its parents, and whatever stands for its table in that
format. `assemble` checks that they fit, has every table read, and makes the `Network`; what does not fit is an error
with the line of the part that is wrong. The table of a continuous variable has a row for each configuration of its
discrete parents: intercept, a coefficient for each continuous parent, and standard deviation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from math import prod
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, suggest
from veridag.files.limits import current_limits, how_to_raise
from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, LinearGaussian, Table
from veridag.network.validity import SUM_TOLERANCE

from .naming import TrueNames, with_names

Floats = NDArray[np.float64]
T = TypeVar("T")

#: What a sum may miss one by. A little more than `Network` allows, so that all it has can be read back.
TOLERANCE = SUM_TOLERANCE + 2e-12

_NUMBER_SIGNS = re.compile(r"[0-9eE+\-.\s]*+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")


class Variable(NamedTuple):
    """A variable as it is declared."""

    name: str
    #: None if it is continuous.
    states: tuple[str, ...] | None
    line: int
    #: Where its states are listed, if that is another line.
    states_line: int | None = None
    #: What it and its states are called in truth, if the file has other names for the sake of other programs.
    true: TrueNames = TrueNames()


@dataclass(frozen=True)
class Definition(Generic[T]):
    """A variable, its parents, and what stands for its table."""

    child: str
    parents: tuple[str, ...]
    line: int
    body: T


class Family(NamedTuple):
    """A variable and its discrete parents, with the states of each; if it is continuous, its `continuous` parents."""

    child: str
    parents: tuple[str, ...]
    states: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    continuous: tuple[str, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the table, what belongs to the child last."""
        return (*map(len, self.parent_states), self.width)

    @property
    def width(self) -> int:
        """How many numbers a row of the table has."""
        return len(self.states) if self.continuous is None else len(self.continuous) + 2

    @property
    def q(self) -> int:
        """The number of parent configurations."""
        return prod(self.shape[:-1])

    def row(self, index: int) -> str:
        """A row of the table in words."""
        codes = np.unravel_index(index, self.shape[:-1]) if self.parents else ()
        terms = zip(self.parents, self.parent_states, codes, strict=True)
        given = ", ".join(f"{parent} = {states[int(code)]}" for parent, states, code in terms)
        return f"the distribution of {self.child!r}" + (f" given {given}" if given else "")


def located(source: str, line: int, message: str) -> InputError:
    """An error in a line of a file, as one line: names may hold line ends."""
    return InputError(f"{source}:{line}: {' '.join(message.split())}")


def assemble(
    source: str,
    title: str,
    variables: Sequence[Variable],
    definitions: Sequence[Definition[T]],
    end: int,
    read_table: Callable[[Definition[T], Family], Floats],
    block: str | None = None,
) -> Network:
    """The network of these parts.

    `end` is the last line of the file; `read_table` gives a table's numbers in C order. `block` is the keyword of
    definitions, for messages.
    """
    states = _check_variables(source, variables, end)
    families = _check_definitions(source, definitions, states, end, block)
    names, true_states = _true_names(source, variables)
    read = {child: _cpd(family, read_table(definition, family)) for child, (definition, family) in families.items()}
    cpds = {names[v]: with_names(read[v], names) for v in states}
    try:
        return Network(cpds, true_states, name=title)
    except InputError as error:
        raise located(source, 1, str(error)) from error


def _cpd(family: Family, numbers: Floats) -> CPD:
    if family.continuous is None:
        return Table(family.parents, numbers.reshape(family.shape))
    if not family.parents:
        row = numbers.reshape(-1)
        return LinearGaussian(family.continuous, row[0], row[1:-1], row[-1])
    return ConditionalGaussian.from_rows(family.parents, family.continuous, family.shape[:-1], numbers)


def _true_names(source: str, variables: Sequence[Variable]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """The true name of each variable, and the true states of each true name that is discrete."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    states = {}
    for variable in variables:
        name = variable.name if variable.true.name is None else variable.true.name
        if not name or name in taken:
            what = f"is {name!r}, the name of another variable" if name else "is empty"
            raise located(source, variable.line, f"the true name of variable {variable.name!r} {what}")
        names[variable.name] = name
        taken.add(name)
        if variable.states is None:
            continue
        own = variable.states if variable.true.states is None else variable.true.states
        if len(own) != len(variable.states) or len(set(own)) < len(own):
            wrong = f"variable {variable.name!r} has {len(variable.states)} states, but their true names are {own}"
            raise located(source, variable.line, wrong)
        states[name] = own
    return names, states


def _check_variables(source: str, variables: Sequence[Variable], end: int) -> dict[str, tuple[str, ...] | None]:
    states: dict[str, tuple[str, ...] | None] = {}
    for name, own, line, states_line, _ in variables:
        if not name:
            raise located(
                source, line, "a variable has an empty name; every variable needs a non-empty string as its name"
            )
        if name in states:
            raise located(source, line, f"variable {name!r} is declared twice")
        if own is not None and not own:
            raise located(source, line, f"variable {name!r} has no states")
        if own and len(set(own)) < len(own):
            twice = first_repeated(own)
            raise located(source, states_line or line, f"variable {name!r} lists the state {twice!r} twice")
        states[name] = own
    if not states:
        raise located(source, end, "the file declares no variable")
    return states


def _check_definitions(
    source: str,
    definitions: Sequence[Definition[T]],
    states: Mapping[str, tuple[str, ...] | None],
    end: int,
    block: str | None,
) -> dict[str, tuple[Definition[T], Family]]:
    families: dict[str, tuple[Definition[T], Family]] = {}
    total = 0
    for definition in definitions:
        child, parents, line = definition.child, definition.parents, definition.line
        for name in (child, *parents):
            if name not in states:
                raise located(source, line, f"there is no variable {name!r}: {suggest(name, states)}")
        if child in families:
            second = f"a second {block!r} block for {child!r}"
            raise located(source, line, second if block else f"the probabilities of {child!r} are given a second time")
        if len({child, *parents}) <= len(parents):
            raise located(source, line, f"the definition of {child!r} names a variable twice")
        family = _family(source, definition, states)
        total += prod(family.shape)
        if total > current_limits().table_entries:
            raise located(source, line, _too_large(family, total))
        families[child] = definition, family
    for name in states:
        if name not in families:
            missing = (
                f"variable {name!r} has no {block!r} block" if block else f"the probabilities of {name!r} are missing"
            )
            raise located(source, end, missing)
    cycle = find_cycle({child: definition.parents for child, (definition, _) in families.items()})
    if cycle:
        line = families[cycle[0]][0].line
        raise located(source, line, f"the arcs form a cycle: {' -> '.join(cycle)}")
    return families


def _too_large(family: Family, total: int) -> str:
    """What to say of a file whose tables are too large up to this family; nothing of it is allocated yet."""
    own = _counted(prod(family.shape))
    needed = f"the table of {family.child!r} with {len(family.parents)} parents needs {own} numbers"
    if prod(family.shape) < total:
        needed += f", and those up to it {_counted(total)}"
    return f"{needed}: {how_to_raise('table_entries', min(total, 2**62))}"


def _counted(number: int) -> str:
    """A number that may have any number of digits."""
    return str(number) if number < 10**15 else f"about 2^{number.bit_length() - 1}"


def _family(source: str, definition: Definition[T], states: Mapping[str, tuple[str, ...] | None]) -> Family:
    own = states[definition.child]
    given = {p: known for p in definition.parents if (known := states[p]) is not None}
    continuous = tuple(p for p in definition.parents if p not in given)
    if own is not None and continuous:
        wrong = f"{definition.child!r} is discrete and has the continuous parent {continuous[0]!r}"
        raise located(source, definition.line, f"{wrong}, which a network cannot have: discretize {continuous[0]!r}")
    return Family(definition.child, tuple(given), own or (), tuple(given.values()), continuous if own is None else None)


def first_repeated(names: Iterable[str]) -> str:
    """The first name that was there before; one is."""
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value] # None


def find_cycle(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """The variables along a cycle, the first also last; none if there is no cycle."""
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


def read_numbers(text: str) -> Floats | None:
    """The numbers between spaces, or None if not all are numbers; made for millions of them."""
    if not _NUMBER_SIGNS.fullmatch(text):  # float() takes nan, inf and 1_000 as well
        return None
    try:
        return np.array([float(word) for word in text.split()], dtype=np.float64)
    except ValueError:
        return None


def is_number(word: str) -> bool:
    """Whether a word is a number as files write it."""
    return _NUMBER.fullmatch(word) is not None


def check_size(family: Family, found: int) -> str | None:
    """What is wrong with the number of numbers in a whole table."""
    r, q = len(family.states), family.q
    if found == r * q:
        return None
    need = f"{r} states and {q} parent configurations need {r * q}"
    return f"the table of {family.child!r} has {found} numbers, but {need}"


def bad_row(table: Floats, family: Family) -> tuple[int, str] | None:
    """The first row of a table, given as rows or flat, that is no distribution, and what is wrong with it."""
    rows = table.reshape(family.q, len(family.states))
    good = np.isfinite(rows) & (rows >= 0)
    with np.errstate(invalid="ignore", over="ignore"):
        sums = rows.sum(axis=1)
        wrong = ~good.all(axis=1) | ~(np.abs(sums - 1) <= TOLERANCE)
    if not wrong.any():
        return None
    index = int(wrong.argmax())
    if not good[index].all():
        value = float(rows[index][~good[index]][0])
        return index, f"{value!r} is not a probability, in {family.row(index)}"
    return index, f"the numbers of {family.row(index)} sum to {sums[index]:.6g} instead of 1"


def refuse_what_is_not_discrete(network: Network, format: str) -> None:
    """For the writers of formats that hold tables only."""
    if network.kind != "discrete":
        what = "is Gaussian" if network.is_gaussian else "has continuous variables"
        raise InputError(
            f"{format} can only hold discrete networks, and this one {what}: write it as JSON or NET, to a file whose "
            "name ends in .json or .net"
        )
    refuse_empty(network, format)


def refuse_empty(network: Network, format: str) -> None:
    """For the writers of formats that need a variable."""
    if not network.names:
        raise InputError(f"{format} cannot hold a network without variables: write it as JSON")


def table_rows(network: Network, variable: str, separator: str) -> list[str]:
    """The rows of a variable's table as text, every number in the shortest form that reads back as the same float."""
    numbers = map(repr, network.table(variable).probabilities.ravel().tolist())
    return list(map(separator.join, zip(*[numbers] * len(network.states[variable]), strict=True)))
