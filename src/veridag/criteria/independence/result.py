"""What a test of independence returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class TestResult:
    """What a test of independence found. `independent` is its decision at its own threshold."""

    __test__: ClassVar[bool] = False  # not for pytest

    statistic: float
    df: float
    p_value: float
    independent: bool
