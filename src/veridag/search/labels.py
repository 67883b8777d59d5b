"""Short names of learners, scores, priors and tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def changed_settings(value: Any, always: Collection[str] = ()) -> Iterator[tuple[str, object]]:
    """The names and values of the settings that are not the default, and of those that are `always` shown."""
    for field in fields(value):
        own = getattr(value, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if own != default or field.name in always:
            yield field.name, own


def label(value: object) -> str:
    """In short: name, criterion, and the settings that are not the default; `veridag.parse` reads it."""
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if not is_dataclass(value) or isinstance(value, type):
        return repr(value)
    shown = [f"{name}={label(own)}" for name, own in changed_settings(value, always=("score", "test"))]
    name = type(value).__name__
    return f"{name}({', '.join(shown)})" if shown else name
