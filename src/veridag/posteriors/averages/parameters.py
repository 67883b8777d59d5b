"""The parameters of one family at a time, by the prior that belongs to the score."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

import numpy as np
from numpy.typing import NDArray

from veridag.counts import contingency_table, family_counts
from veridag.criteria.scores import BCG, BHD, BDe
from veridag.criteria.scores.base import Score, rows_for
from veridag.criteria.scores.dirichlet import UniformDirichlet
from veridag.data import Data
from veridag.errors import InputError, setting, suggest
from veridag.network.parameters import CPD, Table
from veridag.network.proportions import hierarchical_tables
from veridag.network.regression import fit_regression, fit_regressions

Floats = NDArray[np.float64]

#: The imaginary sample size where the score has none, as `fit` has it.
_ESS = 1.0


class FamilyParameters:
    """The parameters of families of complete data, each computed once.

    A discrete variable has the posterior mean (n_ijk + alpha_ijk) / (n_ij + alpha_ij) with the alpha_ijk of the score:
    given the structure, that is the probability of the next observation with the parameters integrated out. Scores
    without such a prior have alpha_ijk = 1 / (r_i q_i). A continuous variable has the regression that `fit` gives.
    """

    def __init__(self, data: Data, score: Score, group: str | None) -> None:
        self.data, self.score = data, score
        self.group = _checked_group(data, score, group)
        self._kept: dict[tuple[str, tuple[str, ...]], CPD] = {}

    def __call__(self, child: str, parents: tuple[str, ...]) -> CPD:
        """The parameters of a variable given these parents."""
        key = (child, parents)
        if key not in self._kept:
            self._kept[key] = self._fitted(child, parents)
        return self._kept[key]

    def _fitted(self, child: str, parents: tuple[str, ...]) -> CPD:
        data = rows_for(child, self.data)
        discrete = [v for v in parents if v in data.states]
        continuous = [v for v in parents if v not in data.states]
        if child not in data.states:
            if not discrete:
                return fit_regression(data, child, continuous).cpd
            return fit_regressions(data, child, discrete, continuous, borrow=True).cpd
        if continuous:
            raise InputError(
                f"score={self.score}: the arc {continuous[0]} -> {child} leads from a continuous to a discrete "
                "variable, which has no parameters here, so there is no average over such networks: take the "
                f"posterior of another score, such as BCG(), or cut {continuous[0]!r} into classes"
            )
        if self.group is not None:
            assert isinstance(self.score, BHD)
            return hierarchical_tables(data, child, parents, self.score.ess, self.score.alpha0)[self.group].cpd
        n_ijk = contingency_table(data, (*parents, child))
        weight = n_ijk + self._alpha(child, parents, data, n_ijk.size)
        total = weight.sum(axis=-1, keepdims=True)
        # Where neither the data nor the prior says anything, all states are alike.
        return Table(parents, np.where(total > 0, weight, 1.0) / np.where(total > 0, total, weight.shape[-1]))

    def _alpha(self, child: str, parents: Sequence[str], data: Data, cells: int) -> Floats | float:
        """alpha_ijk, the imaginary observations of each cell."""
        score = self.score.dirichlet if isinstance(self.score, BCG) else self.score
        if isinstance(score, BDe):
            return score.alpha(child, parents, data)
        if isinstance(score, UniformDirichlet):
            return exp(score.log_alpha(family_counts(data, child, parents)))
        return _ESS / cells


def _checked_group(data: Data, score: Score, group: str | None) -> str | None:
    """The group whose parameters are asked for; None if all rows have the same."""
    if not isinstance(score, BHD):
        if group is not None:
            raise InputError(
                f"{setting('group', group)}: with score={score} all rows have the same parameters: leave group out, or "
                "take the posterior of BHD()"
            )
        return None
    if group is None:
        raise InputError(
            f"score={score} has parameters for each group: name the group, such as {setting('group', data.groups[0])}"
        )
    if group not in data.groups:
        raise InputError(f"{setting('group', group)}: there is no such group: {suggest(group, data.groups)}")
    return group
