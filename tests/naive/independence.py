"""Slow, obvious versions of the tests of independence, written from the paper alone, and random data to try them on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import erfc, exp, gamma, log, pi, prod, sqrt

import numpy as np
from hypothesis import strategies as st
from scipy import integrate

from veridag import Data
from veridag.data import Column

Strata = dict[tuple[str, ...], Counter[tuple[str, str]]]


def strata(data: Data, x: str, y: str, given: Sequence[str]) -> Strata:
    """In each observed configuration of Z, how often the states of X and Y meet; a row of weight w is there w times."""
    found: Strata = {}
    for row in range(data.nrows):
        for _ in range(1 if data.weights is None else data.weights[row]):
            state = {v: data.states[v][data.column(v)[row]] for v in (x, y, *given)}
            found.setdefault(tuple(state[v] for v in given), Counter())[state[x], state[y]] += 1
    return found


def _margins(table: Counter[tuple[str, str]]) -> tuple[Counter[str], Counter[str]]:
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for (i, j), n in table.items():
        rows[i] += n
        columns[j] += n
    return rows, columns


def g2(data: Data, x: str, y: str, given: Sequence[str]) -> float:
    total = 0.0
    for table in strata(data, x, y, given).values():
        rows, columns = _margins(table)
        for (i, j), n in table.items():
            total += 2 * n * log(n * table.total() / (rows[i] * columns[j]))
    return total


def x2(data: Data, x: str, y: str, given: Sequence[str]) -> float:
    total = 0.0
    for table in strata(data, x, y, given).values():
        rows, columns = _margins(table)
        for i, j in product(rows, columns):
            m = rows[i] * columns[j] / table.total()
            total += (table[i, j] - m) ** 2 / m
    return total


def plain_df(data: Data, x: str, y: str, given: Sequence[str]) -> int:
    sizes = {v: len(data.states[v]) for v in data.names}
    return (sizes[x] - 1) * (sizes[y] - 1) * prod(sizes[v] for v in given)


def adjusted_df(data: Data, x: str, y: str, given: Sequence[str]) -> int:
    margins = [_margins(table) for table in strata(data, x, y, given).values()]
    return sum((len(rows) - 1) * (len(columns) - 1) for rows, columns in margins)


def ncells(data: Data, x: str, y: str, given: Sequence[str]) -> int:
    return prod(len(data.states[v]) for v in (x, y, *given))


def chi_square_tail(statistic: float, df: int) -> float:
    """P(chi-square > statistic), by the sum that integration by parts gives: no term is negative."""
    h = statistic / 2
    if df % 2 == 0:
        term, total = exp(-h), 0.0
        for k in range(df // 2):
            total += term
            term *= h / (k + 1)
        return total
    total = erfc(sqrt(h))
    term = exp(-h) * sqrt(h) / gamma(1.5)
    for k in range(df // 2):
        total += term
        term *= h / (k + 1.5)
    return total


def partial_correlation(data: Data, x: str, y: str, given: Sequence[str]) -> float:
    """The correlation of the residuals of two regressions."""
    weights = [1] * data.nrows if data.weights is None else data.weights
    z = np.column_stack([np.ones(data.nrows), *(data.column(v) for v in given)]).repeat(weights, axis=0)
    residuals = []
    for v in (x, y):
        values = data.column(v).repeat(weights)
        residuals.append(values - z @ np.linalg.lstsq(z, values, rcond=None)[0])
    return float(np.corrcoef(residuals)[0, 1])


def student_t(rho: float, n: int, z: int) -> tuple[float, float]:
    """t and its p-value, by integrating the density."""
    df = n - z - 2
    t = rho * sqrt(df) / sqrt(1 - rho**2)
    constant = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2))
    tail, _ = integrate.quad(lambda u: constant * (1 + u * u / df) ** (-(df + 1) / 2), abs(t), np.inf, epsabs=0)
    return t, 2 * tail


def fisher_z(rho: float, n: int, z: int) -> tuple[float, float]:
    """Z and its p-value, by integrating the density."""
    statistic = log((1 + rho) / (1 - rho)) * sqrt(n - z - 3) / 2
    a = abs(statistic)
    tail, _ = integrate.quad(lambda u: exp(-((a + u) ** 2) / 2) / sqrt(2 * pi), 0, 12, epsabs=0)
    return statistic, 2 * tail


@st.composite
def tables(draw: st.DrawFn, smallest: int = 1, most_rows: int = 40) -> Data:
    """Discrete A, B and up to two more, with few rows: states and strata often do not occur, weights may be there."""
    arities = draw(st.lists(st.integers(smallest, 4), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(1, most_rows))
    weights = rng.integers(0, 4, rows) if draw(st.booleans()) else None
    if weights is not None:
        weights[0] += 1
    common = rng.integers(0, 4, rows)
    columns = []
    for name, r in zip("ABCD", arities, strict=False):
        codes = np.where(rng.random(rows) < 0.4, common % r, rng.integers(0, r, rows))
        columns.append(Column.discrete(name, codes, [f"s{k}" for k in range(r)]))
    return Data(columns, weights)


@st.composite
def samples(draw: st.DrawFn) -> Data:
    """Gaussian A, B and up to two more from random linear relations, with enough rows to test them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = draw(st.integers(2, 4))
    rows = draw(st.integers(size + 4, 40))
    x = rng.normal(size=(rows, size)) @ rng.normal(size=(size, size)) + rng.normal(size=(rows, size))
    weights = rng.integers(1, 4, rows) if draw(st.booleans()) else None
    return Data([Column.continuous("ABCD"[i], x[:, i] + 10 * rng.normal()) for i in range(size)], weights)
