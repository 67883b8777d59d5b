"""Commands that do their work in processes or on a cluster: the same output, and errors in their own words."""

from __future__ import annotations

import pytest

from clusters import NEEDS_DASK, local_cluster


@pytest.mark.parametrize("command", ["bootstrap", "assess", "validate", "report", "posterior", "learn"])
def test_two_places_at_once_are_refused(call, asia_csv, command):
    code, _, said = call(command, asia_csv, "--jobs", 2, "--dask", "tcp://host:8786")
    assert (code, said) == (2, "veridag: --jobs 2 is for this machine, and --dask for a cluster: give one of them\n")
    code, _, said = call(command, asia_csv, "--processes", "--dask", "tcp://host:8786")
    assert code == 2
    assert "--processes is for this machine, and --dask tcp://host:8786 for a cluster" in said


def test_one_search_is_not_for_processes(call, asia_csv):
    code, _, said = call("learn", asia_csv, "--algorithm", "tabu", "--processes")
    assert code == 2
    assert "is one search, in threads of this process, and not for Processes: give --jobs 4, say, alone" in said


@pytest.mark.medium
def test_processes_give_the_same_output(call, asia_csv):
    words = ("bootstrap", asia_csv, "--repeats", 4, "--json")
    assert call(*words, "--processes", "--jobs", 2)[:2] == call(*words)[:2]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with local_cluster(tmp_path_factory.mktemp("dask")) as cluster:
        yield cluster.address


class TestCluster:
    pytestmark = NEEDS_DASK

    @pytest.mark.parametrize(
        "words",
        [
            ("bootstrap", "{}", "--repeats", 4, "--json"),
            ("effect", "{}", "smoke", "bronc", "--repeats", 4, "--json"),
            ("learn", "{}", "--algorithm", "averaged(repeats=3)"),
            ("posterior", "{}", "--method", "sample", "--draws", 20, "-o", "-"),
        ],
    )
    def test_a_cluster_gives_the_same_output(self, call, asia_csv, address, words):
        words = [asia_csv if word == "{}" else word for word in words]
        assert call(*words, "--dask", address)[:2] == call(*words)[:2]

    def test_an_address_without_a_scheduler_is_told(self, call, asia_csv, monkeypatch):
        monkeypatch.setattr("veridag.work.cluster.PATIENCE", 0.5)
        code, _, said = call("bootstrap", asia_csv, "--dask", "tcp://127.0.0.1:9")
        assert code == 2
        assert "--dask tcp://127.0.0.1:9: no scheduler answers there" in said
