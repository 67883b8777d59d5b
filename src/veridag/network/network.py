"""`Network`: a DAG with its parameters, probability tables or linear Gaussians, to sample from and to evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridag import _core
from veridag.data import Column, Data
from veridag.errors import InputError, suggest
from veridag.graph import DAG, InvalidGraph, check_names

if TYPE_CHECKING:
    from .query import JointGaussian, JointTable

Floats = NDArray[np.float64]

#: How far a distribution's sum may be from one. The tables of the network repository are rounded to a few digits.
SUM_TOLERANCE = 0.01


def _frozen(values: ArrayLike) -> Floats:
    array = np.array(values, dtype=np.float64, order="C")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Table:
    """The distributions of a discrete variable: ``probabilities[j1, ..., jk]`` is the one given its parents' states."""

    parents: tuple[str, ...]
    probabilities: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", tuple(self.parents))
        object.__setattr__(self, "probabilities", _frozen(self.probabilities))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.parents == other.parents and np.array_equal(self.probabilities, other.probabilities)

    def __hash__(self) -> int:
        return hash((self.parents, self.probabilities.tobytes()))


@dataclass(frozen=True, eq=False)
class LinearGaussian:
    """A normal variable with mean ``intercept + coefficients . parents`` and standard deviation `sd`."""

    parents: tuple[str, ...]
    intercept: float
    coefficients: Floats
    sd: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "parents", tuple(self.parents))
        object.__setattr__(self, "intercept", float(self.intercept))
        object.__setattr__(self, "coefficients", _frozen(self.coefficients))
        object.__setattr__(self, "sd", float(self.sd))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearGaussian):
            return NotImplemented
        mine, theirs = (self.parents, self.intercept, self.sd), (other.parents, other.intercept, other.sd)
        return mine == theirs and np.array_equal(self.coefficients, other.coefficients)

    def __hash__(self) -> int:
        return hash((self.parents, self.intercept, self.sd, self.coefficients.tobytes()))


class Network:
    """A Bayesian network with parameters, discrete (each variable has a `Table`) or Gaussian (a `LinearGaussian`).

    The variables come in the order of `cpds`. A discrete network needs `states`, the names of every variable's states.
    """

    def __init__(
        self,
        cpds: Mapping[str, Table | LinearGaussian],
        states: Mapping[str, Sequence[str]] | None = None,
        *,
        name: str = "",
    ) -> None:
        self.names = check_names(tuple(cpds))
        self.name = name
        self.cpds: Mapping[str, Table | LinearGaussian] = MappingProxyType(dict(cpds))
        kinds = {type(cpd) for cpd in cpds.values()}
        if not kinds <= {Table, LinearGaussian}:
            odd = next(v for v, cpd in cpds.items() if not isinstance(cpd, Table | LinearGaussian))
            raise InputError(f"cpds: {odd!r} has a {type(cpds[odd]).__name__}; give it a Table or a LinearGaussian")
        if len(kinds) == 2:
            raise InputError("cpds: a network is either discrete or Gaussian, but there are Tables and LinearGaussians")
        self.states = MappingProxyType(_check_states(self, states or {}))
        self.dag = _structure(self)
        for variable in self.names:
            _check_parameters(self, variable)

    @property
    def is_gaussian(self) -> bool:
        """Whether the variables are normal rather than discrete."""
        return bool(self.names) and isinstance(self.cpds[self.names[0]], LinearGaussian)

    @cached_property
    def nparams(self) -> int:
        """Free parameters: the sum of (r_i - 1) q_i; for Gaussians 2 N + |A| (intercepts, deviations, slopes)."""
        if self.is_gaussian:
            return 2 * len(self.names) + len(self.dag.arcs)
        return self.dag.nparams({v: len(self.states[v]) for v in self.names})

    def table(self, name: str) -> Table:
        """The probability table of a discrete variable."""
        cpd = self._cpd(name)
        if not isinstance(cpd, Table):
            raise InputError(f"{name!r} is Gaussian and has no probability table: use cpds[{name!r}]")
        return cpd

    def gaussian(self, name: str) -> LinearGaussian:
        """The parameters of a Gaussian variable."""
        cpd = self._cpd(name)
        if not isinstance(cpd, LinearGaussian):
            raise InputError(f"{name!r} is discrete and has no regression: use cpds[{name!r}]")
        return cpd

    def _cpd(self, name: str) -> Table | LinearGaussian:
        if name not in self.cpds:
            raise InputError(f"the network has no variable {name!r}: {suggest(name, self.names)}")
        return self.cpds[name]

    def sample(self, n: int, seed: int | None = None, *, jobs: int = 1) -> Data:
        """`n` independent rows.

        The same seed gives the same rows whatever the number of `jobs` (threads), and n rows are the first n of a
        longer sample with that seed. Without a seed the rows are new each time.
        """
        n, seed, jobs = _check_sample(n, seed, jobs)
        at = {v: i for i, v in enumerate(self.names)}
        parents = [[at[p] for p in self.cpds[v].parents] for v in self.names]
        order = [at[v] for v in self.dag.topological_order()]
        if self.is_gaussian:
            cpds = [self.gaussian(v) for v in self.names]
            intercepts, sds = [c.intercept for c in cpds], [c.sd for c in cpds]
            values = _core.sample_gaussian(
                parents, intercepts, [c.coefficients for c in cpds], sds, order, n, seed, jobs
            )
            _freeze(values)
            return Data([Column.continuous(v, x, "sampled") for v, x in zip(self.names, values, strict=True)])
        tables = [self.table(v).probabilities.reshape(-1) for v in self.names]
        arities = [len(self.states[v]) for v in self.names]
        codes = _core.sample_discrete(parents, arities, tables, order, n, seed, jobs)
        _freeze(codes)
        return Data([Column.discrete(v, x, self.states[v], "sampled") for v, x in zip(self.names, codes, strict=True)])

    @overload
    def log_likelihood(self, data: Data) -> float: ...
    @overload
    def log_likelihood(self, data: Data, *, by_row: bool) -> float | Floats: ...
    def log_likelihood(self, data: Data, *, by_row: bool = False) -> float | Floats:
        """log P(data), the natural logarithm, in total or for each row (then without the rows' weights).

        The data needs the network's variables, in any order; those it has beyond are not looked at. States are matched
        by name. A row that the network cannot produce has minus infinity.
        """
        _check_data(self, data)
        rows = np.zeros(data.nrows)
        with np.errstate(divide="ignore"):
            for v in self.names:
                rows += _gaussian_terms(self, data, v) if self.is_gaussian else _table_terms(self, data, v)
        if by_row:
            return rows
        if data.weights is None:
            return float(rows.sum())
        present = data.weights > 0  # minus infinity times zero is not a number
        return float(rows[present] @ data.weights[present])

    def query(
        self, targets: str | Iterable[str], evidence: Mapping[str, str | float] | None = None
    ) -> JointTable | JointGaussian:
        """The joint distribution of the targets given the evidence, exactly.

        A discrete network takes states as evidence, ``{"smoke": "yes"}``, and gives a `JointTable`: variables that do
        not matter are left out, and the others summed out in a good order. If a table on the way would be too large,
        an error says how large before anything is computed. A Gaussian network takes numbers and gives a
        `JointGaussian`, its mean and covariance. Evidence that the network holds for impossible is an error.
        """
        from .query import query

        return query(self, targets, evidence)

    def write(self, path: str | Path) -> Path:
        """Write the network to a file whose ending names the format, such as ``.bif``."""
        from .formats import write_network

        return write_network(self, path)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same variables in the same order, the same states and exactly the same numbers."""
        if not isinstance(other, Network):
            return NotImplemented
        return self.names == other.names and self.states == other.states and dict(self.cpds) == dict(other.cpds)

    def __hash__(self) -> int:
        return hash((self.names, self.dag))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (dict(self.cpds), dict(self.states), self.name)

    def __repr__(self) -> str:
        kind = "Gaussian" if self.is_gaussian else "discrete"
        title = f"Network {self.name!r}" if self.name else "Network"
        return f"<{title}: {kind}, {len(self.names)} variables, {len(self.dag.arcs)} arcs, {self.nparams} parameters>"

    def _repr_svg_(self) -> str:
        return self.dag.to_svg(self.name)


def _rebuild(cpds: dict[str, Table | LinearGaussian], states: dict[str, tuple[str, ...]], name: str) -> Network:
    return Network(cpds, states, name=name)


def _freeze(columns: Iterable[NDArray[Any]]) -> None:
    """Make new arrays read-only, since a `Column` copies those that could still be written to."""
    for column in columns:
        column.flags.writeable = False


def _check_states(network: Network, states: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    if not isinstance(states, Mapping):
        raise InputError(f"states: give each variable its own, {{variable: [state, ...]}}, not {states!r}")
    if network.is_gaussian:
        if states:
            raise InputError("states: a Gaussian network has no states; leave the argument out")
        return {}
    for variable in states:
        if variable not in network.cpds:
            raise InputError(f"states: {variable!r} is no variable of the network: {suggest(variable, network.names)}")
    checked = {}
    for variable in network.names:
        if variable not in states:
            raise InputError(f"states: the states of {variable!r} are missing")
        if isinstance(states[variable], str) or not isinstance(states[variable], Iterable):
            raise InputError(f"states: {variable!r} needs a list of texts, one a state, not {states[variable]!r}")
        own = tuple(states[variable])
        if not own or len(own) > 65535 or not all(isinstance(s, str) for s in own) or len(set(own)) < len(own):
            raise InputError(f"states: {variable!r} needs between 1 and 65 535 different texts, not {own[:5]!r}")
        checked[variable] = own
    return checked


def _structure(network: Network) -> DAG:
    arcs = []
    for variable, cpd in network.cpds.items():
        if len(set(cpd.parents)) < len(cpd.parents):
            raise InputError(f"variable {variable!r} names a parent twice: {cpd.parents}")
        for parent in cpd.parents:
            if parent not in network.cpds:
                raise InputError(
                    f"{variable!r} has the parent {parent!r}, which the network lacks: {suggest(parent, network.names)}"
                )
            arcs.append((parent, variable))
    try:
        return DAG.from_arcs(arcs, network.names)
    except InvalidGraph as cycle:
        raise InvalidGraph(f"the network is not acyclic: {' -> '.join(cycle.witness)}", cycle.witness) from None


def _check_parameters(network: Network, variable: str) -> None:
    cpd = network.cpds[variable]
    if isinstance(cpd, LinearGaussian):
        numbers = np.array([cpd.intercept, cpd.sd, *cpd.coefficients.reshape(-1)])
        if cpd.coefficients.shape != (len(cpd.parents),):
            raise InputError(
                f"{variable!r} has {len(cpd.parents)} parents but coefficients of shape {cpd.coefficients.shape}"
            )
        if not np.isfinite(numbers).all() or cpd.sd < 0:
            raise InputError(f"{variable!r}: parameters must be finite and the standard deviation not negative: {cpd}")
        return
    shape = tuple(len(network.states[v]) for v in (*cpd.parents, variable))
    p = cpd.probabilities
    if p.shape != shape:
        raise InputError(
            f"the table of {variable!r} has shape {p.shape}, but its parents' and its own states need {shape}"
        )
    if not np.isfinite(p).all() or (p < 0).any():
        raise InputError(f"the table of {variable!r} has a probability that is negative or not a number")
    sums = p.sum(axis=-1)
    worst = np.unravel_index(np.abs(sums - 1).argmax(), sums.shape)
    if abs(sums[worst] - 1) > SUM_TOLERANCE + 1e-12:  # three times 0.33 will do
        given = ", ".join(f"{v} = {network.states[v][i]}" for v, i in zip(cpd.parents, worst, strict=True))
        where = f" given {given}" if given else ""
        raise InputError(f"the probabilities of {variable!r}{where} sum to {sums[worst]:.6g} instead of 1")


def _check_sample(n: int, seed: int | None, jobs: int) -> tuple[int, int, int]:
    if not _is_whole(n) or not 0 <= n < 2**63:
        raise InputError(f"n: the number of rows must be a whole number, not negative; {n!r} was given")
    if not _is_whole(jobs) or not 1 <= jobs < 2**31:
        raise InputError(f"jobs: the number of threads must be a whole number of at least 1; {jobs!r} was given")
    if seed is None:
        seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if not _is_whole(seed) or not 0 <= seed < 2**64:
        raise InputError(f"seed: must be a whole number from 0 to 2^64 - 1, or None; {seed!r} was given")
    return int(n), int(seed), int(jobs)


def _is_whole(value: object) -> bool:
    """Whether it is a whole number, in whatever numeric type: 1e4 rows will do."""
    if isinstance(value, float | np.floating):
        return value.is_integer()
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _check_data(network: Network, data: Data) -> None:
    for variable in network.names:
        if variable not in data.kinds:
            raise InputError(
                f"the data has no column {variable!r}, which the network needs: {suggest(variable, data.names)}"
            )
        needed = "continuous" if network.is_gaussian else "discrete"
        if data.kinds[variable] != needed:
            raise InputError(f"column {variable!r} is {data.kinds[variable]}, but the network's variable is {needed}")


def _state_map(network: Network, data: Data, variable: str) -> NDArray[np.intp]:
    """For each state of the data, its number in the network."""
    known = {state: k for k, state in enumerate(network.states[variable])}
    theirs = data.states[variable]
    observed = np.bincount(data.column(variable), minlength=len(theirs)) > 0
    for state, there in zip(theirs, observed, strict=True):
        if there and state not in known:
            raise InputError(
                f"column {variable!r} has the state {state!r}, which the network lacks: {suggest(state, known)}"
            )
    return np.array([known.get(state, 0) for state in theirs], dtype=np.intp)


def _table_terms(network: Network, data: Data, variable: str) -> Floats:
    table = network.table(variable)
    cell = np.zeros(data.nrows, dtype=np.intp)
    for v in (*table.parents, variable):
        cell = cell * len(network.states[v]) + _state_map(network, data, v)[data.column(v)]
    return np.log(table.probabilities.reshape(-1))[cell]


def _gaussian_terms(network: Network, data: Data, variable: str) -> Floats:
    cpd = network.gaussian(variable)
    mean = np.full(data.nrows, cpd.intercept)
    for coefficient, parent in zip(cpd.coefficients, cpd.parents, strict=True):
        mean += coefficient * data.column(parent)
    residual = data.column(variable) - mean
    if cpd.sd == 0:
        return np.where(residual == 0, 0.0, -np.inf)
    return np.asarray(-0.5 * np.log(2 * np.pi) - np.log(cpd.sd) - 0.5 * (residual / cpd.sd) ** 2)
