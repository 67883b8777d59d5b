"""What a user sees and may do while long work goes on: a bar, and an interrupt that loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer


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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


@contextmanager
def moves() -> Iterator[Callable[[int, float], None] | None]:
    """One line on how far a search is, on a terminal; None elsewhere. A search cannot tell how many moves it makes."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(steps: int, best: float) -> None:
        typer.echo(f"\r\x1b[K{steps} moves, best score {best:.2f} (Ctrl-C keeps it)", err=True, nl=False)

    yield show
    typer.echo("\r\x1b[K", err=True, nl=False)
