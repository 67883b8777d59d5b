"""Many independent pieces of work, the same way wherever they are done: in threads, in processes, or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from veridag.errors import InputError
from veridag.progress import Progress

T = TypeVar("T")

#: Does one piece. It is called with the piece, an integer or another small value, and with a heartbeat, to be passed on
#: as the progress callback of whatever it runs. To go to other processes it can be pickled, with the data it holds.
Task = Callable[[Any, Progress], T]

#: How often a piece is tried again after the process that did it has died.
RETRIES = 2

#: Seconds after which a wait ends by itself, which lets an interrupt through on every system.
MOMENT = 0.1


class OutOfTime(InputError):
    """The time is over before there is anything to show."""


class Stopped(Exception):
    """Raised by a heartbeat, in a thread or process that no interrupt reaches, when the whole work is to end."""


class Answer(NamedTuple):
    """What came of a piece: what it returned, or raised. It raised `Stopped` if it was ended."""

    number: int
    value: Any = None
    error: BaseException | None = None


class Team(Protocol):
    """What does the pieces of one task, which each process has only once."""

    def room(self) -> int:
        """How many more pieces to give now."""
        ...

    def give(self, number: int, piece: object) -> None:
        """Have a piece done; its answer has this number."""
        ...

    def answers(self) -> list[Answer]:
        """What has come since; waits for a moment if there is nothing."""
        ...

    def stop(self) -> None:
        """End the pieces that are being done, which are answered too."""
        ...


@runtime_checkable
class Executor(Protocol):
    """Where many pieces of work are done at once: `Threads`, `Processes` or a `Cluster`."""

    @property
    def local_threads(self) -> int:
        """Threads of this process for what is not done in pieces."""
        ...

    def open(self) -> AbstractContextManager[OpenExecutor]:
        """The same with its workers, which stay for all that is done in the block, and end with it.

        Who does several tasks opens it around them all. Within, it is opened again at no cost.
        """
        ...


class OpenExecutor(Executor, Protocol):
    """An executor that has its workers: what they were sent, they keep."""

    def open(self) -> AbstractContextManager[OpenExecutor]:
        """Itself: whoever has opened it closes it."""
        return nullcontext(self)

    def width(self) -> int:
        """How many pieces are done at once."""
        ...

    def team(self, task: Task[Any]) -> AbstractContextManager[Team]:
        """A team for one task. At the end of the block none of its pieces is left running."""
        ...


def run_pieces(
    task: Task[T],
    count: int,
    executor: Executor,
    done: dict[int, T],
    *,
    describe: Callable[[int], str],
    progress: Progress | None = None,
    deadline: float | None = None,
    piece: Callable[[int], object] = int,
) -> bool:
    """Do the pieces 0, 1, ..., and put what each returns into `done`; whether all were done.

    No piece is started after the `deadline` (of ``time.monotonic``), and those that run are then ended, in threads at
    their next heartbeat, which raises `Stopped`. Whatever else is raised, by a piece or by an interrupt, ends the
    others in the same way. What was done by then is in `done`. `progress` is called when a piece starts, with its
    description, and when one has ended. If a piece needs more than its number, `piece` gives what it is called with,
    and is asked when it starts.
    """
    if count == 0 or not in_time(deadline):
        return count == 0
    with executor.open() as opened, opened.team(task) as team:
        return run_with(team, count, done, describe=describe, progress=progress, deadline=deadline, piece=piece)


def run_with(
    team: Team,
    count: int,
    done: dict[int, T],
    *,
    describe: Callable[[int], str],
    progress: Progress | None = None,
    deadline: float | None = None,
    piece: Callable[[int], object] = int,
) -> bool:
    """The same with a team that does other pieces before or after."""

    def tell(number: int) -> None:
        if progress is not None:
            progress(describe(number), len(done), count, {})

    started, running = 0, 0
    while True:
        while started < count and team.room() > 0 and in_time(deadline):
            team.give(started, piece(started))
            started, running = started + 1, running + 1
            tell(started - 1)
        if not running:
            return len(done) == count
        if not in_time(deadline):
            team.stop()
        for answer in team.answers():
            running -= 1
            if answer.error is None:
                done[answer.number] = answer.value
            elif isinstance(answer.error, Lost):
                raise answer.error.explained(describe(answer.number))
            elif not isinstance(answer.error, Stopped):
                raise answer.error
            tell(answer.number)


class Lost(Exception):
    """A piece that no process survives, with how they ended."""

    def explained(self, what: str) -> InputError:
        """What the user is told of it."""
        return InputError(f"{what}: {self}: it may need more memory than is free: use fewer jobs, or less data")


def deadline_after(seconds: float | None) -> float | None:
    """The deadline so many seconds from now, or None for none."""
    return None if seconds is None else time.monotonic() + seconds


def in_time(deadline: float | None) -> bool:
    """Whether the deadline is still to come."""
    return deadline is None or time.monotonic() < deadline
