from __future__ import annotations

import io
import pickle
import sys
from types import SimpleNamespace

import pytest

import veridag as vd
from veridag import Interrupted, ProgressBar
from veridag import progress as module
from veridag.progress import equal_part_of, part_of


def test_a_part_reports_as_a_part_of_the_whole():
    told = []
    part = part_of(lambda *report: told.append(report), 10, 40)
    part("second half", 3, 30, {"score": -1.0})
    assert told == [("second half", 13, 40, {"score": -1.0})]


def test_an_equal_part_never_leads_back_and_never_beyond_its_end():
    told = []
    part = equal_part_of(lambda what, done, total, extra: told.append((done, total)), 1, 3)
    for done, total in ((0, 250), (125, 250), (1, 40), (7, None), (300, 250)):
        part("draws", done, total, {})
    assert told == [(100, 300), (150, 300), (150, 300), (150, 300), (200, 300)]


def test_without_a_callback_there_is_nothing_to_call():
    assert part_of(None, 1, 2) is None
    assert equal_part_of(None, 1, 2) is None


def test_an_interrupt_keeps_its_result_through_a_pickle():
    again = pickle.loads(pickle.dumps(Interrupted("stopped", [1, 2])))
    assert isinstance(again, KeyboardInterrupt)
    assert (str(again), again.result) == ("stopped", [1, 2])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch):
    """The time, which is set by hand."""
    now = SimpleNamespace(time=0.0)
    monkeypatch.setattr(module, "monotonic", lambda: now.time)
    return now


def test_on_a_terminal_a_bar_is_drawn_over_itself_and_taken_away(clock):
    with ProgressBar(shown := Terminal()) as bar:
        bar("samples", 5, 20, {})
        bar("samples", 6, 20, {})  # a moment later, and not shown
        clock.time = 1.0
        bar("search", 7, None, {"score": -3.0})
    first, second, blank, end = shown.getvalue().split("\r")[1:]
    assert first == "[######..................] 25 % samples: 5 of 20"
    assert second.rstrip() == "search: 7, best score -3.00"
    assert len(second) == len(first)
    assert blank.isspace()
    assert end == ""


def test_a_bar_that_nobody_uses_any_more_is_taken_away():
    shown = Terminal()
    ProgressBar(shown)("search", 1, None, {})
    assert shown.getvalue().endswith(" \r")


def test_the_last_step_is_always_shown(clock):
    bar = ProgressBar(shown := Terminal())
    for done in range(1, 4):
        bar("samples", done, 3, {})
    assert "100 % samples: 3 of 3" in shown.getvalue()


def test_in_a_file_there_is_a_line_now_and_then(clock):
    bar = ProgressBar(shown := io.StringIO(), interval=30)
    for clock.time, done in ((1.0, 1), (31.0, 2), (32.0, 3)):
        bar("search", done, None, {})
    bar.close()
    assert shown.getvalue() == "search: 2\n"


def test_in_a_notebook_one_bar_below_the_cell_is_updated_and_escaped(clock, monkeypatch):
    told = []

    def display(content, display_id):
        told.append(("new", content, display_id))
        return SimpleNamespace(update=lambda content: told.append(("update", content)))

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    bar = ProgressBar()
    bar("<script>", 1, 2, {})
    clock.time = 1.0
    bar("search", 2, None, {"score": -1.0})
    assert told == [
        ("new", '<progress value="1" max="2"></progress> &lt;script&gt;: 1 of 2', True),
        ("update", "<progress></progress> search: 2, best score -1.00"),
    ]


def test_ipython_on_a_terminal_is_no_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    ProgressBar()("search", 1, None, {})
    assert "search: 1" in shown.getvalue()


def test_learning_shows_a_bar():
    shown = Terminal()
    vd.HillClimbing().learn(vd.networks.load("asia").sample(200, seed=1), progress=ProgressBar(shown))
    assert "search: " in shown.getvalue()
    assert shown.getvalue().endswith(" \r")
