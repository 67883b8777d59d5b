"""Free memory: the least of what the system and every control group around the process leave."""

from __future__ import annotations

import os

import numpy as np
import pytest

import veridag as vd
from veridag.work.memory import checked_limit, free_memory

GB = 10**9


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Writes the files of a Linux system, of which 64 GB are free outside all groups."""

    def write(files):
        for name, content in {
            "proc/meminfo": f"MemTotal: 99999999 kB\nMemAvailable: {64 * GB // 1024} kB\n",
            **files,
        }.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n", "ascii")

    monkeypatch.setattr("veridag.work.memory._ROOT", tmp_path)
    return write


def test_without_groups_all_of_the_free_memory_counts(system):
    system({})
    assert free_memory() == 64 * GB // 1024 * 1024


def test_the_limit_of_a_container_counts_where_its_group_is_the_mount_itself(system):
    system(
        {
            "proc/self/cgroup": "0::/",
            "sys/fs/cgroup/memory.max": 3 * GB,
            "sys/fs/cgroup/memory.current": GB,
        }
    )
    assert free_memory() == 2 * GB


@pytest.mark.parametrize("mount", ["sys/fs/cgroup", "sys/fs/cgroup/unified"])
def test_the_limit_of_the_own_group_counts(system, mount):
    group = f"{mount}/user.slice/job"
    system({"proc/self/cgroup": "0::/user.slice/job", f"{group}/memory.max": 3 * GB, f"{group}/memory.current": GB})
    assert free_memory() == 2 * GB


def test_the_tightest_of_the_groups_around_the_own_one_counts(system):
    slurm = "sys/fs/cgroup/slurm"
    system(
        {
            "proc/self/cgroup": "0::/slurm/job/step",
            "sys/fs/cgroup/memory.max": 50 * GB,
            "sys/fs/cgroup/memory.current": 10 * GB,
            f"{slurm}/job/memory.max": 8 * GB,
            f"{slurm}/job/memory.current": 7 * GB,
            f"{slurm}/job/step/memory.max": "max",
            f"{slurm}/job/step/memory.current": 6 * GB,
            f"{slurm}/other/memory.max": 1,
            f"{slurm}/other/memory.current": 0,
        }
    )
    assert free_memory() == GB


def test_files_in_the_cache_of_a_group_can_be_dropped(system):
    system(
        {
            "proc/self/cgroup": "0::/job",
            "sys/fs/cgroup/job/memory.max": 3 * GB,
            "sys/fs/cgroup/job/memory.current": 2 * GB,
            "sys/fs/cgroup/job/memory.stat": f"anon {GB}\nactive_file 5\ninactive_file {GB // 2}",
        }
    )
    assert free_memory() == 3 * GB - 3 * GB // 2


def test_limits_of_the_first_version_of_control_groups_count(system):
    memory = "sys/fs/cgroup/memory"
    system(
        {
            "proc/self/cgroup": "9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/",
            f"{memory}/memory.limit_in_bytes": 9223372036854771712,
            f"{memory}/memory.usage_in_bytes": GB,
            f"{memory}/docker/abc/memory.limit_in_bytes": 5 * GB,
            f"{memory}/docker/abc/memory.usage_in_bytes": 2 * GB,
            f"{memory}/docker/abc/memory.stat": f"inactive_file 7\ntotal_inactive_file {GB}",
        }
    )
    assert free_memory() == 4 * GB


def test_the_path_of_a_container_on_its_host_need_not_exist_inside(system):
    memory = "sys/fs/cgroup/memory"
    system(
        {
            "proc/self/cgroup": "4:memory:/docker/abc",
            f"{memory}/memory.limit_in_bytes": 5 * GB,
            f"{memory}/memory.usage_in_bytes": GB,
        }
    )
    assert free_memory() == 4 * GB


def test_a_group_above_its_limit_leaves_nothing(system):
    system({"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": 5, "sys/fs/cgroup/memory.current": 9})
    assert free_memory() == 0


def test_the_default_limit_is_a_share_of_what_a_container_leaves(system):
    system({"proc/self/cgroup": "0::/", "sys/fs/cgroup/memory.max": 1000, "sys/fs/cgroup/memory.current": 0})
    assert checked_limit(None) == 750
    assert checked_limit(np.int64(2000)) == 2000
    assert checked_limit(float("inf")) > 10**18
    for wrong in (True, "1e9", 0, float("nan")):
        with pytest.raises(vd.InputError, match="memory_limit="):
            checked_limit(wrong)


def test_exact_search_keeps_to_the_limit_of_a_container(system):
    rng = np.random.default_rng(1)
    rows = (
        rng.integers(0, 2, (60, 1)) + (rng.random((60, 12)) < 0.3)
    ) % 2  # of one hidden cause: no part of it is easy
    table = vd.score_table(vd.Data.from_numpy(rows, list("abcdefghijkl")), vd.AIC(), max_indegree=3)
    system({"proc/self/cgroup": "0::/"})
    assert vd.solve(table, method="dynamic").optimal
    system({"sys/fs/cgroup/memory.max": 1000, "sys/fs/cgroup/memory.current": 0})
    with pytest.raises(vd.InputError, match="method='dynamic'"):
        vd.solve(table, method="dynamic")


def test_a_limit_on_the_process_counts(system, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (8 * GB, 9 * GB))
    system({"proc/self/statm": f"{GB // os.sysconf('SC_PAGE_SIZE')} 5 4 3 0 2 0"})
    assert free_memory() == pytest.approx(7 * GB, abs=1e5)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, 9 * GB))
    assert free_memory() == 64 * GB // 1024 * 1024
