"""Choosing the method for each column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from veridag.data.columns import Column
from veridag.errors import InputError, setting, suggest

from .base import Method
from .specs import parse_method

#: One method for all columns, or methods by column.
Choice = str | Method | Mapping[str, str | Method]


def choose(
    columns: Mapping[str, Column], choice: Choice, named: Iterable[str] | None = None, argument: str = "discretize"
) -> dict[str, Method]:
    """The method of each column to cut: of those that are named, or of all continuous ones.

    Messages name the argument.
    """
    if isinstance(choice, Mapping):
        methods = {name: parse_method(spec, argument) for name, spec in choice.items()}
    else:
        method = parse_method(choice, argument)
        wanted = [c.name for c in columns.values() if c.kind == "continuous"] if named is None else list(named)
        methods = dict.fromkeys(wanted, method)
    for name in methods:
        if name not in columns:
            raise InputError(f"{setting(argument)}: there is no column {name!r}: {suggest(name, columns)}")
        if columns[name].kind == "discrete":
            raise InputError(f"{setting(argument)}: column {name!r} is discrete already: name continuous columns only")
    return methods


def with_bins(choice: Choice, bins: Any) -> Choice:
    """A method that was named alone, with this number of bins; None leaves it as it is."""
    if bins is None:
        return choice
    if isinstance(choice, Mapping | Method) or "(" in choice:
        raise InputError(f"bins={bins!r} and method={choice!r}: give the number of bins once, in the method")
    method = parse_method(choice, "method")
    if "bins" not in [field.name for field in fields(method)]:
        raise InputError(f"bins={bins!r}: the method {choice!r} finds the number of bins itself: leave it out")
    changed: Method = replace(method, bins=bins)
    return changed
