"""The memory available on this machine, and in the container of the process if there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from veridag.checks import is_number
from veridag.errors import InputError

#: The share of the free memory that is used unless a limit is given.
SHARE = 0.75

#: What is taken to be free where the system does not tell.
FALLBACK = 4 << 30

_NO_LIMIT = 1 << 62

#: Where the files of the system are found.
_ROOT = Path("/")


def free_memory() -> int:
    """Bytes that can be used without swapping or passing a limit on the process or its container, as far as known."""
    return min([_free_in_system(), *_free_in_process(), *_free_in_groups()])


def checked_limit(memory_limit: object) -> int:
    """The limit in bytes: the one given, or three quarters of what is free."""
    if memory_limit is None:
        return int(SHARE * free_memory())
    if not is_number(memory_limit) or not memory_limit > 0:
        raise InputError(f"memory_limit={memory_limit!r} must be a number of bytes above 0, such as 2e9, or None")
    return int(min(float(memory_limit), _NO_LIMIT))


def shown(size: float) -> str:
    """A number of bytes as text."""
    for unit, bytes_each in (("GB", 1e9), ("MB", 1e6)):
        if size >= bytes_each:
            return f"{size / bytes_each:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def _free_in_system() -> int:
    try:
        lines = (_ROOT / "proc/meminfo").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        pass
    try:  # not on Linux: half of all there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return FALLBACK


def _free_in_process() -> Iterator[int]:
    """What is left under the limit on the addresses of this process, as `ulimit -v` sets it."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int((_ROOT / "proc/self/statm").read_text("ascii").split()[0])
            yield max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))
    except (ImportError, AttributeError, OSError, ValueError, IndexError):
        return


def _free_in_groups() -> Iterator[int]:
    """What is left under every limit on the process: of its control group, and of the groups around that."""
    for version, own in _own_groups():
        for mount in _MOUNTS[version]:
            # Inside a container the path may be that on the host, of which only the mount itself exists here.
            for group in (own, *own.parents):
                folder = _ROOT / mount / group
                free = _free_in_group(folder, *_FILES[version])
                if free is not None:
                    yield free


#: Where the groups of each version of control groups are mounted: by default, and in systems with both versions.
_MOUNTS = {1: ("sys/fs/cgroup/memory",), 2: ("sys/fs/cgroup", "sys/fs/cgroup/unified")}

#: The files of a group with its limit and with what it uses, and in memory.stat the cached files that can be dropped.
_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def _own_groups() -> list[tuple[int, Path]]:
    """The control groups of this process that can limit its memory: version and path below the mount."""
    try:
        lines = (_ROOT / "proc/self/cgroup").read_text("utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers == "" or "memory" in controllers.split(","):
            found.append((2 if controllers == "" else 1, Path(path.strip("/"))))
    return found


def _free_in_group(folder: Path, limit_file: str, usage_file: str, droppable: str) -> int | None:
    """Bytes that one group has left, or None if it has no limit."""
    try:
        limit = int((folder / limit_file).read_text("ascii"))
        used = int((folder / usage_file).read_text("ascii"))
    except (OSError, ValueError):  # no such group, or its limit is the text "max"
        return None
    return max(0, limit - max(0, used - _statistic(folder, droppable)))


def _statistic(folder: Path, name: str) -> int:
    try:
        lines = (folder / "memory.stat").read_text("ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.split()[:1] == [name])
    except (OSError, StopIteration, ValueError):
        return 0
