"""Tables of discrete variables from counts: posterior means and modes, and those that groups share a prior for.

Regressions do not belong here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from veridag.counts import contingency_table
from veridag.counts.hierarchy import shared_prior
from veridag.data import Data
from veridag.errors import InputError

from .parameters import Floats, Table
from .spread import DirichletSpread, Fitted

Method = Literal["mean", "map"]
Unobserved = Literal["uniform", "error"]


def fit_table(
    data: Data, child: str, parents: Sequence[str], ess: float, method: Method, unobserved: Unobserved
) -> Fitted[Table]:
    """The table of a variable, by the formulas of `fit`."""
    n_ijk = contingency_table(data, (*parents, child))
    posterior: Floats = n_ijk + np.float64(ess / n_ijk.size)
    weight = posterior if method == "mean" else np.maximum(posterior - 1.0, 0.0)
    total = weight.sum(axis=-1, keepdims=True)
    silent = total[..., 0] == 0
    if silent.any() and unobserved == "error":
        where = np.unravel_index(int(silent.argmax()), silent.shape)
        given = ", ".join(f"{p} = {data.states[p][k]}" for p, k in zip(parents, where, strict=True))
        raise InputError(
            f"unobserved='error': no row has {given}, so {child!r} cannot be estimated there: give a prior with ess > "
            "0 and method='mean', or use unobserved='uniform'"
        )
    spread = None
    if ess > 0:
        spread = DirichletSpread(posterior.sum(axis=-1), None if method == "mean" else posterior)
    uniform = np.where(silent[..., None], 1.0, weight)
    total[silent] = n_ijk.shape[-1]
    return Fitted(Table(tuple(parents), uniform / total), spread)


def uniform_table(data: Data, child: str, parents: Sequence[str], ess: float) -> Fitted[Table]:
    """The table of a variable that no row tells of: the mean of the prior."""
    shape = tuple(data.arities[v] for v in (*parents, child))
    spread = DirichletSpread(np.full(shape[:-1], ess / np.prod(shape[:-1], dtype=float))) if ess > 0 else None
    return Fitted(Table(tuple(parents), np.full(shape, 1 / shape[-1])), spread)


def hierarchical_tables(
    data: Data, child: str, parents: Sequence[str], ess: float, alpha0: float
) -> dict[str, Fitted[Table]]:
    """The table of a variable in each group, with a prior that the groups share; see `fit`."""
    counts = {label: contingency_table(own, (*parents, child)) for label, own in data.by_group().items() if own.n > 0}
    shape = next(iter(counts.values())).shape
    kappa = shared_prior(np.stack([n.reshape(-1) for n in counts.values()], axis=1), ess, alpha0).kappa
    alpha_ijk = ess * kappa.reshape(shape)
    found = {}
    for label in data.groups:
        weight = alpha_ijk + counts[label] if label in counts else alpha_ijk
        total = weight.sum(axis=-1)
        found[label] = Fitted(Table(tuple(parents), weight / total[..., None]), DirichletSpread(total, shared=True))
    return found
