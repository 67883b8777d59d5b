"""The distribution of every variable given the evidence, found together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.display import ROWS, aligned, table
from veridag.errors import InputError, import_optional, suggest
from veridag.network.intervention import intervene
from veridag.network.network import Network

from .asked import Asked
from .discrete import all_marginals
from .elimination import conditional, known
from .gaussian import condition
from .mixed import mixture
from .regressions import Continuous
from .results import JointTable, heading

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Given = tuple[tuple[str, str | float], ...]


class Moments(NamedTuple):
    """The mean and the standard deviation of a continuous variable.

    Attributes:
        mean: The mean.
        sd: The standard deviation.

    See also:
        `Marginals`, `Network.marginals`
    """

    mean: float
    sd: float


class Marginals(Mapping[str, JointTable | Moments]):
    """The distribution of every variable given the evidence, by name, as `Network.marginals` returns it.

    A discrete variable has a `JointTable` of itself, ``marginals["lung"]["yes"]``, and a continuous one has its
    `Moments`, ``marginals["age"].mean``. A variable that is observed or set is certain: its state has probability one,
    or its value is the mean and the standard deviation is zero.

    Args:
        states: The states of each discrete variable.
        found: The distributions, in the order of the network.
        evidence: The evidence.
        do: The interventions.

    See also:
        `Network.marginals`, docs/inference.md
    """

    def __init__(
        self,
        states: Mapping[str, tuple[str, ...]],
        found: Mapping[str, Floats | Moments],
        evidence: Given,
        do: Given = (),
    ) -> None:
        self.evidence, self.do = evidence, do
        self._states, self._found = states, dict(found)

    def __getitem__(self, name: str) -> JointTable | Moments:
        if name not in self._found:
            raise KeyError(f"{name!r} is not a variable of the network: {suggest(str(name), tuple(self._found))}")
        own = self._found[name]
        if isinstance(own, Moments):
            return own
        return JointTable((name,), (self._states[name],), own, self.evidence, self.do)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def probabilities(self, name: str) -> Floats:
        """The probabilities of the states of a discrete variable, in their order."""
        own = self[name]
        if isinstance(own, Moments):
            raise InputError(f"name: {name!r} is continuous: it has a mean and an sd, not probabilities")
        return own.probabilities

    def to_pandas(self) -> pd.DataFrame:
        """A row for every state of a discrete variable, with its ``probability``; one with ``mean`` and ``sd`` else."""
        pd = import_optional("pandas", "to_pandas")
        rows: list[tuple[str, str | None, float | None, float | None, float | None]] = []
        for v, own in self._found.items():
            if isinstance(own, Moments):
                rows.append((v, None, None, own.mean, own.sd))
            else:
                rows += [(v, s, p, None, None) for s, p in zip(self._states[v], own.tolist(), strict=True)]
        frame = pd.DataFrame(rows, columns=["variable", "state", "probability", "mean", "sd"])
        return frame.dropna(axis="columns", how="all")

    def _rows(self) -> list[tuple[str, str]]:
        def text(v: str, own: Floats | Moments) -> str:
            if isinstance(own, Moments):
                return f"mean {own.mean:.6g}, sd {own.sd:.6g}"
            return ", ".join(f"{state} {p:.4g}" for state, p in zip(self._states[v], own.tolist(), strict=True))

        return [(v, text(v, own)) for v, own in self._found.items()]

    def _repr_html_(self) -> str:
        return table(
            ("variable", "distribution"), self._rows(), heading(("each variable",), self.evidence, self.do).strip()
        )

    def __repr__(self) -> str:
        left = f"\n... and {len(self) - ROWS} more" if len(self) > ROWS else ""
        return heading(("each variable",), self.evidence, self.do) + aligned(self._rows()[:ROWS]) + left


def marginals(
    network: Network,
    evidence: Mapping[str, str | float] | None = None,
    do: Mapping[str, str | float] | None = None,
) -> Marginals:
    """The distribution of every variable given the evidence, exactly.

    `Network.marginals` is this function, and says more.
    """
    asked = Asked.of_evidence(network.names, network.states, evidence, do)
    if asked.done:
        network = intervene(network, dict(asked.done))
    if network.kind == "discrete":
        tables = all_marginals(network, asked.codes)
        return Marginals(network.states, dict(zip(network.names, tables, strict=True)), asked.given, asked.done)
    found: dict[str, Floats | Moments] = {v: Moments(value, 0.0) for v, value in asked.values.items()}
    if network.is_gaussian:
        free = [v for v in network.names if v not in found]
        mean, covariance = condition(network, free, asked.values)
        sds = np.sqrt(covariance.diagonal())
        found |= {v: Moments(*pair) for v, *pair in zip(free, mean.tolist(), sds.tolist(), strict=True)}
    else:
        found |= _mixed(network, asked)
    return Marginals(network.states, {v: found[v] for v in network.names}, asked.given, asked.done)


def _mixed(network: Network, asked: Asked) -> dict[str, Floats | Moments]:
    """Each variable of a mixed network that is no continuous evidence.

    The discrete variables have discrete parents only, and are a network of their own. Continuous evidence adds
    likelihoods to it, which are found once; then each variable is one elimination.
    """
    found: dict[str, Floats | Moments] = {}
    if asked.values:
        observed = {*asked.values, *network.dag.ancestors(tuple(asked.values))}
        system = Continuous(network, observed - {*network.states}, known(network, asked.codes))
        likelihoods = system.reduce(asked.values, ())
        given = ", ".join(f"{v} = {x}" for v, x in asked.given)
        conditional(network, (), asked.codes, likelihoods, given)  # refuses what is impossible if all are observed
        for v in network.states:
            if v not in asked.codes:
                found[v] = conditional(network, (v,), asked.codes, likelihoods, given)
            else:
                found[v] = (np.arange(len(network.states[v])) == asked.codes[v]).astype(float)
    else:
        discrete = _discrete_part(network)
        found |= zip(discrete.names, all_marginals(discrete, asked.codes), strict=True)
    for v in network.names:
        if v not in network.states and v not in asked.values:
            own = mixture(network, (), (v,), asked.codes, asked.values)
            found[v] = Moments(float(own.means[0]), float(np.sqrt(own.covariances[0, 0])))
    return found


def _discrete_part(network: Network) -> Network:
    """The discrete variables of a mixed network, made once, so that it keeps its tree."""
    made = network.__dict__.get("_discrete_part")
    if made is None:
        cpds = {v: network.cpds[v] for v in network.names if v in network.states}
        made = network.__dict__["_discrete_part"] = Network(cpds, network.states)
    assert isinstance(made, Network)
    return made
