"""A study with a fault at every step: ``python -m faults.studies FOLDER EVERY JOBS``, which takes each so many steps.

With jobs, cells are done by so many processes, otherwise by the one that writes to the store.
Whatever happens, the store opens, has every cell that was reported, and a second run gives the rows of one without
faults. Prints the number of faults of each kind, as JSON.
"""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3
import sys
from collections import Counter
from pathlib import Path

from faults.injection import FAILURES, KILLS, NO_MEMORY, Ended, Fault, run
from veridag.errors import InputError
from veridag.study import plan, runner
from veridag.study.processes import ProcessExecutor, outcome
from veridag.study.shared import Shared
from veridag.study.store import Store
from veridag.study.worker import run_cell

MODULES = ("veridag.study.store", "veridag.study.runner")
FAULTS = (*FAILURES, *KILLS, Fault(lines_of=MODULES))
WITH_PROCESSES = (Fault(("write",), "fails"), *KILLS)
STUDY = 'kind = "faults.squares:KIND"\ntitle = "Squares"\n[grid]\nnumbers = [1, 2, 3]\n'


class InThisProcess:
    """Does one cell after the other, as a worker does."""

    shared_bytes, time_limit = 1 << 20, None

    def width(self):
        return 1

    def run(self, cells, kind):
        shared = Shared(self.shared_bytes)
        for cell in cells:
            yield outcome(cell, run_cell(kind, {"settings": dict(cell.settings), "seed": cell.seed}, shared))


class Study:
    """The study, its rows without faults, and how it is run and looked at."""

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder = folder
        self.executor = ProcessExecutor(jobs) if jobs else InThisProcess()
        (folder / "squares.toml").write_text(STUDY, "utf-8")
        self.plan = plan.load(folder / "squares.toml", trust_kinds=True)
        self.keys = [cell.key for cell in self.plan.cells]
        self.run(folder / "calm.sqlite")
        self.expected = self.rows(folder / "calm.sqlite")
        assert [len(rows) for rows in self.expected.values()] == [3, 3, 3]

    def run(self, path: Path, tell=lambda finished: None) -> None:
        """Do what is left, and tell how many cells are finished."""
        with Store(path) as store:
            runner.run(self.plan, store, self.executor, lambda name, finished, *_: tell(finished), retry=True)

    def rows(self, path: Path) -> dict[str, list]:
        """The rows of the cells that are done, without the columns about time."""
        with Store(path, read_only=True) as store:
            done = [key for key, record in store.records().items() if record.status == "done"]
            found = dict(store.rows(key for key in self.keys if key in done))
        return {key: [_timeless(row) for row in rows] for key, rows in found.items()}

    def check(self, path: Path, ended: Ended) -> None:
        """The store is sound after a fault, and the next run finishes the study."""
        assert ended.error in (None, "InputError", "MemoryError"), ended
        assert ended.error != "InputError" or ended.message.startswith(f"store {str(path)!r}"), ended
        assert not any(word in ended.message for word in ("damaged", "altered", "not an SQLite")), ended
        before = self._readable(path)
        assert len(before) >= max(ended.told, default=0), "a cell that was reported is lost"
        assert all(rows == self.expected[key] for key, rows in before.items())
        self.run(path)
        assert self.rows(path) == self.expected
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        assert {found.name for found in path.parent.iterdir()} == {path.name}

    def _readable(self, path: Path) -> dict[str, list]:
        """What `veridag study status` sees."""
        try:
            return self.rows(path)
        except InputError as error:
            if "run the study first" not in str(error):
                raise
            return {}


def _timeless(row: dict) -> dict:
    return {name: value for name, value in row.items() if not name.startswith("seconds")}


def faults_in(study: Study, faults: tuple[Fault, ...], start: Path | None, every: int) -> Counter[str]:
    """A run with each fault at every step, from nothing or from the files of a run that was killed."""
    made: Counter[str] = Counter()
    for fault in faults:
        # SQLite asks for memory a thousand times, and each fifth is enough.
        for step in itertools.count(0, every * 5 if fault == NO_MEMORY else every):
            place = study.folder / "shaken"
            if start is None:
                place.mkdir()
            else:
                shutil.copytree(start, place)
            path = place / "s.sqlite"
            try:
                ended = run(lambda tell, path=path: study.run(path, tell), fault, step)
                if ended.reached:
                    study.check(path, ended)
            except BaseException as error:
                error.add_note(f"{fault} at step {step}, {'from nothing' if start is None else 'resuming'}")
                raise
            shutil.rmtree(place)
            if not ended.reached:
                break
            made[str(fault)] += 1
    return made


def killed_half_way(study: Study) -> Path:
    """A folder with the files of a run that was killed in its last cell, its write-ahead log among them."""
    place = study.folder / "killed"
    for step in itertools.count():
        place.mkdir()
        ended = run(lambda tell: study.run(place / "s.sqlite", tell), KILLS[1], step)
        if max(ended.told, default=0) == 2:
            assert (place / "s.sqlite-wal").stat().st_size > 0
            return place
        shutil.rmtree(place)
    raise AssertionError


def main(folder: Path, every: int, jobs: int) -> None:
    study, faults = Study(folder, jobs), WITH_PROCESSES if jobs else FAULTS
    made = {"from nothing": faults_in(study, faults, None, every)}
    if not jobs:
        made["resuming"] = faults_in(study, faults, killed_half_way(study), every)
    print(json.dumps(made))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
