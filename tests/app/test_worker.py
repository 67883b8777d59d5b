"""The worker: what it does with a run, with what it is asked to stop, and with what goes wrong."""

from __future__ import annotations

import json
import threading

import pytest

import veridag as vd
from app.queued import add_run, run_of, wait_for
from veridag.app import worker
from veridag.app.alive import holding
from veridag.app.asked import Asked
from veridag.app.results import Kept
from veridag.app.runs import Runs
from veridag.app.worker import time_left
from veridag.data.settings import TableSettings

QUICK = Asked("asia.csv", "table.csv", mode="learn")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def looks_often(monkeypatch):
    monkeypatch.setattr(worker, "MOMENT", 0.01)


@pytest.fixture(autouse=True)
def interrupts_as_before():
    """The worker ends by ignoring interrupts, which is right for its own process only."""
    import signal

    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_quick_run_finds_what_learn_finds(project):
    add_run(project, QUICK)
    worker.main(project, 1)
    run = run_of(project)
    assert (run.status, run.kept, run.error, run.attempts) == ("done", True, None, 1)
    kept = Kept(project / "runs" / "1")
    data = vd.read(project / "runs" / "1" / "table.csv", strict=False)
    assert kept.graph == vd.learn(data).cpdag
    assert kept.network.names == data.names


def test_what_is_known_is_heeded(project):
    add_run(project, Asked("asia.csv", "table.csv", mode="learn", forbidden=(("either", "xray"), ("xray", "either"))))
    worker.main(project, 1)
    assert ("either", "xray") not in Kept(project / "runs" / "1").graph.skeleton().edges
    data = vd.read(project / "runs" / "1" / "table.csv", strict=False)
    assert ("either", "xray") in vd.learn(data).cpdag.skeleton().edges


def test_the_settings_of_the_run_count_and_not_those_of_the_project(project):
    TableSettings(drop=("tub",)).write(project / "table.toml")
    add_run(project, QUICK, fill=lambda folder: TableSettings(drop=("asia",)).write(folder / "table.toml"))
    worker.main(project, 1)
    assert run_of(project).error is None
    names = Kept(project / "runs" / "1").graph.names
    assert "asia" not in names
    assert "tub" in names


def test_a_mistake_in_the_table_is_said_as_it_is(project):
    add_run(project, QUICK, fill=lambda folder: (folder / "table.csv").write_text(""))
    worker.main(project, 1)
    run = run_of(project)
    assert run.status == "failed"
    assert "able.csv" in run.error
    assert not run.kept


TABLES = {
    "one column": ("a\n" + "x\ny\n" * 20, {}, "no links among 1 variable."),
    "a constant column": ("a,b,c\n" + "x,k,u\ny,k,v\n" * 20, {}, "1 link among 3 variables."),
    "two rows": ("a,b\nx,u\ny,v\n", {}, "among 2 variables."),
    "groups": ("g,a,b\n" + "1,x,u\n2,y,v\n1,y,v\n2,x,u\n" * 20, {"group": "g"}, "1 link among 2 variables."),
    "numbers": ("a,b\n" + "".join(f"{i * i % 17 / 3},{i * i % 17 + i % 3}\n" for i in range(40)), {}, "1 link among"),
    "gaps": ("a,b\n" + "x,u\ny,v\n,v\nx,\n" * 20, {}, "1 link among 2 variables."),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_every_kind_come_through(project, tmp_path, kind):
    text, settings, said = TABLES[kind]
    table = tmp_path / "table.csv"
    table.write_text(text)
    fill = TableSettings(strict=False, **settings).write
    add_run(project, QUICK, table, lambda folder: fill(folder / "table.toml"))
    worker.main(project, 1)
    assert run_of(project).error is None
    kept = Kept(project / "runs" / "1")
    assert said in kept.facts["headline"]
    assert kept.facts["asked"] == "page"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "No space left on device: free some space"),
        (MemoryError(), "not enough memory"),
        (ZeroDivisionError("x"), "defect"),
    ],
)
def test_what_nobody_expects_ends_the_run_with_words(project, monkeypatch, error, said):
    def broken(folder, found):
        raise error

    monkeypatch.setattr(worker, "keep", broken)
    add_run(project, QUICK)
    worker.main(project, 1)
    run = run_of(project)
    assert run.status == "failed"
    assert said in run.error
    assert not run.kept


def test_a_run_that_another_worker_has_is_left_to_it(project, monkeypatch):
    add_run(project, QUICK)
    with holding(project / "runs" / "1"):
        monkeypatch.setattr(worker, "holding", lambda folder: holding(folder, patience=0))
        worker.main(project, 1)
    assert run_of(project).status == "queued"


def stop_when(project, label: str, then=lambda: None):
    """Ask to stop as soon as the list of runs says that this is being done, in another thread."""

    def ask():
        wait_for(lambda: label in run_of(project).label)
        with Runs(project) as runs:
            runs.ask_to_stop(1)
        then()

    thread = threading.Thread(target=ask)
    thread.start()
    return thread


def test_a_run_that_is_stopped_keeps_what_there_is(project, monkeypatch):
    def find(data, asked, progress):
        progress("search", 3, 10, {})
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            raise vd.progress.Interrupted("stopped", "what there is") from None

    monkeypatch.setattr(worker, "find", find)
    monkeypatch.setattr(worker, "keep", lambda folder, found: (folder / "found").write_text(found))
    add_run(project, QUICK)
    thread = stop_when(project, "search")
    worker.main(project, 1)
    thread.join()
    run = run_of(project)
    assert (run.status, run.kept, run.done, run.total) == ("cancelled", True, 3, 10)
    assert (project / "runs" / "1" / "found").read_text() == "what there is"


def test_a_run_that_is_stopped_before_there_is_anything_has_no_result(project, monkeypatch):
    def find(data, asked, progress):
        progress("search", 0, None, {})
        threading.Event().wait()

    monkeypatch.setattr(worker, "find", find)
    add_run(project, QUICK)
    thread = stop_when(project, "search")
    worker.main(project, 1)
    thread.join()
    assert (run_of(project).status, run_of(project).kept) == ("cancelled", False)


@pytest.mark.slow
def test_a_report_that_is_stopped_is_the_page_of_what_there_is(project, monkeypatch):
    real = worker.find

    def find(data, asked, progress):
        def waits(what, done, total, extra):
            progress("half way" if done >= 50 else what, done, total, extra)
            if done >= 50:
                threading.Event().wait()

        return real(data, asked, waits)

    monkeypatch.setattr(worker, "find", find)
    add_run(project, Asked("asia.csv", "table.csv"))
    thread = stop_when(project, "half way")
    worker.main(project, 1)
    thread.join()
    assert (run_of(project).status, run_of(project).kept) == ("cancelled", True)
    kept = Kept(project / "runs" / "1")
    assert len(kept.drawn["names"]) == 8
    assert "<svg" in kept.part("network")
    assert "stopped" in (project / "runs" / "1" / "report.html").read_text()


def test_progress_that_cannot_be_written_does_not_end_the_run(project, monkeypatch):
    seen = threading.Event()

    def tell(self, *arguments):
        seen.set()
        raise vd.InputError("locked")

    def find(data, asked, progress):
        seen.wait()
        return "found"

    monkeypatch.setattr(Runs, "tell", tell)
    monkeypatch.setattr(worker, "find", find)
    monkeypatch.setattr(worker, "keep", lambda folder, found: None)
    add_run(project, QUICK)
    worker.main(project, 1)
    assert run_of(project).status == "done"


def test_time_left_follows_the_speed_so_far_and_the_limit():
    assert time_left(30, 25, 100, None) == 90
    assert time_left(30, 25, 100, 60.0) == 60
    assert time_left(30, 0, 100, None) is None
    assert time_left(30, 0, None, 12.5) == 12.5
    assert time_left(30, 100, 100, None) == 0


def test_names_are_kept_as_text(project, tmp_path):
    evil = "<script>alert(1)</script>"
    table = tmp_path / "evil.csv"
    rows = "\n".join(f"{i % 2},{'ab'[i % 2]}</td><b>" for i in range(40))
    table.write_text(f'"{evil}",b\n{rows}\n')
    add_run(project, Asked(evil, "table.csv", mode="learn"), table)
    worker.main(project, 1)
    assert run_of(project).error is None
    kept = Kept(project / "runs" / "1")
    assert evil in kept.facts["states"]
    for part in ("network", "what_if"):
        assert evil not in kept.part(part)
        assert "</td><b>" not in kept.part(part)
    assert json.loads((project / "runs" / "1" / "drawn.json").read_text())["names"][0] == evil
