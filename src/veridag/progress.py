"""Progress callbacks, and the interrupt that carries a partial result.

There is one kind of progress callback. Every function with an argument `progress` calls it now and then as

``progress(what, done, total, extra)``

- `what`: the current step in a few words, such as ``"search"``;
- `done`, `total`: how much of it is done, and of how much; `total` is None if it is unknown, as in a search;
- `extra`: other numbers of this step. A search has the best ``"score"`` so far, exact search the ``"bound"`` that no
  score exceeds, and EM the ``"log_likelihood"``.

What it returns is ignored. What it raises ends the work. `ProgressBar` is one to look at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from html import escape
from importlib import import_module
from time import monotonic
from typing import Any, Self, TextIO

from veridag.display import visible_line

#: See the head of the module.
Progress = Callable[[str, int, int | None, Mapping[str, float]], object]


def part_of(progress: Progress | None, before: int, total: int, weight: int = 1) -> Progress | None:
    """The progress callback of one part of a larger work, which has `total` units.

    Each of its steps counts as `weight` units, after the `before` units of the other parts.
    """
    if progress is None:
        return None
    return lambda what, done, _, extra: progress(what, before + weight * done, total, extra)


def equal_part_of(progress: Progress | None, k: int, number: int) -> Progress | None:
    """The progress callback of part `k` of a `number` of parts, each of which counts as 100 units of the whole.

    Whatever the units of the part are: a step that has units of its own, or does not know how many, never leads back.
    """
    if progress is None:
        return None
    reached = 0

    def tell(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        nonlocal reached
        reached = max(reached, min(100, round(100 * done / total)) if total else 0)
        progress(what, 100 * k + reached, 100 * number, extra)

    return tell


class Interrupted(KeyboardInterrupt):
    """Raised on Ctrl-C; `result` holds the partial result."""

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.result)


class ProgressBar:
    """A progress callback that shows how far the work is: ``vd.learn(data, progress=vd.ProgressBar())``.

    In a notebook it is a bar below the cell, on a terminal a line that is gone when the work is done. Where there is
    neither, a line is printed every `interval` seconds to `file`, by default standard error.
    """

    def __init__(self, file: TextIO | None = None, interval: float = 30.0) -> None:
        self.file = sys.stderr if file is None else file
        self.interval = interval
        self._handle: Any = None
        self._display: Any = _notebook() if file is None else None
        self._is_terminal = self._display is None and self.file.isatty()
        self._last = monotonic() if not self._display and not self._is_terminal else -1.0
        self._width = 0

    def __call__(self, what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        """Show a step, unless another was shown a moment ago."""
        pause = 0.1 if self._display or self._is_terminal else self.interval
        if self._last >= 0 and monotonic() - self._last < pause and not (total is not None and done >= total):
            return
        self._last = monotonic()
        text = describe_progress(what, done, total, extra)
        if self._display:
            self._show(f"{_html_bar(done, total)} {escape(text)}")
        elif self._is_terminal:
            line = f"{_text_bar(done, total)}{text}"
            self.file.write(f"\r{line:<{self._width}}")
            self._width = len(line)
            self.file.flush()
        else:
            self.file.write(f"{text}\n")
            self.file.flush()

    def _show(self, html: str) -> None:
        content = self._display.HTML(html)
        if self._handle is None:
            self._handle = self._display.display(content, display_id=True)
        else:
            self._handle.update(content)

    def close(self) -> None:
        """Take the line from the terminal; also done at the end of a ``with`` block, or when nothing uses the bar."""
        if self._is_terminal and self._width:
            self.file.write(f"\r{'':<{self._width}}\r")
            self.file.flush()
            self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not self.file.closed:
            self.close()


def describe_progress(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> str:
    """A report of progress as one line of text."""
    count = f"{done}" if total is None else f"{done} of {total}"
    return visible_line(", ".join([f"{what}: {count}", *describe_numbers(extra)]))


def describe_numbers(extra: Mapping[str, float]) -> list[str]:
    """The other numbers of a report of progress, each in words."""
    words = {
        "score": "best score {:.2f}",
        "bound": "none above {:.2f}",
        "log_likelihood": "log-likelihood {:.6g}",
        "rate": "{:.3g} cells/s",
        "failed": "{:g} failed",
        "stopped": "{:g} stopped",
    }
    known = [text.format(extra[key]) for key, text in words.items() if extra.get(key)]
    return [*known, f"{describe_seconds(extra['left'])} left"] if "left" in extra else known


def describe_seconds(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _text_bar(done: int, total: int | None) -> str:
    if not total:
        return ""
    full = 24 * min(done, total) // total
    return f"[{'#' * full}{'.' * (24 - full)}] {100 * min(done, total) // total} % "


def _html_bar(done: int, total: int | None) -> str:
    return "<progress></progress>" if total is None else f'<progress value="{done}" max="{total}"></progress>'


def _notebook() -> Any:
    """What shows things below the cell of a notebook, if this runs in one."""
    if "IPython" not in sys.modules:
        return None
    shell = import_module("IPython").get_ipython()
    return import_module("IPython.display") if hasattr(shell, "kernel") else None
