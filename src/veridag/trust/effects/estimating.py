"""Estimating an effect from weighted rows, given what to adjust for.

With Z the variables to adjust for, of which D are discrete and C continuous, the mean of y (of a discrete y: of the
indicator of each state, whose mean is a probability) if x is set is

    E[y | do(x)] = sum_d P(d) E[ E[y | x, d, C] | d ]

E[y | x, d, C] is a mean for each stratum d and state of x if there is no C, and otherwise a linear regression on C in
each of them. For a continuous x it is a regression on x and C in each stratum, and the effect is the average slope

    d E[y | do(x)] / dx = sum_d P(d) b_d

Without D that is the coefficient of x in the regression of y on x and Z. These are the means of a conditional Gaussian
model of y. For a discrete y and a continuous x, or C, it is the linear probability model, in which the degenerate
Gaussian score judges such arcs too (Andrews, Ramsey and Cooper 2019).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .question import Question
from .sample import Floats, Sample

Numbers = NDArray[np.intp]

#: In a stratum with fewer observations for each coefficient a regression is not fitted.
LEAST_PER_COEFFICIENT = 3

#: What is left of the variance of x, given the other regressors, if it is not one of their combinations.
_COLLINEAR = 1e-10


class Estimate(NamedTuple):
    """What is estimated, and from what: the `share` of the observations in strata that are used, and the smallest
    number of observations for each coefficient in them."""

    values: Floats
    share: float
    smallest: float


@dataclass(frozen=True, eq=False)
class Design:
    """A question, the variables to adjust for, and the rows; `estimate` answers it for any weights of the rows."""

    question: Question
    adjustment: tuple[str, ...]
    sample: Sample

    def estimate(self, weights: Floats) -> Estimate:
        """The means by state of x, [state, column of y], or the slopes, [1, column].

        Strata in which a state of x that is compared is missing, or which have too few observations for a regression,
        are left out. Everything is `nan` if none is left.
        """
        w = np.where(self.chosen, weights, 0.0)
        return self._slopes(w) if self.question.x_is_continuous(self.sample) else self._means(w)

    def values(self, weights: Floats) -> Floats:
        """What is estimated, alone."""
        return self.estimate(weights).values

    @property
    def regressors(self) -> int:
        """The number of continuous variables that are adjusted for."""
        return int(self._continuous.shape[1])

    def largest_stratum(self) -> float:
        """The number of observations in the largest stratum."""
        strata, number = self._strata
        return float(np.bincount(strata, np.where(self.chosen, self.sample.weights, 0.0), number).max())

    # ---- the rows

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """The rows in which the discrete variables have the values that are given."""
        chosen = np.ones(len(self.sample.weights), bool)
        for name, value in self.question.given:
            if name in self.sample.states:
                chosen &= self.sample.columns[name] == self.sample.states[name].index(str(value))
        return chosen

    @cached_property
    def _strata(self) -> tuple[Numbers, int]:
        """The stratum of each row, and their number."""
        discrete = [self.sample.columns[name] for name in self.adjustment if name in self.sample.states]
        if not discrete:
            return np.zeros(len(self.sample.weights), np.intp), 1
        _, codes = np.unique(np.column_stack(discrete), axis=0, return_inverse=True)
        return codes.reshape(-1).astype(np.intp), int(codes.max()) + 1

    @cached_property
    def _rows_of_strata(self) -> list[Numbers]:
        return _rows_by_code(*self._strata)

    @cached_property
    def _continuous(self) -> Floats:
        """The continuous variables to adjust for, [row, variable]; those that are given are among them."""
        given = [name for name, _ in self.question.given]
        names = [v for v in dict.fromkeys((*self.adjustment, *given)) if v not in self.sample.states]
        return self._matrix(names)

    @cached_property
    def _outcomes(self) -> Floats:
        """y itself, or the indicators of its states, [row, column]."""
        y = self.question.y
        if y not in self.sample.states:
            return self._matrix([y])
        return np.asarray(self.sample.columns[y][:, None] == np.arange(len(self.sample.states[y])), np.float64)

    def _matrix(self, names: Iterable[str]) -> Floats:
        columns = [np.asarray(self.sample.columns[name], np.float64) for name in names]
        return np.column_stack(columns) if columns else np.zeros((len(self.sample.weights), 0))

    # ---- a discrete x

    def _means(self, w: Floats) -> Estimate:
        strata, number = self._strata
        states = [self.sample.states[self.question.x].index(s) for s in self.question.compared(self.sample)]
        x, r = self.sample.columns[self.question.x], len(self.sample.states[self.question.x])
        cell = strata * r + x
        size = np.bincount(cell, w, number * r).reshape(number, r)
        total = np.bincount(strata, w, number)
        columns = [np.bincount(cell, w * y, number * r).reshape(number, r)[:, states] for y in self._outcomes.T]
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.stack(columns, axis=-1) / size[:, states, np.newaxis]  # stratum, state, column
        p = self._continuous.shape[1]
        least = LEAST_PER_COEFFICIENT * (p + 1) if p else 1
        usable = np.asarray((size[:, states] >= least).all(axis=1))
        if p:
            means = np.add(means, self._shifts(w, cell, states, r, usable))
        smallest = size[usable][:, states].min(initial=np.inf) / (p + 1)
        return _average(means, np.where(usable, total, 0.0), w.sum(), smallest)

    def _shifts(self, w: Floats, cell: Numbers, states: list[int], r: int, usable: NDArray[np.bool_]) -> Floats:
        """What the means of strata change by if the continuous variables have their mean in the stratum, not in x."""
        z, y = self._continuous, self._outcomes
        number = self._strata[1]
        shifts = np.zeros((number, len(states), y.shape[1]))
        rows_of, stratum_rows = _rows_by_code(cell, number * r), self._rows_of_strata
        for s in np.flatnonzero(usable):
            centre = np.average(z[stratum_rows[s]], axis=0, weights=w[stratum_rows[s]])
            for k, state in enumerate(states):
                rows = rows_of[s * r + state]
                own = np.average(z[rows], axis=0, weights=w[rows])
                away = y[rows] - np.average(y[rows], axis=0, weights=w[rows])
                shifts[s, k] = (centre - own) @ _coefficients(z[rows] - own, away, w[rows])
        return shifts

    # ---- a continuous x

    def _slopes(self, w: Floats) -> Estimate:
        number = self._strata[1]
        x, z, y = np.asarray(self.sample.columns[self.question.x], np.float64), self._continuous, self._outcomes
        total, slopes = np.zeros(number), np.zeros((number, 1, y.shape[1]))
        for s, rows in enumerate(self._rows_of_strata):
            own = w[rows]
            if own.sum() < LEAST_PER_COEFFICIENT * (z.shape[1] + 2):
                continue
            slope = _slope(x[rows], z[rows], y[rows], own)
            if slope is not None:
                slopes[s, 0], total[s] = slope, own.sum()
        smallest = total[total > 0].min(initial=np.inf) / (z.shape[1] + 2)
        return _average(slopes, total, w.sum(), smallest)


def _slope(x: Floats, z: Floats, y: Floats, w: Floats) -> Floats | None:
    """The coefficients of x in the regressions of the columns of y on x and z; None if z determines x.

    By the part of x that is left after its own regression on z (Frisch and Waugh 1933).
    """
    x, z, y = (values - np.average(values, axis=0, weights=w) for values in (x, z, y))
    left = x - z @ _coefficients(z, x, w) if z.shape[1] else x
    variance = w @ left**2
    if variance <= _COLLINEAR * (w @ x**2):
        return None
    return np.asarray((w * left) @ y / variance)


def _coefficients(z: Floats, y: Floats, w: Floats) -> Floats:
    """Those of a regression on z without an intercept: the least ones, if some of z are combinations of others."""
    scale = np.sqrt(w @ z**2)
    scale = np.where(scale > 0, scale, 1.0)
    unit = z / scale
    weighted = (unit * w[:, np.newaxis]).T
    found = np.linalg.lstsq(weighted @ unit, weighted @ y, rcond=_COLLINEAR)[0]
    return np.asarray((found.T / scale).T)


def _rows_by_code(codes: Numbers, number: int) -> list[Numbers]:
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=number))[:-1])


def _average(values: Floats, weights: Floats, everything: float, smallest: float) -> Estimate:
    """The mean over the strata that have a weight, and the share of the weight that they have."""
    used = weights > 0
    if not used.any():
        return Estimate(np.full(values.shape[1:], np.nan), 0.0, 0.0)
    total = weights[used].sum()
    mean = np.einsum("s,sjk->jk", weights[used] / total, values[used])
    return Estimate(mean, float(total / everything), float(smallest))
