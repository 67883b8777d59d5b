"""How a method is written, the same in arguments, options and files.

Examples are ``quantile(4)``, ``interval(5)``, ``hartemink(3, initial=20)``, ``mdl(by=species)`` and
``blanket``.
"""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from veridag.errors import InputError, setting, suggest

from .base import Method
from .blanket import Blanket
from .hartemink import Hartemink
from .interval import Interval
from .mdl import MDL
from .quantile import Quantile

#: The methods by name; one more is a file with its class, and its name here.
METHODS: dict[str, type[Method]] = {method.name: method for method in (Quantile, Interval, Hartemink, MDL, Blanket)}

_SPEC = re.compile(r"\s*([A-Za-z_]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def parse_method(spec: object, argument: str = "discretize") -> Method:
    """The method that a text names: ``"quantile"`` has the usual settings, ``"quantile(4)"`` its own.

    Messages name the argument.
    """
    if isinstance(spec, Method):
        return spec
    match = _SPEC.fullmatch(spec) if isinstance(spec, str) else None
    if match is None:
        raise InputError(
            f"{setting(argument, spec)}: give a method, with or without settings, such as "
            f"{setting(argument, 'quantile(3)')}; methods are {', '.join(METHODS)}"
        )
    name = match[1].lower()
    if name not in METHODS:
        raise InputError(f"{setting(argument, spec)}: there is no such method; {suggest(name, METHODS)}")
    try:
        return METHODS[name](**_arguments(METHODS[name], match[2] or ""))
    except InputError as error:
        raise InputError(f"{setting(argument, spec)}: {error}") from None


def _arguments(method: type[Method], text: str) -> dict[str, Any]:
    """The settings between the brackets, by name or in order."""
    own = [field.name for field in fields(method)]
    if method is MDL:
        return {"by": _column_name(text)}
    found: dict[str, Any] = {}
    for position, part in enumerate(text.split(",") if text.strip() else []):
        name, sign, value = (word.strip() for word in part.rpartition("="))
        if not sign:
            name = own[position] if position < len(own) else ""
        if name not in own or name in found:
            raise InputError(f"{part.strip()!r} is not a setting of {method.name}, which has {' and '.join(own)}")
        if not re.fullmatch(r"-?[0-9]+", value):
            raise InputError(f"{name} must be an integer, not {value!r}")
        found[name] = int(value)
    return found


def _column_name(text: str) -> str:
    """The column that ``by=`` names; everything up to the last bracket is its name, which may hold any sign."""
    name = re.sub(r"^\s*by\s*=", "", text).strip()
    quoted = re.fullmatch(r"(['\"])(.*)\1", name, re.DOTALL)
    name = quoted[2] if quoted else name
    if not name:
        raise InputError("mdl needs a discrete column to cut by, such as mdl(by=species)")
    return name
