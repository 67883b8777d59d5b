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
    """Test whether x and y are independent given other variables.

    A row of weight w counts w times. Declared states count even if they are not observed.

    Args:
        x: A variable.
        y: Another variable.
        given: The variables to condition on: a list of names, one name, or [].
        data: The table: a `Data` or a data frame.
        test: The test.

    Returns:
        The `statistic`, its degrees of freedom `df`, the `p_value`, and the decision `independent`.

    See also:
        `G2`, `FisherZ`, `Tester`, docs/tests/index.md
    """
    TEST("test", test)
    TEXT("x", x)
    TEXT("y", y)
    if isinstance(given, Iterable) and not isinstance(given, str):
        given = texts("given", given)
    return test.evaluate(Data.of(data), x, y, given)


test.__test__ = False  # type: ignore[attr-defined] # not for pytest, where it is imported
