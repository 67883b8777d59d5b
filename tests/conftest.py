"""What holds for all tests."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, settings

# A program that was started in the background may have been told to ignore interrupts, and with it all that it starts.
# The tests of interrupts would then wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Nothing depends on time, load or luck: no deadlines, and the same examples in every run. Tests set no number of
# examples of their own, but may take a share of this one (see `strategies`).
settings.register_profile(
    "test", max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("check", settings.get_profile("test"), max_examples=5)
settings.register_profile("thorough", settings.get_profile("test"), max_examples=200)
settings.load_profile("test")


def pytest_collection_finish() -> None:
    """What was loaded until here stays to the end: the garbage collector need not look through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def ctrl_c() -> Callable[[int], Callable[..., None]]:
    """Makes a progress callback that, once called so often, has another thread send an interrupt."""

    def after(times: int) -> Callable[..., None]:
        told = threading.Semaphore(0)

        def interrupt() -> None:
            for _ in range(times):
                told.acquire()
            signal.raise_signal(signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        return lambda *_: told.release()

    return after


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Dask cluster with two workers, for all tests of a module."""
    from clusters import local_cluster

    with local_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.address
