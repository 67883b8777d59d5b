"""The queue with real workers: order, cancelling, and processes that are killed."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

import veridag as vd
from app.queued import add_run, run_of, wait_for
from veridag.app.alive import holding, is_held
from veridag.app.asked import Asked
from veridag.app.queue import MOST_ATTEMPTS, Queue
from veridag.app.results import Kept
from veridag.app.runs import Runs

pytestmark = pytest.mark.medium

QUICK = Asked("asia.csv", "table.csv", mode="learn")
#: Takes minutes if nobody stops it.
LONG = Asked("alarm.csv", "table.csv")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def alarm(tmp_path_factory):
    path = tmp_path_factory.mktemp("alarm") / "alarm.csv"
    vd.networks.load("alarm").sample(5000, seed=1).write(path)
    return path


@pytest.fixture
def queue(project):
    """A queue at work; what it started is ended with it."""
    with Queue(lambda: [project]).running() as made:
        yield made
        for one in made._started:
            one.process.kill()
            one.process.wait()
        made._started.clear()


def at_work(project, number=1):
    return wait_for(lambda: (run := run_of(project, number)).status == "running" and run.label and run)


def test_runs_are_done_one_after_the_other_in_their_order(project, queue):
    for _ in range(2):
        add_run(project, QUICK)
    queue.wake()
    runs = [wait_for(lambda n=n: (run := run_of(project, n)).status == "done" and run) for n in (1, 2)]
    assert runs[0].ended <= runs[1].started
    assert all(Kept(project / "runs" / str(run.number)).graph.names for run in runs)


def test_what_waited_before_the_server_was_started_is_done(project):
    add_run(project, QUICK)
    with Queue(lambda: [project]).running():
        wait_for(lambda: run_of(project).status == "done")


@pytest.mark.slow
def test_cancel_stops_a_run_and_the_next_one_begins(project, queue, alarm):
    add_run(project, LONG, alarm)
    add_run(project, QUICK)
    queue.wake()
    at_work(project)
    with Runs(project) as runs:
        assert runs.get(2).status == "queued"
        runs.ask_to_stop(1)
    wait_for(lambda: run_of(project).status == "cancelled")
    wait_for(lambda: run_of(project, 2).status == "done")


@pytest.mark.slow
def test_a_worker_that_is_killed_is_said_to_be_interrupted_and_can_be_done_again(project, queue, alarm):
    add_run(project, LONG, alarm)
    queue.wake()
    at_work(project)
    queue._started[0].process.kill()
    run = wait_for(lambda: (run := run_of(project)).status == "interrupted" and run)
    assert "SIGKILL" in run.error
    with Runs(project) as runs:
        assert runs.queue_again(1)
    queue.wake()
    assert at_work(project).attempts == 2


@pytest.mark.slow
def test_a_worker_ends_when_it_is_asked_twice_or_its_project_is_deleted(project, queue, alarm):
    add_run(project, LONG, alarm)
    queue.wake()
    at_work(project)
    worker = queue._started[0].process
    with Runs(project) as runs:
        runs.ask_to_stop(1)
        runs.ask_to_stop(1)
    wait_for(lambda: worker.poll() is not None)
    assert run_of(project).status == "cancelled"
    with Runs(project) as runs:
        runs.queue_again(1)
    queue.wake()
    at_work(project)
    worker = wait_for(lambda: queue._started and queue._started[0].process)
    shutil.rmtree(project, ignore_errors=True)  # it may be writing there
    wait_for(lambda: worker.poll() is not None)


def test_a_worker_that_cannot_start_is_a_failed_run(project, queue, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    add_run(project, QUICK)
    queue.wake()
    run = wait_for(lambda: (run := run_of(project)).status == "failed" and run)
    assert "exit code 1" in run.error


SERVER = """
import sys
from pathlib import Path
from veridag.app.queue import Queue
with Queue(lambda: [Path(sys.argv[1])]).running():
    sys.stdin.read()
"""


def killed_server(project) -> None:
    """A server that has begun the first run and is killed then; its worker lives on."""
    with subprocess.Popen([sys.executable, "-c", SERVER, str(project)], stdin=subprocess.PIPE) as server:
        at_work(project)
        server.kill()


@pytest.mark.slow
def test_a_worker_outlives_its_server_and_the_next_server_waits_for_it(project, alarm):
    add_run(project, LONG, alarm)
    add_run(project, QUICK)
    killed_server(project)
    assert is_held(project / "runs" / "1")
    with Queue(lambda: [project]).running() as queue:
        with Runs(project) as runs:
            runs.ask_to_stop(1)
        wait_for(lambda: run_of(project, 2).status == "done")
        assert run_of(project).status == "cancelled"
        assert run_of(project).ended <= run_of(project, 2).started
        assert not queue._started or queue._started[0].number == 2


def test_a_run_whose_server_and_worker_were_killed_is_done_again(project):
    add_run(project, QUICK)
    with Runs(project) as runs:
        runs.claim(1)  # and then the machine was switched off
    with Queue(lambda: [project]).running():
        run = wait_for(lambda: (run := run_of(project)).status == "done" and run)
    assert run.attempts == 2


def test_a_run_that_ends_every_machine_is_not_begun_for_ever(project):
    add_run(project, QUICK)
    with Runs(project) as runs:
        for _ in range(MOST_ATTEMPTS):
            assert runs.claim(1)
            if run_of(project).attempts < MOST_ATTEMPTS:
                assert runs.queue_again(1, MOST_ATTEMPTS)
    with Queue(lambda: [project]).running():
        run = wait_for(lambda: (run := run_of(project)).status == "interrupted" and run)
    assert f"started {MOST_ATTEMPTS} times" in run.error


def test_a_run_of_another_living_server_is_left_alone_and_waited_for(project):
    add_run(project, QUICK)
    add_run(project, QUICK)
    queue = Queue(lambda: [project])
    with Runs(project) as runs, holding(runs.folder(1)):
        runs.claim(1)
        assert queue._step()
        assert [runs.get(n).status for n in (1, 2)] == ["running", "queued"]
        assert not queue._started


def test_a_broken_list_does_not_stop_the_other_projects(project, tmp_path, capsys):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "runs.sqlite").write_bytes(b"this is not a database, whatever its name says")
    add_run(project, QUICK)
    with Queue(lambda: [broken, project]).running():
        wait_for(lambda: run_of(project).status == "done")
    assert "broken" in capsys.readouterr().err
