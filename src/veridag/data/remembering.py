"""Inspecting a table again after a small change: results for columns that did not change are reused.

A function that is `remembered` depends on its arguments alone. Within `remembering`, what it gave for the same
arguments is given again: the same objects, for columns and arrays, and equal values otherwise. Outside nothing is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from veridag.errors import language

Function = TypeVar("Function", bound=Callable[..., Any])
_VALUES = (str, int, float, bool, bytes, tuple, frozenset, type(None))


class Memory:
    """What was computed in the last two looks at a table; what neither of them needed is forgotten."""

    def __init__(self) -> None:
        self._now: dict[Any, tuple[tuple[Any, ...], Any]] = {}
        self._before: dict[Any, tuple[tuple[Any, ...], Any]] = {}

    def __len__(self) -> int:
        return len({**self._before, **self._now})

    def recall(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """What the function gives for the arguments, which stay alive, so that no other object gets their identity."""
        key = (function, language(), *map(_key, arguments))
        if key not in self._now:
            self._now[key] = self._before.get(key) or (arguments, function(*arguments))
        return self._now[key][1]

    def age(self) -> None:
        """A look is over."""
        self._before, self._now = self._now, {}


def _key(argument: Any) -> Any:
    """Small values are compared, and everything else is the same only if it is the same object."""
    if isinstance(argument, _VALUES):
        return type(argument), argument
    return getattr(argument, "memory_key", None) or id(argument)


_memory: ContextVar[Memory | None] = ContextVar("memory", default=None)


def memory_now() -> Memory | None:
    """What remembers at this moment, if anything does."""
    return _memory.get()


@contextmanager
def remembering(memory: Memory) -> Iterator[None]:
    """One look at a table. If it fails, what the last ones needed is still remembered."""
    before = _memory.set(memory)
    try:
        yield
        memory.age()
    finally:
        _memory.reset(before)


def remembered(function: Function) -> Function:
    """A pure function of columns and small values, all given by position."""

    @wraps(function)
    def recalled(*arguments: Any) -> Any:
        memory = _memory.get()
        return function(*arguments) if memory is None else memory.recall(function, arguments)

    return recalled  # type: ignore[return-value]
