"""A search that does not fit into memory is refused before it starts, with its size and a remedy."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from veridag.search import memory
from veridag.search.memory import BY_PAIRS, BY_SCORE, BY_SPOUSES, BY_VARIABLE, Needs, check_memory
from veridag.work.memory import shown

GB = 10**9


def wide(columns: int, kind: str = "continuous") -> vd.Data:
    if kind == "continuous":
        values = np.array([0.0, 1.0, 3.0])
        return vd.Data([vd.data.Column.continuous(f"v{i}", values) for i in range(columns)])
    return vd.Data([vd.data.Column.discrete(f"v{i}", [0, 1, 0], ["a", "b"]) for i in range(columns)])


@pytest.fixture(scope="module")
def table() -> vd.Data:
    return wide(1000)


@pytest.mark.parametrize(
    ("algorithm", "needs"),
    [
        (vd.Tabu(), BY_SCORE),
        (vd.HillClimbing(), BY_SCORE),
        (vd.GES(), BY_SCORE),
        (vd.BOSS(), BY_SCORE),
        (vd.PCStable(), BY_PAIRS),
        (vd.MMPC(), BY_VARIABLE),
        (vd.MMHC(), BY_VARIABLE),
        (vd.H2PC(), BY_SPOUSES),
    ],
)
def test_every_algorithm_refuses_before_it_starts(monkeypatch, table, algorithm, needs):
    needed = needs["continuous"].bytes(1000)
    monkeypatch.setattr(memory, "free_memory", lambda: needed - 1)
    monkeypatch.setattr(type(algorithm), "_learn", lambda *_: pytest.fail("it started"))
    said = rf"1000 columns needs about {shown(needed)} of memory, and {shown(needed - 1)} are free: keep at most 999"
    with pytest.raises(MemoryError, match=said):
        algorithm.learn(table)


def test_the_number_of_columns_that_it_names_fits():
    needs = Needs(fixed=100, a_pair=7)
    assert needs.bytes(10) == 800
    assert [needs.columns(free) for free in (0, 100, 799, 800, 946, 947)] == [0, 0, 9, 10, 10, 11]


@pytest.mark.parametrize(("free", "warned"), [(8 * GB, False), (BY_SCORE["continuous"].bytes(1000), True)])
def test_it_warns_if_most_of_the_memory_is_taken(monkeypatch, table, free, warned):
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_memory(table, BY_SCORE)
    assert bool(caught) is warned


def test_few_columns_are_not_estimated(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: pytest.fail("asked"))
    check_memory(wide(50), BY_SCORE)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["Tabu(score=vd.BGe(), max_indegree=5)", "PCStable()", "MMPC()"])
def test_the_estimate_is_above_what_the_search_takes_but_not_far(algorithm):
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux tells the most memory that a process had")
    done = subprocess.run([sys.executable, "-c", MEASURE, algorithm], capture_output=True, text=True, check=True)
    taken, estimated = map(float, done.stdout.split())
    assert estimated / 3 < taken < estimated


MEASURE = """
import sys
from pathlib import Path
import numpy as np
import veridag as vd

def memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(field))

random = np.random.default_rng(1)
columns = [random.standard_normal(200)]
for i in range(1, 2000):
    columns.append(0.6 * columns[random.integers(i)] + 0.8 * random.standard_normal(200))
data = vd.Data([vd.data.Column.continuous(f"v{i}", values) for i, values in enumerate(columns)])
algorithm = eval(f"vd.{sys.argv[1]}")
Path("/proc/self/clear_refs").write_text("5")
before = memory("VmRSS")
algorithm.learn(data)
print(memory("VmHWM") - before, algorithm._needs[data.kind].bytes(2000))
"""


def test_the_command_line_says_it_in_one_line(monkeypatch, tmp_path, capsys):
    from veridag import cli

    wide(1000, "discrete").write(tmp_path / "t.csv")
    monkeypatch.setattr(memory, "free_memory", lambda: GB // 10)
    with pytest.raises(SystemExit) as stop:
        cli.main(["learn", str(tmp_path / "t.csv"), "--strict"])
    assert stop.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("veridag: not enough memory: a search in 1000 columns needs about 306 MB of memory")
