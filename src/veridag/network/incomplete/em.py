"""EM: the parameters of a network with a known structure from data with missing values."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from veridag.checks import JOBS, PROGRESS, SEED, Checked, Integer, Number, checked
from veridag.data import Array, Column, Data
from veridag.errors import InputError, setting
from veridag.graph import DAG
from veridag.network.formats import NetworkWarning
from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import CPD, ConditionalGaussian, LinearGaussian, Table
from veridag.progress import Progress

from .expectation import DiscreteExpectation, Expectation
from .gaussian_expectation import GaussianExpectation
from .maximization import Maximization
from .record import EMRecord
from .starts import at_random, from_available_cases

ExpectationStep = Expectation | DiscreteExpectation | GaussianExpectation


@dataclass(frozen=True)
class EM(Checked):
    """The settings of EM; `fit` says what they mean."""

    starts: int = field(default=1, metadata=checked(Integer(1, 2**31 - 1)))
    tolerance: float = field(default=1e-6, metadata=checked(Number(least=0, example=1e-6)))
    max_iterations: int = field(default=200, metadata=checked(Integer(1, 2**31 - 1)))
    seed: int = field(default=0, metadata=checked(SEED))
    jobs: int = field(default=1, metadata=checked(JOBS))
    progress: Progress | None = field(default=None, metadata=checked(PROGRESS))
    warn: bool = True

    def fit(self, dag: DAG, data: Data, imaginary: Mapping[str, float], name: str, *, strict: bool) -> Network:
        """The network with the parameters of the best start; `imaginary` counts are added to each cell of a table.

        If `strict`, a configuration that nothing is known of is an error.
        """
        data = _informative(dag, data)
        scaled = _Scaled(data.rows(data.row_order))  # what is summed over rows does not depend on their order then
        rows = Rows(_structure(dag, scaled.data), scaled.data)
        expectation = self._expectation(rows)
        maximization = Maximization(dict(imaginary))
        runs = []
        for start in range(self.starts):
            rng = np.random.default_rng((self.seed, start))
            if start == 0:
                network = from_available_cases(rows.network, expectation.complete, rng)
            else:
                network = at_random(rows.network, rng)
            runs.append(self._run(network, expectation, maximization, scaled, start))
        best = max(range(self.starts), key=lambda start: runs[start].objectives[-1])  # the first of equal ones
        found = runs[best]
        if strict:
            maximization.require_all(expectation(found.network)[0], found.network)
        record = EMRecord(
            tuple(found.log_likelihoods),
            tuple(found.objectives),
            found.converged,
            best,
            tuple(run.objectives[-1] for run in runs),
        )
        if self.warn and not found.converged:
            warnings.warn(
                f"{record}: allow more with {setting('max_iterations', 5 * self.max_iterations)}, or a larger "
                f"{setting('tolerance')}",
                NetworkWarning,
                stacklevel=4,
            )
        return scaled.unscaled(found.network, name, record)

    def _expectation(self, rows: Rows) -> ExpectationStep:
        if rows.network.kind == "discrete":
            return DiscreteExpectation(rows, self.jobs)
        return GaussianExpectation(rows) if rows.network.is_gaussian else Expectation(rows)

    def _run(
        self,
        network: Network,
        expectation: ExpectationStep,
        maximization: Maximization,
        scaled: _Scaled,
        start: int,
    ) -> _Run:
        run = _Run(network)
        enough = self.tolerance * scaled.data.n
        statistics, log_likelihood = expectation(network)
        run.add(network, log_likelihood + scaled.shift, maximization)
        for iteration in range(1, self.max_iterations + 1):
            network = maximization(statistics, network)
            statistics, log_likelihood = expectation(network)
            run.add(network, log_likelihood + scaled.shift, maximization)
            if self.progress is not None:
                done, total = start * self.max_iterations + iteration, self.starts * self.max_iterations
                self.progress("EM", done, total, {"log_likelihood": run.log_likelihoods[-1]})
            if run.objectives[-1] - run.objectives[-2] <= enough:
                run.converged = True
                break
        return run


@dataclass
class _Run:
    """One start: its parameters so far, and how it came to them."""

    network: Network
    log_likelihoods: list[float] = field(default_factory=list)
    objectives: list[float] = field(default_factory=list)
    converged: bool = False

    def add(self, network: Network, log_likelihood: float, maximization: Maximization) -> None:
        self.network = network
        self.log_likelihoods.append(log_likelihood)
        self.objectives.append(log_likelihood + maximization.log_prior(network))


def _informative(dag: DAG, data: Data) -> Data:
    """The variables of the graph, in the rows that have any of them and a weight: others say nothing."""
    own = data.select(dag.names)
    there = np.any([own.observed(v) for v in own.names], axis=0)
    if own.weights is not None:
        there &= own.weights > 0
    if not there.any():
        raise InputError("data: no row has a value of any variable in the graph: check the column names")
    return own.rows(there)


def _structure(dag: DAG, data: Data) -> Network:
    """A network with this structure, and with parameters of no meaning."""
    cpds: dict[str, CPD] = {}
    for v in dag.names:
        discrete = tuple(u for u in dag.parents(v) if u in data.states)
        continuous = tuple(u for u in dag.parents(v) if u not in data.states)
        shape = tuple(data.arities[u] for u in discrete)
        if v in data.states:
            r = data.arities[v]
            cpds[v] = Table(discrete, np.full((*shape, r), 1 / r))
        elif discrete:
            slopes = np.zeros((*shape, len(continuous)))
            cpds[v] = ConditionalGaussian(discrete, continuous, np.zeros(shape), slopes, np.ones(shape))
        else:
            cpds[v] = LinearGaussian(continuous, 0.0, np.zeros(len(continuous)), 1.0)
    return Network(cpds, {v: data.states[v] for v in dag.names if v in data.states})


class _Scaled:
    """Data with continuous variables in units of their observed standard deviations, around their means.

    Sums of squares are exact enough then, whatever the units. `shift` is what the log-likelihood changes by.
    """

    def __init__(self, data: Data) -> None:
        self.units: dict[str, tuple[float, float]] = {}
        self.shift = 0.0
        columns = [c if c.kind == "discrete" else self._scaled(c, data.weights) for c in data.columns]
        self.data = Data(columns, data.weights)

    def _scaled(self, column: Column, weights: Array | None) -> Column:
        there = slice(None) if column.observed is None else column.observed
        values = column.values[there]
        w = (np.ones(len(column.values)) if weights is None else weights)[there]
        mean, sd = 0.0, 1.0
        if values.size:
            if column.is_constant():
                raise InputError(f"{column.name!r} is constant, so its distribution has no density: leave it out")
            mean = float(w @ values / w.sum())
            sd = float(np.sqrt(w @ (values - mean) ** 2 / w.sum()))
            self.shift -= float(w.sum()) * float(np.log(sd))
        self.units[column.name] = mean, sd
        return replace(column, values=(column.values - mean) / sd)

    def unscaled(self, network: Network, name: str, record: EMRecord) -> Network:
        """The network in the units of the data."""
        cpds: dict[str, CPD] = {}
        for v, cpd in network.cpds.items():
            if isinstance(cpd, Table):
                cpds[v] = cpd
                continue
            own = ConditionalGaussian.of(cpd)
            mean, sd = self.units[v]
            means, sds = np.array([self.units[u] for u in own.continuous]).reshape(-1, 2).T
            slopes = own.coefficients * sd / sds
            intercepts = mean + sd * own.intercepts - (slopes * means).sum(axis=-1)
            if own.discrete:
                cpds[v] = ConditionalGaussian(own.discrete, own.continuous, intercepts, slopes, sd * own.sds)
            else:
                cpds[v] = LinearGaussian(own.continuous, float(intercepts), slopes, sd * float(own.sds))
        made = Network(cpds, network.states, name=name)
        made.fitted = record
        return made
