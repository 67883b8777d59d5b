"""Runs in folders of projects, and a patience that does not depend on how busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import veridag as vd
from veridag.app import run_step
from veridag.app.asked import Asked
from veridag.app.learned import Learned
from veridag.app.project import Project
from veridag.app.results import Kept, keep
from veridag.app.runs import Run, Runs
from veridag.app.worker import find, read_table
from veridag.data.settings import TableSettings
from veridag.report import Report

T = TypeVar("T")

#: Seconds after which something that should happen at once has not happened: a defect, on any machine.
PATIENCE = 300


def wait_for(condition: Callable[[], T]) -> T:
    """What a condition gives as soon as it is true; looks again and again, and fails only after minutes."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("it never happened")


def asia_csv(path: Path, rows: int = 300) -> Path:
    vd.networks.load("asia").sample(rows, seed=1).write(path)
    return path


def add_run(project: Path, asked: Asked, table: Path | None = None, fill: Callable[[Path], None] | None = None) -> Run:
    """A queued run of this table, or of a sample of ASIA."""

    def fill_folder(folder: Path) -> None:
        if table is None:
            asia_csv(folder / asked.table)
        else:
            (folder / asked.table).write_bytes(table.read_bytes())
        TableSettings(strict=False).write(folder / "table.toml")
        if fill is not None:
            fill(folder)

    with Runs(project) as runs:
        return runs.add(asked, "v1", fill_folder)


def run_of(project: Path, number: int = 1) -> Run:
    with Runs(project) as runs:
        return runs.get(number)


def finish(project: Path, found: Report | Learned, number: int) -> Kept:
    """Write down that a run has ended with what it found."""
    with Runs(project) as runs:
        runs.claim(number)
        keep(runs.folder(number), found)
        runs.finish(number, "done", kept=True)
        return Kept(runs.folder(number))


def finished(project: Project, known: vd.Knowledge | None = None) -> int:
    """The number of a quick run of the project's table that is done."""
    run = run_step.add(project, {"mode": "learn"})
    asked = run.asked.knowing(known)
    with Runs(project.folder) as runs:
        data = read_table(runs.folder(run.number) / asked.table)
    finish(project.folder, find(data, asked, None), run.number)
    return run.number
