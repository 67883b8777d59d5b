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
    """What a test of independence found. `independent` is its decision at its own threshold.

    A result that is not `reliable` comes from fewer observations than cells under ``df="observed"``, where a test finds
    more dependences than there are. Given two variables or fewer, a search takes independence from it, but lets no
    variable into a Markov blanket by it; given more, it ignores it. With any other `df`, and for continuous data,
    `reliable` is always True.
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
    """The results of many tests, each field an array; see `TestResult`."""

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
