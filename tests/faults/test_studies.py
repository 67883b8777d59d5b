"""Studies survive a fault at every step: no result is lost, and the next run finishes as if nothing had happened."""

from __future__ import annotations

import pytest

from faults.squares import PLACES
from faults.studies import Study
from veridag.study import plan, runner
from veridag.study.processes import ProcessExecutor
from veridag.study.store import Store


@pytest.mark.parametrize(
    ("every", "least"),
    [pytest.param(100, 30, marks=pytest.mark.medium), pytest.param(1, 1500, marks=pytest.mark.slow)],
)
def test_a_study_survives_a_fault_at_every_step(faults, every, least):
    made = faults("studies", every, 0)
    assert made["from nothing"].keys() >= {"write fails", "any change of a file kills", "Python's memory fails"}
    assert sum(made["from nothing"].values()) + sum(made["resuming"].values()) >= least


@pytest.mark.slow
def test_a_study_with_worker_processes_survives_a_fault_at_every_step(faults):
    made = faults("studies", 12, 2)
    assert sum(made["from nothing"].values()) >= 20


@pytest.mark.parametrize(
    ("number", "place"),
    [
        pytest.param(number, place, marks=pytest.mark.medium if (number, place) == (2, "answer") else pytest.mark.slow)
        for number in (1, 2, 3)
        for place in PLACES
    ],
)
def test_a_worker_that_dies_anywhere_in_any_cell_changes_no_row(tmp_path, number, place):
    calm = Study(tmp_path, 0)
    orders, path = tmp_path / "orders", tmp_path / "s.sqlite"
    orders.write_text(f"{number} {place}", "utf-8")
    study = tmp_path / "squares.toml"
    study.write_text(f"{study.read_text('utf-8')}orders = {str(orders)!r}\n", "utf-8")
    planned = plan.load(study, trust_kinds=True)
    with Store(path) as store:
        state = runner.run(planned, store, ProcessExecutor())
        assert not orders.exists()
        assert (state.done, state.failed) == ((2, 1) if place == "memory" else (3, 0))
        runner.run(planned, store, ProcessExecutor(), retry=True)
    assert calm.rows(path) == calm.expected
