"""Why BDeu and BDs differ: posterior entropy and effective parameters of a family (Scutari 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from veridag.checks import Number
from veridag.counts import family_counts
from veridag.data import Data


def posterior_entropy(data: Data, child: str, parents: Sequence[str], ess: float = 1.0) -> float:
    """H(X_i | parents; alpha) given a uniform Dirichlet prior of imaginary sample size alpha = `ess`.

    It is minus the sum over j with n_ij > 0 and over k of p log(p), p = (alpha* + n_ijk) / (r_i alpha* + n_ij), where
    alpha* = alpha / (r_i q_i), as on the slide "Entropy and BDeu": the configurations j are not weighted by how often
    they occur.
    """
    from scipy.special import entr

    family = family_counts(data, child, parents)
    alpha = exp(log(Number(above=0)("ess", ess)) - log(family.r * family.q))
    p_ijk = (alpha + family.n_ijk) / (family.r * alpha + family.n_ij)[:, None]
    return float(entr(p_ijk).sum())


def d_ep(data: Data, child: str, parents: Sequence[str]) -> int:
    """The effective parameters d_EP: summed over observed parent configurations, the observed states of X_i less 1.

    As alpha -> 0, BDs / BDeu -> (q_i / q~_i)^d_EP.
    """
    n_ijk = family_counts(data, child, parents).n_ijk
    return int(np.sum((n_ijk > 0).sum(axis=1) - 1))


def d_edf(data: Data, child: str, parents: Sequence[str], added: str) -> int:
    """The effective degrees of freedom of the arc added -> child: d_EDF = d_EP(G+) - d_EP(G-), G- without the arc."""
    return d_ep(data, child, [*parents, added]) - d_ep(data, child, parents)
