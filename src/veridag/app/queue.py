"""The queue: a thread of the server that starts workers, one at a time, and sees to runs that lost theirs.

All it knows is in the lists of runs, so that a server that was killed and started again goes on where the other ended:
a worker that outlived the other server is waited for, and a run whose worker is gone is done again.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from veridag.errors import InputError
from veridag.work.job_process import child_environment, describe_exit

from .alive import is_held
from .runs import Run, Runs

#: A run that lost its worker together with the server is begun so often at most.
MOST_ATTEMPTS = 3
#: Seconds between two looks while something is at work.
_MOMENT = 0.25
_END = "Its worker ended without a result ({how}). Run it again; if memory ran out, leave out columns or rows first."


@dataclass
class _Started:
    """A worker that this server started."""

    process: subprocess.Popen[bytes]
    project: Path
    number: int


class Queue:
    """Does the runs of all projects in the order in which they were asked for, `workers` of them at once.

    `projects` gives the folders of the projects. Call `wake` when a run was added, and `close` at the end; workers go
    on after it.
    """

    def __init__(self, projects: Callable[[], Iterable[Path]], workers: int = 1) -> None:
        self._projects, self._workers = projects, workers
        self._started: list[_Started] = []
        self._said: set[str] = set()
        self._wanted, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="veridag-queue")

    def start(self) -> None:
        """Begin; runs that wait from last time are done now."""
        self._thread.start()

    def wake(self) -> None:
        """There may be something to do."""
        self._wanted.set()

    def close(self) -> None:
        """Start nothing any more."""
        self._closed.set()
        self._wanted.set()
        self._thread.join()
        for one in self._started:
            one.process.returncode = 0  # it outlives this process, which need not wait for it

    @contextmanager
    def running(self) -> Iterator[Queue]:
        """The queue is at work during the block."""
        self.start()
        try:
            yield self
        finally:
            self.close()

    def _work(self) -> None:
        while not self._closed.is_set():
            busy = self._step()
            self._wanted.wait(_MOMENT if busy else None)
            self._wanted.clear()

    def _step(self) -> bool:
        """See to workers that have ended, start what there is room for, and say whether anything is at work."""
        self._bury()
        waiting: list[tuple[float, Path, Run]] = []
        running = len(self._started)
        for folder in self._projects():
            try:
                with Runs(folder) as runs:
                    for run in runs.all():
                        if run.status == "queued" and not self._is_mine(folder, run.number):
                            waiting.append((run.made, folder, run))
                        elif run.status == "running" and not self._is_mine(folder, run.number):
                            running += self._orphan(runs, run)
            except (InputError, OSError) as error:  # a broken list must not stop the other projects
                self._complain(f"{folder.name}: {error}")
        for _, folder, run in sorted(waiting, key=lambda found: found[0])[: max(0, self._workers - running)]:
            self._begin(folder, run.number)
            running += 1
        return running > 0

    def _is_mine(self, folder: Path, number: int) -> bool:
        return any((one.project, one.number) == (folder, number) for one in self._started)

    def _orphan(self, runs: Runs, run: Run) -> bool:
        """Whether a run of another server is still at work; if not, it waits again."""
        if is_held(runs.folder(run.number)):
            return True
        if runs.queue_again(run.number, MOST_ATTEMPTS):
            self._wanted.set()
        elif runs.get(run.number).status == "running":
            runs.finish(run.number, "interrupted", error=f"It was started {run.attempts} times and never finished.")
        return False

    def _bury(self) -> None:
        """Write down how workers ended that did not do it themselves."""
        for one in [one for one in self._started if one.process.poll() is not None]:
            self._started.remove(one)
            if one.process.returncode == 0:  # it has written itself how it ended, or left the run to another worker
                continue
            how = describe_exit(one.process.returncode)
            try:
                with Runs(one.project) as runs:
                    if not runs.finish(one.number, "interrupted", error=_END.format(how=how)):
                        runs.fail_to_start(one.number, f"Its worker could not start ({how}): see log.txt of the run.")
            except (InputError, OSError) as error:
                self._complain(f"{one.project.name}, run {one.number}: {error}")

    def _complain(self, text: str) -> None:
        """Say in the terminal what is wrong, once."""
        if text not in self._said:
            self._said.add(text)
            print(text, file=sys.stderr)  # noqa: T201

    def _begin(self, folder: Path, number: int) -> None:
        words = [sys.executable, "-P", "-m", "veridag.app.worker", str(folder), str(number)]
        with Runs(folder) as runs, (runs.folder(number) / "log.txt").open("ab") as log:
            # In a session of its own, what ends the server does not end it.
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=child_environment(), start_new_session=True
            )
        self._started.append(_Started(process, folder, number))
