"""Any score as a test of independence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf, isinf
from typing import ClassVar, NoReturn

import numpy as np

from veridag import _core
from veridag.checks import Optional, checked
from veridag.criteria.packing import Family, Triple
from veridag.criteria.priors.base import PRIOR, Prior, PriorTerms
from veridag.criteria.scorer import Scorer
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError

from .base import Test
from .bound import BoundTest, collect
from .bound_by_pair import UNTESTED
from .pairs import PairCounts, PairMoments, check_pair
from .result import TestResult, TestResults
from .strata import PairStrata

#: Scores that differ by less than this share of their size are the same: the rest is rounding.
TIE = 1e-9


@dataclass(frozen=True)
class ScoreTest(Test):
    r"""A test based on a score: X and Y are dependent given Z if Y, added to the parents Z of X, raises the score.

    The `statistic` is the difference in `score` plus log prior: a log Bayes factor for posterior scores, half of $G^2$
    minus its threshold for BIC. The variables are independent if it is not above 0. Without `prior`, all graphs are
    equally probable. The tests of Scutari, Graafland and Gutierrez (2019) that match a score are:

    - ``ScoreTest(BIC())``: $G^2_{BIC}$, eq. (11): dependent if $G^2 > (|\Theta^+| - |\Theta^-|) \log n$;
    - ``ScoreTest(BIC(gamma))``: $G^2_{BIC_\gamma}$ of section 5.1.1, with $\log n + 2 \gamma \log N$ for $\log n$;
    - ``ScoreTest(BDeu(), VariableSelection())``, or with ``BGe()``: $\log BF$ of sections 3 and 4.

    The difference is computed in both directions, Y as a parent of X and X as a parent of Y, and the larger one counts:
    the variables are dependent if either gains. The two are equal for a score-equivalent score and a prior that treats
    all variables alike. With others (K2, BDs, fNML, a custom score) the test is still symmetric.

    There is no null distribution. `df` is 0, and `p_value` is 1 / (1 + exp(statistic)), the posterior probability of
    the graph without the arc against the one with it: 1/2 at the threshold, lower with more evidence.

    Differences within 1e-9 of the scores are rounding errors and count as 0. A variable that is a linear function of Z
    has nothing left to explain (0). One that is a linear function only together with the other variable gains
    infinitely. The exception are too few observations, for which any data would give this fit: no more than $|Z| + 2$,
    or on mixed data, no more in some configuration of the discrete variables than there are continuous variables. A
    family that the prior or the score excludes, with minus infinity, never gains.

    See also:
        `VariableSelection`, `G2`, docs/tests/index.md
    """

    score: Score = field(metadata=checked(SCORE))
    prior: Prior | None = field(default=None, metadata=checked(Optional(PRIOR)))
    both_directions: ClassVar[bool] = False  # unless the score has them
    compiles_incomplete: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "both_directions", self.score.both_directions)

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        """Test x and y given the other variables; see `veridag.test`."""
        ordered = check_pair(data, x, y, given)
        data = data.not_set((x, y))
        if data.n == 0:
            return UNTESTED
        terms = None if self.prior is None else self.prior.terms(data.names, data.n)
        families = ((x, ordered), (x, (*ordered, y)), (y, ordered), (y, (*ordered, x)))
        x_without, x_with, y_without, y_with = (self._local(data, terms, child, parents) for child, parents in families)
        unbounded = inf in (x_with, y_with) and self._any_data_fits(data, (x, y, *ordered))
        return self.decide(x_without, x_with, y_without, y_with, any_data_fits=unbounded)

    def decide(
        self, x_without: float, x_with: float, y_without: float, y_with: float, *, any_data_fits: bool
    ) -> TestResult:
        """The result, from score plus log prior of x and of y, without and with the other as one more parent.

        `any_data_fits` means that an infinite score is only due to the number of observations.
        """
        statistic = max(_gain(x_without, x_with, any_data_fits), _gain(y_without, y_with, any_data_fits))
        return TestResult(statistic, 0.0, _posterior(statistic), statistic <= 0)

    def _any_data_fits(self, data: Data, names: Sequence[str]) -> bool:
        widths = self.score.widths(data)
        if widths is not None:
            return data.n <= sum(widths[data.names.index(v)] for v in names)
        discrete = [v for v in names if data.kinds[v] == "discrete"]
        weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
        codes = np.column_stack([np.zeros(data.nrows, np.intp), *(data.column(v) for v in discrete)])
        _, which = np.unique(codes, axis=0, return_inverse=True)
        sizes = np.bincount(which.reshape(-1), weights)
        return bool(sizes[sizes > 0].min() <= len(names) - len(discrete))

    def _local(self, data: Data, terms: PriorTerms | None, child: str, parents: tuple[str, ...]) -> float:
        value = self.score.local(child, parents, data)
        if terms is None:
            return value
        log_prior = terms.log(data.names.index(child), [data.names.index(p) for p in parents])
        return -inf if log_prior == -inf else value + log_prior

    def compiled(self, data: Data) -> BoundScoreTest:
        """The same decision in the core, whatever the score."""
        return BoundScoreTest(self, data)

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if the score cannot be used on it."""
        return self.score.check(data)

    def handles(self, kind: DataKind) -> bool:
        """Whether the score has a formula for this kind of data."""
        return self.score.handles(kind)

    def mixed(self, strata: PairStrata) -> NoReturn:
        """A score needs the data: always an error."""
        raise InputError(f"{self} needs the data, not moments: use evaluate(data, {strata.x!r}, {strata.y!r}, given)")

    def discrete(self, counts: PairCounts) -> NoReturn:
        """A score needs the data: always an error."""
        raise InputError(f"{self} needs the data, not counts: use evaluate(data, {counts.x!r}, {counts.y!r}, given)")

    def continuous(self, moments: PairMoments) -> NoReturn:
        """A score needs the data: always an error."""
        raise InputError(f"{self} needs the data, not moments: use evaluate(data, {moments.x!r}, {moments.y!r}, given)")


class BoundScoreTest(BoundTest):
    """A score and a prior bound to data, as a test."""

    def __init__(self, test: ScoreTest, data: Data) -> None:
        self.test, self.data = test, data

    @cached_property
    def core(self) -> _core.PairTest:
        """What the core makes of the score that it has bound."""
        test, data = self.test, self.data
        terms = None if test.prior is None else test.prior.terms(data.names, data.n)
        size, arc = (None, None) if terms is None else (terms.size, terms.arc)
        # The C++ versions score families of Gaussian variables faster than a cache finds them.
        cached = data.kind == "discrete" or data.incomplete or not test.score.is_compiled()
        widths = test.score.widths(data)
        # A score of incomplete data sees to rare configurations itself.
        strata = data.core_mixed_table if widths is None and not data.incomplete else None
        columns = [1] * len(data.names) if widths is None else widths
        return _core.score_test(test.score.bind(data), size, arc, float(data.n), columns, strata, cached)

    @cached_property
    def _scorer(self) -> Scorer:
        return Scorer(self.data, self.test.score, self.test.prior)

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The scores of all families in one call."""
        families: list[Family] = []
        for x, y, given in tests:
            families += [(x, given), (x, (*given, y)), (y, given), (y, (*given, x))]
        self._scorer.jobs = jobs
        scores = self._scorer.unbounded_many(families).reshape(-1, 4).tolist()
        results = []
        names = self.data.names
        for (x_without, x_with, y_without, y_with), (x, y, given) in zip(scores, tests, strict=True):
            infinite = inf in (x_with, y_with)
            unbounded = infinite and self.test._any_data_fits(self.data, [names[v] for v in (x, y, *given)])
            results.append(self.test.decide(x_without, x_with, y_without, y_with, any_data_fits=unbounded))
        return collect(results)


def _gain(without: float, beside: float, any_data_fits: bool) -> float:
    """The gain of one more parent; see `ScoreTest` for what is infinite."""
    if beside == -inf or without == inf:
        return -inf if beside < without else 0.0
    if beside == inf and any_data_fits:
        return 0.0
    gain = beside - without
    return gain if isinf(gain) or abs(gain) > TIE * max(abs(beside), abs(without)) else 0.0


def _posterior(statistic: float) -> float:
    """1 / (1 + exp(statistic)), without overflow."""
    if statistic > 0:
        return exp(-statistic) / (1 + exp(-statistic))
    return 1 / (1 + exp(statistic))
