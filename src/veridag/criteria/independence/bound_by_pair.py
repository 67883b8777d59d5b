"""A test bound to data with interventions: each pair of variables has its own rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from veridag import _core
from veridag.criteria.packing import Triple
from veridag.data import Data
from veridag.errors import InputError

from .bound import BoundTest, collect
from .result import TestResult, TestResults

if TYPE_CHECKING:
    from .base import Test

#: Where there are no rows, there is no evidence for dependence.
UNTESTED = TestResult(0.0, 0.0, 1.0, True)

#: The most values that the tables of all pairs may hold together, a gigabyte if they are codes.
MAX_VALUES = 2**30


class BoundByPair(BoundTest):
    """Tests of x and y from the rows in which neither was set.

    In these rows both variables depend on their parents as usual, whatever else was set. So the parents of one of them
    still separate it from every variable that is no descendant, and two variables that are joined stay dependent given
    any others: the same pairs are joined as in rows that were only observed. Pairs with the same rows share one bound
    test.
    """

    def __init__(self, test: Test, data: Data) -> None:
        self.test, self.data = test, data
        rows: dict[int, Data] = {}
        names = data.names
        which = np.full((len(names), len(names)), -1)
        place: dict[int, int] = {}
        for i, x in enumerate(names):
            for j, y in enumerate(names[:i]):
                part = data.not_set((x, y))
                if part.n:
                    rows[id(part)] = part
                    which[i, j] = which[j, i] = place.setdefault(id(part), len(place))
        if sum(part.nrows for part in rows.values()) * len(names) > MAX_VALUES:
            raise InputError(
                f"{test} of data with interventions needs a table for each of {len(rows)} sets of rows, which do not "
                "fit into memory: use a score-based algorithm, such as BOSS or Tabu"
            )
        self.parts, self.which = list(rows.values()), which

    @cached_property
    def _bound(self) -> list[BoundTest]:
        return [self.test.bind(part) for part in self.parts]

    @cached_property
    def core(self) -> _core.PairTest:
        """One test for each pair, chosen in the core."""
        tests = [bound.core for bound in self._bound]
        return _core.by_pair_test(tests, self.which.reshape(-1).tolist(), len(self.data.names))

    def many(self, tests: Sequence[Triple], jobs: int) -> TestResults:
        """The tests of pairs that share their rows together."""
        results: list[TestResult] = [UNTESTED] * len(tests)
        own = [int(self.which[x, y]) for x, y, _ in tests]
        for k, bound in enumerate(self._bound):
            chosen = [i for i, place in enumerate(own) if place == k]
            if chosen:
                found = bound.many([tests[i] for i in chosen], jobs)
                for position, i in enumerate(chosen):
                    results[i] = found[position]
        return collect(results)
