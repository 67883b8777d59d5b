"""A study on a Dask cluster of real processes, one of which is killed while it works."""

from __future__ import annotations

from collections import Counter

import pytest

from clusters import NEEDS_DASK, local_cluster
from tasks import lines, until
from veridag.errors import InputError
from veridag.study import cluster, plan, runner
from veridag.study.processes import ProcessExecutor
from veridag.study.store import Store
from veridag.study.tables import TIMING, results

pytestmark = NEEDS_DASK


@pytest.fixture
def dask(tmp_path):
    """The address of a scheduler with two workers, and the processes of these."""
    with local_cluster(tmp_path) as made:
        yield made.address, made.workers


def table(planned, path):
    with Store(path, read_only=True) as store:
        found = results(planned, store)
    return found.drop([c for c in found.columns if c.startswith("seconds_") or c in TIMING])


def test_a_cluster_gives_the_same_table_though_a_worker_is_killed(sums, tmp_path, command, dask):
    address, workers = dask
    log = tmp_path / "log"
    path = sums(numbers="[1, 2, 3, 4, 5, 6]", repetitions=4, seconds=0.1, bad="[3]", log=f'"{log}"')
    process = command("run", path, "--trust-kinds", "--dask", address, "--store", "dask.sqlite")
    until(lambda: len(lines(log)) >= 10, process)
    workers[0].kill()
    said = process.communicate()[0]
    assert process.returncode == 1, said
    assert "24 cells, 20 done, 4 failed, 0 stopped, 0 to do" in said
    planned = plan.load(path, trust_kinds=True)
    with Store(tmp_path / "here.sqlite") as store:
        runner.run(planned, store, ProcessExecutor(2))
    assert table(planned, tmp_path / "dask.sqlite").equals(table(planned, tmp_path / "here.sqlite"))


def test_a_cell_in_a_thread_of_a_dask_worker(sums, monkeypatch):
    """What a Dask worker calls, without Dask: results, errors, the time limit, and a process that dies."""
    planned = plan.load(sums(numbers="[1, 2, 3]", repetitions=1, bad="[2]", deadly="[3]"), trust_kinds=True)
    found = [cluster.do_cell(cell, 1 << 20, 600.0) for cell in planned.cells]
    assert Counter(outcome.status for outcome in found) == {"done": 1, "failed": 2}
    assert found[0].rows[0]["line"] == 0
    assert found[1].error == "ValueError: 2 is a bad number"
    assert "died in this cell 2 times" in found[2].error
    slow = plan.load(sums(numbers="[1]", repetitions=1, seconds=60), trust_kinds=True).cells[0]
    assert cluster.do_cell(slow, 1 << 20, 0.2).status == "stopped"
    assert cluster.do_cell(planned.cells[0], 1 << 20, None).status == "done"
    cluster._forget()


def test_an_address_without_a_scheduler_is_told(sums, tmp_path, monkeypatch):
    planned = plan.load(sums(numbers="[1]"), trust_kinds=True)
    monkeypatch.setattr("veridag.work.cluster.PATIENCE", 0.5)
    with Store(tmp_path / "s.sqlite") as store, pytest.raises(InputError, match="no scheduler answers at this address"):
        runner.run(planned, store, cluster.DaskExecutor("tcp://127.0.0.1:9"))
