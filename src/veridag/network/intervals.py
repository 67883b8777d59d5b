"""`ParameterIntervals`: how well the data of a fit determines the parameters of a variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Number
from veridag.display import ROWS, aligned, paragraph, table
from veridag.errors import InputError, import_optional, setting

from .parameters import ConditionalGaussian, Floats, Table
from .spread import DirichletSpread, RegressionSpread

if TYPE_CHECKING:
    import pandas as pd

    from .network import Network

#: The share of the posterior that an interval may have.
LEVEL = Number(above=0, below=1, example=0.95)


class Interval(NamedTuple):
    """One parameter with its interval.

    Attributes:
        given: The states of the discrete parents.
        parameter: The name of the parameter.
        estimate: The estimate.
        lower: The lower end.
        upper: The upper end.
    """

    given: tuple[str, ...]
    parameter: str
    estimate: float
    lower: float
    upper: float


@dataclass(frozen=True, eq=False, repr=False)
class ParameterIntervals:
    r"""Intervals of the parameters of a variable, as `Network.intervals` returns them.

    Each interval is for one parameter alone, and leaves out equal parts of the posterior below and above.

    - **Discrete variables.** The distribution in configuration j has the posterior
      $\mathrm{Dirichlet}(n_{ij1} + \alpha_{ij1}, \ldots)$, so $\theta_{ijk}$ has a beta distribution with the
      parameters $n_{ijk} + \alpha_{ijk}$ and the sum of the others (Heckerman et al. 1995). If no row has the
      configuration, it is that of the prior. With ``method="hierarchical"``, the shared prior is treated as known, so
      the true uncertainty is larger.
    - **Continuous variables.** With n rows, k parents and the residual sum of squares RSS, a coefficient b has the
      interval $b \pm t(n - k - 1) s_b$ with its standard error $s_b$, and sd has
      $\sqrt{\mathrm{RSS} / \chi^2(n - k - 1)}$: the classical confidence intervals, which are also the credible
      intervals under the prior $1 / \sigma^2$ (Gelman et al. 2013, section 14.2). The estimate of sd divides by n, so
      with few rows it is near the lower end. A coefficient that the rows do not determine has an infinite interval. A
      configuration with the regression of all rows has none (`nan`).

    Attributes:
        name: The variable.
        level: The probability of each interval.
        parents: Its discrete parents.
        parent_states: The states of each of them.
        parameters: The states of a discrete variable; ``intercept``, the continuous parents and ``sd`` for a continuous
            one.
        estimates: The estimates, with an axis for each discrete parent and a last one along `parameters`.
        lower, upper: The ends of the intervals, in the same shape.
        shared_prior: Whether the groups share the prior.

    See also:
        `fit`, docs/inference.md
    """

    name: str
    level: float
    parents: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    parameters: tuple[str, ...]
    estimates: Floats
    lower: Floats
    upper: Floats
    shared_prior: bool = False

    def __post_init__(self) -> None:
        for values in (self.estimates, self.lower, self.upper):
            values.flags.writeable = False

    @property
    def heading(self) -> str:
        """What the table holds."""
        given = f" by {', '.join(self.parents)}" if self.parents else ""
        shared = ", given the prior that the groups share" if self.shared_prior else ""
        return f"{self.name}{given}: estimates and {100 * self.level:g} % intervals{shared}"

    def __iter__(self) -> Iterator[Interval]:
        """All parameters, the last axis fastest."""
        values = (x.reshape(-1, len(self.parameters)).tolist() for x in (self.estimates, self.lower, self.upper))
        for given, *rows in zip(product(*self.parent_states), *values, strict=True):
            for parameter, estimate, lower, upper in zip(self.parameters, *rows, strict=True):
                yield Interval(given, parameter, estimate, lower, upper)

    def rows(self, digits: int = 4) -> list[tuple[str, ...]]:
        """The states of the parents, then each estimate with its interval, row by row, as text."""
        cells = [f"{x.estimate:.{digits}g} {interval_text(x.lower, x.upper, digits)}" for x in self]
        width = len(self.parameters)
        given = product(*self.parent_states)
        return [(*states, *cells[i * width : (i + 1) * width]) for i, states in enumerate(given)]

    def to_pandas(self) -> pd.DataFrame:
        """A row for every parameter: the parents' states, ``parameter``, ``estimate``, ``lower`` and ``upper``."""
        pd = import_optional("pandas", "to_pandas")
        found = list(self)
        named = {parent: [x.given[i] for x in found] for i, parent in enumerate(self.parents)}
        return pd.DataFrame(named | {name: [getattr(x, name) for x in found] for name in Interval._fields[1:]})

    def __repr__(self) -> str:
        rows = self.rows()
        more = f"\n... and {len(rows) - ROWS} more" if len(rows) > ROWS else ""
        return f"{self.heading}\n{aligned([(*self.parents, *self.parameters), *rows[:ROWS]])}{more}"

    def _repr_html_(self) -> str:
        return paragraph(self.heading) + table((*self.parents, *self.parameters), self.rows())


def interval_text(lower: float, upper: float, digits: int) -> str:
    """An interval as people read it; a dash if there is none."""
    if isnan(lower):
        return "–"
    if not isfinite(lower) and not isfinite(upper):
        return "[any]"
    return f"[{lower:.{digits}g}, {upper:.{digits}g}]"


def parameter_intervals(network: Network, name: str, level: float) -> ParameterIntervals:
    """The intervals of one variable; `Network.intervals` says more."""
    LEVEL("level", level)
    tail = (1.0 - float(level)) / 2
    cpd, spread = network.cpds[name], (network.spread or {}).get(name)
    if spread is None:
        raise InputError(_why_none(network, name))
    if isinstance(cpd, Table):
        assert isinstance(spread, DirichletSpread)
        given, states = cpd.parents, network.states[name]
        estimates, shared = cpd.probabilities, spread.shared
        lower, upper = _beta_ends(spread, estimates, tail)
    else:
        assert isinstance(spread, RegressionSpread)
        own = ConditionalGaussian.of(cpd)
        given, states, shared = own.discrete, ("intercept", *own.continuous, "sd"), False
        shape = (*own.sds.shape, len(states))
        estimates = own.rows.reshape(shape)
        lower, upper = (x.reshape(shape) for x in _regression_ends(spread, own.rows, tail))
    parent_states = tuple(network.states[parent] for parent in given)
    return ParameterIntervals(name, float(level), given, parent_states, states, estimates, lower, upper, shared)


def interval_records(network: Network, level: float) -> list[dict[str, Any]]:
    """All parameters of a network as values for JSON, a record each; an end that there is none of is None."""
    records = []
    for name in network.names:
        found = parameter_intervals(network, name, level)
        for x in found:
            ends = {key: value if isfinite(value) else None for key, value in (("lower", x.lower), ("upper", x.upper))}
            given = dict(zip(found.parents, x.given, strict=True))
            record = {"variable": name, "given": given, "parameter": x.parameter, "estimate": x.estimate}
            records.append(record | ends)
    return records


def _beta_ends(spread: DirichletSpread, mean: Floats, tail: float) -> tuple[Floats, Floats]:
    """Quantiles of the Beta distributions of the cells."""
    from scipy.special import betaincinv

    own = mean * spread.totals[..., None] if spread.weights is None else spread.weights
    others = own @ (1.0 - np.eye(own.shape[-1]))  # not total - own, which loses digits
    certain = others <= 0  # one state alone
    ends: list[NDArray[np.float64]] = [
        np.where(certain, 1.0, betaincinv(own, np.where(certain, 1.0, others), p)) for p in (tail, 1.0 - tail)
    ]
    return ends[0], ends[1]


def _regression_ends(spread: RegressionSpread, estimates: Floats, tail: float) -> tuple[Floats, Floats]:
    """Quantiles of Student's t for intercept and coefficients, and of the inverse chi-squared for sd."""
    from scipy.special import chdtri, stdtrit

    n, df, errors = spread.rows[:, 0], spread.rows[:, 1], spread.rows[:, 2:]
    usable = df > 0
    safe = np.where(usable, df, 1.0)
    reach = stdtrit(safe, 1.0 - tail)[:, None] * errors
    squares = n * estimates[:, -1] ** 2
    ends = []
    for sign, p in ((-1.0, tail), (1.0, 1.0 - tail)):
        own = np.column_stack([estimates[:, :-1] + sign * reach, np.sqrt(squares / chdtri(safe, p))])
        ends.append(np.where(usable[:, None], own, np.nan))
    return ends[0], ends[1]


def _why_none(network: Network, name: str) -> str:
    """Why there are no intervals, and what to do."""
    if network.fitted is not None:
        return (
            f"network: EM fitted the parameters of {name!r} to data with missing values, and intervals from expected "
            "counts would be too narrow: fit vd.impute(network, data, draws=20) and see how they vary, or fit the "
            "complete rows, as missing='drop' reads them"
        )
    if network.spread is not None:
        return (
            f"network: {name!r} was fitted by maximum likelihood, which has no posterior: fit with {setting('ess', 1)}"
        )
    return (
        f"network: the data behind the parameters of {name!r} is unknown, because files store only the parameters: "
        "fit it again, vd.fit(network.dag, data)"
    )
