"""The Bayesian score of mixed data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn

import numpy as np

from veridag import _core
from veridag.checks import Instance, checked
from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata, family_strata
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError

from .base import Score, continuous_part
from .bdeu import BDeu
from .bge import BGe
from .dirichlet import UniformDirichlet


@dataclass(frozen=True)
class BCG(Score):
    r"""The marginal likelihood of a conditional linear Gaussian network, for mixed data.

    A family of discrete variables has the score `dirichlet`: `BDeu`, `BDs`, `K2` or `BDJeffreys`. A continuous variable
    has a regression on its continuous parents in each configuration $j$ of its discrete parents, with a normal-Wishart
    prior for each (Heckerman and Geiger 1995; Boettcher 2001):

    $$
    \mathrm{BCG}(X_i, P) = \sum_{j :\, n_{ij} > 0} \mathrm{BGe}(X_i, P \cap \mathrm{continuous};\ \mathrm{rows\ of}\ j)
    $$

    `gaussian` is this `BGe`, in which $N$ is the number of continuous variables. With its default, ``T="scaled"``, the
    units of the columns do not matter; prior means are those of all rows. Without discrete variables BCG is `gaussian`,
    without continuous ones `dirichlet`. Equivalent networks have the same score if `dirichlet` is score-equivalent.

    See also:
        `BGe`, `BDeu`, `DegenerateGaussian`, docs/mixed.md
    """

    dirichlet: UniformDirichlet = field(
        default=BDeu(), metadata=checked(Instance(UniformDirichlet, "BDeu(), BDs(), K2() or BDJeffreys()"))
    )
    gaussian: BGe = field(default=BGe(T="scaled"), metadata=checked(Instance(BGe, 'a BGe, such as BGe(T="scaled")')))
    equivalent: ClassVar[bool] = True  # unless the score of discrete families is not
    scores_constants: ClassVar[bool] = True  # the prior bounds the likelihood

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "equivalent", self.dirichlet.equivalent)

    def _of_continuous(self, child: str, discrete: Sequence[str], continuous: Sequence[str], data: Data) -> float:
        part = continuous_part(data)
        if discrete:
            return self.gaussian.stratified(family_strata(data, child, (*discrete, *continuous)), part)
        return self.gaussian.local(child, continuous, part)

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family."""
        if self.check(data) == "continuous":
            return self.gaussian.local(child, parents, data)  # whose prior may go by the order of the columns
        return super().local(child, parents, data)

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a family of discrete variables."""
        return self.dirichlet.discrete(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a family, where all variables are continuous; see `BGe.continuous`."""
        return self.gaussian.continuous(family)

    def mixed(self, family: FamilyStrata) -> NoReturn:
        """The prior needs the moments of all rows: always an error."""
        raise InputError(f"{self} needs the data, not moments: use local({family.child!r}, parents, data)")

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if the parameters of `gaussian` do not fit it."""
        kind = super().check(data)
        if kind != "discrete":
            self.gaussian.check_parameters(continuous_part(data))
        return kind

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        if data.kind == "discrete":
            return self.dirichlet.compiled(data)
        if data.kind == "continuous":
            return self.gaussian.compiled(data)
        part = continuous_part(data)
        name, parameters = self.dirichlet.core_formula()
        mean = np.ascontiguousarray(self.gaussian.prior_mean(part))
        iss_mu, iss_w = self.gaussian.iss_mu, self.gaussian.wishart(len(part.names))
        return _core.mixed_bayes_scorer(
            data.core_mixed_table, name, parameters, *self.gaussian.matrices(part), mean, iss_mu, iss_w
        )
