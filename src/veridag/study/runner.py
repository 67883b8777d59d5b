"""Running a study: what is left to do goes to an executor, and what comes back to the store."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from veridag.progress import Progress

from .kind import Kind
from .plan import Cell, Plan
from .store import Outcome, Store


class Executor(Protocol):
    """Does cells somewhere, and gives what comes of them in the order they are finished."""

    @property
    def shared_bytes(self) -> int:
        """Memory for what cells share, in each worker."""
        ...

    @property
    def time_limit(self) -> float | None:
        """Seconds after which a cell is stopped."""
        ...

    def width(self) -> int:
        """How many cells are done at a time."""
        ...

    def run(self, cells: Sequence[Cell], kind: Kind) -> Generator[Outcome, None, None]:
        """What comes of the cells; closing the iterator ends the work."""
        ...


@dataclass(frozen=True)
class State:
    """How far a study is. `failed` and `stopped` are among `finished`, which is how many of `total` are over."""

    total: int
    finished: int
    failed: int
    stopped: int
    #: cells finished in this run, and its seconds
    now: int = 0
    seconds: float = 0.0

    @property
    def done(self) -> int:
        """Cells with a result."""
        return self.finished - self.failed - self.stopped

    @property
    def missing(self) -> int:
        """Cells that are still to do."""
        return self.total - self.finished

    @property
    def rate(self) -> float:
        """Cells a second in this run."""
        return self.now / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float | None:
        """Seconds until the end at this rate; None before there is one."""
        return self.missing / self.rate if self.rate > 0 else None

    @property
    def extra(self) -> dict[str, float]:
        """The further arguments of a progress callback."""
        left = {} if self.left is None else {"left": self.left}
        return {"rate": self.rate, **left, "failed": self.failed, "stopped": self.stopped}


def state(plan: Plan, store: Store) -> State:
    """How far a study is in a store."""
    records = store.records()
    found = [records[cell.key].status for cell in plan.cells if cell.key in records]
    return State(len(plan.cells), len(found), found.count("failed"), found.count("stopped"))


def pending(plan: Plan, store: Store, *, retry: bool = False) -> tuple[Cell, ...]:
    """The cells to do: those the store does not have, and with `retry` those that failed or were stopped."""
    records = store.records()
    over = {key for key, record in records.items() if not retry or record.status == "done"}
    return tuple(cell for cell in plan.cells if cell.key not in over)


def run(
    plan: Plan,
    store: Store,
    executor: Executor,
    progress: Progress | None = None,
    *,
    retry: bool = False,
) -> State:
    """Do what is left of a study, and say how far it is then; after an interrupt or a crash, run it again.

    `progress` is called after every cell, as `veridag.progress` says. Its extra numbers are the ``"rate"`` in cells a
    second, the seconds ``"left"`` at this rate, and how many cells ``"failed"`` or were ``"stopped"``.
    """
    cells = pending(plan, store, retry=retry)
    before = _without(state(plan, store), cells, store)
    finished, failed, stopped = before.finished, before.failed, before.stopped
    start = time.monotonic()
    current = before
    with closing(executor.run(cells, plan.kind)) as outcomes:
        for now, found in enumerate(outcomes, 1):
            store.write(found)
            finished += 1
            failed += found.status == "failed"
            stopped += found.status == "stopped"
            current = State(before.total, finished, failed, stopped, now, time.monotonic() - start)
            if progress is not None:
                progress(plan.spec.name, current.finished, current.total, current.extra)
    return current


def _without(known: State, cells: Sequence[Cell], store: Store) -> State:
    """The state before a run in which these cells are done, maybe not for the first time."""
    records = store.records()
    again = [records[cell.key].status for cell in cells if cell.key in records]
    failed, stopped = known.failed - again.count("failed"), known.stopped - again.count("stopped")
    return State(known.total, known.finished - len(again), failed, stopped)
