"""The names of variables."""

from __future__ import annotations

from collections.abc import Iterable

from veridag.errors import InputError


def default_names(n: int) -> tuple[str, ...]:
    """X1, X2, ..., Xn."""
    return tuple(f"X{i + 1}" for i in range(n))


def check_names(names: object) -> tuple[str, ...]:
    """The names as a tuple, if each is text, not empty, and there only once."""
    if not isinstance(names, Iterable):
        raise InputError(f"names={names!r} must be a list of strings, one for each variable")
    checked = tuple(names)
    for name in checked:
        if not isinstance(name, str) or not name:
            raise InputError(f"names: {name!r} is not a name: every variable needs a non-empty string as its name")
    if len(set(checked)) < len(checked):
        twice = next(name for name in checked if checked.count(name) > 1)
        raise InputError(
            f"names: {twice!r} occurs {checked.count(twice)} times: rename the variables so that each name is unique"
        )
    return checked
