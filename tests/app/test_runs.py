"""The list of runs: what is written survives, and nobody gets in the way of another."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

import veridag as vd
from veridag.app.alive import holding, is_held
from veridag.app.asked import Asked
from veridag.app.runs import Runs
from veridag.errors import InputError

ASKED = Asked("cases.csv", "table.csv", minutes=5, required=(("A", "B"),), tiers=(("A",), ("B", "C")))


def nothing(folder):
    """A run whose folder stays empty."""


def test_what_is_asked_survives_as_text():
    assert Asked.from_json(ASKED.to_json()) == ASKED
    assert ASKED.knowledge == vd.Knowledge(required=[("A", "B")], tiers=[["A"], ["B", "C"]])
    assert Asked("a", "b").knowledge is None
    assert Asked("a", "b").knowing(ASKED.knowledge).knowledge == ASKED.knowledge


@pytest.mark.parametrize("wrong", [{"mode": "guess"}, {"minutes": 0}, {"minutes": float("inf")}, {"seed": -1}])
def test_what_cannot_be_done_is_refused_before_it_is_queued(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Asked("cases.csv", "table.csv", **wrong)


def test_several_can_make_the_list_at_the_same_time(tmp_path):
    def opened(folder):
        with Runs(folder) as runs:
            runs.add(ASKED, "v1", nothing)

    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        with ThreadPoolExecutor(8) as pool:
            for done in [pool.submit(opened, folder) for _ in range(8)]:
                done.result()
        with Runs(folder) as runs:
            assert len(runs.all()) == 8


def test_runs_are_found_again_with_all_that_was_asked(tmp_path):
    with Runs(tmp_path) as runs:
        first = runs.add(ASKED, "v1", lambda folder: (folder / "table.csv").write_text("A\n1\n"))
        runs.add(ASKED, "v2", nothing)
    with Runs(tmp_path) as runs:
        assert [run.number for run in runs.all()] == [2, 1]
        assert runs.get(1) == first
        assert (first.status, first.asked, first.version) == ("queued", ASKED, "v1")
        assert (runs.folder(1) / "table.csv").read_text() == "A\n1\n"


def test_a_run_whose_folder_cannot_be_filled_is_not_there(tmp_path):
    def broken(folder):
        (folder / "half").write_text("x")
        raise OSError("no space")

    with Runs(tmp_path) as runs:
        with pytest.raises(OSError, match="no space"):
            runs.add(ASKED, "v1", broken)
        assert runs.all() == []
        assert not runs.folder(1).exists()
        assert runs.add(ASKED, "v1", nothing).status == "queued"


def test_one_worker_alone_gets_a_run(tmp_path):
    with Runs(tmp_path) as mine, Runs(tmp_path) as other:
        mine.add(ASKED, "v1", nothing)
        assert mine.claim(1)
        assert not other.claim(1)
        assert other.get(1).attempts == 1


def test_progress_is_seen_by_others_and_brings_back_the_wish_to_stop(tmp_path):
    with Runs(tmp_path) as worker, Runs(tmp_path) as server:
        server.add(ASKED, "v1", nothing)
        worker.claim(1)
        assert worker.tell(1, "search", 3, 10, 7.5) == 0
        seen = server.get(1)
        assert (seen.label, seen.done, seen.total, seen.time_left) == ("search", 3, 10, 7.5)
        server.ask_to_stop(1)
        server.ask_to_stop(1)
        assert worker.tell(1, "search", 4, 10, 6.0) == 2


def test_a_run_that_waits_is_cancelled_at_once_and_one_that_has_ended_stays_as_it_is(tmp_path):
    with Runs(tmp_path) as runs:
        runs.add(ASKED, "v1", nothing)
        assert runs.ask_to_stop(1).status == "cancelled"
        assert not runs.claim(1)
        runs.add(ASKED, "v1", nothing)
        runs.claim(2)
        runs.finish(2, "done", kept=True)
        assert runs.ask_to_stop(2).status == "done"
        assert not runs.finish(2, "failed", error="late")
        assert runs.get(2).kept


def test_a_run_is_tried_again_from_the_start_but_not_for_ever(tmp_path):
    with Runs(tmp_path) as runs:
        runs.add(ASKED, "v1", nothing)
        runs.claim(1)
        runs.tell(1, "search", 3, 10, 1.0)
        runs.ask_to_stop(1)
        assert runs.queue_again(1, most_attempts=2)
        again = runs.get(1)
        assert (again.status, again.done, again.total, again.stop, again.label) == ("queued", 0, None, 0, "")
        runs.claim(1)
        assert not runs.queue_again(1, most_attempts=2)
        assert runs.get(1).status == "running"
        runs.finish(1, "done", kept=True)
        assert not runs.queue_again(1)


def test_numbers_are_not_given_twice_and_files_go_with_the_run(tmp_path):
    with Runs(tmp_path) as runs:
        runs.add(ASKED, "v1", nothing)
        runs.ask_to_stop(1)
        runs.remove(1)
        assert not runs.folder(1).exists()
        assert runs.add(ASKED, "v1", nothing).number == 2
        with pytest.raises(InputError, match="no run 1"):
            runs.get(1)


def test_a_run_at_work_cannot_be_deleted(tmp_path):
    with Runs(tmp_path) as runs:
        runs.add(ASKED, "v1", nothing)
        runs.claim(1)
        with pytest.raises(InputError, match="cancel it first"):
            runs.remove(1)
        assert runs.folder(1).exists()


def test_a_database_of_others_is_left_alone(tmp_path):
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as other:
        other.execute("CREATE TABLE theirs (x)")
    before = (tmp_path / "runs.sqlite").read_bytes()
    with pytest.raises(InputError, match="holds no runs"):
        Runs(tmp_path)
    assert (tmp_path / "runs.sqlite").read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read as one", b""])
def test_a_damaged_list_is_an_error_with_a_remedy_and_an_empty_one_begins_anew(tmp_path, content):
    (tmp_path / "runs.sqlite").write_bytes(content)
    if not content:
        with Runs(tmp_path) as runs:
            assert runs.all() == []
        return
    with pytest.raises(InputError, match="move it away"):
        Runs(tmp_path)


def test_a_locked_list_is_an_error_with_a_remedy(tmp_path):
    with Runs(tmp_path) as runs, closing(sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        runs._connection.execute("PRAGMA busy_timeout = 1")
        with pytest.raises(InputError, match="locked"):
            runs.add(ASKED, "v1", nothing)
        other.execute("ROLLBACK")
        assert runs.add(ASKED, "v1", nothing).status == "queued"


def test_a_full_disk_is_an_error_with_a_remedy_and_leaves_the_list_as_it_was(tmp_path):
    with Runs(tmp_path) as runs:
        runs.add(ASKED, "v1", nothing)
        pages = runs._connection.execute("PRAGMA page_count").fetchone()[0]
        runs._connection.execute(f"PRAGMA max_page_count = {pages}")
        wide = Asked("cases.csv", "table.csv", tiers=tuple((f"variable number {i}",) for i in range(1000)))
        with pytest.raises(InputError, match="disk is full"):
            runs.add(wide, "v1", nothing)
        assert [run.number for run in runs.all()] == [1]
        assert not runs.folder(2).exists()


def test_the_lock_of_a_run_is_free_as_soon_as_its_process_is_killed(tmp_path):
    script = f"""
import sys
from pathlib import Path
from veridag.app.alive import holding
with holding(Path({str(tmp_path)!r})) as held:
    print(held, flush=True)
    sys.stdin.read()
"""
    assert not is_held(tmp_path)
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"True\n"
        assert is_held(tmp_path)
        with holding(tmp_path, patience=0) as mine:
            assert not mine
        other.kill()
        other.wait()
        assert not is_held(tmp_path)
