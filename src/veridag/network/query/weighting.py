"""Likelihood weighting: estimates with standard errors, where exact inference needs tables that are too large."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, log, prod, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.checks import JOBS, PROGRESS, SEED, IntegralNumber, Number, Optional
from veridag.display import ROWS, aligned, table
from veridag.errors import InputError, suggest
from veridag.network.intervention import intervene
from veridag.network.network import Network
from veridag.network.parameters import ConditionalGaussian, Table
from veridag.progress import Progress

from .asked import Asked
from .results import heading

Floats = NDArray[np.float64]
Target = str | tuple[str, ...]

#: Rows are drawn in blocks of so many, each with random numbers of its own.
BLOCK = 4096

#: Between two looks at the errors and at progress: at most so many blocks, values and cells.
MOST_BLOCKS, MOST_VALUES, MOST_CELLS = 64, 2**24, 2**22

#: The formula of the standard error holds for many rows; it is too small where fewer than these decide.
FEW_ROWS = 10

DRAWN = IntegralNumber(1, 2**48)
ERROR = Number(above=0, example=0.001)


@dataclass(frozen=True, eq=False)
class EstimatedTable:
    """Estimated probabilities of discrete variables, with standard errors.

    If the probability of a cell, or of all others together, is below ten rows of the effective size, the standard error
    is at least the binomial one with one more row in both: a cell that was never drawn has about 1 / effective size.

    Attributes:
        names: The variables.
        states: The states of each.
        probabilities: The estimates, with an axis for each variable.
        standard_errors: Their standard errors, in the same shape.

    See also:
        `Estimates`, `Network.estimate`
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: Floats
    standard_errors: Floats

    def __getitem__(self, states: str | tuple[str, ...]) -> float:
        chosen = (states,) if isinstance(states, str) else tuple(states)
        if len(chosen) != len(self.names):
            raise InputError(f"states: {chosen} has {len(chosen)} states for the {len(self.names)} of {self.names}")
        for name, known, state in zip(self.names, self.states, chosen, strict=True):
            if state not in known:
                raise InputError(f"states: {name!r} has no state {state!r}: {suggest(str(state), known)}")
        return float(self.probabilities[tuple(k.index(s) for k, s in zip(self.states, chosen, strict=True))])


class EstimatedMoments(NamedTuple):
    """The estimated mean and standard deviation of a continuous variable.

    Attributes:
        mean: The estimated mean.
        sd: The estimated standard deviation.
        standard_error: The standard error of the mean.

    See also:
        `Estimates`, `Network.estimate`
    """

    mean: float
    sd: float
    standard_error: float


class Estimates(Mapping[Target, EstimatedTable | EstimatedMoments]):
    r"""Estimated distributions by target, as `Network.estimate` returns them: a name, or a tuple for a joint
    distribution.

    - `n` is the number of sampled rows. `effective_size`, $(\sum w)^2 / \sum w^2$, is the number of independent rows
      without weights that would be equally informative (Kong, Liu and Wong 1994). If it is below a few hundred, the
      standard errors are rough themselves.
    - `log_probability` estimates log P(evidence), a log density if some evidence is continuous. `relative_error` is the
      standard error of P(evidence) as a share of it.
    - `largest_error` is the largest standard error of all targets, and `asked_error` the one that you asked for, if
      any.

    Args:
        found: The estimates.
        evidence: The evidence.
        do: The interventions.
        sums: The sums of the weights.
        error: The standard error that you asked for, if any.

    See also:
        `Network.estimate`, docs/inference.md
    """

    def __init__(
        self,
        found: Mapping[Target, EstimatedTable | EstimatedMoments],
        evidence: tuple[tuple[str, str | float], ...],
        do: tuple[tuple[str, str | float], ...],
        sums: _core.LikelihoodWeighting,
        error: float | None = None,
    ) -> None:
        self._found, self.evidence, self.do, self.asked_error = dict(found), evidence, do, error
        self.n = sums.rows
        self.effective_size = sums.total**2 / sums.squares
        self.log_probability = sums.log_scale + log(sums.total / sums.rows)
        self.relative_error = sqrt(max(sums.squares / sums.total**2 - 1 / sums.rows, 0.0))
        errors = [x.standard_error if isinstance(x, EstimatedMoments) else x.standard_errors for x in found.values()]
        self.largest_error = float(max((np.max(error) for error in errors), default=0.0))

    def __getitem__(self, target: Target) -> EstimatedTable | EstimatedMoments:
        if target not in self._found:
            raise KeyError(f"{target!r} is not a target of the estimate")
        return self._found[target]

    def __iter__(self) -> Iterator[Target]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def _rows(self) -> list[tuple[str, str]]:
        def text(own: EstimatedTable | EstimatedMoments) -> str:
            if isinstance(own, EstimatedMoments):
                return f"mean {own.mean:.4g} ± {own.standard_error:.1g}, sd {own.sd:.4g}"
            cells = zip(own.probabilities.reshape(-1), own.standard_errors.reshape(-1), strict=True)
            numbers = [f"{p:.4g} ± {error:.1g}" for p, error in cells]
            states = [" and ".join(cell) for cell in product(*own.states)]
            shown = [f"{state} {number}" for state, number in zip(states, numbers, strict=True)]
            return ", ".join(shown[:ROWS]) + (f" and {len(shown) - ROWS} more" if len(shown) > ROWS else "")

        return [(t if isinstance(t, str) else ", ".join(t), text(own)) for t, own in self._found.items()]

    def _title(self) -> str:
        drawn = f"{self.n} rows of likelihood weighting, effective size {self.effective_size:.4g}"
        title = f"{heading(('each target',), self.evidence, self.do).strip()}, from {drawn}"
        if self.asked_error is None or self.largest_error <= self.asked_error:
            return title
        return (
            f"{title}; the largest standard error is {self.largest_error:.2g}, not the {self.asked_error:g} asked for: "
            f"draw more rows with n="
        )

    def _repr_html_(self) -> str:
        return table(("target", "estimate"), self._rows(), self._title())

    def __repr__(self) -> str:
        left = f"\n... and {len(self) - ROWS} more" if len(self) > ROWS else ""
        return self._title() + "\n" + aligned(self._rows()[:ROWS]) + left


def estimate(
    network: Network,
    targets: str | Iterable[Target] | None = None,
    evidence: Mapping[str, str | float] | None = None,
    n: int = 100_000,
    seed: int = 0,
    *,
    do: Mapping[str, str | float] | None = None,
    error: float | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Estimates:
    """The distribution of each target given the evidence, estimated by likelihood weighting.

    `Network.estimate` is this function, and says more.
    """
    n, seed, jobs = DRAWN("n", n), SEED("seed", seed), JOBS("jobs", jobs)
    least = Optional(ERROR)("error", error)
    PROGRESS("progress", progress)
    asked = Asked.of_evidence(network.names, network.states, evidence, do)
    if asked.done:
        network = intervene(network, dict(asked.done))
    wanted = _targets(network, targets, asked)
    work = _Weighting(network, wanted, asked, seed, least)
    while work.sums.rows < n:
        work.sums.add(min(work.wave, n - work.sums.rows), jobs)
        if progress is not None:
            progress("estimate", work.sums.rows, n, {})
        if least is not None and work.sums.total > 0 and work.estimates().largest_error <= least:
            break
    if work.sums.total == 0:
        given = ", ".join(f"{v} = {x}" for v, x in asked.given)
        raise InputError(
            f"evidence: {given} had probability zero in all {work.sums.rows} rows: it is impossible, or too "
            f"improbable for n={n}: raise n"
        )
    return work.estimates()


def _targets(network: Network, targets: str | Iterable[Target] | None, asked: Asked) -> list[Target]:
    given = [v for v, _ in (*asked.given, *asked.done)]
    if targets is None:
        targets = [v for v in network.names if v not in given]
    several: Iterable[Target] = [targets] if isinstance(targets, str) else targets
    wanted: list[Target] = [t if isinstance(t, str) else tuple(t) for t in several]
    for target in wanted:
        names = (target,) if isinstance(target, str) else target
        Asked.of(network.names, network.states, names, dict(asked.given), dict(asked.done))
        continuous = [v for v in names if v not in network.states]
        if continuous and not isinstance(target, str):
            raise InputError(
                f"targets: {target} has the continuous variable {continuous[0]!r}; a joint distribution is estimated "
                f"only for discrete variables: name {continuous[0]!r} alone"
            )
        if prod(len(network.states[v]) for v in names if v in network.states) > MOST_CELLS:
            raise InputError(f"targets: the table of {target} would have more than {MOST_CELLS} cells: ask for fewer")
    if len(set(wanted)) < len(wanted):
        raise InputError(f"targets: give each target only once, not {wanted}")
    return wanted


class _Weighting:
    """The rows drawn so far: of the targets, the evidence and their ancestors, since nothing else matters."""

    def __init__(self, network: Network, targets: list[Target], asked: Asked, seed: int, error: float | None) -> None:
        self.network, self.asked, self.error = network, asked, error
        self.tables = [t for t in targets if not isinstance(t, str) or t in network.states]
        self.values = [t for t in targets if isinstance(t, str) and t not in network.states]
        self.targets = targets
        scopes = [(t,) if isinstance(t, str) else t for t in self.tables]
        named = {*self.values, *(v for scope in scopes for v in scope), *asked.codes, *asked.values}
        relevant = {*named, *network.dag.ancestors(tuple(named))}
        names = [v for v in network.names if v in relevant]
        at = {v: i for i, v in enumerate(names)}
        self.shapes = [tuple(len(network.states[v]) for v in scope) for scope in scopes]
        _refuse_certain(network, asked)
        known = {**asked.codes, **asked.values}
        self.sums = _core.LikelihoodWeighting(
            [[at[p] for p in network.cpds[v].parents] for v in names],
            [len(network.states.get(v, ())) for v in names],
            [_parameters(network, v) for v in names],
            [at[v] for v in network.dag.topological_order() if v in at],
            [i for i, v in enumerate(network.names) if v in at],
            [float(known[v]) if v in known else None for v in names],
            [[at[v] for v in scope] for scope in scopes],
            [at[v] for v in self.values],
            seed,
        )
        cells = sum(prod(shape) for shape in self.shapes)
        blocks = min(MOST_BLOCKS, MOST_VALUES // (BLOCK * max(len(names), 1)), MOST_CELLS // max(cells, 1))
        self.wave = BLOCK * max(blocks, 1)

    def estimates(self) -> Estimates:
        """With p = sum w f / sum w, the variance of p is sum w^2 (f - p)^2 / (sum w)^2 (Owen 2013, section 9.2)."""
        sums, found = self.sums, dict[Target, EstimatedTable | EstimatedMoments]()
        first, second = sums.cells / sums.total, sums.cell_squares
        variance = (second * (1 - first) ** 2 + (sums.squares - second) * first**2) / sums.total**2
        errors = np.maximum(np.sqrt(np.maximum(variance, 0.0)), self._rare_errors(first))
        ends = np.cumsum([prod(shape) for shape in self.shapes])[:-1]
        parts = zip(self.tables, self.shapes, np.split(first, ends), np.split(errors, ends), strict=False)
        for target, shape, p, error in parts:
            scope = (target,) if isinstance(target, str) else target
            states = tuple(self.network.states[v] for v in scope)
            found[target] = EstimatedTable(scope, states, _frozen(p, shape), _frozen(error, shape))
        for target, (mean, spread, squares) in zip(self.values, sums.moments, strict=True):
            found[target] = EstimatedMoments(mean, sqrt(spread / sums.total), sqrt(squares) / sums.total)
        return Estimates({t: found[t] for t in self.targets}, self.asked.given, self.asked.done, sums, self.error)

    def _rare_errors(self, p: Floats) -> Floats:
        """The binomial standard error with one more effective row in the cell and one outside; 0 where there are many.

        A rare cell may have had rows of little weight alone so far, and the few that decide are still to come.
        """
        size = self.sums.total**2 / self.sums.squares
        smoothed = (p * size + 1) / (size + 2)
        is_rare = np.minimum(p, 1 - p) * size < FEW_ROWS
        return np.where(is_rare, np.sqrt(smoothed * (1 - smoothed) / (size + 2)), 0.0)


def _parameters(network: Network, variable: str) -> Floats:
    cpd = network.cpds[variable]
    return cpd.probabilities.reshape(-1) if isinstance(cpd, Table) else ConditionalGaussian.of(cpd).rows.reshape(-1)


def _refuse_certain(network: Network, asked: Asked) -> None:
    """A value that is certain has no density that a row could be weighted by."""
    for v in asked.values:
        if network.conditional_gaussian(v).sds.min(initial=inf) <= 0:
            raise InputError(
                f"evidence: {v!r} has a standard deviation of 0, and rows cannot be weighted by its density: leave it "
                f"out, or use Network.query"
            )


def _frozen(values: Floats, shape: tuple[int, ...]) -> Floats:
    array = values.reshape(shape)
    array.flags.writeable = False
    return array
