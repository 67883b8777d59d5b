"""Whether the process that does a run is alive: it holds a lock that the operating system takes back when it dies.

Numbers of processes are given again to others, and a machine that was switched off leaves them behind. The lock is that
of an empty SQLite file: it is the same on all systems.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_NAME = "lock"
#: Others hold the lock for a moment only, to see whether somebody has it.
_PATIENCE = 10.0


@contextmanager
def holding(folder: Path, patience: float = _PATIENCE) -> Iterator[bool]:
    """Hold the lock of a run's folder during the block; False if another process has it."""
    with closing(sqlite3.connect(folder / _NAME, timeout=patience, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            yield False
            return
        yield True


def is_held(folder: Path) -> bool:
    """Whether a living process has the lock of a run's folder."""
    if not (folder / _NAME).exists():
        return False
    with holding(folder, patience=0) as free:
        return not free
