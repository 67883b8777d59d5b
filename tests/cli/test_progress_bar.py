from __future__ import annotations

import io
import sys

import pytest

import veridag as vd
from veridag.cli import progress_bar as module
from veridag.cli.progress_bar import kept, progress_bar
from veridag.progress import describe_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("report", "text"),
    [
        (("search", 12, None, {"score": -3.14159}), "search: 12, best score -3.14"),
        (
            ("exact search", 7, None, {"score": -2.0, "bound": -1.5}),
            "exact search: 7, best score -2.00, none above -1.50",
        ),
        (("tests", 40, None, {}), "tests: 40"),
        (("parent sets", 3, 10, {}), "parent sets: 3 of 10"),
        (
            ("climate", 5, 9, {"rate": 2.0, "left": 200.0, "failed": 1, "stopped": 0}),
            "climate: 5 of 9, 2 cells/s, 1 failed, 3 min left",
        ),
    ],
)
def test_a_report_of_progress_is_one_line(report, text):
    assert describe_progress(*report) == text


def test_without_a_terminal_there_is_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar("search") as progress:
        assert progress is None


def test_without_a_terminal_a_study_prints_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    clock = iter([0.0, 1.0, 31.0, 31.0, 40.0])
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    with progress_bar("climate", lines=True) as progress:
        for done in (1, 2, 3):
            progress("climate", done, 9, {})
    assert shown.getvalue() == "climate: 2 of 9\n"


@pytest.mark.medium
def test_the_bar_says_what_is_done_and_what_an_interrupt_keeps(monkeypatch):
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("search", seconds=10.0, keeps="the best so far") as progress:
        progress("search", 5, None, {"score": -1.0})
        progress("fold [2] of 3", 1, 3, {})
    text = shown.getvalue()
    assert "fold [2] of 3 (Ctrl-C keeps the best so far)" in text
    assert "33%" in text
    assert " s left" in text


def test_what_an_interrupt_carries_is_kept():
    with kept() as stopped:
        raise vd.Interrupted("stopped", "half")
    assert stopped == ["half"]


def test_an_interrupt_without_a_result_goes_on():
    with pytest.raises(KeyboardInterrupt), kept():
        raise KeyboardInterrupt
