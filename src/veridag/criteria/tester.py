"""`Tester`: a test of independence bound to data, many tests a call, counted in the core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.counts import scatter_matrix
from veridag.criteria.independence.result import TestResult
from veridag.data import Data

from .independence import G2, X2, FisherZ, PairMoments, ScoreTest, StudentT, Test
from .scorer import Family, Scorer, core_scorer, pack
from .scores import BGe

Floats = NDArray[np.float64]

#: A test as the core knows it: the columns of x and y, and those of the conditioning variables, ascending.
Triple = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class TestResults:
    """The results of many tests, each field an array; see `veridag.criteria.independence.result.TestResult`."""

    __test__ = False  # not for pytest

    statistic: Floats
    df: Floats
    p_value: Floats
    independent: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.statistic)

    def __getitem__(self, i: int) -> TestResult:
        statistic, df, p_value = (float(field[i]) for field in (self.statistic, self.df, self.p_value))
        return TestResult(statistic, df, p_value, bool(self.independent[i]))


class Tester:
    """One test on one data set. `calls` counts the tests made; a test is one call even if it scores twice."""

    __test__ = False  # not for pytest

    def __init__(self, data: Data, test: Test, *, jobs: int = 1) -> None:
        self.data, self.test, self.jobs = data, test, jobs
        self.calls = 0
        self._evaluate = _bind(data, test, jobs)

    def one(self, x: int, y: int, given: Sequence[int] = ()) -> TestResult:
        """Test two variables given others, by columns."""
        return self.many([(x, y, given)])[0]

    def many(self, tests: Sequence[tuple[int, int, Sequence[int]]]) -> TestResults:
        """Many tests, by columns."""
        self.calls += len(tests)
        # A test is symmetric, so that x and y can be put in order: the same numbers whichever comes first.
        ordered = [(min(x, y), max(x, y), tuple(sorted(given))) for x, y, given in tests]
        return self._evaluate(ordered)


def core_test(data: Data, test: Test) -> _core.PairTest:
    """The test bound to the data in the core, for a search: by its twin there, or by calling back `Test.evaluate`."""
    kind = test.check(data)
    if type(test) is ScoreTest:
        terms = None if test.prior is None else test.prior.terms(data.names, data.n)
        size = None if terms is None else np.ascontiguousarray(terms.size, dtype=np.float64)
        arc = None if terms is None or terms.arc is None else np.ascontiguousarray(terms.arc, dtype=np.float64)
        # Families of Gaussian variables are scored faster than they are looked up.
        remember = kind == "discrete" or not (isinstance(test.score, BGe) or test.score.twin(data))
        return _core.score_test(core_scorer(data, test.score), size, arc, float(data.n), remember)
    if kind == "continuous" and type(test) in _CORRELATION_TESTS:
        return _core.correlation_test(scatter_matrix(data), float(data.n), _CORRELATION_TESTS[type(test)], test.alpha)  # type: ignore[attr-defined]
    if kind == "discrete" and type(test) in (G2, X2):
        assert isinstance(test, G2 | X2)
        table = data.core_table
        if type(test) is G2 and test.df == "plain":
            return _core.g2_test(table, test.alpha)
        return _core.contingency_test(table, type(test) is X2, test.df == "adjusted", test.alpha)
    names = data.names

    def decide(x: int, y: int, given: list[int]) -> tuple[float, float, bool]:
        result = test.evaluate(data, names[x], names[y], [names[z] for z in given])
        return result.statistic, result.p_value, result.independent

    return _core.callback_test(decide, len(names))


_CORRELATION_TESTS: dict[type[Test], str] = {G2: "g2", StudentT: "student-t", FisherZ: "fisher-z"}


def _bind(data: Data, test: Test, jobs: int) -> Callable[[Sequence[Triple]], TestResults]:
    kind = test.check(data)
    if isinstance(test, ScoreTest):
        return _bind_score(data, test, jobs)
    if kind == "continuous":
        return _bind_correlations(data, test, jobs)
    if isinstance(test, G2 | X2):
        return _bind_contingency(data, test, jobs)
    names = data.names
    return lambda tests: _collect([test.evaluate(data, names[x], names[y], [names[z] for z in g]) for x, y, g in tests])


def _collect(results: Sequence[TestResult]) -> TestResults:
    columns = ([getattr(r, field) for r in results] for field in ("statistic", "df", "p_value"))
    statistic, df, p_value = (np.array(column, dtype=np.float64) for column in columns)
    return TestResults(statistic, df, p_value, np.array([r.independent for r in results], dtype=bool))


def _pack(tests: Sequence[Triple]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    x, offsets, given = pack([(x, g) for x, _, g in tests])
    return x, np.array([y for _, y, _ in tests], dtype=np.int32), offsets, given


def _bind_contingency(data: Data, test: G2 | X2, jobs: int) -> Callable[[Sequence[Triple]], TestResults]:
    from scipy.special import chdtrc

    table = data.core_table
    r = np.array([data.arities[v] for v in data.names], dtype=np.float64)

    def evaluate(tests: Sequence[Triple]) -> TestResults:
        x, y, offsets, given = _pack(tests)
        g2, x2, strata, adjusted_df = _core.contingency(table, x, y, offsets, given, jobs)
        statistic = g2 if isinstance(test, G2) else x2
        free = (r[x] - 1) * (r[y] - 1)
        df = np.where(free == 0, 0.0, free * np.where(free == 0, 1.0, strata)) if test.df == "plain" else adjusted_df
        if test.df == "adjusted":  # too few observations for the cells: see G2
            statistic = np.where(data.n < 5 * r[x] * r[y] * strata, 0.0, statistic)
        statistic = np.where(df == 0, 0.0, statistic)
        p_value = np.where(
            (df == 0) | np.isinf(df), 1.0, chdtrc(np.where(np.isinf(df), 1.0, np.maximum(df, 1.0)), statistic)
        )
        return TestResults(statistic, df, p_value, p_value > test.alpha)

    return evaluate


def _bind_correlations(data: Data, test: Test, jobs: int) -> Callable[[Sequence[Triple]], TestResults]:
    scatter = scatter_matrix(data)

    def evaluate(tests: Sequence[Triple]) -> TestResults:
        rho, rank = _core.partial_correlations(scatter, float(data.n), *_pack(tests), jobs)
        pairs = zip(rho.tolist(), rank.tolist(), strict=True)
        return _collect([test.continuous(PairMoments("", "", (), data.n, r, k)) for r, k in pairs])

    return evaluate


def _bind_score(data: Data, test: ScoreTest, jobs: int) -> Callable[[Sequence[Triple]], TestResults]:
    scorer = Scorer(data, test.score, test.prior, jobs=jobs)

    def evaluate(tests: Sequence[Triple]) -> TestResults:
        families: list[Family] = []
        for x, y, given in tests:
            families += [(x, given), (x, (*given, y)), (y, given), (y, (*given, x))]
        scores = scorer.unbounded_many(families).reshape(-1, 4).tolist()
        results = []
        for (x_without, x_with, y_without, y_with), (_, _, given) in zip(scores, tests, strict=True):
            results.append(test.decide(x_without, x_with, y_without, y_with, data.n, len(given)))
        return _collect(results)

    return evaluate
