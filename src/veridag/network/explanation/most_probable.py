"""`most_probable`: the jointly most probable values of all unobserved variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp

import numpy as np

from veridag.data import Column, Data
from veridag.display import ROWS, aligned, more, table
from veridag.errors import InputError, speaks_flags
from veridag.network.incomplete.imputation import impute
from veridag.network.incomplete.observed import evidence_log_probability
from veridag.network.network import Network
from veridag.network.query import Asked, JunctionTree, TooLarge
from veridag.network.query.elimination import in_bytes


@dataclass(frozen=True, repr=False)
class MostProbable:
    """The most probable values of variables, given the evidence.

    Attributes:
        values: The values by variable.
        evidence: The evidence.
        log_probability: The logarithm of P(values, evidence); a density if some of the variables are continuous.
        log_posterior: The logarithm of P(values | evidence); likewise.

    See also:
        `Network.most_probable`, `Network.map`, docs/prediction.md
    """

    values: Mapping[str, str | float]
    evidence: tuple[tuple[str, str | float], ...]
    log_probability: float
    log_posterior: float

    @property
    def posterior(self) -> float:
        """P(values | evidence), or its density."""
        return exp(self.log_posterior)

    def __getitem__(self, name: str) -> str | float:
        return self.values[name]

    def _rows(self) -> list[tuple[str, str]]:
        return [(v, x if isinstance(x, str) else f"{x:.6g}") for v, x in list(self.values.items())[:ROWS]]

    def _head(self) -> str:
        given = ", ".join(f"{v} = {x}" for v, x in self.evidence)
        return f"most probable{f' given {given}' if given else ''}; log posterior {self.log_posterior:.6g}"

    def _repr_html_(self) -> str:
        return table(("variable", "value"), self._rows(), self._head()) + more(len(self.values))

    def __repr__(self) -> str:
        left = f"\n... and {len(self.values) - ROWS} more" if len(self.values) > ROWS else ""
        return f"{self._head()}\n" + aligned([("variable", "value"), *self._rows()]) + left


def most_probable(network: Network, evidence: Mapping[str, str | float] | None = None) -> MostProbable:
    """The most probable values of all variables that are not observed; `Network.most_probable` says more."""
    known = dict(Asked.of_evidence(network.names, network.states, evidence).given)
    others = [v for v in network.names if v not in known]
    if not others:
        raise InputError(
            "evidence: it has a value for every variable, so no variable is left to explain: leave some out"
        )
    asked = Asked.of(network.names, network.states, others, known)
    try:
        return (_of_states if network.kind == "discrete" else _with_numbers)(network, asked, others)
    except TooLarge as error:
        raise _too_large(error) from None


def _too_large(error: TooLarge) -> TooLarge:
    """The error with remedies for this question: sampling is none."""
    fewer = "name only the variables you need" if speaks_flags() else "use Network.map for a few variables"
    some, left = ", ".join(error.variables[:6]), len(error.variables) - 6
    return TooLarge(
        f"network: its most probable explanation needs tables that are too large, one of {float(error.entries):.3g} "
        f"entries ({in_bytes(error.entries)}) over the {len(error.variables)} variables {some}"
        f"{f' and {left} more' if left > 0 else ''}: give more evidence, or {fewer}",
        error.variables,
        error.entries,
    )


def _of_states(network: Network, asked: Asked, others: list[str]) -> MostProbable:
    tree = JunctionTree(network)
    row = tree.row({v: network.states[v][k] for v, k in asked.codes.items()})
    found, log_p = tree.most_probable(row)
    refuse_impossible(asked, float(log_p[0]))
    at = {v: i for i, v in enumerate(network.names)}
    values = {v: network.states[v][found[0, at[v]]] for v in others}
    return MostProbable(values, asked.given, float(log_p[0]), float(log_p[0] - tree.log_probabilities(row)[0]))


def _with_numbers(network: Network, asked: Asked, others: list[str]) -> MostProbable:
    log_evidence = evidence_log_probability(network, asked.codes, asked.values)
    refuse_impossible(asked, log_evidence)
    completed = impute(network, one_row(network, asked))
    values: dict[str, str | float] = {
        v: network.states[v][int(completed.column(v)[0])] if v in network.states else float(completed.column(v)[0])
        for v in others
    }
    log_p = network.log_likelihood(completed)
    return MostProbable(values, asked.given, log_p, log_p - log_evidence)


def one_row(network: Network, asked: Asked) -> Data:
    """The evidence as data of one row."""
    there, absent = np.ones(1, bool), np.zeros(1, bool)
    return Data(
        [
            Column.discrete(
                v, np.array([asked.codes.get(v, 0)]), network.states[v], observed=there if v in asked.codes else absent
            )
            if v in network.states
            else Column.continuous(
                v, np.array([asked.values.get(v, 0.0)]), observed=there if v in asked.values else absent
            )
            for v in network.names
        ]
    )


def refuse_impossible(asked: Asked, log_probability: float) -> None:
    """Refuse evidence of probability zero."""
    if log_probability == -np.inf:
        given = ", ".join(f"{v} = {x}" for v, x in asked.given)
        raise InputError(
            f"evidence: {given} has probability zero under the network: change the evidence, or fit the network with "
            "a prior"
        )
