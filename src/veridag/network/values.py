"""Values of variables as callers give them, checked: evidence, and what is set from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from veridag.errors import InputError, suggest


def check_values(
    names: Sequence[str],
    states: Mapping[str, Sequence[str]],
    argument: str,
    given: Mapping[str, str | float] | None,
) -> dict[str, str | float]:
    """States of discrete variables and finite numbers for the others; `argument` is what messages call them."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"{argument}: give each variable its value, {{variable: value}}, not {given!r}")
    values = dict(given or {})
    check_known(names, argument, values)
    return {
        v: _state(states, argument, v, value) if v in states else _number(argument, v, value)
        for v, value in values.items()
    }


def check_known(names: Sequence[str], argument: str, given: Iterable[str]) -> None:
    """Refuse what is no variable of the network."""
    for name in given:
        if name not in names:
            raise InputError(f"{argument}: the network has no variable {name!r}: {suggest(name, names)}")


def _state(states: Mapping[str, Sequence[str]], argument: str, name: str, value: object) -> str:
    own = states[name]
    if not isinstance(value, str) or value not in own:
        raise InputError(f"{argument}: {name!r} has no state {value!r}: {suggest(str(value), own)}")
    return str(value)


def _number(argument: str, name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type] # what cannot be converted is caught
    except (TypeError, ValueError):
        number = float("nan")
    if not abs(number) < float("inf"):
        raise InputError(f"{argument}: {name!r} needs a finite number, not {value!r}")
    return number
