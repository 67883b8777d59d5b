"""The Bayesian hierarchical Dirichlet score of related data sets."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn

import numpy as np

from veridag import _core
from veridag.checks import checked
from veridag.counts import FamilyCounts, Floats, GroupedCounts, grouped_counts
from veridag.counts.hierarchy import ALPHA0, ESS, MOST_CELLS, SharedPrior, shared_prior
from veridag.data import Data, DataWarning
from veridag.data.columns import DataKind
from veridag.errors import InputError

from .base import Score, rows_for
from .dirichlet import log_rising


@dataclass(frozen=True)
class BHD(Score):
    r"""The Bayesian hierarchical Dirichlet score for related data sets (Azzimonti, Corani and Scutari 2020, eq. 9).

    It is the product over the data sets $f$ of BD with shared hyperparameters $\alpha_{ijk} = s \kappa_{ijk}$:

    $$
    \prod_f \prod_j \frac{\Gamma(s \kappa_{ij})}{\Gamma(s \kappa_{ij} + n_{ij}^f)}
    \prod_k \frac{\Gamma(s \kappa_{ijk} + n_{ijk}^f)}{\Gamma(s \kappa_{ijk})}
    $$

    $s$ is `ess`, the equivalent sample size of each data set. $\kappa$ is the posterior mean of what they have in
    common; its prior is a Dirichlet distribution with `alpha0` in each cell. The data must have groups. Groups without
    observations are ignored. With only one group there is nothing to pool: BHD is then BD with hyperparameters shifted
    slightly from uniform ones towards the same data, and a `DataWarning` is issued. BHD is not score-equivalent,
    because $\kappa$ is estimated for each family.

    See also:
        `BDeu`, `group_differences`, docs/related.md
    """

    ess: float = field(default=1.0, metadata=checked(ESS))
    alpha0: float = field(default=1.0, metadata=checked(ALPHA0))
    equivalent: ClassVar[bool] = False

    def check(self, data: Data) -> DataKind:
        """Discrete; raises `InputError` if the data is not, or is not in groups."""
        kind = super().check(data)
        if data.group is None:
            raise InputError(
                f"{self} scores related data sets, but the data has no groups: name the column of the groups in "
                "group= when reading, or score all as one with BDeu"
            )
        if len(data.observed_groups) == 1:
            warnings.warn(
                f"all observations are in the group {data.observed_groups[0]!r}: {self} has nothing to pool and "
                f"is close to BDeu(ess={self.ess:g}), which is made for one data set",
                DataWarning,
                stacklevel=3,
            )
        return kind

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family."""
        return sum(self.by_group(child, parents, data).values())

    def by_group(self, child: str, parents: Sequence[str], data: Data) -> dict[str, float]:
        """The contribution of each data set to the local score: the logarithm of its factor in eq. 9."""
        data = rows_for(child, data)
        self.check(data)
        counts = grouped_counts(data, child, parents)
        kappa_ijk, kappa_ij, _ = family_prior(counts, self.ess, self.alpha0)
        log_alpha_ijk, log_alpha_ij = np.log(self.ess * kappa_ijk), np.log(self.ess * kappa_ij)
        n_fjk = counts.n_fjk
        cells = log_rising(np.broadcast_to(log_alpha_ijk, n_fjk.shape), n_fjk).sum(axis=(1, 2))
        configurations = log_rising(np.broadcast_to(log_alpha_ij, n_fjk.shape[:2]), n_fjk.sum(axis=2)).sum(axis=1)
        return dict(zip(counts.groups, (cells - configurations).tolist(), strict=True))

    def discrete(self, family: FamilyCounts) -> NoReturn:
        """Counts of all data sets together are not enough: always an error."""
        raise InputError(f"{self} needs the data, not counts: use local({family.child!r}, parents, data)")

    def compiled(self, data: Data) -> _core.Scorer:
        """The same formula in the core, which counts each group for itself."""
        return _core.bhd_scorer(data.core_table_by_group, self.ess, self.alpha0)


def family_prior(counts: GroupedCounts, ess: float, alpha0: float) -> tuple[Floats, Floats, SharedPrior]:
    """kappa_ijk of the configurations that occur, kappa_ij, and what they come from."""
    family = counts.family
    n_kf = counts.n_fjk.reshape(len(counts.groups), -1).T
    # The cells of configurations that do not occur are one more row of zeros, which stands for them all.
    beyond = min(float(min((family.q - family.q_observed) * family.r, int(MOST_CELLS))), MOST_CELLS)
    rows = np.vstack([n_kf, np.zeros((1, n_kf.shape[1]), np.int64)]) if beyond else n_kf
    cells = np.append(np.ones(len(n_kf)), beyond) if beyond else np.ones(len(n_kf))
    prior = shared_prior(rows, ess, alpha0, cells)
    kappa_ijk = prior.kappa[: len(n_kf)].reshape(family.n_ijk.shape)
    return kappa_ijk, kappa_ijk.sum(axis=1), prior
