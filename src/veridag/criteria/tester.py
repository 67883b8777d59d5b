"""`Tester`: a test of independence bound to data, many tests a call."""

from __future__ import annotations

from collections.abc import Sequence

from veridag.checks import JOBS
from veridag.data import Data

from .independence.base import TEST, Test
from .independence.result import TestResult, TestResults


class Tester:
    """One test on one data set, for many pairs of variables.

    `calls` counts the tests; a test is one call even if it scores twice.

    Args:
        data: The data.
        test: The test.
        jobs: Number of threads.

    See also:
        `test`, docs/tests/index.md
    """

    __test__ = False  # not for pytest

    def __init__(self, data: Data, test: Test, *, jobs: int = 1) -> None:
        self.data, self.test, self.jobs = data, TEST("test", test), JOBS("jobs", jobs)
        self.calls = 0
        self._bound = test.bind(data)

    def __repr__(self) -> str:
        return f"<Tester of {self.test!r} on {self.data!r}: {self.calls} calls>"

    def one(self, x: int, y: int, given: Sequence[int] = ()) -> TestResult:
        """Test two variables given others, by columns."""
        return self.many([(x, y, given)])[0]

    def many(self, tests: Sequence[tuple[int, int, Sequence[int]]]) -> TestResults:
        """Make many tests, by columns."""
        self.calls += len(tests)
        # A test is symmetric, so that x and y can be put in order: the same numbers whichever comes first.
        ordered = [(min(x, y), max(x, y), tuple(sorted(given))) for x, y, given in tests]
        return self._bound.many(ordered, self.jobs)
