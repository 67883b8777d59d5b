"""Tests as values, and what is said to wrong input."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import veridag as vd
from veridag import Data, InputError
from veridag.criteria import independence
from veridag.criteria.independence import (
    G2,
    X2,
    DegenerateG2,
    FisherZ,
    ScoreTest,
    StudentT,
    Test,
    pair_counts,
    pair_moments,
)
from veridag.criteria.priors import Fair, VariableSelection
from veridag.criteria.scores import BIC, BDeu
from veridag.data import Column

TESTS: list[Test] = [
    G2(),
    G2(alpha=0.01, df="adjusted"),
    G2(df="observed"),
    X2(0.1),
    StudentT(),
    FisherZ(alpha=1e-6),
    DegenerateG2(0.01, ess=0),
    ScoreTest(BIC(gamma=1)),
    ScoreTest(BDeu(ess=3), VariableSelection()),
]
DATA = Data.from_numpy(
    [[0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 6, ["smoke", "tub", "xray"]
)
NUMBERS = Data([Column.continuous(v, np.random.default_rng(i).normal(size=20)) for i, v in enumerate(("U", "V", "W"))])
MIXED = Data([*DATA.rows(range(20)).columns, *NUMBERS.columns])


@pytest.mark.parametrize("test", TESTS, ids=repr)
def test_a_test_is_a_value(test: Test) -> None:
    typed = eval(repr(test), {**vars(independence), "BIC": BIC, "BDeu": BDeu, "VariableSelection": VariableSelection})
    for other in (typed, pickle.loads(pickle.dumps(test)), copy.deepcopy(test)):
        assert other == test
        assert hash(other) == hash(test)
    with pytest.raises(FrozenInstanceError):
        test.alpha = 0.5  # type: ignore[attr-defined]


def test_different_tests_are_not_equal() -> None:
    assert len(set(TESTS)) == len(TESTS)
    assert G2() != X2()
    assert ScoreTest(BIC(), Fair()) != ScoreTest(BIC())


@pytest.mark.parametrize("test", [G2, X2, StudentT, FisherZ, DegenerateG2])
@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan"), "0.05", None, True])
def test_alpha_is_between_0_and_1(test: type[G2], alpha: float) -> None:
    with pytest.raises(InputError, match=r"alpha=.* must be a number between 0 and 1, such as alpha=0.05"):
        test(alpha)


@pytest.mark.parametrize("test", [G2, X2])
@pytest.mark.parametrize("df", ["Plain", "adf", None, 3, ["plain"]])
def test_df_is_plain_adjusted_or_observed(test: type[G2], df: str) -> None:
    with pytest.raises(InputError, match=r"df=.* must be 'plain', 'adjusted' or 'observed'"):
        test(df=df)  # type: ignore[arg-type]


def test_alpha_is_the_threshold() -> None:
    p_value = independence.test("smoke", "xray", [], DATA, G2()).p_value
    assert 0.001 < p_value < 0.999
    assert independence.test("smoke", "xray", [], DATA, G2(alpha=p_value * 0.999)).independent
    assert not independence.test("smoke", "xray", [], DATA, G2(alpha=p_value * 1.001)).independent


def test_g2_is_the_default() -> None:
    assert independence.test("smoke", "tub", ["xray"], DATA) == independence.test("smoke", "tub", "xray", DATA, G2())
    assert independence.test("U", "V", "W", NUMBERS) == independence.test("U", "V", {"W"}, NUMBERS, G2())


@pytest.mark.parametrize("test", [G2(), ScoreTest(BIC())], ids=repr)
@pytest.mark.parametrize(
    ("x", "y", "given", "message"),
    [
        ("smokes", "tub", [], r"the data has no column 'smokes': did you mean 'smoke'\?"),
        ("smoke", "tubs", [], r"the data has no column 'tubs': did you mean 'tub'\?"),
        ("smoke", "tub", ["xrays"], r"the data has no column 'xrays': did you mean 'xray'\?"),
        ("smoke", "tub", "x", r"the data has no column 'x'"),
        ("smoke", "smoke", [], r"x and y are both 'smoke'"),
        ("smoke", "tub", ["xray", "smoke"], r"given=\('xray', 'smoke'\) has 'smoke', which is x or y"),
        ("smoke", "tub", "tub", r"given=\('tub',\) has 'tub', which is x or y"),
        ("smoke", "tub", ["xray", "xray"], r"given=\('xray', 'xray'\) has a variable twice"),
        ("smoke", "tub", None, r"given=None must be a list of names; \[\] for none"),
    ],
)
def test_wrong_names_are_named(test: Test, x: str, y: str, given: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        independence.test(x, y, given, DATA, test)


def test_the_test_must_be_a_test() -> None:
    with pytest.raises(InputError, match=r"test='g2' must be a test, such as G2\(\)"):
        independence.test("smoke", "tub", [], DATA, "g2")  # type: ignore[arg-type]


def test_a_test_for_the_other_kind_of_data_names_those_that_fit() -> None:
    with pytest.raises(InputError, match=r"FisherZ\(alpha=0.05\) does not test discrete data; use G2, X2"):
        independence.test("smoke", "tub", [], DATA, FisherZ())
    with pytest.raises(InputError, match="does not test continuous data; use StudentT, FisherZ, G2"):
        independence.test("U", "V", [], NUMBERS, X2())
    with pytest.raises(InputError, match="column 'U' is continuous, but discrete data is needed"):
        pair_counts(NUMBERS, "U", "V", [])
    with pytest.raises(InputError, match="column 'smoke' is discrete, but continuous data is needed"):
        pair_moments(DATA, "smoke", "tub", [])
    with pytest.raises(InputError, match="does not test discrete"):
        FisherZ().discrete(pair_counts(DATA, "smoke", "tub", []))
    with pytest.raises(InputError, match="does not test continuous"):
        X2().continuous(pair_moments(NUMBERS, "U", "V", []))


def test_only_the_variables_that_are_tested_must_be_of_one_kind() -> None:
    for test in (G2(), StudentT()):
        assert independence.test("U", "V", "W", MIXED, test) == independence.test("U", "V", "W", NUMBERS, test)
    with pytest.raises(InputError, match="does not test mixed data"):
        independence.test("U", "V", ["W", "tub"], MIXED, StudentT())


def test_check_says_whether_a_test_fits_all_of_the_data() -> None:
    assert G2().check(DATA) == "discrete"
    assert G2().check(NUMBERS) == "continuous"
    with pytest.raises(InputError, match="does not test continuous"):
        X2().check(NUMBERS)
    with pytest.raises(InputError, match="does not test mixed data; use G2, DegenerateG2 or ScoreTest; or discr"):
        X2().check(MIXED)
    assert G2().check(MIXED) == "mixed"
    for empty in (DATA.rows([]), NUMBERS.rows([])):
        with pytest.raises(InputError, match="the data has no rows"):
            G2().check(empty)
        with pytest.raises(InputError, match="the data has no rows"):
            independence.test(*empty.names[:2], [], empty)


def test_what_each_test_handles() -> None:
    every = ("discrete", "continuous", "mixed")
    kinds = {t: tuple(k for k in every if t.handles(k)) for t in (G2(), DegenerateG2(), X2(), StudentT(), FisherZ())}
    assert list(kinds.values()) == [every, every, ("discrete",), ("continuous",), ("continuous",)]


@pytest.mark.medium
def test_importing_the_tests_does_not_load_scipy_stats() -> None:
    code = "import sys, veridag.criteria.independence; print('scipy.stats' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["False"]


def test_a_data_frame_is_tested_as_the_data_that_it_becomes():
    data = vd.networks.load("asia").sample(300, seed=1)
    frame = data.to_pandas().astype(str)
    assert vd.test("smoke", "dysp", [], frame) == vd.test("smoke", "dysp", [], vd.Data.from_frame(frame))
