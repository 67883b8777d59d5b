"""Interrupts that come twice, or while SCIP's thread is started: none leaves the thread behind."""

from __future__ import annotations

import threading

import pytest

from naive import exact as naive_tables
from veridag import _core
from veridag.search.exact import fresh_start
from veridag.search.exact.acyclicity import Candidates
from veridag.search.exact.integer_program import Program


@pytest.fixture
def program(monkeypatch):
    """One that SCIP would work on for seconds, and would not end by itself before it is done."""
    monkeypatch.setattr(fresh_start, "SMALL_SHARE", 0.0)
    table = naive_tables.random_table(16, 3, sets=20)
    core = _core.Candidates(len(table.names), table.offsets, table.scores, table.parent_offsets, table.parents)
    return Program(Candidates(core, table.offsets, table.scores), [], 1e9)


@pytest.fixture
def started(monkeypatch):
    """The threads that were started."""
    threads: list[threading.Thread] = []
    real = threading.Thread.start

    def start(self):
        threads.append(self)
        real(self)

    monkeypatch.setattr(threading.Thread, "start", start)
    return threads


def has_stopped(program: Program, started: list[threading.Thread]) -> bool:
    """Whether the search was ended before it was done, and its thread with it."""
    (thread,) = started
    if thread.ident is not None:
        thread.join()
    return program.model.getStatus() in ("unknown", "userinterrupt")


@pytest.mark.parametrize("begun", [True, False])
def test_an_interrupt_while_the_thread_is_started_ends_it(monkeypatch, program, started, begun):
    recorded = threading.Thread.start

    def interrupted(self):
        if begun:
            recorded(self)
        else:  # it comes to run later
            started.append(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            program.solve(lambda *_: False)
    if not begun:
        threading.Thread.run(started[0])
    assert has_stopped(program, started)


def test_interrupts_while_the_search_is_ended_do_not_leave_its_thread_behind(monkeypatch, program, started):
    real, interrupts = program._stop, iter([KeyboardInterrupt, KeyboardInterrupt])

    def stop():
        for interrupt in interrupts:
            raise interrupt
        real()

    def fails(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(program, "_stop", stop)
    with pytest.raises(ZeroDivisionError):
        program.solve(fails)
    assert has_stopped(program, started)
