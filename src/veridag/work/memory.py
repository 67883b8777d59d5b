"""How much memory there is to work with."""

from __future__ import annotations

import os
from pathlib import Path

from veridag.errors import InputError

#: Of the memory that is free, how much is used unless a limit is given.
SHARE = 0.75

#: What is taken to be free where the system does not tell.
FALLBACK = 4 << 30


def free_memory() -> int:
    """Bytes that can be used without swapping, as far as the system tells."""
    return min(_free_in_system(), _free_in_group())


def checked_limit(memory_limit: object) -> int:
    """The limit in bytes: the one given, or three quarters of what is free."""
    if memory_limit is None:
        return int(SHARE * free_memory())
    if isinstance(memory_limit, bool) or not isinstance(memory_limit, int | float) or not memory_limit > 0:
        raise InputError(f"memory_limit={memory_limit!r} must be a number of bytes above 0, such as 2e9, or None")
    return int(min(memory_limit, 1 << 62))


def shown(size: float) -> str:
    """A number of bytes as text."""
    for unit, bytes_each in (("GB", 1e9), ("MB", 1e6)):
        if size >= bytes_each:
            return f"{size / bytes_each:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def _free_in_system() -> int:
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        pass
    try:  # not on Linux: half of all there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return FALLBACK


def _free_in_group() -> int:
    """What the control group of a container leaves."""
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii")
        used = Path("/sys/fs/cgroup/memory.current").read_text("ascii")
        return max(0, int(limit) - int(used))
    except (OSError, ValueError):  # no such group, or its limit is "max"
        return 1 << 62
