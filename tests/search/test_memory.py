"""A search that does not fit into memory is refused before it starts, with its size and a remedy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import veridag as vd
from veridag.search import memory
from veridag.search.memory import BYTES_A_PAIR, CACHES, check_memory, needed_memory

GB = 10**9


def wide(columns: int, kind: str = "continuous") -> vd.Data:
    if kind == "continuous":
        values = np.array([0.0, 1.0, 3.0])
        return vd.Data([vd.data.Column.continuous(f"v{i}", values) for i in range(columns)])
    return vd.Data([vd.data.Column.discrete(f"v{i}", [0, 1, 0], ["a", "b"]) for i in range(columns)])


@pytest.fixture(scope="module")
def table() -> vd.Data:
    return wide(1000)


@pytest.mark.parametrize("algorithm", [vd.Tabu(), vd.HillClimbing(), vd.GES(), vd.BOSS(), vd.PCStable(), vd.MMHC()])
def test_every_algorithm_refuses_before_it_starts(monkeypatch, table, algorithm):
    monkeypatch.setattr(memory, "free_memory", lambda: GB // 10)
    monkeypatch.setattr(type(algorithm), "_learn", lambda *_: pytest.fail("it started"))
    with pytest.raises(MemoryError, match=r"1000 columns needs about 180 MB of memory, and 100 MB are free: keep at"):
        algorithm.learn(table)


def test_the_number_of_columns_that_it_names_fits(monkeypatch, table):
    free = 130_000_000
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    with pytest.raises(MemoryError, match="keep at most 612 columns"):
        check_memory(table)
    most = CACHES + 612**2 * BYTES_A_PAIR["continuous"]
    assert most <= free < CACHES + 613**2 * BYTES_A_PAIR["continuous"]


@pytest.mark.parametrize(("free", "warned"), [(8 * GB, False), (GB // 5, True)])
def test_it_warns_if_most_of_the_memory_is_taken(monkeypatch, table, free, warned):
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_memory(table)
    assert bool(caught) is warned


def test_few_columns_are_not_estimated(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: pytest.fail("asked"))
    check_memory(wide(50))


def test_ten_thousand_continuous_columns_do_not_fit_into_eight_gigabytes():
    class Wide:
        names = range(10_000)
        kind = "continuous"

    assert needed_memory(Wide()) > 8 * GB  # type: ignore[arg-type]


def test_the_command_line_says_it_in_one_line(monkeypatch, tmp_path, capsys):
    from veridag import cli

    wide(1000, "discrete").write(tmp_path / "t.csv")
    monkeypatch.setattr(memory, "free_memory", lambda: GB // 10)
    with pytest.raises(SystemExit) as stop:
        cli.main(["learn", str(tmp_path / "t.csv"), "--strict"])
    assert stop.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("veridag: not enough memory: a search in 1000 columns needs about 140 MB of memory")
