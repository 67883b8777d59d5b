"""G2 bound to mixed data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from veridag import _core
from veridag.counts import scatter_matrix
from veridag.criteria.packing import Triple, pack_tests
from veridag.data import Data

from .bound import BoundTest, bound_correlation
from .chi_square import BoundContingency, chi_squares
from .conditional_gaussian import plain_df
from .result import TestResults
from .strata import PairStrata

if TYPE_CHECKING:
    from .g2 import G2


class BoundMixed(BoundTest):
    """Variables of one kind have the test of that kind; others that of the conditional Gaussian distribution."""

    def __init__(self, test: G2, data: Data) -> None:
        self.test, self.data = test, data
        self.is_discrete = [data.kinds[v] == "discrete" for v in data.names]

    @cached_property
    def core(self) -> _core.PairTest:
        """The C++ version."""
        scatter = None if self.data.incomplete else scatter_matrix(self._part("continuous"))
        return _core.mixed_g2_test(self._table, scatter, self.test.df, self.test.alpha)

    @property
    def _table(self) -> _core.MixedTable:
        return self.data.core_mixed_table_with_missing if self.data.incomplete else self.data.core_mixed_table

    def _part(self, kind: str) -> Data:
        return self.data.select([v for v in self.data.names if self.data.kinds[v] == kind])

    @cached_property
    def _of_one_kind(self) -> dict[bool, BoundTest]:
        df, alpha = self.test.df, self.test.alpha
        return {
            True: BoundContingency(self._part("discrete"), df, alpha, pearson=False),
            False: bound_correlation(self.test, self._part("continuous"), "g2", alpha),
        }

    @cached_property
    def _place(self) -> list[int]:
        """Of each variable among those of its kind."""
        return [self.is_discrete[:v].count(own) for v, own in enumerate(self.is_discrete)]

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """Tests of each kind together."""
        kinds = [{self.is_discrete[v] for v in (x, y, *given)} for x, y, given in tests]
        order: list[int] = []
        parts = []
        for kind in ({True}, {False}, {True, False}):
            chosen = [i for i, own in enumerate(kinds) if own == kind]
            if not chosen:
                continue
            order += chosen
            some = [tests[i] for i in chosen]
            if len(kind) == 2:
                parts.append(self._mixed(some, jobs))
            else:
                place = self._place
                by_place = [(place[x], place[y], tuple(place[z] for z in given)) for x, y, given in some]
                parts.append(self._of_one_kind[kind.pop()].many(by_place, jobs))
        back = np.argsort(order)
        fields = ("statistic", "df", "p_value", "independent", "reliable")
        return TestResults(*(np.concatenate([getattr(p, f) for p in parts] or [np.zeros(0)])[back] for f in fields))

    def _mixed(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        statistic, df, n = _core.conditional_gaussian(self._table, *pack_tests(tests), jobs)
        designs = [self._design(*test) for test in tests]
        needed = np.array([_float(design.rows_needed) for design in designs])
        constant = np.array([1 in (design.R, design.C) for design in designs])
        if self.test.df == "adjusted":
            statistic = np.where(n < 5 * needed, 0.0, statistic)
        elif self.test.df == "plain":
            df = np.where(df > 0, [_float(plain_df(design)) for design in designs], 0.0)
        reliable = constant | (self.test.df != "observed") | (n >= needed) | (n == 0)
        return chi_squares(statistic, df, self.test.alpha, reliable)

    def _design(self, x: int, y: int, given: tuple[int, ...]) -> PairStrata:
        """What is known of a test without its cells."""
        names, arities = self.data.names, self.data.arities
        R, C = (arities[names[v]] if self.is_discrete[v] else 0 for v in (x, y))
        strata = [arities[names[z]] for z in given if self.is_discrete[z]]
        z = tuple(names[v] for v in given)
        return PairStrata(names[x], names[y], z, (), R, C, prod(strata), len(given) - len(strata))


def _float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.inf
