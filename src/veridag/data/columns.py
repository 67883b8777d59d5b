"""Coded columns, and the names of their states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from veridag._core import PackedStates
from veridag.errors import InputError

Kind = Literal["discrete", "continuous"]
DataKind = Literal["discrete", "continuous", "mixed"]
Array = NDArray[Any]
MAX_STATES = 65_535
INTEGER = re.compile(r"0|-?[1-9][0-9]*")
NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?(?i:inf|infinity|nan)")


@dataclass(frozen=True, eq=False, slots=True)
class Column:
    """One variable: codes of its states if it is discrete, float64 values if it is continuous.

    The array is read-only. It is a copy of the given one, unless that has the right type, is read-only itself and is
    not a view of a writable array.

    Attributes:
        name: The name of the variable.
        kind: "discrete" or "continuous".
        values: The codes or values. Where a value is missing, the array has a meaningless 0.
        states: The states of a discrete variable, in order.
        reason: The rule that decided the kind.
        edges: For a discretized column, the upper edges of all bins except the last.
        observed: Which values are present; all if None.
        indicates: For an indicator column, the column whose missing values it marks.

    See also:
        `Data`, docs/data.md
    """

    name: str
    kind: Kind
    values: Array
    states: tuple[str, ...] = ()
    reason: str = "given"
    edges: tuple[float, ...] = ()
    observed: NDArray[np.bool_] | None = None
    indicates: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"a column name must be a non-empty string, not {self.name!r}")
        if self.kind not in ("discrete", "continuous"):
            raise InputError(f"column {self.name!r}: kind is 'discrete' or 'continuous', not {self.kind!r}")
        values = np.asarray(self.values)
        if values.ndim != 1:
            raise InputError(f"column {self.name!r} must be one-dimensional, not of shape {values.shape}")
        if self.observed is not None:
            observed = _check_observed(self.name, self.observed, len(values))
            object.__setattr__(self, "observed", observed)
            if observed is not None and not np.array_equal(values[~observed], np.zeros(int((~observed).sum()))):
                values = frozen(np.where(observed, values, np.zeros(1, values.dtype)))
        if self.kind == "discrete":
            object.__setattr__(self, "states", check_states(self.name, self.states))
            values = _check_codes(self.name, values, len(self.states))
        else:
            values = _check_values(self.name, values)
        object.__setattr__(self, "values", values)

    @classmethod
    def discrete(
        cls,
        name: str,
        codes: Array,
        states: Iterable[str],
        reason: str = "given",
        edges: Iterable[float] = (),
        observed: NDArray[np.bool_] | None = None,
    ) -> Self:
        """Make a column of codes 0, 1, ... of the states: uint8 for up to 256 states, uint16 for more."""
        return cls(name, "discrete", codes, tuple(states), reason, tuple(edges), observed)

    @classmethod
    def continuous(
        cls, name: str, values: Array, reason: str = "given", observed: NDArray[np.bool_] | None = None
    ) -> Self:
        """Make a column of numbers, finite where they are observed."""
        return cls(name, "continuous", values, (), reason, (), observed)

    @property
    def nrows(self) -> int:
        """The number of rows."""
        return len(self.values)

    def in_order(self, rows: NDArray[np.intp]) -> Array | PackedStates:
        """The values at these rows, in the form that the C++ core uses."""
        return self.values.take(rows)

    def take(self, rows: Array | slice) -> Self:
        """The column at these rows. A slice shares memory."""
        observed = None if self.observed is None else frozen(self.observed[rows])
        return replace(self, values=frozen(self.values[rows]), observed=observed)

    def present(self) -> Self:
        """The column without its missing values."""
        return self if self.observed is None else self.take(self.observed)

    def present_among(self, rows: Array | None) -> Array | None:
        """Values given for each row, such as weights, restricted to the rows of `present`."""
        return rows if rows is None or self.observed is None else rows[self.observed]

    def spread_over(self, observed: NDArray[np.bool_] | None) -> Self:
        """Undo `present`: put the values back at the observed rows, with missing values between them."""
        if observed is None:
            return self
        values = np.zeros(len(observed), self.values.dtype)
        values[observed] = self.values
        return replace(self, values=frozen(values), observed=observed)

    def is_constant(self) -> bool:
        """Whether at most one value is observed."""
        values = self.values if self.observed is None else self.values[self.observed]
        return values.size == 0 or bool(values.min() == values.max())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Column):
            return NotImplemented
        mine, theirs = (self.name, self.kind, self.states), (other.name, other.kind, other.states)
        if mine != theirs or not np.array_equal(self.values, other.values):
            return False
        if self.observed is None or other.observed is None:
            return self.observed is other.observed
        return np.array_equal(self.observed, other.observed)

    __hash__ = None  # type: ignore[assignment] # arrays are not hashable

    def __reduce__(self) -> tuple[Any, ...]:
        given = (self.name, self.kind, self.values, self.states, self.reason, self.edges, self.observed, self.indicates)
        return _restored, given


def _restored(
    name: str,
    kind: Kind,
    values: Array,
    states: tuple[str, ...],
    reason: str,
    edges: tuple[float, ...],
    observed: NDArray[np.bool_] | None = None,
    indicates: str = "",
) -> Column:
    """A column out of a pickle, where numpy forgets that an array was read-only."""
    mask = None if observed is None else frozen(observed)
    return Column(name, kind, frozen(values), states, reason, edges, mask, indicates)


def frozen(array: Array) -> Array:
    """An array that no other code holds, marked as read-only, so that it is used as it is and not copied."""
    array.flags.writeable = False
    return array


def unshared(given: Array, dtype: type[np.generic]) -> Array:
    """A contiguous array of this type that cannot be written to: the given one if it is such an array, or a copy."""
    array = np.ascontiguousarray(given, dtype=dtype)
    if (array is given or array.base is not None) and _can_be_written(array):
        array = array.copy()
    return frozen(array)


def _can_be_written(array: object) -> bool:
    """Whether the array, or one that it is a view of, is writeable; an owner that is no array is trusted."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return False


def check_columns(columns: Sequence[Column]) -> None:
    """Refuse columns that do not belong together: no two have the same name, and all have as many rows."""
    if not columns:
        raise InputError("data needs at least one column")
    names: set[str] = set()
    for c in columns:
        if not isinstance(c, Column):
            raise InputError(f"columns must be Column objects, not {type(c).__name__}: use Data.from_frame for frames")
        if c.name in names:
            raise InputError(f"the column name {c.name!r} occurs twice")
        if c.nrows != columns[0].nrows:
            raise InputError(f"column {c.name!r} has {c.nrows} rows, but {columns[0].name!r} {columns[0].nrows}")
        names.add(c.name)


def check_states(name: str, states: Iterable[str]) -> tuple[str, ...]:
    """The states as a tuple, if they can be the states of a column."""
    states = tuple(states)
    if not states or not all(isinstance(s, str) for s in states):
        raise InputError(f"column {name!r} needs at least one state, and states are strings: got {listed(states)}")
    if len(states) > MAX_STATES:
        raise InputError(f"column {name!r} has {len(states)} states; at most {MAX_STATES} are possible: merge some")
    if len(set(states)) < len(states):
        twice = Counter(states).most_common(1)[0][0]
        raise InputError(f"column {name!r} has the state {twice!r} twice: the states of a column must differ")
    return states


def code_type(arity: int) -> type[np.uint8] | type[np.uint16]:
    """The smallest type that holds the codes of this number of states."""
    return np.uint8 if arity <= 256 else np.uint16


def _check_observed(name: str, given: Array, nrows: int) -> NDArray[np.bool_] | None:
    """The mask of observed values; None if all are."""
    observed = np.asarray(given)
    if observed.dtype != np.bool_ or observed.shape != (nrows,):
        raise InputError(
            f"column {name!r}: observed must hold True or False for each of the {nrows} rows, not {observed.dtype} of "
            f"shape {observed.shape}"
        )
    return None if observed.all() else unshared(observed, np.bool_)


def _check_codes(name: str, codes: Array, arity: int) -> Array:
    if codes.dtype.kind not in "iu":
        raise InputError(f"the codes of column {name!r} must be integers, not {codes.dtype}")
    if codes.size and (codes.min() < 0 or codes.max() >= arity):
        wrong = codes[(codes < 0) | (codes >= arity)][0]
        raise InputError(f"column {name!r} has the code {wrong}, but its {arity} states are coded 0 to {arity - 1}")
    return unshared(codes, code_type(arity))


def _check_values(name: str, values: Array) -> NDArray[np.float64]:
    if values.dtype.kind not in "iuf":
        raise InputError(f"the values of continuous column {name!r} must be numbers, not {values.dtype}")
    values = unshared(values, np.float64)
    finite = np.isfinite(values)
    if not finite.all():
        count, first = int((~finite).sum()), values[~finite][0]
        raise InputError(
            f"column {name!r} has {count} values that are not finite, the first is {first}: remove these rows, or "
            "list the value in missing_values= and pass missing='drop'"
        )
    return values


def state_name(value: object) -> str:
    """A value as the name of a state: 1, 1.0 and "1" are "1", True is "True"."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, Integral):
        if int(value).bit_length() > 10_000:  # Python prints no more than 4300 digits
            raise InputError(f"an integer of {int(value).bit_length()} bits is too long for the name of a state")
        return str(int(value))
    if isinstance(value, Real):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def listed(values: Iterable[object], most: int = 10) -> str:
    """Values for a message: the first ones, and how many more there are."""
    shown = [repr(v) for v in values]
    return ", ".join(shown[:most]) + (f" and {len(shown) - most} more" if len(shown) > most else "") or "none"


def in_order(labels: Iterable[str]) -> list[str]:
    """Sorted, by number if all are numbers in plain form."""
    labels = list(labels)
    if all(map(INTEGER.fullmatch, labels)):
        return sorted(labels, key=Decimal if any(len(label) > 4000 for label in labels) else int)
    if all(map(NUMBER.fullmatch, labels)):
        return sorted(labels, key=lambda v: (float(v), v))
    return sorted(labels)
