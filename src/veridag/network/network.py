"""`Network`: a DAG with its parameters, probability tables or linear Gaussians, to sample from and to evaluate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.checks import JOBS, SEED, IntegralNumber, Optional
from veridag.data import Column, Data
from veridag.display import ROWS as SHOWN
from veridag.display import drawing, folded, more, paragraph, table
from veridag.errors import InputError, suggest
from veridag.graph import check_names

from .likelihood import log_likelihood_rows
from .parameters import Floats, LinearGaussian, Table
from .tables import ConditionalTable
from .validity import check_parameters, check_states, structure

if TYPE_CHECKING:
    from .query import JointGaussian, JointTable

#: A number of rows; 1e4 is accepted.
ROWS = IntegralNumber(0, 2**63 - 1)


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
        self.states = MappingProxyType(check_states(self, states or {}))
        self.dag = structure(self)
        for variable in self.names:
            check_parameters(self, variable)

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

    def cpt(self, name: str) -> ConditionalTable:
        """The probability table of a discrete variable with the names of its states and parents, to be looked at."""
        own = self.table(name)
        given = tuple(self.states[parent] for parent in own.parents)
        return ConditionalTable(name, own.parents, self.states[name], given, own.probabilities)

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
        n, jobs = ROWS("n", n), JOBS("jobs", jobs)
        seed = Optional(SEED)("seed", seed)
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
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
        rows = log_likelihood_rows(self, data)
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
        """Write the network to a file whose ending names the format, such as ``.bif``.

        Names that other programs cannot read are changed in the file, and a `NetworkWarning` says so; the true names
        are kept beside them, and `read_network` restores them.
        """
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

    def _repr_html_(self) -> str:
        drawn = drawing(lambda: self.dag.to_svg(self.name), len(self.names))
        return paragraph(repr(self).strip("<>")) + drawn + folded("parameters", self._html_parameters())

    def _html_parameters(self) -> str:
        if self.is_gaussian:
            rows = [(v, _regression(self.gaussian(v)), f"{self.gaussian(v).sd:.6g}") for v in self.names]
            return table(("variable", "mean", "sd"), rows)
        return "".join(self.cpt(v)._repr_html_() for v in self.names[:SHOWN]) + more(len(self.names))


def _rebuild(cpds: dict[str, Table | LinearGaussian], states: dict[str, tuple[str, ...]], name: str) -> Network:
    return Network(cpds, states, name=name)


def _regression(cpd: LinearGaussian) -> str:
    """The mean of a variable in its parents, as people write it."""
    slopes = zip(cpd.coefficients.tolist(), cpd.parents, strict=True)
    return " ".join([f"{cpd.intercept:.6g}", *(f"{'-' if b < 0 else '+'} {abs(b):.6g} {p}" for b, p in slopes)])


def _freeze(columns: Iterable[NDArray[Any]]) -> None:
    """Make new arrays read-only, since a `Column` copies those that could still be written to."""
    for column in columns:
        column.flags.writeable = False
