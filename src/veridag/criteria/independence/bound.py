"""What a test becomes when it is bound to data: what searches take into the core, and many tests a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from veridag import _core
from veridag.counts import scatter_matrix
from veridag.criteria.packing import Triple, pack_tests
from veridag.data import Data

from .pairs import PairMoments
from .result import TestResult, TestResults

if TYPE_CHECKING:
    from .base import Test


class BoundTest(ABC):
    """A test bound to data; `Test.bind` makes it."""

    @cached_property
    @abstractmethod
    def core(self) -> _core.PairTest:
        """The test as searches in the core take it: its decisions, and the evidence that they rank by."""

    @abstractmethod
    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The results of many tests in so many threads, by columns; in each test, x comes before y."""


class CalledBack(BoundTest):
    """A test without a C++ version: it runs in Python, one pair at a time, and is slower."""

    def __init__(self, test: Test, data: Data) -> None:
        self.test, self.data = test, data

    @cached_property
    def core(self) -> _core.PairTest:
        """A callback of the readable formula."""

        def decide(x: int, y: int, given: list[int]) -> tuple[float, float, bool, bool]:
            result = self._evaluate(x, y, given)
            return result.statistic, result.p_value, result.independent, result.reliable

        return _core.callback_test(decide, len(self.data.names))

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The readable formula for one pair after the other."""
        del jobs
        return collect([self._evaluate(x, y, given) for x, y, given in tests])

    def _evaluate(self, x: int, y: int, given: Sequence[int]) -> TestResult:
        names = self.data.names
        return self.test.evaluate(self.data, names[x], names[y], [names[z] for z in given])


class BoundCorrelation(BoundTest):
    """A test of partial correlations, which the core knows by a name."""

    def __init__(self, test: Test, data: Data, name: str, alpha: float) -> None:
        self.test, self.n, self.name, self.alpha = test, data.n, name, alpha
        self.scatter = scatter_matrix(data)

    @cached_property
    def core(self) -> _core.PairTest:
        """The C++ version."""
        return _core.correlation_test(self.scatter, float(self.n), self.name, self.alpha)

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The readable formula of correlations that the core has found."""
        rho, rank = _core.partial_correlations(self.scatter, float(self.n), *pack_tests(tests), jobs)
        pairs = zip(rho.tolist(), rank.tolist(), strict=True)
        return collect([self.test.continuous(PairMoments("", "", (), self.n, r, k)) for r, k in pairs])


class BoundObservedCorrelation(BoundTest):
    """The same of data with missing values: each test has its own rows, so that there is no scatter matrix of all."""

    def __init__(self, test: Test, data: Data, name: str, alpha: float) -> None:
        self.test, self.data, self.name, self.alpha = test, data, name, alpha

    @cached_property
    def core(self) -> _core.PairTest:
        """The C++ version."""
        return _core.observed_correlation_test(self.data.core_mixed_table_with_missing, self.name, self.alpha)

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The readable formula of correlations that the core has found."""
        found = _core.observed_correlations(self.data.core_mixed_table_with_missing, *pack_tests(tests), jobs)
        each = zip(*(array.tolist() for array in found), strict=True)
        return collect([self.test.continuous(PairMoments("", "", (), int(n), r, k)) for r, k, n in each])


def bound_correlation(test: Test, data: Data, name: str, alpha: float) -> BoundTest:
    """A test of partial correlations bound to continuous data, with missing values or without."""
    bind = BoundObservedCorrelation if data.incomplete else BoundCorrelation
    return bind(test, data, name, alpha)


def collect(results: Sequence[TestResult]) -> TestResults:
    """Many results as arrays."""
    columns = ([getattr(r, field) for r in results] for field in ("statistic", "df", "p_value"))
    statistic, df, p_value = (np.array(column, dtype=np.float64) for column in columns)
    decisions = ([getattr(r, field) for r in results] for field in ("independent", "reliable"))
    independent, reliable = (np.array(column, dtype=bool) for column in decisions)
    return TestResults(statistic, df, p_value, independent, reliable)
