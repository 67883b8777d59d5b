"""What a test of mixed data looks at: moments of continuous variables in each configuration of discrete ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from veridag.counts import Floats
from veridag.data import Data

from .pairs import check_pair


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments of continuous variables.

    Attributes:
        n: The number of observations.
        mean: The means.
        scatter: The sums of products of deviations from the means.
    """

    n: int
    mean: Floats
    scatter: Floats

    def of(self, which: Sequence[int]) -> Moments:
        """The moments of some of the variables."""
        chosen = list(which)
        return Moments(self.n, self.mean[chosen], self.scatter[np.ix_(chosen, chosen)])


@dataclass(frozen=True, eq=False)
class Cell:
    """One configuration of all discrete variables.

    Attributes:
        k: The configuration of the discrete variables in Z.
        i: The state of X; 0 if it is continuous.
        j: The state of Y; 0 if it is continuous.
        moments: The moments of the continuous variables: those of Z in column order, then X, then Y.
    """

    k: int
    i: int
    j: int
    moments: Moments


@dataclass(frozen=True, eq=False)
class PairStrata:
    """The cells that occur for two variables X and Y given Z, in mixed data.

    X is before Y in the data, in whichever order they were given.

    Attributes:
        x: The variable X.
        y: The variable Y.
        given: The variables Z.
        cells: The cells that occur.
        R: The number of declared states of X; 0 if it is continuous.
        C: The number of declared states of Y; 0 if it is continuous.
        L: The number of possible configurations of the discrete variables in Z.
        c: The number of continuous variables in Z.

    See also:
        `criteria.independence.Test`, docs/adding.md
    """

    x: str
    y: str
    given: tuple[str, ...]
    cells: tuple[Cell, ...]
    R: int
    C: int
    L: int  # exact, however large
    c: int

    @cached_property
    def n(self) -> int:
        """The number of observations."""
        return sum(cell.moments.n for cell in self.cells)

    @property
    def strata(self) -> list[list[Cell]]:
        """The cells of each configuration of Z."""
        found: dict[int, list[Cell]] = {}
        for cell in self.cells:
            found.setdefault(cell.k, []).append(cell)
        return list(found.values())

    @property
    def rows_needed(self) -> int:
        """One more row than continuous variables in each possible cell: enough to determine all Gaussians."""
        continuous = self.c + (self.R == 0) + (self.C == 0)
        return max(self.R, 1) * max(self.C, 1) * self.L * (continuous + 1)


def pair_strata(data: Data, x: str, y: str, given: Sequence[str] | str) -> PairStrata:
    """The cells of a pair of variables given others; a row of weight w counts w times."""
    ordered = check_pair(data, x, y, given)
    x, y = sorted((x, y), key=data.names.index)
    discrete, continuous = (
        [v for v in (*ordered, x, y) if data.kinds[v] == kind] for kind in ("discrete", "continuous")
    )
    weights = np.ones(data.nrows, np.int64) if data.weights is None else data.weights
    rows = np.flatnonzero(weights > 0)
    states = {v: data.column(v)[rows].astype(np.intp) for v in discrete}
    nothing = np.zeros(len(rows), np.intp)
    z = [states[v] for v in ordered if v in states]
    k = np.unique(np.column_stack([nothing, *z]), axis=0, return_inverse=True)[1].reshape(-1)
    codes = np.column_stack([k, states.get(x, nothing), states.get(y, nothing)])
    values = np.column_stack([np.zeros((len(rows), 0)), *(data.column(v)[rows] for v in continuous)])
    configurations, which = np.unique(codes, axis=0, return_inverse=True)
    cells = []
    for number, (at_z, at_x, at_y) in enumerate(configurations.tolist()):
        own = which.reshape(-1) == number
        cells.append(Cell(at_z, at_x, at_y, _moments(values[own], weights[rows][own])))
    R, C = (data.arities[v] if v in states else 0 for v in (x, y))
    z_discrete = [v for v in ordered if v in states]
    return PairStrata(
        x, y, ordered, tuple(cells), R, C, prod(data.arities[v] for v in z_discrete), len(ordered) - len(z_discrete)
    )


def merged(parts: Sequence[Moments]) -> Moments:
    """The moments of all observations in several cells."""
    n = sum(part.n for part in parts)
    first = parts[0].mean
    mean = first + sum(part.n * (part.mean - first) for part in parts) / n  # exact if all means are the same
    scatter = sum(part.scatter + part.n * np.outer(part.mean - mean, part.mean - mean) for part in parts)
    return Moments(n, mean, np.asarray(scatter))


def _moments(values: Floats, weights: np.ndarray) -> Moments:
    n = int(weights.sum())
    mean = values[0] + weights @ (values - values[0]) / n  # exact for a constant
    centred = values - mean
    return Moments(n, mean, (centred * weights[:, None]).T @ centred)
