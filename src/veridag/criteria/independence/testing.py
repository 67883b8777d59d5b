"""Testing one pair of variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from veridag.checks import TEXT, texts
from veridag.data import Data

from .base import TEST, Test
from .g2 import G2
from .result import TestResult

DEFAULT = G2()


def test(x: str, y: str, given: Sequence[str] | str, data: Data | Any, test: Test = DEFAULT) -> TestResult:  # noqa: PT028
    """Test whether x and y are independent given other variables: `given` is a list of names, one name, or [].

    The result has the test's `statistic`, its degrees of freedom `df`, the `p_value`, and `independent`, the decision.
    The data is a `Data` or a data frame. A row of weight w counts w times, and declared states count even if they are
    unobserved.
    """
    TEST("test", test)
    TEXT("x", x)
    TEXT("y", y)
    if isinstance(given, Iterable) and not isinstance(given, str):
        given = texts("given", given)
    return test.evaluate(Data.of(data), x, y, given)


test.__test__ = False  # type: ignore[attr-defined] # not for pytest, where it is imported
