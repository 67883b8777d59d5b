"""How much memory a search needs, estimated before it starts, so that it does not fail after minutes."""

from __future__ import annotations

from warnings import warn

from veridag.data import Data
from veridag.work.memory import free_memory, shown

#: With fewer columns a search needs little, and nothing is estimated.
FEW_COLUMNS = 1000

#: Bytes that a search takes for each ordered pair of columns: matrices of what is known, caches of local scores, moves
#: worth making, and for continuous columns covariances and their copies, each a matrix of doubles of 8 bytes a pair.
#: Tabu search on 200 rows took 10 with 2 500 discrete columns, and 48 with 2 500 and 31 with 4 000 continuous ones; the
#: rest is for denser networks.
BYTES_A_PAIR = {"discrete": 40, "continuous": 80, "mixed": 80}

#: What is taken whatever the number of columns, mostly for caches.
CACHES = 100_000_000


def needed_memory(data: Data) -> int:
    """Bytes that a search in this data takes beside the data, roughly: columns squared times `BYTES_A_PAIR`."""
    return CACHES + len(data.names) ** 2 * BYTES_A_PAIR[data.kind]


def check_memory(data: Data) -> None:
    """Raise `MemoryError` before the search if it does not fit into the free memory; warn if it takes most of it."""
    if len(data.names) < FEW_COLUMNS:
        return
    needed, free = needed_memory(data), free_memory()
    if needed <= free // 2:
        return
    said = f"a search in {len(data.names)} columns needs about {shown(needed)} of memory, and {shown(free)} are free"
    if needed > free:
        fitting = max(0, int(((free - CACHES) / BYTES_A_PAIR[data.kind]) ** 0.5)) if free > CACHES else 0
        raise MemoryError(f"{said}: keep at most {fitting} columns, or run it where more memory is free")
    warn(f"{said}: other programs may have to wait", UserWarning, stacklevel=4)
