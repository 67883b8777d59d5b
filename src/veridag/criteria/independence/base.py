"""What a test of conditional independence is: a formula for a pair of variables given others."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from veridag.checks import Checked, Instance, Number
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError

from .bound import BoundTest, CalledBack
from .bound_by_pair import UNTESTED, BoundByPair
from .pairs import PairCounts, PairMoments, check_pair, pair_counts, pair_moments
from .result import TestResult
from .strata import PairStrata, pair_strata


class Test(Checked, ABC):
    """A test of the independence of X and Y given Z.

    A subclass is a frozen dataclass with a method `discrete`, `continuous`, or both, and `mixed` if it tests discrete
    and continuous variables together. A test with a C++ version also has `compiled`; others run in Python and are
    slower. All tests have this in common:

    - The result does not depend on the order of X and Y, of Z, of columns or of rows.
    - If values are missing, a test uses the rows in which all its variables are observed (test-wise deletion).
    - With interventions, a test uses the rows in which neither X nor Y was set; Z may have been.
    - If nothing can be tested, because a variable is constant or there are too few rows, the variables count as
      independent, with statistic 0, df 0 and p-value 1: there is no evidence against independence. Nothing is `NaN`.
    - Otherwise X and Y are independent if the p-value is above `alpha`. A p-value below the smallest float is 0: to
      rank strong dependences, compare their statistics.

    See also:
        `test`, docs/tests/index.md, docs/adding.md
    """

    __test__: ClassVar[bool] = False  # not for pytest

    #: Whether searches let a discrete variable have continuous parents; see `Score.both_directions`.
    both_directions: ClassVar[bool] = False

    #: Whether the C++ version takes data with missing values; otherwise the readable one does.
    compiles_incomplete: ClassVar[bool] = False

    def discrete(self, counts: PairCounts) -> TestResult:
        """Test discrete variables."""
        raise self._unfit("discrete")

    def continuous(self, moments: PairMoments) -> TestResult:
        """Test continuous variables."""
        raise self._unfit("continuous")

    def mixed(self, strata: PairStrata) -> TestResult:
        """Test discrete and continuous variables together."""
        raise self._unfit("mixed")

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        """Test x and y given the other variables, as `test`. Other columns do not matter."""
        ordered = check_pair(data, x, y, given)
        kinds = {data.kinds[v] for v in (x, y, *ordered)}
        kind: DataKind = kinds.pop() if len(kinds) == 1 else "mixed"
        if not self.handles(kind):
            raise self._unfit(kind)
        data = data.not_set((x, y))
        if data.n == 0:
            return UNTESTED
        if data.incomplete:
            data = data.where_observed((x, y, *ordered))
            if data.n == 0:
                return UNTESTED
        if kind == "mixed":
            return self.mixed(pair_strata(data, x, y, ordered))
        if kind == "discrete":
            return self.discrete(pair_counts(data, x, y, ordered))
        return self.continuous(pair_moments(data, x, y, ordered))

    def bind(self, data: Data) -> BoundTest:
        """The test on this data, for searches and for many tests per call: its C++ version, or a callback."""
        self.check(data)
        if data.targets is not None:
            return BoundByPair(self, data)
        if self.is_compiled() and (not data.incomplete or self.compiles_incomplete):
            return self.compiled(data)
        return CalledBack(self, data)

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether this class itself has a C++ version.

        It is not inherited, because it would ignore what a subclass changes in the formula.
        """
        return "compiled" in vars(cls)

    def compiled(self, data: Data) -> BoundTest:
        """The C++ version for data that `check` has accepted."""
        raise NotImplementedError(f"{self} has no C++ version")

    def check(self, data: Data) -> DataKind:
        """Return the kind of the data; raise `InputError` if the test cannot be used on it."""
        kind = data.kind
        if not self.handles(kind):
            raise self._unfit(kind)
        if data.n == 0:
            raise InputError("the data has no rows")
        return kind

    def handles(self, kind: DataKind) -> bool:
        """Whether the test has a formula for this kind of data."""
        return getattr(type(self), kind) is not getattr(Test, kind)

    def _unfit(self, kind: DataKind) -> InputError:
        others = {
            "discrete": "G2, X2, DegenerateG2 or ScoreTest",
            "continuous": "StudentT, FisherZ, G2, DegenerateG2 or ScoreTest",
            "mixed": "G2, DegenerateG2 or ScoreTest",
        }
        remedy = "" if kind != "mixed" else "; or discretize the continuous columns, or select those of one kind"
        return InputError(f"{self} does not test {kind} data; use {others[kind]}{remedy}")


#: The check of an argument or a field that is a test.
TEST = Instance(Test, "a test, such as G2()")

#: The check of a significance level.
ALPHA = Number(above=0, below=1, example=0.05)
