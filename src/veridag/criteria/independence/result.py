"""What a test of independence returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from veridag.display import paragraph

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TestResult:
    """The result of a test of independence.

    Attributes:
        statistic: The test statistic.
        df: Its degrees of freedom.
        p_value: The p-value.
        independent: The decision of the test at its own threshold.
        reliable: False if there are fewer observations than cells under ``df="observed"``, where a test finds too many
            dependences. Given up to two variables, a search accepts independence from it, but adds no variable to a
            Markov blanket by it; given more, it ignores it. Always True with any other `df`, and for continuous data.

    See also:
        `test`, docs/tests/index.md
    """

    __test__: ClassVar[bool] = False  # not for pytest

    statistic: float
    df: float
    p_value: float
    independent: bool
    reliable: bool = True

    def __str__(self) -> str:
        verdict = "independent" if self.independent else "dependent"
        doubt = "" if self.reliable else ", with too few observations to rely on"
        return f"{verdict}: statistic {self.statistic:.6g}, df {self.df:g}, p-value {self.p_value:.3g}{doubt}"

    def _repr_html_(self) -> str:
        return paragraph(str(self))


@dataclass(frozen=True, eq=False)
class TestResults:
    """The results of many tests, each field an array.

    Attributes:
        statistic, df, p_value, independent, reliable: As in `criteria.independence.result.TestResult`.

    See also:
        `Tester.many`
    """

    __test__: ClassVar[bool] = False  # not for pytest

    statistic: Floats
    df: Floats
    p_value: Floats
    independent: NDArray[np.bool_]
    reliable: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.statistic)

    def __getitem__(self, i: int) -> TestResult:
        statistic, df, p_value = (float(field[i]) for field in (self.statistic, self.df, self.p_value))
        return TestResult(statistic, df, p_value, bool(self.independent[i]), bool(self.reliable[i]))
