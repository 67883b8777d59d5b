"""A Dask cluster: connecting, checking its workers and their version, and running pieces of work on them."""

from __future__ import annotations

import pickle
import queue
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from veridag.errors import InputError, setting

from .pieces import MOMENT, Answer, Lost, OpenExecutor, Stopped, Task, Team
from .sending import PROTOCOL, Package, Reply, Sending, reply_to, unpacked

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

#: How long to wait for the scheduler, and for its first worker, in seconds.
PATIENCE = 30.0

#: Seconds after which the threads of the cluster are counted again: workers come and go.
RECOUNT = 1.0


@dataclass(frozen=True)
class Cluster:
    """An executor that runs the work on a Dask cluster: ``client="tcp://host:8786"``.

    The data is sent to each worker once per call. If a worker goes away, another one does its work.

    Args:
        client: The Dask client, or the address of its scheduler.

    See also:
        `Threads`, `Processes`, docs/running.md
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
        """One, because the work runs on the cluster."""
        return 1

    @contextmanager
    def open(self) -> Iterator[OpenExecutor]:
        """Connect to the cluster. After the block, nothing is left on it."""
        if isinstance(self.client, str):
            with connect(self.client) as client:
                yield OpenCluster(client)
        else:
            _check_versions(self.client, self.client.scheduler.address)
            yield OpenCluster(self.client)


class OpenCluster(OpenExecutor):
    """A cluster with its client. It keeps the arrays of one task for the next."""

    def __init__(self, client: Client) -> None:
        self._client, self._sending = client, Sending()
        self._parcels: dict[int, _Copies] = {}
        self._shown: dict[Any, Any] = {}

    @property
    def local_threads(self) -> int:
        """One: the work is for the cluster."""
        return 1

    def width(self) -> int:
        """How many pieces are done at once."""
        return max(1, sum(_threads(self._client).values()))

    @contextmanager
    def team(self, task: Task[Any]) -> Iterator[Team]:
        """A team for one task. At the end of the block none of its pieces is left running."""
        package = self._sending.packed(task)
        for number in self._parcels.keys() - package.kept:
            del self._parcels[number]
        for number in package.kept - self._parcels.keys():
            content = pickle.dumps(self._sending.parcels[number].arrays, protocol=PROTOCOL)
            self._parcels[number] = _Copies(self._client, _made(self._client, pickle.loads, content))
        sent = _made(self._client, Package, *package)
        team = _Team(self._client, sent, [self._parcels[number] for number in package.parcels], self._shown)
        try:
            yield team
        finally:
            team.stop()


def _made(client: Client, function: Callable[..., object], *arguments: object) -> Future:
    """What a worker makes of these arguments, which the scheduler keeps for when that worker is gone."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)  # that it is large is known
        return client.submit(function, *arguments, key=_key())


class _Copies:
    """A copy for each worker. Dask may drop the copies that it makes itself, except one."""

    def __init__(self, client: Client, original: Future) -> None:
        self._client, self._original = client, original
        self._on: dict[str | None, Future] = {}

    def on(self, place: str | None) -> Future:
        """That of this worker."""
        if place not in self._on:
            self._on[place] = _submit(self._client, place, copied, self._original)
        return self._on[place]


def copied(value: T) -> T:
    """The same, as a result of the worker that calls this."""
    return value


def _submit(client: Client, place: str | None, function: Callable[..., object], *arguments: object) -> Future:
    """Have a worker do something, or another if it goes away."""
    return client.submit(function, *arguments, key=_key(), workers=place, allow_other_workers=place is not None)


def _key() -> str:
    return f"veridag-{uuid4().hex}"


class _Team:
    def __init__(self, client: Client, package: Future, parcels: list[_Copies], shown: dict[Any, Any]) -> None:
        self._client, self._package, self._parcels, self._shown = client, package, parcels, shown
        self._tasks: dict[str | None, Future] = {}  # each worker makes its own: between workers, arrays would go along
        self._running: dict[int, Future] = {}
        self._places: dict[int, str | None] = {}  # the worker that each of these was given to
        self._finished: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._ended: list[Answer] = []
        self._threads, self._counted = _threads(client), time.monotonic()

    def room(self) -> int:
        if time.monotonic() > self._counted + RECOUNT:
            self._threads, self._counted = _threads(self._client), time.monotonic()
        return max(1, sum(self._threads.values())) - len(self._running)

    def give(self, number: int, piece: object) -> None:
        place = self._free_worker()
        if place not in self._tasks:
            parcels = [parcel.on(place) for parcel in self._parcels]
            self._tasks[place] = _submit(self._client, place, unpacked, self._package, parcels)
        future = _submit(self._client, place, do_piece, self._tasks[place], piece)
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
            f"{where}: no scheduler answers at this address ({error}): give its address, such as tcp://host:8786"
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
                f"{where}: worker {worker} has veridag {theirs}, and this machine has {ours}: install the same "
                "version on both"
            )


def installed() -> str:
    """The version of veridag on a worker."""
    return version("veridag")
