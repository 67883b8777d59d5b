"""What a process of `Processes` runs: it reads the task and then pieces, and writes a reply to each."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection

from .sending import Reply, as_bytes, reply_to, unpacked


def main() -> None:
    """Do pieces until the process that gives them ends this one, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = Connection(os.dup(0), writable=False)
    replies = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # what a library prints must not come between the replies
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(given, pieces), daemon=True).start()
    try:
        task = unpacked(pieces.get())
    except Exception as error:
        pieces.get()
        replies.send_bytes(as_bytes(Reply(None, error, ())))
        return
    while True:
        replies.send_bytes(as_bytes(reply_to(task, pickle.loads(pieces.get()), _heartbeat)))


def _read(given: Connection, pieces: queue.SimpleQueue[bytes]) -> None:
    try:
        while True:
            pieces.put(given.recv_bytes())
    except (EOFError, OSError):
        os._exit(0)


def _heartbeat(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
    """Nothing to look at: when the work is to end, so does this process."""
    del what, done, total, extra


if __name__ == "__main__":
    main()
