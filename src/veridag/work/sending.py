"""Sending work between processes: tasks as bytes, with their arrays only once, and a reply for each piece."""

from __future__ import annotations

import pickle
import threading
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import count
from typing import Any, NamedTuple, TextIO

from veridag.errors import InputError, Language, language, speaking, speaks_flags
from veridag.progress import Progress

from .pieces import Answer, Stopped, Task

#: Text, category, file and line of a warning.
_Warning = tuple[str, type[Warning], str, int]

#: An array as it is sent, and as it is kept there.
Buffer = Any

#: The first protocol in which arrays stand beside what holds them.
PROTOCOL = 5

#: Bytes in all parcels above which those that the present task does not need are dropped.
MOST_BYTES = 1 << 30

_REMEDY = "define its functions in a module that other processes can import, install cloudpickle, or use threads"


@dataclass(frozen=True)
class Reply:
    """What came of a piece in another process, with the warnings that were given meanwhile."""

    value: Any
    error: BaseException | None
    heard: tuple[_Warning, ...]

    def answer(self, number: int, shown: dict[Any, Any]) -> Answer:
        """The same here; warnings are given again, those in `shown` as often as Python's filters say."""
        for text, category, file, line in self.heard:
            warnings.warn_explicit(text, category, file, line, registry=shown)
        return Answer(number, self.value, self.error)


#: Arrays as bytes, by their digests.
Arrays = Mapping[bytes, Buffer]


class Parcel(NamedTuple):
    """Arrays that a process keeps for all tasks that hold them."""

    number: int
    arrays: Arrays


class Package(NamedTuple):
    """A task as bytes without its arrays, their digests in order, and the parcels that have them.

    A process forgets parcels that are not `kept`.
    """

    content: bytes
    arrays: tuple[bytes, ...]
    parcels: tuple[int, ...]
    kept: frozenset[int]


class Piece(NamedTuple):
    """A piece of the task that was sent last."""

    piece: object


class Sending:
    """Packs one task after the other. A parcel has the arrays that a task is the first to hold."""

    def __init__(self) -> None:
        self.parcels: dict[int, Parcel] = {}  # those used last at the end
        self._numbers = count()

    def packed(self, task: Task[Any]) -> Package:
        """The task as a package. Parcels are dropped, the least recently used first, if they are large together."""
        content, buffers = _as_bytes(_Speaking(task, language()) if speaks_flags() else task)
        digests = [blake2b(buffer.raw(), digest_size=16).digest() for buffer in buffers]
        arrays = dict(zip(digests, buffers, strict=True))
        used = [number for number, parcel in self.parcels.items() if not arrays.keys().isdisjoint(parcel.arrays)]
        sent = {digest for number in used for digest in self.parcels[number].arrays}
        new = {digest: array for digest, array in arrays.items() if digest not in sent}
        if new:
            used.append(next(self._numbers))
            self.parcels[used[-1]] = Parcel(used[-1], new)
        for number in used:
            self.parcels[number] = self.parcels.pop(number)
        self._drop(len(self.parcels) - len(used))
        return Package(content, tuple(digests), tuple(used), frozenset(self.parcels))

    def _drop(self, unused: int) -> None:
        sizes = {n: sum(array.raw().nbytes for array in parcel.arrays.values()) for n, parcel in self.parcels.items()}
        for number in list(self.parcels)[:unused]:
            if sum(sizes.values()) <= MOST_BYTES:
                return
            del self.parcels[number], sizes[number]


def _as_bytes(task: Task[Any]) -> tuple[bytes, list[Buffer]]:
    """The task and its arrays; functions of a script or notebook go along if cloudpickle is installed, as with Dask."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    buffers: list[Buffer] = []
    try:
        content: bytes = dumps(task, protocol=PROTOCOL, buffer_callback=buffers.append)
    except Exception as error:  # whatever an object that cannot be pickled does
        raise InputError(f"the work cannot be sent to another process ({error}): {_REMEDY}") from None
    return content, buffers


def unpacked(package: Package, parcels: Iterable[Arrays]) -> Task[Any]:
    """The task of a package, which comes from the process that started the work. Nothing can write to its arrays."""
    arrays = {digest: array for parcel in parcels for digest, array in parcel.items()}
    buffers = [memoryview(arrays[digest]).toreadonly() for digest in package.arrays]
    try:
        task: Task[Any] = pickle.loads(package.content, buffers=buffers)
    except Exception as error:  # whatever an object that cannot be made again does
        raise InputError(f"the work cannot be read in another process ({error}): {_REMEDY}") from None
    return task


@dataclass(frozen=True)
class _Speaking:
    """A task given by a command or a page: its errors name options or choices, in the process that does it too."""

    task: Task[Any]
    language: Language

    def __call__(self, piece: Any, heartbeat: Progress) -> Any:
        with speaking(self.language):
            return self.task(piece, heartbeat)


def reply_to(task: Task[Any], piece: object, heartbeat: Progress) -> Reply:
    """Do a piece. What it raises is part of the reply, and has a note that says where."""
    with _hearing() as heard:
        try:
            return Reply(task(piece, heartbeat), None, tuple(heard))
        except BaseException as error:
            if not isinstance(error, InputError | Stopped):
                error.add_note(f"in another process:\n{traceback.format_exc()}")
            return Reply(None, _portable(error), tuple(heard))


def as_bytes(reply: Reply) -> bytes:
    """The reply as bytes, or one that says why what the piece returned cannot be sent."""
    try:
        return pickle.dumps(reply)
    except Exception as error:
        return pickle.dumps(Reply(None, InputError(f"a result cannot be sent from another process ({error})"), ()))


def _portable(error: BaseException) -> BaseException:
    """The error itself, if it can be sent; else one of the same words."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


_own = threading.local()
_installing = threading.Lock()


@contextmanager
def _hearing() -> Iterator[list[_Warning]]:
    """Warnings of this thread go into the list, and those of others where they went before."""
    with _installing:
        if warnings.showwarning is not _show:
            global _before
            _before, warnings.showwarning = warnings.showwarning, _show
    heard: list[_Warning] = []
    _own.heard = heard
    try:
        yield heard
    finally:
        _own.heard = None


_before = warnings.showwarning


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    heard = getattr(_own, "heard", None)
    if heard is None:
        _before(message, category, filename, lineno, file, line)
    else:
        heard.append((str(message), category, filename, lineno))
