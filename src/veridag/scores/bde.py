"""The Bayesian Dirichlet equivalent score with a prior network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar, NoReturn

import numpy as np

from veridag.criterion import Kind, Score
from veridag.data import Data
from veridag.errors import InputError, suggest
from veridag.network import Network
from veridag.statistics import FamilyCounts, Floats, family_counts

from .dirichlet import log_bd
from .parameters import positive

#: The largest table, in entries, that is made on the way to the joint distribution of a family.
MAX_ENTRIES = 10**7


@dataclass(frozen=True)
class BDe(Score):
    """The Bayesian Dirichlet score with alpha_ijk = ess * P(x_ik, w_ij) under a prior network.

    x_ik is the k-th state of the variable and w_ij the j-th configuration of its parents (Viinikka 2019, section 2.6.1;
    Heckerman et al. 1995). A prior network without arcs and with uniform tables gives `BDeu`. The states of data and
    network are matched by name, so a family is scored with `local`, which sees the data, and not from its counts
    alone. Data that is impossible under the prior network has minus infinity.
    """

    ess: float
    network: Network
    equivalent: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "ess", positive("ess", self.ess))
        if not isinstance(self.network, Network):
            raise InputError(f"network={self.network!r} must be a Network, the prior distribution of the variables")
        if self.network.is_gaussian:
            raise InputError(f"network={self.network!r} must be discrete; for Gaussian data use BGe")

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family: BD (eq. 9 of Scutari, Graafland and Gutierrez 2019)."""
        family = family_counts(data, child, parents)
        alpha = self.alpha(child, family.parents, data)
        alpha_ijk = alpha[tuple(family.configurations.T)].reshape(family.n_ijk.shape)
        with np.errstate(divide="ignore"):
            return log_bd(family.n_ijk, np.log(alpha_ijk), np.log(alpha_ijk.sum(axis=1)))

    def alpha(self, child: str, parents: Sequence[str], data: Data) -> Floats:
        """The hyperparameters alpha_ijk, with an axis for each parent and a last one for the child.

        The states are in the order of the data.
        """
        family = (*parents, child)
        for variable in family:
            self._check_states(variable, data)
        order = [[self.network.states[v].index(state) for state in data.states[v]] for v in family]
        return self.ess * marginal(self.network, family)[np.ix_(*order)]

    def discrete(self, family: FamilyCounts) -> NoReturn:
        """Counts do not tell the names of the states: always an error."""
        raise InputError(
            f"{self} matches states by name and needs the data: use local({family.child!r}, parents, data)"
        )

    def check(self, data: Data) -> Kind:
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
                f"column {variable!r} has the states {theirs}, but the prior network {ours}: "
                f"declare the same in both, with states= when reading the data"
            )


def marginal(network: Network, names: Sequence[str]) -> Floats:
    """The joint distribution of some variables of a network, one axis each, by variable elimination.

    Only ancestors matter. The next variable to be summed out is the one that needs the smallest table.
    """
    relevant = {*names, *network.dag.ancestors(names)}
    factors = [_factor(network, v) for v in network.names if v in relevant]
    hidden = [v for v in network.names if v in relevant and v not in names]
    while hidden:
        scopes = {v: {u for scope, _ in factors if v in scope for u in scope} for v in hidden}
        out = min(hidden, key=lambda v: _entries(network, scopes[v]))
        touched = [f for f in factors if out in f[0]]
        kept = [v for v in network.names if v in scopes[out] and v != out]
        factors = [f for f in factors if out not in f[0]]
        factors.append((tuple(kept), _multiply(network, touched, kept, names)))
        hidden.remove(out)
    return _multiply(network, factors, names, names)


Factor = tuple[tuple[str, ...], Floats]


def _factor(network: Network, variable: str) -> Factor:
    table = network.table(variable)
    # Published tables are rounded; sums other than 1 would make the marginals of overlapping families disagree.
    return (*table.parents, variable), table.probabilities / table.probabilities.sum(axis=-1, keepdims=True)


def _multiply(network: Network, factors: Sequence[Factor], kept: Sequence[str], goal: Sequence[str]) -> Floats:
    """The product of the factors, summed over the variables that are not kept."""
    scope = sorted({v for variables, _ in factors for v in variables})
    if _entries(network, scope) > MAX_ENTRIES:
        raise InputError(
            f"BDe: the prior distribution of the family {tuple(goal)} needs a table of "
            f"{float(_entries(network, scope)):.3g} entries, more than {MAX_ENTRIES:.0e}: use fewer parents, "
            f"a sparser prior network, or BDeu"
        )
    axis = {v: i for i, v in enumerate(scope)}
    operands: list[object] = []
    for variables, table in factors:
        operands += [table, [axis[v] for v in variables]]
    return np.asarray(np.einsum(*operands, [axis[v] for v in kept]))  # type: ignore[call-overload]


def _entries(network: Network, variables: Collection[str]) -> int:
    return prod(len(network.states[v]) for v in variables)
