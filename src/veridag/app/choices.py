"""A click on the page as a change of `TableSettings`, and the remedies of the library as such clicks.

A change is a mapping from the fields of `TableSettings`: ``{"kinds": {"age": "continuous"}, "drop": {"name": True}}``.
Where a field is about columns, only those that are named change; None or False takes back what was chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from veridag.data.settings import TableSettings
from veridag.errors import InputError, Setting

Change = Mapping[str, Any]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_kind(value: object) -> bool:
    return value in ("discrete", "continuous")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_names(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53


#: What a column may be given in each field, and the lists of columns.
_BY_COLUMN: Mapping[str, Callable[[object], bool]] = {
    "kinds": _is_kind,
    "states": _are_texts,
    "missing_values": _are_texts,
    "merge_states": _are_names,
    "discretize": _is_text,
    "transform": _is_text,
    "merge_rare": _is_count,
}
_LISTS = ("drop", "as_written")
_SINGLE = ("group", "weights", "targets", "missing", "separator", "decimal", "encoding", "sheet")


def changed(settings: TableSettings, change: object) -> TableSettings:
    """The settings after a click; what they mean for the table is found out when it is read."""
    if not isinstance(change, dict) or not change:
        raise InputError("A change must say what is to be chosen.")
    new: dict[str, Any] = {}
    for field, value in change.items():
        if field in _SINGLE:
            if not (value is None or _is_text(value)):
                raise _senseless(field, value)
            new[field] = value or None
        elif field not in (*_BY_COLUMN, *_LISTS) or not isinstance(value, dict):
            raise _senseless(field, value)
        elif field in _LISTS:
            listed = dict.fromkeys(getattr(settings, field))
            for name, wanted in value.items():
                listed.pop(name, None)
                listed |= {name: None} if wanted else {}
            new[field] = tuple(listed)
        else:
            new[field] = _with_columns(field, getattr(settings, field), value)
    return replace(settings, **new)


def _with_columns(field: str, kept: Any, given: Mapping[str, Any]) -> dict[str, Any] | None:
    columns = dict(kept) if isinstance(kept, Mapping) else {}
    for name, value in given.items():
        if value is not None and not _BY_COLUMN[field](value):
            raise _senseless(field, {name: value})
        before = columns.pop(name, None)
        if field == "merge_states" and value:
            columns[name] = {**(before or {}), **value}
        elif field == "missing_values" and value:
            columns[name] = [*dict.fromkeys((*(before or ()), *value))]
        elif value:
            columns[name] = value
    return columns or None


def _senseless(field: str, value: object) -> InputError:
    return InputError(f"{field!r} cannot be {str(value)[:100]!r}: reload the page and choose again.")


def remedy_of(change: str) -> dict[str, Any] | None:
    """The button for what the library proposes: what it says, and the change that it makes."""
    if not isinstance(change, Setting):
        return None
    field, value = change.argument, change.value
    if field in _LISTS and isinstance(value, Sequence):
        wanted: dict[str, Any] = dict.fromkeys(value, True)
    elif field in _BY_COLUMN and isinstance(value, Mapping) and len(value) == 1:
        wanted = {name: list(given) if isinstance(given, set | tuple) else given for name, given in value.items()}
    else:
        return None
    return {"label": _label(field, next(iter(wanted.values()))), "change": {field: wanted}}


def _label(field: str, value: Any) -> str:
    """What happens on a click."""
    if field == "kinds":
        return "Use it as numbers" if value == "continuous" else "Use it as categories"
    if field == "transform":
        return "Take its logarithm" if value == "log" else "Use its ranks"
    if field == "merge_rare":
        return f"Merge states seen fewer than {value} times"
    if field == "missing_values":
        return f"Take {_listed(value)} as missing"
    if field == "merge_states":
        return f"Merge {_listed([f'{old} into {new}' for old, new in value.items()])}"
    return "Leave it out" if field == "drop" else "Keep it as it is written"


def _listed(texts: Sequence[object], most: int = 4) -> str:
    shown = [f"“{text}”" for text in texts[:most]]
    more = len(texts) - most
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
