"""What the user decides about reading: states, kinds, group, weights, and what counts as missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

from veridag.checks import OneOf
from veridag.data.columns import Array, Kind, check_states, state_name
from veridag.errors import InputError

Missing = Literal["error", "state", "drop", "keep", "indicator"]
MISSING_VALUES = ("", "NA", "N/A", "n/a", "<NA>", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
MISSING_STATE = "missing"
ALL_COLUMNS = "*"  # in missing_values by column


@dataclass(frozen=True)
class Rules:
    """What the user decides about reading columns, checked once and brought into one form.

    ``missing=None`` is an error where a value is missing, or, unless ``strict``, kept as missing. Then rows without a
    group or a weight are left out, and missing values in a column that has no more than one value are a state.
    ``missing_values`` as a list replaces `MISSING_VALUES`; by column it adds to them, and ``"*"`` means all columns.
    """

    states: Mapping[str, Iterable[object]] | None = None
    kinds: Mapping[str, Kind] | None = None
    group: str | None = None
    weights: str | Array | Sequence[int] | None = None
    missing: Missing | None = None
    missing_values: Collection[object] | Mapping[str, Collection[object]] | None = None
    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()
    as_written: Sequence[str] = ()
    merge_states: Mapping[str, Mapping[str, object]] | None = None
    decimal: str | None = None
    strict: bool = True
    targets: str | Sequence[object] | Mapping[Any, Any] | None = None

    def __post_init__(self) -> None:
        states = {str(name): _declared(str(name), given) for name, given in _mapping("states", self.states)}
        kinds = {str(name): kind for name, kind in _mapping("kinds", self.kinds)}
        for name, kind in kinds.items():
            if not isinstance(kind, str) or kind not in ("discrete", "continuous"):
                raise InputError(f"kinds={{{name!r}: {kind!r}}}: a kind is 'discrete' or 'continuous'")
            if kind == "continuous" and name in states:
                raise InputError(
                    f"column {name!r} has declared states= but is 'continuous' in kinds=: give only one of them"
                )
        if self.missing is not None:
            OneOf(get_args(Missing))("missing", self.missing)
        if self.decimal is not None:
            OneOf((".", ","))("decimal", self.decimal)
        if self.missing_values is not None:
            object.__setattr__(self, "missing_values", _missing_values(self.missing_values))
        merged = {str(name): _merged(str(name), given) for name, given in _mapping("merge_states", self.merge_states)}
        object.__setattr__(self, "merge_states", merged)
        for argument in ("columns", "drop", "as_written"):
            object.__setattr__(self, argument, _names(argument, getattr(self, argument)))
        if self.group is not None and not isinstance(self.group, str):
            raise InputError(f"group={self.group!r} must be the name of a column, as a string")
        if self.group is not None and self.group == self.weight_column:
            raise InputError(f"column {self.group!r} cannot be both group= and weights=")
        if self.target_column is not None and self.target_column == self.weight_column:
            raise InputError(f"column {self.target_column!r} cannot be both targets= and weights=")
        object.__setattr__(self, "states", states)
        object.__setattr__(self, "kinds", kinds)

    def tokens(self, name: str = ALL_COLUMNS) -> frozenset[str]:
        """The texts that mean missing in a column, or in all columns."""
        given: Any = self.missing_values
        if given is None or isinstance(given, Mapping):
            own = given or {}
            return frozenset((*MISSING_VALUES, *own.get(ALL_COLUMNS, ()), *own.get(name, ())))
        return frozenset(given)

    @property
    def adds_missing(self) -> bool:
        """Whether what the user says of missing values is added to the usual texts, column by column."""
        return self.missing_values is None or isinstance(self.missing_values, Mapping)

    def said_missing(self, name: str) -> frozenset[str]:
        """Those of these texts that the user named."""
        given: Any = self.missing_values or ()
        if isinstance(given, Mapping):
            return frozenset((*given.get(ALL_COLUMNS, ()), *given.get(name, ())))
        return frozenset(given)

    @property
    def keeps_gaps(self) -> bool:
        """Whether missing values stay missing."""
        return self.missing in (None, "keep", "indicator")

    def mergers(self, name: str) -> Mapping[str, str]:
        """Which states of a column become which."""
        return (self.merge_states or {}).get(name, {})  # type: ignore[return-value] # see __post_init__

    @property
    def weight_column(self) -> str | None:
        """The column of weights, if they are in one; an array must not be compared with names."""
        return self.weights if isinstance(self.weights, str) else None

    @property
    def target_column(self) -> str | None:
        """The column that says what was set in a row, if one does."""
        given = self.targets
        if given is None or isinstance(given, str):
            return given
        if not isinstance(given, Mapping):
            if isinstance(given, bytes) or not isinstance(given, Iterable):
                raise InputError(
                    f"targets={given!r} must be the name of a column, a list with one entry for each row, or a "
                    "dictionary from conditions to the names of the variables set in them"
                )
            return None
        if names_column(given):
            return str(next(iter(given)))
        if self.group is None:
            raise InputError(
                f"targets={given!r}: name the column of these conditions, such as targets={{'condition': {{'drug': "
                "['A'], 'control': []}}, or in group="
            )
        return self.group

    def read_by(self, name: str) -> tuple[object, ...]:
        """All that the raw column of this name depends on when a file is read whole, except the file itself."""
        return self.tokens(name), self.kind(name), name in self.as_written

    def about(self, name: str) -> Rules:
        """What is decided about this variable alone; equal for two rules that differ in other columns."""
        given: Any = self.missing_values
        if isinstance(given, Mapping):
            given = {column: given[column] for column in (ALL_COLUMNS, name) if column in given} or None
        return replace(
            self,
            states=_only(self.states, name),
            kinds=_only(self.kinds, name),
            merge_states=_only(self.merge_states, name),
            missing_values=given,
            as_written=(name,) if name in self.as_written else (),
            columns=None,
            drop=(),
            group=None,
            weights=None,
            targets=None,
        )

    @cached_property
    def memory_key(self) -> tuple[object, ...]:
        """Equal for two rules that say the same of one column; see `about` and `veridag.data.remembering`."""
        return (
            self.strict,
            self.missing,
            self.decimal,
            self.as_written,
            *self.roles,
            *map(_hashable, (self.states, self.kinds, self.merge_states, self.missing_values)),
        )

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The columns that are no variables: those of groups, weights and targets."""
        return self.group, self.weight_column, self.target_column

    def wants(self, name: str) -> bool:
        """Whether a column is used at all."""
        if name in self.roles:
            return True
        return name not in self.drop and (self.columns is None or name in self.columns)

    def declared(self, name: str) -> tuple[str, ...] | None:
        """The states the user declared for a column."""
        return self.states.get(name) if self.states else None  # type: ignore[return-value] # see __post_init__

    def kind(self, name: str) -> Kind | None:
        """The kind the user wants for a column; a group is always discrete."""
        if name in (self.group, self.target_column) or self.declared(name) is not None:
            return "discrete"
        if name == self.weight_column:
            return "continuous"
        return self.kinds.get(name) if self.kinds else None


def _only(given: Mapping[str, Any] | None, name: str) -> dict[str, Any] | None:
    return {name: given[name]} if given and name in given else None


def _hashable(value: Any) -> Any:
    """A value with the same content that a dictionary can have as a key; the order counts."""
    if isinstance(value, Mapping):
        return tuple((key, _hashable(item)) for key, item in value.items())
    return value


def names_column(targets: Mapping[Any, Any]) -> bool:
    """Whether a dictionary of targets names the column of the conditions, and not the conditions themselves."""
    return len(targets) == 1 and all(isinstance(value, Mapping) for value in targets.values())


def _names(argument: str, given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{argument}={given!r} must be a list of column names")
    return tuple(map(str, given))


def _mapping(argument: str, given: Mapping[str, Any] | None) -> Iterable[tuple[str, Any]]:
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{argument}={given!r} must be a dictionary from column names")
    return (given or {}).items()


def _missing_values(given: Any) -> frozenset[str] | dict[str, frozenset[str]]:
    if isinstance(given, Mapping):
        return {str(name): _tokens({name: values}, values) for name, values in given.items()}
    return _tokens(given, given)


def _tokens(shown: object, given: Any) -> frozenset[str]:
    if isinstance(given, str):
        raise InputError(f"missing_values={shown!r} must be a list of strings: [{given!r}]")
    if isinstance(given, bytes | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"missing_values={shown!r} must be a list of strings or numbers; [] for none")
    return frozenset(map(state_name, given))


def _merged(name: str, given: Any) -> dict[str, str]:
    if not isinstance(given, Mapping):
        raise InputError(
            f"merge_states={{{name!r}: {given!r}}}: give the new name of each state, as in {{{name!r}: {{'y': 'yes'}}}}"
        )
    named = {state_name(old): state_name(new) for old, new in given.items()}
    return {old: _end_of(old, named) for old in named}


def _end_of(state: str, new_names: Mapping[str, str]) -> str:
    """What a state becomes in the end: f becomes F, and F female. In a circle one step counts."""
    seen = {state}
    following = new_names[state]
    while following in new_names and following not in seen:
        seen.add(following)
        following = new_names[following]
    return new_names[state] if following == state else following


def _declared(name: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str | bytes | set | frozenset | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"states={{{name!r}: {given!r}}}: give the states as a list, in order")
    return check_states(name, map(state_name, given))
