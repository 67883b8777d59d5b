"""Why BDeu and BDs differ: posterior entropy and effective parameters of a family (Scutari 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import numpy as np

from veridag.checks import Number
from veridag.counts import family_counts
from veridag.data import Data


def posterior_entropy(data: Data, child: str, parents: Sequence[str], ess: float = 1.0) -> float:
    r"""Compute the entropy $H(X_i \mid P; \alpha)$ of a family under a uniform Dirichlet prior.

    It is $-\sum_{j: n_{ij} > 0} \sum_k p \log p$, where $p = (\alpha^* + n_{ijk}) / (r_i \alpha^* + n_{ij})$ and
    $\alpha^* = \alpha / (r_i q_i)$ (Scutari 2017, slide "Entropy and BDeu"). The configurations $j$ are not weighted by
    their frequency.

    Args:
        data: The discrete data.
        child: The variable $X_i$.
        parents: Its parents $P$.
        ess: The equivalent sample size $\alpha$.

    See also:
        `d_ep`, `BDs`, docs/scores/bds.md
    """
    from scipy.special import entr

    family = family_counts(data, child, parents)
    alpha = exp(log(Number(above=0)("ess", ess)) - log(family.r * family.q))
    p_ijk = (alpha + family.n_ijk) / (family.r * alpha + family.n_ij)[:, None]
    return float(entr(p_ijk).sum())


def d_ep(data: Data, child: str, parents: Sequence[str]) -> int:
    r"""Compute the number of effective parameters $d_{EP}$ of a family.

    It is the sum over observed parent configurations of the number of observed states of $X_i$, minus 1. As
    $\alpha \to 0$, BDs / BDeu tends to $(q_i / \tilde q_i)^{d_{EP}}$.

    Args:
        data: The discrete data.
        child: The variable.
        parents: Its parents.

    See also:
        `d_edf`, `posterior_entropy`, docs/scores/bds.md
    """
    n_ijk = family_counts(data, child, parents).n_ijk
    return int(np.sum((n_ijk > 0).sum(axis=1) - 1))


def d_edf(data: Data, child: str, parents: Sequence[str], added: str) -> int:
    """Compute the effective degrees of freedom of an arc: $d_{EDF} = d_{EP}(G^+) - d_{EP}(G^-)$.

    $G^+$ has the arc added -> child, and $G^-$ does not.

    Args:
        data: The discrete data.
        child: The variable.
        parents: Its parents without the arc.
        added: The parent that the arc adds.

    See also:
        `d_ep`, `BDs`, docs/scores/bds.md
    """
    return d_ep(data, child, [*parents, added]) - d_ep(data, child, parents)
