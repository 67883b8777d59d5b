"""What a user sees and may do while long work goes on: a bar, and an interrupt that loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from veridag.criterion import Result


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


def _shown(*columns: ProgressColumn) -> Progress:
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True)


def describe_gap(result: Result) -> str:
    """Whether a score is proven to be the best, in words."""
    if result.optimal:
        return "proven to be the best"
    return f"not proven to be the best: another network may be better by {result.gap:.6g} at most"
