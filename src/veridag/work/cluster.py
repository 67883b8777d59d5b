"""A Dask cluster: connected, with workers, and of the same version as this; and pieces of work that these do."""

from __future__ import annotations

import queue
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from veridag.errors import InputError, setting

from .pieces import MOMENT, Answer, Lost, Stopped, Task, Team
from .sending import Reply, packed, reply_to, unpacked

if TYPE_CHECKING:
    from distributed import Client, Future

#: How long to wait for the scheduler, and for its first worker, in seconds.
PATIENCE = 30.0

#: Seconds after which the threads of the cluster are counted again: workers come and go.
RECOUNT = 1.0


@dataclass(frozen=True)
class Cluster:
    """Pieces of work on a Dask cluster: ``client="tcp://host:8786"``, the address of its scheduler, or its client.

    The data goes to each worker once. The work of a worker that goes away is done by another.
    """

    client: Client | str

    def __post_init__(self) -> None:
        """Refuse what is neither a client nor an address."""
        if isinstance(self.client, str):
            return
        if not hasattr(self.client, "scheduler_info") or getattr(self.client, "asynchronous", False):
            raise InputError(
                f"client={self.client!r} must be the address of a Dask scheduler, such as 'tcp://host:8786', or a "
                "distributed.Client that is not asynchronous"
            )

    @property
    def local_threads(self) -> int:
        """One: the work is for the cluster."""
        return 1

    def width(self) -> int:
        """How many pieces are done at once: the threads of all workers."""
        with self._connected() as client:
            return max(1, sum(_threads(client).values()))

    @contextmanager
    def team(self, task: Task[Any]) -> Iterator[Team]:
        """A team for one task, of which nothing runs after the block."""
        content = packed(task)
        with self._connected() as client:
            team = _Team(client, content)
            try:
                yield team
            finally:
                team.stop()

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        if isinstance(self.client, str):
            with connect(self.client) as client:
                yield client
        else:
            _check_versions(self.client, self.client.scheduler.address)
            yield self.client


class _Team:
    def __init__(self, client: Client, content: bytes) -> None:
        self._client, self._name, self._calls = client, f"veridag-{uuid4().hex}", count()
        with warnings.catch_warnings():  # the scheduler keeps the data to send it to workers that come later: so it is
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            self._task = client.submit(unpacked, content, key=self._name)
        self._running: dict[int, Future] = {}
        self._places: dict[int, str | None] = {}  # the worker that each of these was given to
        self._finished: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._ended: list[Answer] = []
        self._threads, self._counted = _threads(client), time.monotonic()
        self._shown: dict[Any, Any] = {}

    def room(self) -> int:
        if time.monotonic() > self._counted + RECOUNT:
            self._threads, self._counted = _threads(self._client), time.monotonic()
        return max(1, sum(self._threads.values())) - len(self._running)

    def give(self, number: int, piece: object) -> None:
        key, place = f"{self._name}-{next(self._calls)}", self._free_worker()
        future = self._client.submit(
            do_piece, self._task, piece, key=key, workers=place, allow_other_workers=place is not None
        )
        self._running[number], self._places[number] = future, place
        future.add_done_callback(lambda _: self._finished.put(number))

    def _free_worker(self) -> str | None:
        """The worker with the most threads that do no piece; by itself, Dask prefers those that have the data already.

        None if there are no workers, for one that comes.
        """
        busy = Counter(self._places[number] for number in self._running)
        return max(self._threads, key=lambda worker: (self._threads[worker] - busy[worker], worker), default=None)

    def answers(self) -> list[Answer]:
        found, self._ended = self._ended, []
        try:
            number = self._finished.get(timeout=0 if found else MOMENT)
        except queue.Empty:
            return found
        future = self._running.pop(number, None)
        if future is not None:  # else it was stopped
            found.append(self._answer(number, future))
        return found

    def _answer(self, number: int, future: Future) -> Answer:
        from distributed import KilledWorker

        if future.status == "finished":
            reply: Reply = future.result()
            return reply.answer(number, self._shown)
        problem = future.exception() if future.status == "error" else future.status
        if isinstance(problem, InputError):  # a worker cannot read the task
            return Answer(number, error=problem)
        if isinstance(problem, KilledWorker):
            return Answer(
                number, error=Lost(f"every Dask worker that did it died ({problem.last_worker} was the last)")
            )
        where = setting("client", self._client.scheduler.address)
        return Answer(number, error=InputError(f"{where}: the cluster gave no result ({problem}): check the cluster"))

    def stop(self) -> None:
        self._ended += [Answer(number, error=Stopped()) for number in self._running]
        self._client.cancel([*self._running.values()], force=True)  # which `do_piece` sees at its next heartbeat
        self._running.clear()


def do_piece(task: Task[Any], piece: object) -> Reply:
    """Do a piece in a thread of a Dask worker, unless the scheduler does not want it any more."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def heartbeat(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        del what, done, total, extra
        own = worker.state.tasks.get(key)
        if own is None or own.state == "cancelled":
            raise Stopped

    return reply_to(task, piece, heartbeat)


def _threads(client: Client) -> dict[str, int]:
    """The threads of each worker."""
    return dict(client.nthreads())


def connect(address: str) -> Client:
    """A client of the scheduler at this address, which has workers that can do what this process asks of them."""
    client = _client(address)
    try:
        _check_versions(client, address)
    except BaseException:
        client.close()
        raise
    return client


def _client(address: str) -> Client:
    where = setting("client", address)
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"{where}: Dask is not installed: pip install 'veridag[cluster]'") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"{where}: no scheduler answers there ({error}): give its address, such as tcp://host:8786"
        ) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise InputError(f"{where}: the scheduler has no workers: start some with `dask worker {address}`") from None
    return client


def _check_versions(client: Client, address: str) -> None:
    ours, where = version("veridag"), setting("client", address)
    try:
        answers = client.run(installed, on_error="return")
    except Exception as error:  # whatever a worker without veridag makes of the question
        raise InputError(f"{where}: the workers cannot import veridag ({error}): install {ours} there") from None
    for worker, theirs in answers.items():
        if isinstance(theirs, Exception):
            raise InputError(f"{where}: worker {worker} cannot import veridag ({theirs}): install {ours} there")
        if theirs != ours:
            raise InputError(
                f"{where}: worker {worker} has veridag {theirs}, and here is {ours}: install the same version on both"
            )


def installed() -> str:
    """The version of veridag on a worker."""
    return version("veridag")
