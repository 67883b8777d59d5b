"""Progress callbacks, and the interrupt that carries a partial result.

There is one kind of progress callback. Every function with an argument `progress` calls it now and then as

``progress(what, done, total, extra)``

- `what`: the current step in a few words, such as ``"search"``;
- `done`, `total`: how much of it is done, and of how much; `total` is None if it is unknown, as in a search;
- `extra`: other numbers of this step. A search has the best ``"score"`` so far, and exact search the ``"bound"`` that
  no score exceeds.

What it returns is ignored. What it raises ends the work.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

#: See the head of the module.
Progress = Callable[[str, int, int | None, Mapping[str, float]], object]


def part_of(progress: Progress | None, before: int, total: int, weight: int = 1) -> Progress | None:
    """The progress callback of one part of a larger work, which has `total` units.

    Each of its steps counts as `weight` units, after the `before` units of the other parts.
    """
    if progress is None:
        return None
    return lambda what, done, _, extra: progress(what, before + weight * done, total, extra)


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C; `result` holds the partial result."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.result)
