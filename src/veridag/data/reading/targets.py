"""The targets of interventions, as a column of a table, a list or a mapping from conditions says them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.data.columns import state_name
from veridag.data.packed import unpacked
from veridag.data.targets import Targets, TargetSet, names_in
from veridag.errors import InputError, setting, speaks_flags, suggest

from .raw import Levels, RawTable
from .rules import Rules, names_column

#: What separates several names in one field, and what stands for none of them.
_SEPARATOR = re.compile(r"\s*[;+]\s*")
_NONE = "none"


def read_targets(
    table: RawTable, rules: Rules, levels: Callable[[str], Levels], keep: NDArray[np.bool_] | None
) -> Targets | None:
    """What was set in the rows that are kept; `levels` has a column of the table as texts.

    A name may be one of any column of the table. Those that are no variables are left out later, with a note.
    """
    given = rules.targets
    if given is None:
        return None
    known = table.names or tuple(raw.name for raw in table.columns)
    column = rules.target_column
    if column is not None:
        own = levels(column)
        meaning = _by_condition(own, rules) if isinstance(given, Mapping) else _by_name(own, rules, known)
        found = Targets(meaning, unpacked(own.codes))
    else:
        assert not isinstance(given, str | Mapping)
        found = Targets.of_rows(given)
    found.check(known, table.nrows)
    return found if keep is None else found.take(keep)


def _by_name(own: Levels, rules: Rules, known: Sequence[str]) -> list[TargetSet]:
    """The variables that each field of a column names."""
    absent = own.absent(rules)
    return [
        () if gone or label is None else _split(label, own.name, known)
        for label, gone in zip(own.labels, absent, strict=True)
    ]


def _split(label: str, column: str, known: Sequence[str]) -> TargetSet:
    text = label.strip()
    if text in known:
        return (text,)
    if text.lower() in ("", _NONE):
        return ()
    names = [name for name in _SEPARATOR.split(text) if name]
    for name in names:
        if name not in known:
            where = (
                "in the file next to the table" if speaks_flags() else f"targets={{{column!r}: {{{label!r}: [...]}}}}"
            )
            clause = suggest(name, [other for other in known if other != column])
            raise InputError(
                f"{setting('targets', column)}: the value {label!r} of that column names {name!r}, which is not a "
                f"column of the table: {clause}{'' if clause.endswith('?') else '.'} If it is a condition, declare "
                f"{where} which variables were set in it"
            )
    return tuple(names)


def _by_condition(own: Levels, rules: Rules) -> list[TargetSet]:
    """The variables that were set in each condition of a column."""
    given: Any = rules.targets
    mapping = given[own.name] if names_column(given) else given
    said = {state_name(label): names_in(names) for label, names in mapping.items()}
    absent = own.absent(rules)
    seen = own.counts() > 0
    labels = [None if gone else label for label, gone in zip(own.labels, absent, strict=True)]
    present = [label for label, occurs in zip(labels, seen, strict=True) if label is not None and occurs]
    for label in said:
        if label not in present:
            raise InputError(
                f"targets= names the condition {label!r}, which is not a value of column {own.name!r}: "
                f"{suggest(label, present)}"
            )
    for label in present:
        if label not in said:
            raise InputError(
                f"targets= does not declare what was set where {own.name!r} is {label!r}: add {label!r}: [] for nothing"
            )
    return [() if label is None else said.get(label, ()) for label in labels]
