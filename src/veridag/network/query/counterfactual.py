"""Counterfactuals of Gaussian networks: what would have been, had variables been set otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from veridag.errors import InputError
from veridag.network.network import Network
from veridag.network.parameters import LinearGaussian
from veridag.network.values import check_values

from .asked import check_targets
from .mixed import mixture
from .results import JointGaussian


def counterfactual(
    network: Network,
    targets: str | Iterable[str],
    evidence: Mapping[str, str | float] | None,
    do: Mapping[str, str | float],
) -> JointGaussian:
    """The joint distribution that the targets would have had under `do`, given the evidence from the world as it was.

    Both worlds share the errors e of the equations v = a + b . parents + e. So they are one Gaussian network with twice
    the variables (Balke and Pearl 1994), which is conditioned on the evidence: that is abduction, action and prediction
    (Pearl 2009, theorem 7.1.7) in one step. `Network.counterfactual` is this function, and says more.
    """
    if not network.is_gaussian:
        raise InputError(
            "counterfactual: this network has discrete variables, whose tables do not determine counterfactuals: use "
            "a Gaussian network; query(do=) works for all networks"
        )
    wanted = check_targets(network.names, targets)
    known, done = (check_values(network.names, {}, name, v) for name, v in (("evidence", evidence), ("do", do)))
    both = [name for name in wanted if name in done]
    if both:
        raise InputError(f"targets: {both[0]!r} is set by do: leave it out of one of them")
    twin = _Twin(network, {v: float(value) for v, value in done.items()})
    values = {v: float(value) for v, value in known.items()}
    found = mixture(twin.network, [], [twin.would(v) for v in wanted], {}, values)
    return JointGaussian(wanted, found.means, found.covariances, tuple(values.items()), tuple(done.items()))


class _Twin:
    """The errors, and the variables as functions of them, as they were and as they would have been.

    Nothing else is random. A variable has its name as it was; the other names are longer than all of these.
    """

    def __init__(self, network: Network, do: Mapping[str, float]) -> None:
        self.mark = "*" * max(map(len, network.names))
        changed = {*do, *network.dag.descendants(do)}
        cpds: dict[str, LinearGaussian] = {}
        for v in network.names:
            cpd = network.gaussian(v)
            cpds[self.error(v)] = LinearGaussian((), 0.0, np.zeros(0), cpd.sd)
            slopes = np.append(cpd.coefficients, 1.0)
            cpds[v] = LinearGaussian((*cpd.parents, self.error(v)), cpd.intercept, slopes, 0.0)
            if v in do:
                cpds[self.would(v)] = LinearGaussian((), do[v], np.zeros(0), 0.0)
            elif v in changed:
                parents = (*map(self.would, cpd.parents), self.error(v))
                cpds[self.would(v)] = LinearGaussian(parents, cpd.intercept, slopes, 0.0)
            else:
                cpds[self.would(v)] = LinearGaussian((v,), 0.0, np.ones(1), 0.0)
        self.network = Network(cpds)

    def error(self, v: str) -> str:
        """The name of the error of a variable."""
        return f"{self.mark} error {v}"

    def would(self, v: str) -> str:
        """The name of a variable as it would have been."""
        return f"{self.mark} would {v}"
