"""What is asked for: the effect of which variable on which, between which values, and in which rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veridag.checks import is_number
from veridag.data import Data
from veridag.errors import InputError, suggest
from veridag.graph import DAG, PDAG

if TYPE_CHECKING:
    from .sample import Sample

Value = str | float


@dataclass(frozen=True)
class Question:
    """What is asked about an effect.

    Attributes:
        x: The cause: the variable that is set.
        y: The outcome variable.
        values: The two values of x to compare.
        outcome: The state of a discrete y.
        given: Values of other variables: the effect among these rows.

    See also:
        `effect`, docs/effects.md
    """

    x: str
    y: str
    values: tuple[Value, Value] | None = None
    outcome: str | None = None
    given: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(
        cls,
        data: Data,
        graph: DAG | PDAG | None,
        x: str,
        y: str,
        values: Sequence[Value] | None = None,
        outcome: str | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Question:
        """The question, if the data and the graph have the variables and their values."""
        given = {} if given is None else given
        if not isinstance(given, Mapping):
            raise InputError(f"given={given!r} must map names to values, such as {{'sex': 'f'}}")
        for argument, name in (("x", x), ("y", y), *(("given", name) for name in given)):
            check_variable(argument, name, data, graph)
        if x == y:
            raise InputError(f"x and y are both {x!r}: give two variables")
        for name in (x, y):
            if name in given:
                raise InputError(f"given: {name!r} is the variable that is set or looked at: leave it out")
        fixed = tuple((name, _checked_value(f"given[{name!r}]", name, given[name], data)) for name in sorted(given))
        return cls(x, y, _checked_pair(x, values, data), _checked_outcome(y, outcome, data), fixed)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of the question itself."""
        return (self.x, self.y, *(name for name, _ in self.given))

    def x_is_continuous(self, sample: Sample) -> bool:
        """Whether the effect is a slope."""
        return self.x not in sample.states

    def compared(self, sample: Sample) -> tuple[str, ...]:
        """The states of a discrete x that are compared with the first of them: the two values, or all observed."""
        if self.values is not None:
            return tuple(str(value) for value in self.values)
        seen = set(sample.columns[self.x].tolist())
        observed = tuple(state for code, state in enumerate(sample.states[self.x]) if code in seen)
        if len(observed) < 2:
            raise InputError(
                f"x: {self.x!r} is {observed[0]!r} in every row that can be used: there is nothing to compare"
            )
        return observed

    def outcomes(self, sample: Sample) -> tuple[tuple[str | None, int], ...]:
        """The states of a discrete y that are looked at, each with its column; of two states the last says all."""
        if self.y not in sample.states:
            return ((None, 0),)
        states = sample.states[self.y]
        if self.outcome is not None:
            return ((self.outcome, states.index(self.outcome)),)
        first = 1 if len(states) == 2 else 0
        return tuple(reversed([(state, k) for k, state in enumerate(states)][first:]))


def check_variable(argument: str, name: str, data: Data, graph: DAG | PDAG | None) -> None:
    """Refuse a variable that the data or the graph does not have."""
    if not isinstance(name, str):
        raise InputError(f"{argument}={name!r} must be the name of a variable")
    if name not in data.names:
        raise InputError(f"{argument}: the data has no column {name!r}: {suggest(name, data.names)}")
    if graph is not None and name not in graph.names:
        raise InputError(f"{argument}: the graph has no variable {name!r}: {suggest(name, graph.names)}")


def _checked_value(argument: str, name: str, value: object, data: Data) -> Value:
    if name in data.states:
        if str(value) not in data.states[name]:
            raise InputError(f"{argument}: {name!r} has no state {value!r}: {suggest(str(value), data.states[name])}")
        return str(value)
    try:
        number = float(value) if is_number(value) or isinstance(value, str) else None
    except ValueError:
        number = None
    if number is None:
        raise InputError(f"{argument}={value!r} must be a number, since {name!r} is continuous")
    return number


def _checked_pair(x: str, values: Sequence[Value] | None, data: Data) -> tuple[Value, Value] | None:
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Sequence) or len(values) != 2:
        raise InputError(f"values={values!r} must be two values of {x!r}: the one to compare with, then the other")
    first, second = (_checked_value("values", x, value, data) for value in values)
    if first == second:
        raise InputError(f"values={values!r} must be two different values of {x!r}")
    return first, second


def _checked_outcome(y: str, outcome: str | None, data: Data) -> str | None:
    if outcome is None:
        return None
    if y not in data.states:
        raise InputError(f"outcome={outcome!r}: {y!r} is continuous and has no states: leave it out")
    return str(_checked_value("outcome", y, outcome, data))
