"""What a test of conditional independence is: a formula for a pair of variables given others."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from veridag.checks import Checked, Instance, Number
from veridag.data import Data
from veridag.data.columns import DataKind, Kind
from veridag.errors import InputError

from .bound import BoundTest, CalledBack
from .pairs import PairCounts, PairMoments, check_pair, pair_counts, pair_moments
from .result import TestResult


class Test(Checked, ABC):
    """A test of the independence of X and Y given Z.

    A subclass is a frozen dataclass with `discrete`, `continuous`, or both. One with a C++ version in the core also has
    `compiled`; others run in Python and are slower. What holds for all of them:

    - The result is the same with X and Y exchanged, and whatever the order of Z, of columns and of rows.
    - If values are missing, a test takes the rows in which all its variables are observed (test-wise deletion).
    - Where nothing can be tested, because a variable is constant or there are too few rows, the variables count as
      independent, with statistic 0, df 0 and p-value 1: there is no evidence to reject independence. Nothing is NaN.
    - Otherwise X and Y are independent if the p-value is above alpha. A p-value below what a float can hold is 0: to
      rank strong dependencies, compare their statistics.
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

    def evaluate(self, data: Data, x: str, y: str, given: Sequence[str] | str) -> TestResult:
        """Test x and y given the other variables, all of one kind; see `veridag.test`."""
        ordered = check_pair(data, x, y, given)
        kind = _one_kind(data, (x, y, *ordered))
        if not self.handles(kind):
            raise self._unfit(kind)
        if data.incomplete:
            data = data.where_observed((x, y, *ordered))
            if data.n == 0:
                return TestResult(0.0, 0.0, 1.0, True)
        if kind == "discrete":
            return self.discrete(pair_counts(data, x, y, ordered))
        return self.continuous(pair_moments(data, x, y, ordered))

    def bind(self, data: Data) -> BoundTest:
        """The test of this data, for searches and for many tests a call: by its C++ version, or by a callback."""
        self.check(data)
        if self.is_compiled() and (not data.incomplete or self.compiles_incomplete):
            return self.compiled(data)
        return CalledBack(self, data)

    @classmethod
    def is_compiled(cls) -> bool:
        """Whether this very class has a C++ version.

        It does not inherit one: what a subclass changes in the formula would be passed over.
        """
        return "compiled" in vars(cls)

    def compiled(self, data: Data) -> BoundTest:
        """The C++ version bound to data that `check` has accepted."""
        raise NotImplementedError(f"{self} has no C++ version")

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if the test cannot be used on it."""
        kind = data.kind
        if not self.handles(kind):
            raise self._unfit(kind)
        if data.n == 0:
            raise InputError("the data has no rows")
        return kind

    def handles(self, kind: DataKind) -> bool:
        """Whether the test has a formula for this kind of data."""
        return hasattr(Test, kind) and getattr(type(self), kind) is not getattr(Test, kind)

    def _unfit(self, kind: DataKind) -> InputError:
        others = {
            "discrete": "G2, X2 and ScoreTest",
            "continuous": "StudentT, FisherZ, G2 and ScoreTest",
            "mixed": "ScoreTest",
        }
        return InputError(f"{self} does not test {kind} data; these do: {others[kind]}")


#: The check of an argument or a field that is a test.
TEST = Instance(Test, "a test, such as G2()")

#: The check of a significance level.
ALPHA = Number(above=0, below=1, example=0.05)


def _one_kind(data: Data, names: Sequence[str]) -> Kind:
    kind = data.kinds[names[0]]
    for name in names:
        if data.kinds[name] != kind:
            raise InputError(
                f"column {names[0]!r} is {kind} and {name!r} is {data.kinds[name]}, but a test needs variables of one "
                f"kind: discretize() the continuous ones"
            )
    return kind
