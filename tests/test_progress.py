from __future__ import annotations

import pickle

from veridag import Interrupted
from veridag.progress import part_of


def test_a_part_reports_as_a_part_of_the_whole():
    told = []
    part = part_of(lambda *report: told.append(report), 10, 40)
    part("second half", 3, 30, {"score": -1.0})
    assert told == [("second half", 13, 40, {"score": -1.0})]


def test_without_a_callback_there_is_nothing_to_call():
    assert part_of(None, 1, 2) is None


def test_an_interrupt_keeps_its_result_through_a_pickle():
    again = pickle.loads(pickle.dumps(Interrupted("stopped", [1, 2])))
    assert isinstance(again, KeyboardInterrupt)
    assert (str(again), again.result) == ("stopped", [1, 2])
