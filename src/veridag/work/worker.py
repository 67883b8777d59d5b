"""The program of a process of `Processes`. It reads tasks, their arrays and pieces, and replies to each piece."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection

from veridag.errors import InputError

from .sending import Arrays, Package, Parcel, Reply, as_bytes, reply_to, unpacked


def main() -> None:
    """Do pieces until the process that gives them ends this one, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = Connection(os.dup(0), writable=False)
    replies = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what a library prints must not come between the replies
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(given, messages), daemon=True).start()
    parcels: dict[int, Arrays] = {}
    reply: Callable[[object], Reply]
    while True:
        message = pickle.loads(messages.get())
        if isinstance(message, Parcel):
            parcels[message.number] = message.arrays
        elif isinstance(message, Package):
            reply = _replies(message, parcels)
            for number in parcels.keys() - message.kept:
                del parcels[number]
        else:
            replies.send_bytes(as_bytes(reply(message.piece)))


def _replies(package: Package, parcels: Mapping[int, Arrays]) -> Callable[[object], Reply]:
    """What replies to the pieces of a task: if that cannot be read, with the error."""
    try:
        task = unpacked(package, [parcels[number] for number in package.parcels])
    except InputError as error:
        unreadable = Reply(None, error, ())
        return lambda piece: unreadable
    return lambda piece: reply_to(task, piece, _heartbeat)


def _read(given: Connection, messages: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            messages.put(given.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def _heartbeat(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
    """Nothing to look at: when the work is to end, so does this process."""
    del what, done, total, extra


if __name__ == "__main__":
    main()
