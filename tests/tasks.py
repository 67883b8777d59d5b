"""Pieces of work for the tests of executors, in a module that other processes can import."""

from __future__ import annotations

import os
import signal
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from veridag.errors import InputError
from veridag.work.pieces import Stopped


def line(path: str, text: object) -> None:
    """Add a line to a file, whole, from any process."""
    with Path(path).open("a") as file:
        file.write(f"{text}\n")


def lines(path: str | Path) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def until(condition, process=None) -> None:
    """Wait for something that is sure to come; ten minutes are as good as never."""
    end = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < end
        assert process is None or process.poll() is None, process.communicate()[0]
        time.sleep(0.02)


@dataclass(frozen=True)
class Square:
    def __call__(self, i, heartbeat):
        heartbeat("square", i, None, {})
        return i * i


class Counted:
    """Writes a line whenever it is made again from bytes."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __setstate__(self, state: dict[str, str]) -> None:
        self.__dict__.update(state)
        line(self.path, os.getpid())


@dataclass(frozen=True)
class WithData:
    data: Counted

    def __call__(self, i, heartbeat):
        return i


@dataclass(frozen=True, eq=False)
class Where:
    """Says which process it is in, and where there in memory its array is; `other` makes it another task."""

    array: np.ndarray
    other: str
    deaths: str | None = None

    def __call__(self, i, heartbeat):
        if self.deaths is not None and i == 2 and not lines(self.deaths):
            line(self.deaths, os.getpid())
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid(), self.array.ctypes.data, int(self.array.sum())


@dataclass(frozen=True)
class Logged:
    """Writes a line for each piece."""

    path: str

    def __call__(self, i, heartbeat):
        line(self.path, i)
        time.sleep(0.05)
        return i


@dataclass(frozen=True)
class Deadly:
    """Kills its process in piece 2, as often as it is told."""

    path: str
    times: int

    def __call__(self, i, heartbeat):
        if i == 2 and len(lines(self.path)) < self.times:
            line(self.path, os.getpid())
            os.kill(os.getpid(), signal.SIGKILL)
        return i


@dataclass(frozen=True)
class Endless:
    """Piece 0 returns, and the others go on until they are stopped; each writes that it began, and that it ended."""

    path: str

    def __call__(self, i, heartbeat):
        if i == 0:
            return 0
        line(f"{self.path}-began", os.getpid())
        try:
            while True:
                heartbeat("search", 0, None, {})
                time.sleep(0.01)
        except Stopped:
            line(f"{self.path}-ended", i)
            raise


class OwnError(Exception):
    """An error that cannot be made again from its words."""

    def __init__(self, a: str, b: str) -> None:
        super().__init__(f"{a} {b}")


@dataclass(frozen=True)
class Failing:
    kind: str

    def __call__(self, i, heartbeat):
        if i < 1:
            return i
        if self.kind == "input":
            raise InputError("data: too small")
        if self.kind == "own":
            raise OwnError("far", "away")
        raise ValueError("piece 1")


@dataclass(frozen=True)
class Warns:
    def __call__(self, i, heartbeat):
        warnings.warn("the rows are few", UserWarning, stacklevel=1)
        print("what a library prints")
        return i


@dataclass(frozen=True)
class Unsendable:
    def __call__(self, i, heartbeat):
        return lambda: i
