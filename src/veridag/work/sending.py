"""What goes between processes: the task as bytes, once for each process, and a reply for each piece."""

from __future__ import annotations

import pickle
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from veridag.errors import InputError
from veridag.progress import Progress

from .pieces import Answer, Stopped, Task

#: Text, category, file and line of a warning.
_Warning = tuple[str, type[Warning], str, int]

_REMEDY = "define what it uses in a module that other processes can import, install cloudpickle, or use threads"


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


def packed(task: Task[Any]) -> bytes:
    """The task as bytes; functions of a script or notebook go along if cloudpickle is installed, as it is with Dask."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        content: bytes = dumps(task)
    except Exception as error:  # whatever an object that cannot be pickled does
        raise InputError(f"the work cannot be sent to another process ({error}): {_REMEDY}") from None
    return content


def unpacked(content: bytes) -> Task[Any]:
    """The task of these bytes, which come from the process that started the work."""
    try:
        task: Task[Any] = pickle.loads(content)
    except Exception as error:  # whatever an object that cannot be made again does
        raise InputError(f"the work cannot be read in another process ({error}): {_REMEDY}") from None
    return task


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
