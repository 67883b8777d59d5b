"""Running many independent pieces of work, in the same way in threads, in processes or on a cluster."""

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
    """The answer of a piece: what it returned or raised.

    Attributes:
        number: The number of the piece.
        value: What it returned.
        error: What it raised; `Stopped` if it was stopped.

    See also:
        `Executor`
    """

    number: int
    value: Any = None
    error: BaseException | None = None


class Team(Protocol):
    """The workers for one task, which is sent to each process only once.

    See also:
        `Executor`
    """

    def room(self) -> int:
        """How many more pieces the team can take now."""
        ...

    def give(self, number: int, piece: object) -> None:
        """Start a piece. Its answer has this number."""
        ...

    def answers(self) -> list[Answer]:
        """The answers since the last call. Waits for a moment if there are none."""
        ...

    def stop(self) -> None:
        """Stop the running pieces. They are answered too."""
        ...


@runtime_checkable
class Executor(Protocol):
    """An executor runs many pieces of work in parallel: `Threads`, `Processes` or a `Cluster`.

    See also:
        docs/running.md
    """

    @property
    def local_threads(self) -> int:
        """Threads of this process, for work that is not split into pieces."""
        ...

    def open(self) -> AbstractContextManager[OpenExecutor]:
        """Start the workers. They stay for everything in the block and end with it.

        Open the executor around several tasks to share the workers. Opening it again within the block costs nothing.
        """
        ...


class OpenExecutor(Executor, Protocol):
    """An executor with running workers, which keep what they were sent.

    See also:
        `Executor`
    """

    def open(self) -> AbstractContextManager[OpenExecutor]:
        """The executor itself. Whoever opened it closes it."""
        return nullcontext(self)

    def width(self) -> int:
        """How many pieces run at once."""
        ...

    def team(self, task: Task[Any]) -> AbstractContextManager[Team]:
        """A team for one task. At the end of the block, none of its pieces is still running."""
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
        """The message to the user."""
        return InputError(f"{what}: {self}: it may need more memory than is free: use fewer jobs, or less data")


def deadline_after(seconds: float | None) -> float | None:
    """The deadline so many seconds from now, or None for none."""
    return None if seconds is None else time.monotonic() + seconds


def in_time(deadline: float | None) -> bool:
    """Whether the deadline is still to come."""
    return deadline is None or time.monotonic() < deadline
