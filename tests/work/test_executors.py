"""Executors: all pieces are done, wherever that is; errors, interrupts and deaths are the same everywhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import veridag as vd
from clusters import NEEDS_DASK, local_cluster
from tasks import (
    Counted,
    Deadly,
    Endless,
    Failing,
    Logged,
    OwnError,
    Square,
    Unsendable,
    Warns,
    Where,
    WithData,
    lines,
    until,
)
from veridag.work import processes
from veridag.work.cluster import connect
from veridag.work.executors import executor_of
from veridag.work.pieces import run_pieces

EXECUTORS = [
    "threads",
    pytest.param("processes", marks=pytest.mark.medium),
    pytest.param("cluster", marks=NEEDS_DASK),
]
APART = EXECUTORS[1:]


@pytest.fixture
def executor(request):
    if request.param == "cluster":
        return executor_of(client=request.getfixturevalue("address"))
    return vd.Threads(2) if request.param == "threads" else vd.Processes(2)


everywhere = pytest.mark.parametrize("executor", EXECUTORS, indirect=True)
in_other_processes = pytest.mark.parametrize("executor", APART, indirect=True)


def describe(i: int) -> str:
    return f"piece {i}"


def gone(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    return False


@everywhere
def test_all_pieces_are_done_and_told(executor):
    done, told = {}, []
    tell = lambda what, count, total, extra: told.append((what, count, total))  # noqa: E731
    assert run_pieces(Square(), 7, executor, done, describe=describe, progress=tell)
    assert done == {i: i * i for i in range(7)}
    assert {what for what, _, _ in told} == {describe(i) for i in range(7)}
    assert [count for _, count, _ in told] == sorted(count for _, count, _ in told)
    assert told[-1][1:] == (7, 7)
    with executor.open() as opened:
        assert opened.width() == 2


@in_other_processes
def test_the_data_goes_to_each_process_once(executor, tmp_path):
    path = tmp_path / "loads"
    done: dict[int, int] = {}
    assert run_pieces(WithData(Counted(str(path))), 12, executor, done, describe=describe)
    assert len(done) == 12
    assert 1 <= len(lines(path)) == len(set(lines(path))) <= 2
    assert str(os.getpid()) not in lines(path)


@in_other_processes
def test_an_open_executor_keeps_its_processes_and_the_arrays_that_they_have(executor, monkeypatch):
    connected = []
    monkeypatch.setattr("veridag.work.cluster.connect", lambda address: connected.append(address) or connect(address))
    array = np.arange(100_000)
    with executor.open() as opened:
        rounds = [answers_of(Where(array, other), 8, opened) for other in ("one", "two", "three")]
    assert len(connected) <= 1
    assert {total for _, _, total in rounds[0]} == {array.sum()}
    assert len(set(rounds[0])) <= 2  # a process has it in one place
    assert set(rounds[1]) | set(rounds[2]) <= set(rounds[0])


@in_other_processes
@pytest.mark.parametrize("most_bytes", [0, 1 << 30])
def test_what_is_new_in_a_task_or_was_forgotten_is_sent_with_it(executor, most_bytes, monkeypatch):
    monkeypatch.setattr("veridag.work.sending.MOST_BYTES", most_bytes)
    one, two = np.arange(1000), np.arange(2000)
    with executor.open() as opened:
        for array in (one, two, one):
            assert {total for _, _, total in answers_of(Where(array, "other"), 4, opened)} == {array.sum()}


@pytest.mark.medium
def test_a_process_that_replaces_another_in_a_later_task_has_the_arrays_too(tmp_path):
    array, deaths = np.arange(1000), str(tmp_path / "deaths")
    with vd.Processes(1).open() as opened:
        before = answers_of(Where(array, "one"), 2, opened)
        after = answers_of(Where(array, "two", deaths), 4, opened)
    [first] = {pid for pid, _, _ in before}
    assert lines(deaths) == [str(first)]
    assert [pid == first for pid, _, _ in after] == [True, True, False, False]
    assert {total for _, _, total in after} == {array.sum()}


@everywhere
def test_work_goes_on_after_a_task_that_was_stopped(executor, tmp_path, ctrl_c):
    done: dict[int, int] = {}
    with executor.open() as opened:
        with pytest.raises(KeyboardInterrupt):
            run_pieces(Endless(str(tmp_path / "log")), 4, opened, {}, describe=describe, progress=ctrl_c(4))
        assert run_pieces(Square(), 5, opened, done, describe=describe)
    assert done == {i: i * i for i in range(5)}


def answers_of(task, count, executor):
    done: dict[int, Any] = {}
    assert run_pieces(task, count, executor, done, describe=describe)
    return [done[i] for i in range(count)]


@everywhere
@pytest.mark.parametrize(("kind", "error"), [("value", ValueError), ("input", vd.InputError)])
def test_an_error_in_a_piece_is_raised_as_it_is(executor, kind, error):
    with pytest.raises(error, match=r"piece 1|data: too small") as raised:
        run_pieces(Failing(kind), 8, executor, {}, describe=describe)
    assert raised.type is error


@in_other_processes
def test_an_error_that_cannot_be_sent_keeps_its_words(executor):
    with pytest.raises(RuntimeError, match="OwnError: far away"):
        run_pieces(Failing("own"), 2, executor, {}, describe=describe)
    assert issubclass(OwnError, Exception)


@in_other_processes
def test_a_warning_is_given_once_and_here(executor):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("default")
        assert run_pieces(Warns(), 6, executor, {}, describe=describe)
    assert [str(w.message) for w in heard if w.category is UserWarning] == ["the rows are few"]


@everywhere
def test_an_interrupt_ends_all_pieces(executor, tmp_path, ctrl_c):
    """The callback is told of pieces 0, 1 and 2, and of the end of piece 0: two pieces run for ever by then."""
    path, done = str(tmp_path / "log"), {}
    with pytest.raises(KeyboardInterrupt):
        run_pieces(Endless(path), 4, executor, done, describe=describe, progress=ctrl_c(4))
    assert done == {0: 0}
    if isinstance(executor, vd.Processes):
        assert all(map(gone, lines(f"{path}-began")))
    else:
        until(lambda: len(lines(f"{path}-ended")) == len(lines(f"{path}-began")))


@everywhere
def test_the_deadline_ends_all_pieces(executor, tmp_path, monkeypatch):
    path, done = str(tmp_path / "log"), {}

    class Clock:
        """The time is over as soon as a piece runs that goes on for ever."""

        def monotonic(self) -> float:
            return 10.0 if lines(f"{path}-began") else 0.0

    monkeypatch.setattr("veridag.work.pieces.time", Clock())
    assert not run_pieces(Endless(path), 4, executor, done, describe=describe, deadline=5.0)
    assert done.keys() <= {0}
    if isinstance(executor, vd.Processes):
        assert all(map(gone, lines(f"{path}-began")))
    else:
        until(lambda: len(lines(f"{path}-ended")) == len(lines(f"{path}-began")))


@pytest.mark.medium
def test_a_piece_whose_process_died_is_done_by_another(tmp_path):
    path, done = tmp_path / "deaths", {}
    assert run_pieces(Deadly(str(path), 2), 5, vd.Processes(2), done, describe=describe)
    assert done == {i: i for i in range(5)}
    assert len(set(lines(path))) == 2


@pytest.mark.medium
def test_a_piece_that_kills_every_process_is_named(tmp_path):
    with pytest.raises(vd.InputError, match=r"^piece 2: its process died 3 times, SIGKILL.*more memory"):
        run_pieces(Deadly(str(tmp_path / "deaths"), 99), 3, vd.Processes(1), {}, describe=describe)


@pytest.fixture
def children(monkeypatch):
    """All processes that are started."""
    started: list[Any] = []

    class Child(processes._Child):
        def __init__(self) -> None:
            super().__init__()
            started.append(self._process)

    monkeypatch.setattr(processes, "_Child", Child)
    return started


DATA = vd.networks.load("asia").sample(60, seed=1)


def validate(progress=None, **where):
    """Two rounds of work: two learners on all rows, and on four subsamples."""
    learners = [vd.HillClimbing(), vd.HillClimbing(score=vd.BDeu())]
    return vd.intersection_validation(DATA, learners, [20], 4, companions={}, progress=progress, **where)


@pytest.mark.medium
def test_a_call_of_several_rounds_starts_its_processes_once_and_leaves_none(children):
    validate(jobs=vd.Processes(2))
    assert len(children) == 2
    assert all(process.returncode is not None for process in children)


@pytest.mark.medium
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("calls", [1, 6], ids=["in the first round", "in the second"])
def test_no_process_is_left_after_an_error_or_an_interrupt(children, error, calls):
    left = [calls]

    def progress(*told):
        left[0] -= 1
        if not left[0]:
            raise error

    with pytest.raises(error):
        validate(progress, jobs=vd.Processes(2))
    assert children
    assert all(process.returncode is not None for process in children)


@pytest.mark.medium
def test_what_cannot_be_sent_is_told(tmp_path):
    with pytest.raises(vd.InputError, match="result cannot be sent"):
        run_pieces(Unsendable(), 1, vd.Processes(1), {}, describe=describe)


def test_work_that_cannot_be_sent_is_told():
    with pytest.raises(vd.InputError, match=r"cannot be sent to another process.*use threads"):
        run_pieces(WithData(threading.Lock()), 1, vd.Processes(1), {}, describe=describe)


@pytest.mark.slow
def test_processes_end_when_the_one_that_started_them_is_killed(tmp_path):
    path = str(tmp_path / "log")
    code = (
        "import veridag as vd; from tasks import Endless; from veridag.work.pieces import run_pieces;"
        f"run_pieces(Endless({path!r}), 3, vd.Processes(2), {{}}, describe=str)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) as parent:
        until(lambda: len(lines(f"{path}-began")) == 2, parent)
        parent.send_signal(signal.SIGKILL)
    until(lambda: all(map(_is_over, lines(f"{path}-began"))))


def _is_over(pid: str) -> bool:
    """Whether a process that is no child of this one has ended, though its parent may not have looked at it."""
    if gone(pid):
        return True
    found = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True, check=False).stdout
    return not found.strip() or found.startswith("Z")


def test_jobs_and_client_are_told_apart():
    assert executor_of(3) == vd.Threads(3)
    assert executor_of(vd.Processes(2)) == vd.Processes(2)
    assert executor_of(client="tcp://host:8786") == vd.Cluster("tcp://host:8786")
    with pytest.raises(vd.InputError, match="jobs=2 is for this machine, and client= for a cluster"):
        executor_of(2, "tcp://host:8786")
    with pytest.raises(vd.InputError, match="client=3 must be the address of a Dask scheduler"):
        executor_of(client=3)
    for wrong in (0, True, "two", 2.5):
        with pytest.raises(vd.InputError, match="jobs="):
            executor_of(wrong)
        with pytest.raises(vd.InputError, match="jobs="):
            vd.Processes(wrong)


def test_one_search_is_not_for_other_processes():
    data = vd.networks.load("asia").sample(50, seed=1)
    with pytest.raises(vd.InputError, match=r"HillClimbing.* is a single search.*cannot use Processes: give jobs=2"):
        vd.HillClimbing().learn(data, jobs=vd.Processes(2))


# ---- a cluster whose workers come and go


class TestCluster:
    pytestmark = NEEDS_DASK

    def test_the_client_can_be_given_and_stays_open(self, address):
        from distributed import Client

        with Client(address, set_as_default=False) as client:
            done: dict[int, int] = {}
            assert run_pieces(Square(), 5, executor_of(client=client), done, describe=describe)
            assert done == {i: i * i for i in range(5)}
            assert client.status == "running"
            until(lambda: not client.who_has())  # nothing of it is left there

    @pytest.mark.parametrize("killed", [1, 2])
    def test_the_pieces_of_workers_that_were_killed_are_done_by_others(self, tmp_path, killed):
        """If all are killed, a worker that comes later has the data too, though no other worker is left that has it."""
        log, done = tmp_path / "log", {}
        with local_cluster(tmp_path) as cluster:

            def kill(what, count, total, extra):
                if len(lines(log)) >= 6 and len(cluster.workers) == 2:
                    for worker in cluster.workers[:killed]:
                        worker.kill()
                    cluster.add_worker()

            executor = vd.Cluster(cluster.address)
            assert run_pieces(Logged(str(log)), 40, executor, done, describe=describe, progress=kill)
        assert done == {i: i for i in range(40)}

    def test_workers_that_come_after_all_others_were_killed_have_the_arrays_too(self, tmp_path):
        array = np.arange(1000)
        with local_cluster(tmp_path) as cluster, vd.Cluster(cluster.address).open() as opened:
            before = answers_of(Where(array, "one"), 4, opened)
            for worker in cluster.workers:
                worker.kill()
            cluster.add_worker()
            after = answers_of(Where(array, "two"), 4, opened)
        assert {total for _, _, total in after} == {array.sum()}
        assert not {pid for pid, _, _ in before} & {pid for pid, _, _ in after}

    def test_a_call_of_several_rounds_goes_on_when_a_worker_is_killed_in_each(self, tmp_path):
        with local_cluster(tmp_path) as cluster:

            def kill(what, count, total, extra):
                if count in (1, 5) and len(cluster.workers) == 2 + (count == 5):
                    cluster.workers[-1].kill()
                    cluster.add_worker()

            found = validate(kill, client=cluster.address)
            assert len(cluster.workers) == 4
        assert np.array_equal(found.distances, validate().distances)

    def test_a_piece_that_kills_every_worker_is_named(self, tmp_path):
        with local_cluster(tmp_path, 2, "--nanny") as cluster:
            task = Deadly(str(tmp_path / "deaths"), 99)
            with pytest.raises(vd.InputError, match=r"^piece 2: every Dask worker.*more memory"):
                run_pieces(task, 3, vd.Cluster(cluster.address), {}, describe=describe)

    def test_a_cluster_that_goes_away_is_told(self, tmp_path):
        path = str(tmp_path / "log")
        with local_cluster(tmp_path) as cluster:

            def end(what, count, total, extra):
                if count == 1:
                    cluster.end()

            with pytest.raises(vd.InputError, match=r"client='tcp://.*the cluster gave no result"):
                run_pieces(Endless(path), 3, vd.Cluster(cluster.address), {}, describe=describe, progress=end)

    def test_an_address_without_a_scheduler_is_told(self, monkeypatch):
        monkeypatch.setattr("veridag.work.cluster.PATIENCE", 0.5)
        with pytest.raises(vd.InputError, match=r"client='tcp://127\.0\.0\.1:9': no scheduler answers at this address"):
            vd.bootstrap(vd.networks.load("asia").sample(50, seed=1), client="tcp://127.0.0.1:9")
