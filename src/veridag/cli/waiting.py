"""What a user sees and may do while long work goes on: a bar, and an interrupt that loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from veridag.search.result import Result
    from veridag.study.runner import State

#: Seconds between two lines about a study where there is no terminal.
INTERVAL = 30.0


@dataclass(frozen=True)
class Stages:
    """Who is told how much is done, and of how much; and who is told, in words, what is being begun."""

    progress: Callable[[int, int], None] | None
    doing: Callable[[str], None] | None


@contextmanager
def kept() -> Iterator[list[Any]]:
    """What an interrupt carries goes into the list, and the work goes on from there."""
    saved: list[Any] = []
    try:
        yield saved
    except KeyboardInterrupt as stop:
        if not hasattr(stop, "result"):
            raise
        saved.append(stop.result)


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar with the time left, on a terminal; None elsewhere. It is told how much is done, and of how much."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _shown(*columns) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def staged(what: str, seconds: float | None) -> Iterator[Stages]:
    """A bar that also says what is being done and the time left, at most that until the end of the `seconds`."""
    if not sys.stderr.isatty():
        yield Stages(None, None)
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn

    columns = (
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        _time_left(seconds),
        TextColumn("{task.description}", markup=False),
    )
    with _shown(*columns) as progress:
        task = progress.add_task(what, total=None)
        yield Stages(
            lambda done, total: progress.update(task, completed=done, total=total),
            lambda text: progress.update(task, description=text),
        )


@contextmanager
def moves() -> Iterator[Callable[..., None] | None]:
    """How far a search is, on a terminal; None elsewhere. The bar pulses: a search cannot tell how long it takes.

    A search that proves what it finds also tells the bound that no score exceeds.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    with _shown(BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()) as progress:
        task = progress.add_task("learning (Ctrl-C keeps the best so far)", total=None)

        def tell(steps: int, best: float, bound: float | None = None) -> None:
            done = f"{steps} tests" if best != best else f"{steps} steps, best score {best:.2f}"  # NaN is no score
            proof = "" if bound is None else f", none above {bound:.2f}"
            progress.update(task, description=f"{done}{proof} (Ctrl-C keeps what there is)")

        yield tell


@contextmanager
def cells(what: str) -> Iterator[Callable[[State], None]]:
    """How far a study is, with its rate, the time left and its failures: a bar, or elsewhere a line now and then."""
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

    with _shown(TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")) as progress:
        task = progress.add_task("", total=None)
        yield lambda state: progress.update(
            task, completed=state.finished, total=state.total, description=describe_pace(state)
        )


def _lines(what: str) -> Callable[[State], None]:
    last = monotonic()

    def tell(state: State) -> None:
        nonlocal last
        if monotonic() - last >= INTERVAL:
            last = monotonic()
            print(f"{what}: {state.finished} of {state.total} cells, {describe_pace(state)}", file=sys.stderr)  # noqa: T201

    return tell


def describe_pace(state: State) -> str:
    """The rate, the time left and the failures of a study."""
    left = "" if state.left is None else f", {describe_seconds(state.left)} left"
    wrong = f", {state.failed} failed" if state.failed else ""
    late = f", {state.stopped} stopped" if state.stopped else ""
    return f"{state.rate:.3g} cells/s{left}{wrong}{late}"


def _time_left(seconds: float | None) -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The time left, by the speed so far."""

        def render(self, task: Task) -> Text:
            known = [] if task.time_remaining is None else [task.time_remaining]
            if seconds is not None:
                known.append(max(0.0, seconds - (task.elapsed or 0.0)))
            return Text(f"{describe_seconds(min(known))} left" if known else "")

    return TimeLeft()


def describe_seconds(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _shown(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def describe_gap(result: Result) -> str:
    """Whether a score is proven to be the best, in words."""
    if result.optimal:
        return "proven to be the best"
    return f"not proven to be the best: another network may be better by {result.gap:.6g} at most"
