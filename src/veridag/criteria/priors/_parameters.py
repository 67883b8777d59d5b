"""Checks of the parameters that priors are made with."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real

from veridag.errors import InputError


def number(argument: str, value: object, is_admitted: Callable[[float], bool], rule: str) -> float:
    """The value as a float if it is a number that is admitted; `rule` ends the message and says what to give."""
    if isinstance(value, bool) or not isinstance(value, Real) or not is_admitted(float(value)):
        raise InputError(f"{argument}={value!r}: {rule}")
    return float(value)


def whole_number(argument: str, value: object, rule: str) -> int:
    """The value as an int if it is a whole number and not negative; `rule` ends the message and says what to give."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 0:
        raise InputError(f"{argument}={value!r}: {rule}")
    return int(value)
