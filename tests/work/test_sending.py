"""What goes between processes: arrays once, by what is in them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import veridag as vd
from tasks import Where
from veridag.errors import setting, speaking_flags
from veridag.work.sending import PROTOCOL, Sending, unpacked


def arrive(sending, package):
    sent = [sending.parcels[number].arrays for number in package.parcels]
    return unpacked(package, pickle.loads(pickle.dumps(sent, protocol=PROTOCOL)))


def test_arrays_that_were_sent_before_are_in_the_same_parcel():
    sending, array = Sending(), np.arange(1000)
    first = sending.packed(Where(array, "one"))
    second = sending.packed(Where(array.copy(), "two"))
    assert (first.parcels, second.parcels) == ((0,), (0,))
    assert len(second.content) < array.nbytes
    task = arrive(sending, second)
    assert task.other == "two"
    assert (task.array == array).all()


def test_a_parcel_has_only_what_is_new():
    sending, old, new = Sending(), np.arange(1000), np.arange(7.0)
    sending.packed([old])
    package = sending.packed([new, old, old])
    assert package.parcels == (0, 1)
    [array] = sending.parcels[1].arrays.values()
    assert array.raw().nbytes == new.nbytes
    for arrived, sent in zip(arrive(sending, package), [new, old, old], strict=True):
        assert (arrived == sent).all()


def test_arrays_in_columns_or_with_gaps_arrive_as_they_are():
    sending, table = Sending(), np.arange(12).reshape(3, 4)
    tables = [np.asfortranarray(table), table[:, ::2], table.T, np.array("text"), np.zeros((0, 2))]
    arrived = arrive(sending, sending.packed(tables))
    assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(arrived, tables, strict=True))


def test_nothing_can_write_to_arrays_that_other_tasks_hold_too():
    sending = Sending()
    [array] = arrive(sending, sending.packed([np.arange(10)]))
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5


def test_parcels_that_were_not_used_for_longest_are_dropped_first(monkeypatch):
    monkeypatch.setattr("veridag.work.sending.MOST_BYTES", 2500)
    sending, arrays = Sending(), [np.full(1000, i, np.uint8) for i in range(4)]
    for i in (0, 1, 0):
        assert sending.packed([arrays[i]]).kept >= {i}
    assert sending.packed([arrays[2]]).kept == {0, 2}
    assert sending.packed(arrays).kept == {0, 2, 3}  # all are needed, and 1 comes again with the new one
    assert len(sending.packed([arrays[1]]).kept) == 1


def test_errors_name_options_where_those_of_the_caller_do():
    sending = Sending()
    ask = lambda piece, heartbeat: setting("max_indegree", 3)  # noqa: E731
    with speaking_flags():
        package = sending.packed(ask)
    assert arrive(sending, package)(0, None) == "--max-indegree 3"
    assert arrive(sending, sending.packed(ask))(0, None) == "max_indegree=3"


def test_work_that_cannot_be_read_there_is_told():
    sending = Sending()
    package = sending.packed([np.arange(3)])
    with pytest.raises(vd.InputError, match="cannot be read in another process"):
        unpacked(package._replace(content=b"nothing"), [sending.parcels[0].arrays])
