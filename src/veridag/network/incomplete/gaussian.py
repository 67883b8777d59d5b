"""Rows with missing values in a Gaussian network, all rows at once.

The families give the standardised residuals e = (L x - a) / s, linear in all variables x. So the missing variables of a
set have the precision L' S^-2 L, restricted to the set and to families that are not barren, whatever else the row
lacks: sets of the same size are solved together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError
from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import Floats

from .parts import Mask, Positions, barren, holding, linked_by_row

LOG_2PI = float(np.log(2 * np.pi))

#: The entries of the arrays that are worked on at a time.
MAX_PIECE = 2**22


class Solved(NamedTuple):
    """Sets of one size: their rows and variables, and `root`, which times its transpose is the covariance of each."""

    rows: Positions
    variables: NDArray[np.intp]
    root: Floats


class Completed(NamedTuple):
    """All rows with conditional means in the place of what is missing and not barren, and log P of what each has."""

    values: Floats
    solved: list[Solved]
    log_probability: Floats


class Sets(NamedTuple):
    """Sets of one size; `touched` are those of which a barren family holds a variable."""

    rows: Positions
    variables: NDArray[np.intp]
    touched: Positions


def has_densities(network: Network) -> bool:
    """Whether all variables are normal, and none has a standard deviation of zero."""
    return network.is_gaussian and all(network.gaussian(v).sd > 0 for v in network.names)


class GaussianGaps:
    """Rows with missing values, prepared for any parameters of one Gaussian structure without zero deviations."""

    def __init__(self, rows: Rows) -> None:
        self.rows, network = rows, rows.network
        self.barren = barren(network, rows.missing)
        row, inside = linked_by_row(network, rows.missing, self.barren)
        touched = np.any(holding(network, inside) & self.barren[row], axis=1).reshape(-1)
        size = inside.sum(axis=1)
        self.sets = []
        for k in np.unique(size).tolist():
            own = np.flatnonzero(size == k)
            variables = np.nonzero(inside[own])[1].reshape(-1, k)
            step = max(1, MAX_PIECE // (k * max(k, len(network.names))))
            for start in range(0, len(own), step):
                piece = slice(start, start + step)
                which = np.flatnonzero(touched[own[piece]])
                self.sets.append(Sets(row[own[piece]], variables[piece], which))

    def complete(self, network: Network) -> Completed:
        """The distribution of what is missing in each row under the parameters of a network."""
        loading, shift, log_sd = _standardised(self.rows, network)
        active = ~self.barren
        # What is missing is found from its mean on, so that few digits are lost where values are large.
        begin = np.where(self.rows.missing, np.linalg.solve(loading, shift), self.rows.values)
        residual = (begin @ loading.T - shift) * active
        towards = -residual @ loading
        product = loading.T @ loading
        values, log_p = begin.copy(), np.zeros(len(begin))
        solved = []
        for sets in self.sets:
            k = sets.variables.shape[1]
            precision = product[sets.variables[:, :, None], sets.variables[:, None, :]]
            if sets.touched.size:
                precision[sets.touched] = self._precision(sets, loading, active)
            root, log_root = inverse_root(precision)
            right = towards[sets.rows[:, None], sets.variables]
            values[sets.rows[:, None], sets.variables] += (root @ (np.swapaxes(root, 1, 2) @ right[:, :, None]))[..., 0]
            np.add.at(log_p, sets.rows, log_root + 0.5 * k * LOG_2PI)
            solved.append(Solved(sets.rows, sets.variables, root))
        squares = (values @ loading.T - shift) ** 2
        log_p -= ((0.5 * (squares + LOG_2PI) + log_sd) * active).sum(axis=1)
        return Completed(values, solved, log_p)

    def _precision(self, sets: Sets, loading: Floats, active: Mask) -> Floats:
        """The precision of sets that barren families would be part of, without those."""
        which = sets.touched
        own = loading[:, sets.variables[which]] * active[sets.rows[which]].T[:, :, None]
        return np.asarray(np.einsum("fnk,fnl->nkl", own, own, optimize=True))


def inverse_root(precision: Floats) -> tuple[Floats, Floats]:
    """A root of the inverse of each matrix, which times its transpose is the inverse, and log of its determinant."""
    scale = np.sqrt(np.diagonal(precision, axis1=-2, axis2=-1))
    try:
        lower = np.linalg.cholesky(precision / (scale[..., :, None] * scale[..., None, :]))
    except np.linalg.LinAlgError:
        raise InputError(
            "network: its standard deviations or coefficients differ by too many orders of magnitude to compute "
            "missing values: rescale the variables"
        ) from None
    log_root = -np.log(np.diagonal(lower, axis1=-2, axis2=-1) * scale).sum(axis=-1)
    return np.swapaxes(np.linalg.inv(lower), -2, -1) / scale[..., :, None], log_root


def _standardised(rows: Rows, network: Network) -> tuple[Floats, Floats, Floats]:
    """L / s, a / s and log s: the standardised residual of family f in the row x is (L / s)[f] . x - (a / s)[f]."""
    p = len(network.names)
    loading, shift, sd = np.eye(p), np.zeros(p), np.zeros(p)
    for i, v in enumerate(network.names):
        cpd = network.gaussian(v)
        loading[i, [rows.at[u] for u in cpd.parents]] = -cpd.coefficients
        shift[i], sd[i] = cpd.intercept, cpd.sd
    return loading / sd[:, None], shift / sd, np.log(sd)
