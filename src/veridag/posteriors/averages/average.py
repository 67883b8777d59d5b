"""`NetworkAverage`: networks drawn from a posterior, with parameters, that answer together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from veridag.checks import PROGRESS, Integer, Optional
from veridag.data import Data
from veridag.errors import InputError, setting
from veridag.graph import DAG
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.network.parameters import CPD
from veridag.network.query import Asked, PredictedValues
from veridag.progress import Progress

from .answers import AveragedMixture, AveragedTable
from .parameters import FamilyParameters
from .queries import averaged_answer

if TYPE_CHECKING:
    from veridag.posteriors.draws import Draws

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: DAGs whose ancestors are looked for together.
_AT_A_TIME = 512


class NetworkAverage:
    """Networks drawn from a posterior, each with parameters, that answer queries together.

    The answer to a query is

    ``P(t | e, data) = sum over draws G of P(t, e | G, data) / sum over draws G of P(e | G, data)``

    so a network counts more, the better it explains the evidence; this is not the mean of P(t | e, G, data). Draws of
    the same DAG are computed once, and so are those that differ only in variables without influence on the answer: only
    targets, evidence and their ancestors matter. The attribute `dags` is the number of different DAGs.

    Args:
        draws: The draws, such as those of `sample_posterior`; ``posterior.average()`` passes them.
        networks: Use this many draws, spread evenly over each chain; all if None.
        group: The group whose parameters to use, for data in groups.
        jobs: Number of threads.

    See also:
        `posterior`, docs/posterior.md
    """

    def __init__(self, draws: Draws, networks: int | None = None, *, group: str | None = None, jobs: int = 1) -> None:
        source = draws.source
        data = source.data
        self.names, self.states = draws.names, dict(data.states)
        self.data, self.jobs = data.select(draws.names) if data.names != draws.names else data, jobs
        self._parameters = FamilyParameters(self.data, source.score, group)
        chosen = _spread(draws, Optional(Integer(1))("networks", networks))
        self.shape = (chosen.shape[0], chosen.shape[1])
        self._number(chosen.reshape(-1, *chosen.shape[2:]), draws.core_names)

    def _number(self, chosen: NDArray[np.uint64], core_names: tuple[str, ...]) -> None:
        """Number the families, and the DAGs by theirs."""
        n = len(self.names)
        octets = np.ascontiguousarray(chosen).astype("<u8").view(np.uint8)
        order = [core_names.index(name) for name in self.names]
        index = np.empty((len(chosen), n), np.int64)
        members: list[Bools] = []
        children: list[int] = []
        for v, core in enumerate(order):
            words, own = np.unique(octets[:, core], axis=0, return_inverse=True)
            bits = np.unpackbits(words, axis=-1, count=n, bitorder="little").astype(bool)[:, order]
            index[:, v] = own.reshape(-1) + len(children)
            members.extend(bits)
            children.extend([v] * len(words))
        self._families, which = np.unique(index, axis=0, return_inverse=True)  # of each DAG, by variable
        self.which: Numbers = which.reshape(-1)  # the DAG of each draw
        self._members: Bools = np.array(members).reshape(-1, n)  # of each family, the parents
        self._children = children
        self._fitted: dict[int, Network] = {}

    @property
    def networks(self) -> int:
        """The number of draws that are averaged."""
        return len(self.which)

    @property
    def dags(self) -> int:
        """The number of different DAGs among them."""
        return len(self._families)

    def __len__(self) -> int:
        return self.networks

    @cached_property
    def shares(self) -> Floats:
        """The share of the draws that each DAG has."""
        return np.bincount(self.which, minlength=self.dags) / self.networks

    # ---- parts of the networks

    def parents(self, family: int) -> tuple[str, ...]:
        """The parents of a family."""
        return tuple(self.names[u] for u in np.flatnonzero(self._members[family]))

    def cpd(self, dag: int, variable: int) -> CPD:
        """The parameters of a variable in a DAG. With missing values in the data, EM finds those of a whole network."""
        family = int(self._families[dag, variable])
        if not self.data.incomplete:
            return self._parameters(self.names[variable], self.parents(family))
        if dag not in self._fitted:
            arcs = [(u, v) for i, v in enumerate(self.names) for u in self.parents(int(self._families[dag, i]))]
            pooled = replace(self.data, groups=(), group=None) if self.data.group is not None else self.data
            self._fitted[dag] = fit(DAG.from_arcs(arcs, self.names), pooled, jobs=self.jobs)
        return self._fitted[dag].cpds[self.names[variable]]

    def families(self, variable: int) -> tuple[Numbers, Numbers]:
        """DAGs that together have all parameters of a variable, and for each DAG the position of its own in these."""
        if self.data.incomplete:
            everything = np.arange(self.dags)
            return everything, everything
        _, first, own = np.unique(self._families[:, variable], return_index=True, return_inverse=True)
        return first, own.reshape(-1)

    def parts(self, asked: Iterable[str]) -> tuple[list[tuple[int, list[int]]], Numbers]:
        """The different networks of some variables with their ancestors, and for each DAG the number of its own.

        A network is a DAG that has it, and its variables.
        """
        relevant = self._relevant([self.names.index(v) for v in asked])
        key = np.where(relevant, self._families, -1)
        if self.data.incomplete:  # parameters depend on the whole DAG
            key[:, 0] = np.arange(self.dags)
        _, first, own = np.unique(key, axis=0, return_index=True, return_inverse=True)
        return [(int(dag), np.flatnonzero(relevant[dag]).tolist()) for dag in first], own.reshape(-1)

    def network(self, dag: int, variables: Iterable[int]) -> Network:
        """The part of a network on some variables, which holds their ancestors."""
        names = {self.names[v]: v for v in variables}
        cpds = {name: self.cpd(dag, v) for name, v in names.items()}
        return Network(cpds, {name: self.states[name] for name in names if name in self.states})

    def _relevant(self, asked: list[int]) -> Bools:
        """[DAG, variable]: the variables that are asked about, and their ancestors."""
        found = np.zeros(self._families.shape, dtype=bool)
        found[:, asked] = True
        for start in range(0, self.dags, _AT_A_TIME):
            own = found[start : start + _AT_A_TIME]
            parents = self._members[self._families[start : start + _AT_A_TIME]]  # DAG, child, parent
            for _ in self.names:
                grown = own | (parents & own[:, :, np.newaxis]).any(axis=1)
                if (grown == own).all():
                    break
                own[:] = grown
        return found

    # ---- answers

    def query(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None = None,
        *,
        progress: Progress | None = None,
    ) -> AveragedTable | AveragedMixture:
        """The joint distribution of the targets given the evidence, averaged over networks; see `Network.query`.

        Targets that are all discrete have an `AveragedTable`, others an `AveragedMixture`: the average of normal
        distributions is not normal, and what is given are its mean and covariance. Both have the Monte Carlo standard
        errors of the ratio above.
        """
        asked = Asked.of(self.names, self.states, targets, evidence)
        return averaged_answer(self, asked, PROGRESS("progress", progress))

    @overload
    def log_likelihood(self, data: Data, *, progress: Progress | None = None) -> float: ...
    @overload
    def log_likelihood(self, data: Data, *, by_row: bool, progress: Progress | None = None) -> float | Floats: ...
    def log_likelihood(self, data: Data, *, by_row: bool = False, progress: Progress | None = None) -> float | Floats:
        """The sum over rows of log P(row | data), or that of each row: the logarithm of the mean over networks.

        Each row is predicted by itself, from the data that the posterior is of: rows do not learn from each other. The
        columns and states are as in `Network.log_likelihood`, and for a row with missing values it is log P of the
        observed values.
        """
        from .rows import log_likelihood_rows

        data = Data.of(data)
        rows = log_likelihood_rows(self, data, PROGRESS("progress", progress))
        if by_row:
            return rows
        weights = data.weights
        if weights is None:
            return float(rows.sum())
        present = weights > 0  # minus infinity times zero is not a number
        return float(rows[present] @ weights[present])

    def predict(
        self, data: Data, target: str, given: Iterable[str] | None = None, *, progress: Progress | None = None
    ) -> Floats | PredictedValues:
        """The distribution of a variable in each row, given what else the row has, averaged over networks.

        Of a discrete target, an array of probabilities, [row, state], with the states in the order of the posterior's
        data. Of a continuous one, its mean and standard deviation in each row. The target's own column is not looked
        at, and need not be there. `given` names the columns that are; without it these are all others. What a row
        lacks is summed or integrated out.
        """
        from .prediction import predict

        return predict(self, Data.of(data), target, given, PROGRESS("progress", progress))

    def __repr__(self) -> str:
        return f"<NetworkAverage of {self.networks} draws, {self.dags} different DAGs of {len(self.names)} variables>"


def _spread(draws: Draws, networks: int | None) -> NDArray[np.uint64]:
    """The parents of so many draws, the same number of each chain, as far from each other as they can be."""
    parents = draws.parents
    chains, per_chain = parents.shape[:2]
    if networks is None:
        return parents
    if networks > chains * per_chain:
        raise InputError(
            f"{setting('networks', networks)}: there are {chains * per_chain} draws: leave out networks to use all, "
            "or draw more"
        )
    number = max(1, networks // chains)
    places = ((np.arange(number) + 0.5) * per_chain / number).astype(np.int64)
    return parents[: min(chains, networks), places]
