from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, dataclass, field

import numpy as np
import pytest

from veridag import InputError
from veridag.checks import (
    JOBS,
    MAX_INDEGREE,
    SEED,
    Checked,
    Instance,
    Integer,
    IntegralNumber,
    Number,
    OneOf,
    Optional,
    checked,
)


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_an_integer_of_any_type_becomes_an_int(value):
    assert type(Integer(1)("n", value)) is int


@pytest.mark.parametrize("value", [True, np.True_, 3.0, "3", None, 0])
def test_what_is_no_integer_of_the_range_is_refused_by_name(value):
    with pytest.raises(InputError, match=r"^n=.* must be an integer of at least 1$"):
        Integer(1)("n", value)


@pytest.mark.parametrize("value", [1e4, np.float32(1e4), 10_000, np.int64(10_000)])
def test_an_integral_number_of_any_type_becomes_an_int(value):
    assert type(IntegralNumber(1)("n", value)) is int
    assert IntegralNumber(1)("n", value) == 10_000


@pytest.mark.parametrize("value", [True, 0, -(10**400), 1.5, float("inf"), float("nan"), "1e4", None])
def test_what_is_no_integral_number_is_refused_as_it_was_given(value):
    with pytest.raises(InputError, match=f"^n={re.escape(repr(value))} must be an integer of at least 1$"):
        IntegralNumber(1)("n", value)


def test_the_largest_seed_is_the_largest_64_bit_integer():
    assert SEED("seed", 2**64 - 1) == 2**64 - 1
    with pytest.raises(InputError, match=r"^seed=18446744073709551616 must be an integer from 0 to 2\^64 - 1$"):
        SEED("seed", 2**64)
    with pytest.raises(InputError, match=r"^jobs=0 must be"):
        JOBS("jobs", 0)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), 1, np.int8(1)])
def test_a_number_of_any_type_becomes_a_float(value):
    assert type(Number(above=0)("ess", value)) is float


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True, "1", None, 1j])
def test_what_is_no_number_of_the_range_is_refused_with_an_example(value):
    with pytest.raises(InputError, match=r"^ess=.* must be a finite number above 0, such as ess=1$"):
        Number(above=0)("ess", value)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (Number(least=0, most=1), "a number from 0 to 1"),
        (Number(above=0, below=1), "a number between 0 and 1"),
        (Number(least=0), "a finite number of at least 0"),
        (Number(), "a finite number"),
        (Integer(2, 9), "an integer from 2 to 9"),
        (OneOf(("a", "b", "c")), "'a', 'b' or 'c'"),
        (MAX_INDEGREE, "an integer of at least 0, or None"),
    ],
)
def test_a_check_says_what_it_accepts(check, text):
    assert str(check) == text


def test_none_is_accepted_only_where_it_is_declared():
    assert Optional(Integer(1))("n", None) is None
    with pytest.raises(InputError, match=r"^n=0 must be an integer of at least 1, or None$"):
        Optional(Integer(1))("n", 0)


def test_a_choice_is_not_met_by_an_equal_value_of_another_type():
    assert OneOf((1, "a"))("method", 1) == 1
    assert type(OneOf((1, "a"))("method", np.str_("a"))) is str
    with pytest.raises(InputError, match=r"^method=True must be 1 or 'a'$"):
        OneOf((1, "a"))("method", True)


def test_an_instance_is_described():
    with pytest.raises(InputError, match=r"^score=3 must be a score, such as BIC"):
        Instance(str, "a score, such as BIC()")("score", 3)


@dataclass(frozen=True)
class Settings(Checked):
    size: int = field(default=3, metadata=checked(Integer(1)))
    names: list[str] = field(default_factory=list, metadata=checked(Instance(list, "a list")))
    free: object = None


def test_fields_are_checked_and_kept_as_the_check_returns_them():
    made = Settings(size=np.int64(4))
    assert type(made.size) is int
    assert made == Settings(4)
    with pytest.raises(InputError, match=r"^size=0"):
        Settings(size=0)
    with pytest.raises(FrozenInstanceError):
        made.size = 5
