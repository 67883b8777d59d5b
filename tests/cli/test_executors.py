"""Commands that do their work in processes or on a cluster: the same output, and errors in their own words."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from clusters import NEEDS_DASK
from veridag.report.content import Report


@pytest.mark.parametrize(
    "command", ["bootstrap", "assess", "validate", "cross-validate", "report", "posterior", "learn", "differences"]
)
def test_two_places_at_once_are_refused(call, asia_csv, command):
    code, _, said = call(command, asia_csv, "--jobs", 2, "--dask", "tcp://host:8786")
    assert (code, said) == (2, "veridag: --jobs 2 is for this machine, and --dask for a cluster: give one of them\n")
    code, _, said = call(command, asia_csv, "--processes", "--dask", "tcp://host:8786")
    assert code == 2
    assert "--processes is for this machine, and --dask tcp://host:8786 for a cluster" in said


def test_one_search_is_not_for_processes(call, asia_csv):
    code, _, said = call("learn", asia_csv, "--algorithm", "tabu", "--processes")
    assert code == 2
    assert "is a single search in threads of this process and cannot use Processes: give --jobs 2 alone" in said


@pytest.mark.medium
def test_processes_give_the_same_output(call, asia_csv):
    words = ("bootstrap", asia_csv, "--repeats", 4, "--json")
    assert call(*words, "--processes", "--jobs", 2)[:2] == call(*words)[:2]


@pytest.fixture
def gaps_csv(tmp_path) -> str:
    """A table with missing values."""
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(["a,b", *(f"{('x', 'y', '')[i % 3]},{'uv'[i % 2]}" for i in range(30)), ""]))
    return str(path)


def test_an_error_in_a_thread_names_options(call, gaps_csv):
    code, _, said = call("bootstrap", gaps_csv, *IN_A_PIECE)
    assert code == 2
    assert "leave out these rows with --missing drop, or use the score pnal" in said


@pytest.mark.medium
def test_an_error_in_a_process_names_options_too(call, gaps_csv):
    words = ("bootstrap", gaps_csv, *IN_A_PIECE)
    assert call(*words, "--processes") == call(*words)


#: One sample, and a learner that asks for complete data when it begins.
IN_A_PIECE = ("--repeats", 1, "--algorithm", "h2pc(test=score-test(score=bdeu))")


@pytest.fixture
def timeless(monkeypatch):
    """Reports say nothing of when and how they were made, and how long that took; all else must be the same."""
    to_html = Report.to_html

    def without_times(self):
        for learner in self.validation.learners:
            object.__setattr__(learner.result, "seconds", 0.0)
        same = replace(self.validation, seconds=np.zeros_like(self.validation.seconds))
        assessment = replace(self.assessment, validation=same, seconds=0.0)
        return to_html(replace(self, assessment=assessment, made=datetime(2026, 1, 1), seconds=0.0, command=""))

    monkeypatch.setattr(Report, "to_html", without_times)


REPORT = ("--columns", "smoke,bronc,dysp", "--repeats", 2, "--quiet", "-o", "-")


@pytest.mark.slow
def test_processes_give_the_same_report(call, asia_csv, timeless):
    words = ("report", asia_csv, *REPORT)
    code, page, _ = call(*words, "--jobs", 2, "--processes")
    assert code == 0
    assert "</html>" in page
    assert page == call(*words)[1]


class TestCluster:
    pytestmark = NEEDS_DASK

    def test_a_cluster_gives_the_same_report(self, call, asia_csv, address, timeless):
        words = ("report", asia_csv, *REPORT)
        code, page, _ = call(*words, "--dask", address)
        assert code == 0
        assert page == call(*words)[1]

    def test_an_error_on_a_cluster_names_options_too(self, call, gaps_csv, address):
        words = ("bootstrap", gaps_csv, *IN_A_PIECE)
        assert call(*words, "--dask", address) == call(*words)

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
        assert "--dask tcp://127.0.0.1:9: no scheduler answers at this address" in said
