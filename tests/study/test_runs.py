"""Runs: resumable whatever ends them, with failures, time limits and dying workers each in their place."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from veridag.study import cost, plan, runner
from veridag.study.processes import ProcessExecutor, Queue
from veridag.study.store import Store
from veridag.study.tables import TIMING, results


def table(planned, path):
    """What a study found, without the columns about time."""
    with Store(path, read_only=True) as store:
        found = results(planned, store)
    return found.drop([c for c in found.columns if c.startswith("seconds_") or c in TIMING])


def do(path, store, **executor):
    planned = plan.load(path, trust_kinds=True)
    with Store(store) as opened:
        return planned, runner.run(planned, opened, ProcessExecutor(**executor))


@pytest.mark.medium
def test_a_run_does_every_cell_once_and_a_second_run_nothing(sums, tmp_path):
    log = tmp_path / "log"
    path = sums(numbers="[1, 2, 3]", log=f'"{log}"')
    planned, state = do(path, tmp_path / "s.sqlite", jobs=2)
    assert (state.total, state.done, state.missing, state.now) == (6, 6, 0, 6)
    assert table(planned, tmp_path / "s.sqlite").height == 18
    _, again = do(path, tmp_path / "s.sqlite", jobs=2)
    assert (again.done, again.now) == (6, 0)
    assert len(log.read_text().splitlines()) == 6


@pytest.mark.medium
def test_the_table_does_not_depend_on_the_number_of_processes(sums, tmp_path):
    path = sums(numbers="[1, 2, 3, 4]", repetitions=3)
    one, _ = do(path, tmp_path / "one.sqlite", jobs=1)
    three, _ = do(path, tmp_path / "three.sqlite", jobs=3)
    assert table(one, tmp_path / "one.sqlite").equals(table(three, tmp_path / "three.sqlite"))


@pytest.mark.medium
def test_cells_that_share_work_stay_with_one_worker(sums, tmp_path):
    log = tmp_path / "log"
    do(sums(numbers="[1, 2]", repetitions=10, seconds=0.02, log=f'"{log}"'), tmp_path / "s.sqlite", jobs=2)
    homes = Counter(tuple(line.split()[::2]) for line in log.read_text().splitlines())
    # A worker without a group of its own takes from the end of the longest, so a group has a second home at most.
    assert max(homes.values()) >= 7


def test_a_group_is_given_out_before_anything_is_taken_from_another(sums):
    planned = plan.load(sums(numbers="[1, 2, 3]"), trust_kinds=True)
    queue = Queue(planned.cells, planned.kind)
    first, one = queue.next([])
    second, two = queue.next([])
    again, one = queue.next(one)
    assert [c.settings["number"] for c in (first, second, again)] == [1, 2, 1]
    third, one = queue.next(one)
    rest = [queue.next(group)[0] for group in (two, one, one)]
    assert [third.settings["number"], *(c and c.settings["number"] for c in rest)] == [3, 2, 3, None]


@pytest.mark.medium
def test_a_failed_cell_is_recorded_and_stops_no_other(sums, tmp_path):
    path = sums(numbers="[1, 2, 3]", bad="[2]")
    planned, state = do(path, tmp_path / "s.sqlite", jobs=2)
    assert (state.done, state.failed, state.missing) == (4, 2, 0)
    found = table(planned, tmp_path / "s.sqlite")
    assert set(found.filter(found["status"] == "failed")["error"]) == {"ValueError: 2 is a bad number"}
    _, again = do(path, tmp_path / "s.sqlite", jobs=1)
    assert again.now == 0
    with Store(tmp_path / "s.sqlite") as store:
        retried = runner.run(planned, store, ProcessExecutor(), retry=True)
    assert (retried.now, retried.failed, retried.done, retried.finished) == (2, 2, 4, 6)


@pytest.mark.medium
def test_a_cell_that_kills_its_worker_is_tried_again_and_then_recorded(sums, tmp_path):
    log = tmp_path / "log"
    path = sums(numbers="[1, 2, 3]", repetitions=1, deadly="[2]", log=f'"{log}"')
    planned, state = do(path, tmp_path / "s.sqlite", jobs=2)
    assert (state.done, state.failed) == (2, 1)
    assert "the worker process died in this cell 2 times (SIGKILL" in "".join(
        table(planned, tmp_path / "s.sqlite")["error"].drop_nulls()
    )
    assert Counter(line.split()[0] for line in log.read_text().splitlines()) == {"1": 1, "2": 2, "3": 1}


@pytest.mark.medium
def test_a_cell_above_the_time_limit_is_stopped_and_marked(sums, tmp_path):
    path = sums(numbers="[1]", repetitions=2, seconds=60)
    planned, state = do(path, tmp_path / "s.sqlite", jobs=2, time_limit=0.3)
    assert (state.stopped, state.done) == (2, 0)
    found = table(planned, tmp_path / "s.sqlite")
    assert found["status"].to_list() == ["stopped", "stopped"]
    assert found["error"][0] == "stopped after the time limit of 0.3 s"


@pytest.mark.medium
def test_a_kind_that_workers_cannot_load_is_an_error_and_no_endless_try(sums, tmp_path, monkeypatch):
    planned = plan.load(sums(numbers="[1]"), trust_kinds=True)
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if not p.endswith("study")])
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(ValueError, match=r"cannot start.*arithmetic"):
        runner.run(planned, store, ProcessExecutor())


@pytest.mark.medium
def test_closing_a_run_ends_its_processes(sums, tmp_path):
    planned = plan.load(sums(numbers="[1]", repetitions=9, seconds=0.05, log=f'"{tmp_path / "log"}"'), trust_kinds=True)
    outcomes = ProcessExecutor(2).run(planned.cells, planned.kind)
    next(outcomes)
    outcomes.close()
    pids = {int(line.split()[2]) for line in (tmp_path / "log").read_text().splitlines()}
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_the_estimate_scales_with_the_work_and_runs_no_more_than_it_must(sums, monkeypatch):
    done = []

    class Tenths:
        """Does cells in a tenth of a second each."""

        def __init__(self, *_, **__):
            pass

        def run(self, cells, kind):
            for cell in cells:
                done.append(cell)
                yield SimpleNamespace(status="done", seconds=0.1)

    monkeypatch.setattr(cost, "ProcessExecutor", Tenths)
    planned = plan.load(sums(numbers="[1, 2]", repetitions=50), trust_kinds=True)
    expected = cost.estimate(planned, planned.cells, 2, 1 << 20)
    assert expected.cells == 100
    assert expected.seconds == pytest.approx(100 * 0.1 / 2)
    assert expected.bytes >= 2 * cost.BASE_BYTES
    assert (expected.timed, expected.stopped) == (3 + 100 // cost.ONE_OF, 0)
    assert len(done) == expected.timed + 1
    assert cost.estimate(planned, (), 2, 1 << 20).seconds == 0


@pytest.mark.slow
def test_the_estimate_goes_by_what_is_done_and_says_what_took_too_long(sums, tmp_path):
    path, store = sums(numbers="[1, 2]", repetitions=20, seconds=0.3), tmp_path / "s.sqlite"
    planned = plan.load(path, trust_kinds=True)
    slow = cost.estimate(planned, planned.cells, 1, 1 << 20, budget=0.4)
    assert slow.timed == slow.stopped > 0
    assert slow.seconds == pytest.approx(0.1 * 40)
    with Store(store) as opened:
        runner.run(replace(planned, cells=planned.cells[:2]), opened, ProcessExecutor(2))
        known = cost.estimate(planned, planned.cells[2:], 1, 1 << 20, opened)
    assert (known.timed, known.stopped) == (0, 0)
    assert known.seconds > 0.3 * 38


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, 15])
def test_killing_the_run_at_any_moment_changes_nothing_in_the_end(sums, tmp_path, command, kills):
    """SIGKILL at random times, again and again; then the table is that of a run left in peace, and no cell was lost."""
    path = sums(numbers="[1, 2, 3, 4, 5, 6]", repetitions=5, seconds=0.02, bad="[4]")
    planned, _ = do(path, tmp_path / "calm.sqlite", jobs=2)
    chance = random.Random(kills)
    seen = set()
    for _ in range(kills):
        process = command("run", path, "--trust-kinds", "--store", "shaken.sqlite", "--jobs", 2, start_new_session=True)
        _wait_for(_more_than(seen, tmp_path / "shaken.sqlite"), chance.uniform(0.2, 20))
        time.sleep(chance.uniform(0, 0.15))
        process.kill()
        process.communicate()
        seen |= _check_sound(tmp_path / "shaken.sqlite", seen)
    process = command("run", path, "--trust-kinds", "--store", "shaken.sqlite", "--jobs", 2)
    said = process.communicate()[0]
    assert process.returncode == 1, said  # there are failed cells
    assert table(planned, tmp_path / "shaken.sqlite").equals(table(planned, tmp_path / "calm.sqlite"))
    _check_sound(tmp_path / "shaken.sqlite", seen)


def _wait_for(condition, seconds):
    """Until it holds, or so long."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)


def _more_than(seen, path):
    return lambda: _keys(path) - seen


def _keys(path):
    try:
        with Store(path, read_only=True) as store:
            return set(store.records())
    except ValueError:  # not there yet
        return set()


def _check_sound(path, before):
    """The store is no broken database, has no cell without its rows, and all that it had before."""
    if not path.exists():
        return set()
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return set()
        keys = {key for (key,) in connection.execute("SELECT key FROM cells")}
        lines = connection.execute("SELECT status, (SELECT count(*) FROM rows WHERE rows.key = cells.key) FROM cells")
        assert set(lines) <= {("done", 3), ("failed", 0)}
    connection.close()
    assert before <= keys
    return keys


@pytest.mark.slow
def test_workers_leave_when_their_coordinator_is_killed(sums, tmp_path, command):
    log = tmp_path / "log"
    process = command(
        "run", sums(numbers="[1]", seconds=300, log=f'"{log}"'), "--trust-kinds", "--jobs", 2, start_new_session=True
    )
    _wait_for(lambda: log.exists() and len(log.read_text().splitlines()) >= 2, 600)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    pids = [int(line.split()[2]) for line in log.read_text().splitlines()]
    assert len(pids) >= 2
    _wait_for(lambda: not any(_alive(pid) for pid in pids), 600)
    assert not any(_alive(pid) for pid in pids)


def _alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
