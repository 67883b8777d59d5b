"""Many pieces in threads: all are done, or those until the deadline, an error or an interrupt."""

from __future__ import annotations

import threading

import pytest

from veridag.work.pieces import Stopped, deadline_after, run_pieces
from veridag.work.threads import Threads


def describe(i: int) -> str:
    return f"piece {i}"


@pytest.mark.parametrize("jobs", [1, 3])
def test_all_pieces_are_done_and_told(jobs):
    done, told = {}, []
    tell = lambda what, count, total, extra: told.append((what, count, total))  # noqa: E731
    assert run_pieces(lambda i, heartbeat: i * i, 5, Threads(jobs), done, describe=describe, progress=tell)
    assert done == {i: i * i for i in range(5)}
    assert {what for what, _, _ in told} == {describe(i) for i in range(5)}
    assert [count for _, count, _ in told] == sorted(count for _, count, _ in told)
    assert told[-1][1:] == (5, 5)


def test_no_piece_is_started_after_the_deadline():
    done: dict[int, int] = {}
    assert not run_pieces(lambda i, heartbeat: i, 5, Threads(2), done, describe=describe, deadline=deadline_after(0))
    assert done == {}
    assert deadline_after(None) is None


def test_the_deadline_ends_a_piece_at_its_heartbeat(monkeypatch):
    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr("veridag.work.pieces.time", clock)

    def piece(i, heartbeat):
        if i == 1:
            clock.now = 10.0
            while True:
                heartbeat("search", 0, None, {})
        return i

    done: dict[int, int] = {}
    assert not run_pieces(piece, 3, Threads(1), done, describe=describe, deadline=5.0)
    assert done == {0: 0}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_of_one_piece_ends_the_others(error):
    started, ended = threading.Event(), []

    def piece(i, heartbeat):
        if i == 1:
            started.wait()
            raise error
        started.set()
        try:
            while True:
                heartbeat("search", 0, None, {})
        except Stopped:
            ended.append(i)
            raise

    done: dict[int, int] = {}
    with pytest.raises(error):
        run_pieces(piece, 4, Threads(2), done, describe=describe)
    assert (ended, done) == ([0], {})
