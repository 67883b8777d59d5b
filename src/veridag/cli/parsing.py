"""What options say about columns, from text: names, pairs and lists."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Any

from veridag.errors import InputError


def names_of(given: list[str] | None) -> tuple[str, ...]:
    """Names separated by commas, in one or several options; one with a comma in it stands in double quotes."""
    return tuple(name.strip() for text in given or [] for name in next(csv.reader([text], skipinitialspace=True)))


def pairs_of(given: list[str] | None, option: str, form: str) -> dict[str, str]:
    """NAME=VALUE of several options."""
    return dict(split(item, option, form) for item in given or [])


def states_of(given: list[str] | None) -> dict[str, Any] | None:
    """States by column; a word without = names a network."""
    states: dict[str, Any] = {}
    for item in given or []:
        if "=" in item:
            name, listed = split(item, "states", "COLUMN=A,B")
            states[name] = names_of([listed])
        else:
            states |= _states_of_network(item)
    return states or None


def _states_of_network(name: str) -> Mapping[str, Any]:
    from .inputs import load_network

    try:
        return load_network(name).states
    except InputError as error:
        if "." in name or "/" in name:  # a file, and no column
            raise
        raise InputError(
            f"--states {name}: {error}; declare the states of a column as {name}=A,B; `veridag describe --counts "
            f"{name}` lists those that occur"
        ) from None


def missing_values_of(given: list[str] | None) -> tuple[str, ...] | dict[str, list[str]] | None:
    """One list for all columns, or lists by column."""
    by_column: dict[str, list[str]] = {}
    for item in given or []:
        name, _, listed = item.rpartition("=")
        if name:
            by_column.setdefault(name, []).extend(_members(listed))
        elif len(given or []) > 1:
            raise InputError(
                f"--missing-values {item}: it replaces the usual texts in all columns: give it alone, or name "
                f"columns; *={item} adds to the usual texts in all columns"
            )
        else:
            return tuple(_members(item))
    return by_column or None


def _members(text: str) -> list[str]:
    """Texts separated by commas, as they are; one with a comma in it stands in double quotes."""
    return next(csv.reader([text])) if text else [""]


def merge_states_of(given: list[str] | None) -> dict[str, dict[str, str]] | None:
    """New names of states by column; a backslash before a mark makes it part of a name."""
    merged: dict[str, dict[str, str]] = {}
    for item in given or []:
        *column, listed = _parts("=", item)
        pairs = [_parts(":", pair) for pair in _parts(",", listed)]
        if not column or not all(len(pair) == 2 and pair[0] for pair in pairs):
            raise InputError(f"--merge-states takes COLUMN=OLD:NEW,OLD:NEW, as in smoker=y:yes,Y:yes, not {item!r}")
        renamed = {_unescaped(old): _unescaped(new) for old, new in pairs}
        merged.setdefault(_unescaped("=".join(column)), {}).update(renamed)
    return merged or None


def _parts(mark: str, text: str) -> list[str]:
    """The parts between marks that have no backslash before them."""
    parts = [""]
    for piece in re.findall(r"\\.|.", text, re.DOTALL):
        if piece == mark:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _unescaped(text: str) -> str:
    return re.sub(r"\\([\\:,=])", r"\1", text)


def discretize_of(given: list[str] | None) -> str | dict[str, str] | None:
    """One method for all columns, or methods by column."""
    from veridag.data.discretization import METHODS

    # Names of columns may hold brackets and signs of their own, so the method is what comes to the end after a =.
    of_column = re.compile(rf"(.+?)=((?:{'|'.join(METHODS)})(?:\(.*\))?)|(.+?)=([a-z_]+(?:\(.*\))?)", re.DOTALL)
    pairs: dict[str, str] = {}
    for item in given or []:
        name, _, _ = item.partition("(")
        match = None if name.strip() in METHODS else of_column.fullmatch(item)
        if match is None and len(given or []) > 1:
            raise InputError(f"--discretize {item}: it applies to all columns: give it alone, or name columns")
        if match is None:
            return item
        pairs[match[1] or match[3]] = match[2] or match[4]
    return pairs or None


def integer_of(option: str, text: str) -> int:
    """An integer, or an error that names the option."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"--{option}: {text!r} is not an integer") from None


def rows_of(text: str | None) -> int | tuple[int, int] | None:
    """N rows, or those from A to B."""
    if text is None:
        return None
    first, colon, last = text.partition(":")
    return (integer_of("rows", first or "0"), integer_of("rows", last)) if colon else integer_of("rows", first)


def split(text: str, option: str, form: str) -> tuple[str, str]:
    """The two sides of NAME=VALUE; a name may hold the sign too."""
    name, found, value = text.rpartition("=")
    if not found or not name:
        raise InputError(f"--{option} takes {form}, not {text!r}")
    return name, value
