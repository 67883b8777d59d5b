"""The node-average likelihood with a penalty: a score of incomplete data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, log, pow, sqrt
from typing import ClassVar

from veridag import _core
from veridag.checks import Number, Optional, checked
from veridag.counts import FamilyCounts, FamilyMoments, FamilyStrata, check_variables
from veridag.data import Data
from veridag.data.columns import DataKind

from .base import Score, compiled_formula, compiled_likelihood, rows_for
from .likelihood import log_likelihood, nparams

#: What missing values add to the default penalty, by the kind of the data: c n^a sqrt(share of missing values).
C: dict[DataKind, float] = {"discrete": 0.35, "mixed": 1.0, "continuous": 3.0}
A = 0.51


@dataclass(frozen=True)
class PNAL(Score):
    r"""The penalised node-average log-likelihood, for incomplete data: $n \log L_i / n_i - k |\Theta|$.

    $\log L_i$ is the log-likelihood of a family in the $n_i$ observations in which the variable and its parents are all
    observed. $n$ is the number of all observations. The score is $n$ times that of Bodewes and Scutari (2021), whose
    $\lambda$ is $k / n$. $|\Theta|$ is as in `BIC`; on complete data with $k = \frac12 \log n$ the score is BIC.

    `k` is the penalty of a parameter. If None, $k = \frac12 \log n + c\, n^{0.51} \sqrt m$, where $m$ is the share of
    missing values and $c$ is 0.35 for discrete, 1 for mixed and 3 for continuous data: BIC if no value is missing. The
    average likelihoods of families that are observed in different rows differ by chance, by about $\sqrt{n m}$ times a
    constant. A penalty of a higher order finds the right structure as $n$ grows, as long as $k / n$ vanishes. $c$
    differs because a continuous parent has one parameter and a discrete one several.

    A family with parents for which $n_i$ is below both $n$ and $2 n / \log n$ scores minus infinity. Its average would
    represent all observations, with a penalty weaker than AIC for so few of them.

    See also:
        `BIC`, `StructuralEM`, docs/incomplete.md
    """

    k: float | None = field(default=None, metadata=checked(Optional(Number(least=0))))
    equivalent: ClassVar[bool] = False
    scores_incomplete: ClassVar[bool] = True

    def penalty(self, data: Data) -> float:
        """The penalty of a parameter, k."""
        if self.k is not None:
            return self.k
        k = log(data.n) / 2
        if not data.incomplete:
            return k
        share = sum(data.missing_counts.values()) / (data.n * len(data.names))
        return k + C[data.kind] * pow(float(data.n), A) * sqrt(share)

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family, from the rows in which all of it is observed."""
        data = rows_for(child, data)
        self.check(data)
        if not data.incomplete:
            return super().local(child, parents, data)
        ordered = check_variables(data, child, parents)
        seen = data.where_observed((*ordered, child))
        if seen.n < 1 or (parents and seen.n < least_observed(data.n)):
            return -inf
        scale = data.n / seen.n
        return scale * PNAL(self.penalty(data) / scale).local(child, ordered, seen)

    def discrete(self, family: FamilyCounts) -> float:
        """The local score of a complete family of discrete variables."""
        return log_likelihood(family) - self._penalty(family)

    def continuous(self, family: FamilyMoments) -> float:
        """The local score of a complete family of Gaussian variables."""
        return float(family.log_likelihood) - self._penalty(family)

    def mixed(self, family: FamilyStrata) -> float:
        """The local score of a Gaussian variable with discrete parents, in a complete family."""
        return family.log_likelihood - self._penalty(family)

    def _penalty(self, family: FamilyCounts | FamilyMoments | FamilyStrata) -> float:
        k = log(family.n) / 2 if self.k is None else self.k
        return nparams(family) * k if k > 0 else 0.0

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        k = self.penalty(data)
        if data.incomplete:
            least = least_observed(data.n)
            if data.kind == "discrete":
                return _core.incomplete_scorer(data.core_table_with_missing, k, least)
            return _core.incomplete_mixed_scorer(data.core_mixed_table_with_missing, k, least)
        return compiled_likelihood(data, k) if data.kind == "mixed" else compiled_formula("penalised", data, k)


def least_observed(n: int) -> float:
    """The fewest observations of a family with parents: 2 n / log(n), and never more than n."""
    return 2 * n / max(2.0, log(n))
