"""Processes that do jobs: answers come back in order, and a process that cannot start or dies is noticed."""

from __future__ import annotations

import pytest

from veridag.work.job_process import JobProcess

MODULE = """
import os, sys
from veridag.work.job_process import serve

def prepare():
    if sys.argv[1] == "broken":
        raise ValueError("no such work")
    return do

def do(job):
    print("what a library prints")
    if job["number"] < 0:
        os._exit(3)
    while job["number"] > 100:
        pass
    return {"double": 2 * job["number"]}

serve(prepare)
"""

pytestmark = pytest.mark.medium


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Starts processes of the module above, and ends them after the test."""
    (tmp_path / "doubling.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    started = []

    def make(argument: str) -> JobProcess:
        started.append(JobProcess("doubling", argument))
        return started[-1]

    yield make
    for process in started:
        process.end()


def test_jobs_are_answered_and_a_process_that_died_is_replaced(start):
    process = start("work")
    assert process.next_answer() == {"ready": True}
    for number in (1, 2):
        process.give({"number": number})
        assert process.next_answer() == {"double": 2 * number}
    process.give({"number": -1})
    assert process.next_answer() is None
    assert process.restart() == "exit code 3"
    assert process.next_answer() == {"ready": True}
    process.give({"number": 101})
    assert process.next_answer(seconds=0) is None
    assert "SIGKILL" in process.restart()


def test_a_process_that_cannot_start_says_why(start):
    assert start("broken").next_answer() == {"broken": "ValueError: no such work"}
