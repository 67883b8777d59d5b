"""A Dask cluster, given by the address of its scheduler: connected, with workers, and of the same version as this."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from veridag.errors import InputError

if TYPE_CHECKING:
    from distributed import Client

#: How long to wait for the scheduler, and for its first worker, in seconds.
PATIENCE = 30.0


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
    try:
        from distributed import Client
    except ImportError:
        raise InputError(f"--dask {address}: Dask is not installed: pip install 'veridag[cluster]'") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--dask {address}: no scheduler answers there ({error}): give its address, such as tcp://host:8786"
        ) from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise InputError(
            f"--dask {address}: the scheduler has no workers: start some with `dask worker {address}`"
        ) from None
    return client


def _check_versions(client: Client, address: str) -> None:
    ours = version("veridag")
    try:
        answers = client.run(installed, on_error="return")
    except Exception as error:  # whatever a worker without veridag makes of the question
        raise InputError(
            f"--dask {address}: the workers cannot import veridag ({error}): install {ours} there"
        ) from None
    for worker, theirs in answers.items():
        if isinstance(theirs, Exception):
            raise InputError(
                f"--dask {address}: worker {worker} cannot import veridag ({theirs}): install {ours} there"
            )
        if theirs != ours:
            raise InputError(
                f"--dask {address}: worker {worker} has veridag {theirs}, and here is {ours}: install the same version "
                "on both"
            )


def installed() -> str:
    """The version of veridag on a worker."""
    return version("veridag")
