"""Progress callbacks, and the interrupt that has a partial result.

All progress callbacks have the same form. Every function with an argument `progress` calls it regularly as

``progress(what, done, total, extra)``

- `what`: the current step in a few words, such as ``"search"``;
- `done`, `total`: how much is done, and of how much; `total` is None if it is unknown, as in a search;
- `extra`: other numbers of this step: the best ``"score"`` so far in a search, the ``"bound"`` on all scores in exact
  search, the ``"log_likelihood"`` in EM.

The return value is ignored. An exception ends the work. `ProgressBar` is a callback that shows a bar.
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
    """The progress callback for one part of a larger task of `total` units.

    Each step of the part counts as `weight` units, after the `before` units of other parts.
    """
    if progress is None:
        return None
    return lambda what, done, _, extra: progress(what, before + weight * done, total, extra)


def equal_part_of(progress: Progress | None, k: int, number: int) -> Progress | None:
    """The progress callback for part `k` of `number` parts, each of which counts as 100 units of the whole.

    The part can have units of its own, or not know how many. The progress never goes back.
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
    """Raised on Ctrl-C, with the partial result.

    Args:
        message: What was interrupted.
        result: The result so far; None if there is none.

    See also:
        `ProgressBar`, docs/running.md
    """

    def __init__(self, message: str, result: Any) -> None:
        super().__init__(message)
        self.result = result

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.result)


class ProgressBar:
    """A progress bar: ``vd.learn(data, progress=vd.ProgressBar())``.

    In a notebook it is a bar below the cell, on a terminal a line that disappears when the work is done. Otherwise, a
    line is printed at regular intervals.

    You can pass any function in its place. It is called regularly as ``progress(what, done, total, extra)``:

    - `what`: the current step in a few words, such as ``"search"``;
    - `done`, `total`: how much is done, and of how much; `total` is None if it is unknown, as in a search;
    - `extra`: other numbers of this step: the best ``"score"`` so far in a search, the ``"bound"`` on all scores in
      exact search, the ``"log_likelihood"`` in EM.

    The return value is ignored. An exception ends the work.

    Args:
        file: Where to print; standard error if None.
        interval: Seconds between lines, where there is neither a notebook nor a terminal.

    See also:
        `Interrupted`, docs/notebooks.md
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
        """Remove the line from the terminal; also done at the end of a ``with`` block and when the bar is deleted."""
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
