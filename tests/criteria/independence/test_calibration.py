"""Under independence p-values are about uniform, and under dependence small."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from veridag import Data
from veridag.criteria import independence
from veridag.criteria.independence import G2, X2, FisherZ, StudentT, Test
from veridag.data import Column

REPEATS = 1500


def common_cause(rng: np.random.Generator, kind: str, arc: float = 0) -> Data:
    """X <- Z -> Y, and X -> Y of this strength."""
    rows = 400
    if kind == "continuous":
        z = rng.normal(size=rows)
        x = z + rng.normal(size=rows)
        y = -z + arc * x + rng.normal(size=rows)
        return Data([Column.continuous(v, c) for v, c in zip("XYZ", (x, y, z), strict=True)])
    z = rng.integers(0, 2, rows)
    x = (rng.random(rows) < 0.3 + 0.4 * z).astype(int)
    y = (rng.random(rows) < 0.6 - 0.3 * z + arc * x).astype(int) + (rng.random(rows) < 0.5)
    return Data([Column.discrete("X", x, "01"), Column.discrete("Y", y, "012"), Column.discrete("Z", z, "01")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "kind"),
    [
        (G2(), "discrete"),
        (G2(df="adjusted"), "discrete"),
        (X2(), "discrete"),
        (X2(df="adjusted"), "discrete"),
        (G2(df="observed"), "discrete"),
        (G2(), "continuous"),
        (StudentT(), "continuous"),
        (FisherZ(), "continuous"),
    ],
    ids=str,
)
def test_p_values_are_about_uniform_under_independence(test: Test, kind: str) -> None:
    """The mean, the share below 0.05 and the distribution as a whole, within about four standard errors."""
    rng = np.random.default_rng(7)
    p = np.array([independence.test("X", "Y", "Z", common_cause(rng, kind), test).p_value for _ in range(REPEATS)])
    assert abs(p.mean() - 0.5) < 4 * np.sqrt(1 / 12 / REPEATS)
    assert abs(np.mean(p <= 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / REPEATS)
    assert stats.kstest(p, "uniform").statistic < 2.2 / np.sqrt(REPEATS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["discrete", "continuous"])
def test_dependence_is_found(kind: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(50):
        assert not independence.test("X", "Y", "Z", common_cause(rng, kind, arc=0.6), G2()).independent
