"""What a user sees and may do while long work goes on: a progress bar, and an interrupt that loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isinf
from time import monotonic
from typing import TYPE_CHECKING, Any

from veridag.display import visible_line
from veridag.progress import Interrupted, Progress, describe_numbers, describe_progress, describe_seconds

from .terminal import is_quiet

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

    from veridag.search.result import Result

#: Seconds between two lines where there is no terminal.
INTERVAL = 30.0


@contextmanager
def kept() -> Iterator[list[Any]]:
    """What an interrupt carries goes into the list, and the command goes on with it."""
    saved: list[Any] = []
    try:
        yield saved
    except Interrupted as stop:
        saved.append(stop.result)


@contextmanager
def progress_bar(
    what: str, *, seconds: float | None = None, keeps: str = "", lines: bool = False
) -> Iterator[Progress | None]:
    """A progress callback that draws a bar on the terminal; None if there is no terminal, or with --quiet.

    The bar shows the time left, which is never more than what is left of `seconds`, and what Ctrl-C `keeps`. Without a
    terminal, `lines` prints a line now and then instead.
    """
    if is_quiet() or not sys.stderr.isatty():
        yield _print_lines() if lines and not is_quiet() else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        _time_left(seconds),
        TextColumn("{task.description}", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(visible_line(what), total=None)

        def update(step: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
            text = _describe_beside_bar(step, done, total, extra) + (f" (Ctrl-C keeps {keeps})" if keeps else "")
            bars.update(task, completed=done, total=total, description=text)

        yield update


def _describe_beside_bar(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> str:
    """The same beside a bar, which shows how much of a known total is done."""
    step = f"{what}: {done}" if total is None else what
    return visible_line(", ".join([step, *describe_numbers(extra)]))


def _print_lines() -> Progress:
    last = monotonic()

    def tell(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        nonlocal last
        if monotonic() - last >= INTERVAL:
            last = monotonic()
            print(describe_progress(what, done, total, extra), file=sys.stderr)  # noqa: T201

    return tell


def _time_left(seconds: float | None) -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The time left, by the speed so far; the time since the start where that is not known."""

        def render(self, task: Task) -> Text:
            known = [] if task.time_remaining is None else [task.time_remaining]
            if seconds is not None:
                known.append(max(0.0, seconds - (task.elapsed or 0.0)))
            return Text(f"{describe_seconds(min(known))} left" if known else describe_seconds(task.elapsed or 0.0))

    return TimeLeft()


def finite(gap: float | None) -> float | None:
    """A gap for JSON, which has no infinite numbers: one without a bound is null."""
    return None if gap is None or isinf(gap) else gap


def describe_gap(result: Result) -> str:
    """Whether a score is proven to be the best, in words."""
    if result.optimal:
        return "proven to be the best"
    if result.gap is not None and isinf(result.gap):
        return "not proven to be the best, and without a bound: the search stopped before its score table was complete"
    return f"not proven to be the best: the best score is higher by at most {result.gap:.6g}"
