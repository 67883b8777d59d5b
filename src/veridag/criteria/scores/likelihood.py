"""The maximised likelihood of a family, and how many free parameters it has."""

from __future__ import annotations

from math import inf

from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata


def log_likelihood(family: FamilyCounts) -> float:
    """logL = sum over j, k of n_ijk log(n_ijk / n_ij), with 0 log 0 = 0 (Viinikka 2019, section 2.6.2)."""
    from scipy.special import xlogy

    return float(xlogy(family.n_ijk, family.n_ijk / family.n_ij[:, None]).sum())


def nparams(family: FamilyCounts | FamilyMoments | FamilyStrata) -> float:
    """|Theta| of a family: q_i (r_i - 1) probabilities; or a slope per parent, an intercept and a variance.

    With discrete parents there are as many regressions as these have configurations, q_i. Infinite where it exceeds
    what a float can hold, so that a penalised score is minus infinity.
    """
    if isinstance(family, FamilyMoments):
        return float(len(family.parents) + 2)
    each = len(family.continuous_parents) + 2 if isinstance(family, FamilyStrata) else family.r - 1
    try:
        return float(family.q * each)
    except OverflowError:
        return inf
