"""Checks of arguments: one set for functions and for the fields of every score, prior, test and algorithm.

A check is called with the name of an argument and its value. It returns the value in the form that the code needs, so
that a numpy integer becomes an int, or raises `InputError`, which names the argument, the value and the remedy. A
boolean is never a number. The fields of a dataclass declare their checks, and `check_fields` applies them::

    @dataclass(frozen=True)
    class Tabu(Algorithm):
        tabu: int = field(default=10, metadata=checked(Integer(least=1)))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, Protocol, TypeGuard

from .errors import InputError

_CHECK = "check"
_MOST = 2**63 - 1  # what the core takes


class Check(Protocol):
    """The form of a check; the module describes it."""

    def __call__(self, name: str, value: object, /) -> Any:
        """The value as the code wants it; raises `InputError` if it is not acceptable."""


@dataclass(frozen=True)
class Integer:
    """An integer from `least` to `most`, of any integer type."""

    least: int = 0
    most: int | None = None

    def __call__(self, name: str, value: object, /) -> int:
        """The value as an int."""
        if not is_integer(value):
            raise InputError(f"{name}={value!r} must be {self}")
        number = int(value)
        if number > _MOST and self.most is None:
            raise InputError(f"{name}={_shown(number)} must be {Integer(self.least, _MOST)}")
        if not self.least <= number <= (_MOST if self.most is None else self.most):
            raise InputError(f"{name}={_shown(number)} must be {self}")
        return number

    def __str__(self) -> str:
        if self.most is None:
            return f"an integer of at least {self.least}"
        return f"an integer from {self.least} to {_integer_text(self.most)}"


@dataclass(frozen=True)
class IntegralNumber(Integer):
    """An integer of any numeric type: 1e4 is 10000, for numbers that people write with an exponent."""

    def __call__(self, name: str, value: object, /) -> int:
        """The value as an int."""
        if is_number(value) and not is_integer(value) and float(value).is_integer():
            value = int(value)
        return super().__call__(name, value)


@dataclass(frozen=True)
class Number:
    """A finite number from `least` to `most`, or strictly between `above` and `below`; messages show the `example`.

    With `keep_integers` an integer stays an int, so that the repr of a value is what the user wrote.
    """

    least: float = -inf
    most: float = inf
    above: float = -inf
    below: float = inf
    example: float = 1
    keep_integers: bool = False

    def __call__(self, name: str, value: object, /) -> float:
        """The value as a float, or as an int where integers are kept."""
        if not is_number(value) or not self._admits(_as_float(value)):
            value = _shown(int(value)) if is_integer(value) else repr(value)
            raise InputError(f"{name}={value} must be {self}, such as {name}={self.example:g}")
        return int(value) if self.keep_integers and is_integer(value) else float(value)

    def _admits(self, value: float) -> bool:
        inside = self.least <= value <= self.most and self.above < value < self.below
        return inside and -inf < value < inf

    def __str__(self) -> str:
        if self.least > -inf and self.most < inf:
            return f"a number from {self.least:g} to {self.most:g}"
        if self.above > -inf and self.below < inf:
            return f"a number between {self.above:g} and {self.below:g}"
        words = {"of at least": self.least, "above": self.above, "of at most": self.most, "below": self.below}
        limits = " and ".join(f"{word} {limit:g}" for word, limit in words.items() if abs(limit) < inf)
        return f"a finite number {limits}".rstrip()


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    values: tuple[object, ...]

    def __call__(self, name: str, value: object, /) -> Any:
        """Return the value that equals the given one. numpy texts are texts, and True is not 1."""
        for known in self.values:
            if isinstance(value, type(known)) and isinstance(value, bool) == isinstance(known, bool) and value == known:
                return known
        raise InputError(f"{name}={value!r} must be {self}")

    def __str__(self) -> str:
        *others, last = map(repr, self.values)
        return f"{', '.join(others)} or {last}" if others else last


@dataclass(frozen=True)
class Instance:
    """A value of a type; `description` says which in messages, such as "a score, such as BIC()"."""

    type: type
    description: str

    def __call__(self, name: str, value: object, /) -> Any:
        """The value itself."""
        if not isinstance(value, self.type):
            raise InputError(f"{name}={value!r} must be {self.description}")
        return value

    def __str__(self) -> str:
        return self.description


@dataclass(frozen=True)
class Optional:
    """None, or what another check accepts."""

    check: Check

    def __call__(self, name: str, value: object, /) -> Any:
        """None, or the value as the other check returns it."""
        if value is None:
            return None
        try:
            return self.check(name, value)
        except InputError as error:
            raise InputError(f"{error}, or None") from None

    def __str__(self) -> str:
        return f"{self.check}, or None"


@dataclass(frozen=True)
class Several:
    """Values that another check accepts, `least` of them or more, as a tuple."""

    check: Check
    least: int = 0

    def __call__(self, name: str, value: object, /) -> tuple[Any, ...]:
        """Return the values as a tuple. A single value is not accepted as several."""
        if not isinstance(value, list | tuple) or len(value) < self.least:
            raise InputError(f"{name}={value!r} must be {self}")
        return tuple(self.check(f"{name}[{i}]", each) for i, each in enumerate(value))

    def __str__(self) -> str:
        number = f"{self.least} or more, " if self.least else ""
        return f"a list of {number}each of them {self.check}"


#: What every function that takes one accepts as `seed`, `jobs`, `seconds`, `max_indegree` and `progress`, and switches.
SEED = Integer(0, 2**64 - 1)
JOBS = Integer(1, 2**31 - 1)
SECONDS = Optional(Number(least=0, example=60))
MAX_INDEGREE = Optional(Integer(0))
BOOLEAN = OneOf((True, False))
PROGRESS = Optional(Instance(Callable, "a function of what, done, total and extra"))  # type: ignore[arg-type] # abstract


TEXT = Instance(str, "a text")


def texts(name: str, value: object) -> tuple[str, ...]:
    """Texts in a list, a tuple or another collection. A single text is not accepted as several."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) != 1:
        raise InputError(f"{name}={value!r} must be a list of strings")
    return tuple(TEXT(f"{name}[{i}]", each) for i, each in enumerate(value))


def is_integer(value: object) -> TypeGuard[int]:
    """Whether the value is an integer of any type, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[float]:
    """Whether the value is a real number of any type, and not a boolean."""
    return isinstance(value, Real) and not isinstance(value, bool)


def checked(check: Check) -> dict[str, Check]:
    """The metadata of a field of a dataclass: how its value is checked."""
    return {_CHECK: check}


def check_fields(value: Any) -> None:
    """Apply the checks that the fields of a frozen dataclass declare, and keep the values as the checks return them."""
    for own in fields(value):
        check = own.metadata.get(_CHECK)
        if check is not None:
            object.__setattr__(value, own.name, check(own.name, getattr(value, own.name)))


class Checked:
    """A frozen dataclass whose fields are checked when it is made; a subclass with rules of its own extends it."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __post_init__(self) -> None:
        """Check every field that declares how."""
        check_fields(self)


def _as_float(value: float) -> float:
    """The value as a float; what is beyond all floats is infinite."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def _shown(number: int) -> str:
    """A number in a message; Python refuses to print one of more than 4300 digits."""
    return str(number) if number.bit_length() < 10_000 else f"a number of {number.bit_length()} bits"


def _integer_text(value: int) -> str:
    power = value.bit_length()
    return f"2^{power} - 1" if value > 10**9 and value == 2**power - 1 else str(value)
