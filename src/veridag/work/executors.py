"""Choosing the executor for the arguments `jobs` and `client`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veridag.errors import InputError, setting

from .cluster import Cluster
from .pieces import Executor
from .threads import Threads

if TYPE_CHECKING:
    from distributed import Client


def executor_of(jobs: int | Executor = 1, client: Client | str | None = None) -> Executor:
    """Threads for a number, the executor itself if it is one, and a cluster for a client or its scheduler's address."""
    if client is None:
        return Threads(jobs) if isinstance(jobs, int) or not isinstance(jobs, Executor) else jobs
    if jobs != 1:
        own = setting("jobs", jobs)
        raise InputError(f"{own} is for this machine, and {setting('client')} for a cluster: give one of them")
    return Cluster(client)
