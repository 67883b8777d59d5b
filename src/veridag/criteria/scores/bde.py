"""The Bayesian Dirichlet equivalent score with a prior network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import ClassVar, NoReturn

import numpy as np

from veridag.checks import Instance, Number, checked
from veridag.counts import FamilyCounts, Floats, family_counts
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError, suggest
from veridag.network import Network
from veridag.network.query import MAX_ENTRIES, TooLarge, conditional
from veridag.network.reference.naming import text_of

from .base import Score, rows_for
from .dirichlet import log_bd


@dataclass(frozen=True)
class BDe(Score):
    r"""The Bayesian Dirichlet score with $\alpha_{ijk} = \mathrm{ess} \cdot P(x_{ik}, w_{ij})$ under a prior network.

    $x_{ik}$ is the $k$-th state of the variable and $w_{ij}$ the $j$-th configuration of its parents (Viinikka 2019,
    section 2.6.1; Heckerman et al. 1995). `ess` is the equivalent sample size. `network` is the prior network, with the
    same variables and states as the data. Without arcs and with uniform tables it gives `BDeu`.

    States of data and network are matched by name, so a family is scored with `local`, not from its counts alone. Data
    that is impossible under the prior network scores minus infinity.

    See also:
        `BDeu`, `Network`, docs/scores/index.md
    """

    ess: float = field(metadata=checked(Number(above=0)))
    network: Network = field(metadata=checked(Instance(Network, "a Network, the prior distribution of the variables")))
    equivalent: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.network.kind != "discrete":
            raise InputError(f"network={self.network!r} must be discrete; for Gaussian data use BGe, for mixed BCG")

    def __repr__(self) -> str:
        return f"BDe(ess={self.ess}, network={text_of(self.network)})"

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family: BD (eq. 9 of Scutari, Graafland and Gutierrez 2019)."""
        data = rows_for(child, data)
        family = family_counts(data, child, parents)
        p = self._probabilities(child, family.parents, data)
        p_ijk = p[tuple(family.configurations.T)].reshape(family.n_ijk.shape)
        with np.errstate(divide="ignore"):  # ess * p may be smaller than any float, so that the logarithms are added
            return log_bd(family.n_ijk, log(self.ess) + np.log(p_ijk), log(self.ess) + np.log(p_ijk.sum(axis=1)))

    def alpha(self, child: str, parents: Sequence[str], data: Data) -> Floats:
        """The hyperparameters alpha_ijk, with an axis for each parent and a last one for the child.

        The states are in the order of the data.
        """
        return self.ess * self._probabilities(child, parents, data)

    def _probabilities(self, child: str, parents: Sequence[str], data: Data) -> Floats:
        """P(x_ik, w_ij), with the same axes."""
        family = (*parents, child)
        for variable in family:
            self._check_states(variable, data)
        order = [[self.network.states[v].index(state) for state in data.states[v]] for v in family]
        return marginal(self.network, family)[np.ix_(*order)]

    def discrete(self, family: FamilyCounts) -> NoReturn:
        """Counts do not tell the names of the states: always an error."""
        raise InputError(
            f"{self} matches states by name and needs the data: use local({family.child!r}, parents, data)"
        )

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` unless the network has its variables, with the same states."""
        kind = super().check(data)
        for variable in data.names:
            self._check_states(variable, data)
        return kind

    def _check_states(self, variable: str, data: Data) -> None:
        if variable not in self.network.states:
            raise InputError(f"the prior network has no variable {variable!r}: {suggest(variable, self.network.names)}")
        theirs, ours = data.states[variable], self.network.states[variable]
        if set(theirs) != set(ours):
            raise InputError(
                f"column {variable!r} has the states {theirs}, but the prior network {ours}: declare the same states "
                "in both, with states= when you read the data"
            )


def marginal(network: Network, names: Sequence[str]) -> Floats:
    """The joint distribution of some variables of a network, one axis each."""
    try:
        return conditional(network, names, {})
    except TooLarge as error:
        raise InputError(
            f"BDe: the prior distribution of the family {tuple(names)} needs a table of {float(error.entries):.3g} "
            f"entries, more than {MAX_ENTRIES:.3g}: use fewer parents, a sparser prior network, or BDeu"
        ) from error
