"""What a query gives: a table of probabilities, a mean and a covariance, or both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.display import ROWS, aligned, more, table
from veridag.errors import InputError, import_optional, suggest

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


class PredictedValues(NamedTuple):
    """The mean and the standard deviation of a continuous variable, given the other values of each row.

    Attributes:
        mean: The means.
        sd: The standard deviations.

    See also:
        `Network.predict`, `Prediction`
    """

    mean: Floats
    sd: Floats


@dataclass(frozen=True, eq=False, repr=False)
class JointTable:
    """The joint distribution of discrete variables, as `Network.query` returns it.

    ``table["yes", "no"]`` is the probability of these states, in the order of the names.

    Attributes:
        names: The variables.
        states: The states of each.
        probabilities: ``probabilities[i, j, ...]``, with an axis for each variable.
        evidence: The evidence of the query.
        do: The interventions of the query.

    See also:
        `Network.query`, docs/inference.md
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: Floats
    evidence: tuple[tuple[str, str | float], ...] = ()
    do: tuple[tuple[str, str | float], ...] = ()

    def __post_init__(self) -> None:
        self.probabilities.flags.writeable = False

    def __getitem__(self, states: str | tuple[str, ...]) -> float:
        chosen = (states,) if isinstance(states, str) else tuple(states)
        if len(chosen) != len(self.names):
            raise InputError(f"states: {chosen} has {len(chosen)} states for the {len(self.names)} of {self.names}")
        for name, known, state in zip(self.names, self.states, chosen, strict=True):
            if state not in known:
                raise InputError(f"states: {name!r} has no state {state!r}: {suggest(str(state), known)}")
        where = tuple(known.index(state) for known, state in zip(self.states, chosen, strict=True))
        return float(self.probabilities[where])

    def marginal(self, names: str | Iterable[str]) -> JointTable:
        """The distribution of some of the variables, in the order given."""
        wanted = _among(names, self.names)
        axes = [self.names.index(v) for v in wanted]
        others = tuple(i for i in range(len(self.names)) if i not in axes)
        left = np.argsort(np.argsort(axes))
        table = np.transpose(self.probabilities.sum(axis=others), left)
        return JointTable(wanted, tuple(self.states[i] for i in axes), table.copy(), self.evidence, self.do)

    def to_dict(self) -> dict[tuple[str, ...], float]:
        """The probability of every combination of states."""
        return dict(zip(product(*self.states), self.probabilities.reshape(-1).tolist(), strict=True))

    def to_pandas(self) -> pd.DataFrame:
        """A row for every combination of states, with its ``probability``."""
        pd = import_optional("pandas", "to_pandas")
        frame = pd.DataFrame(list(product(*self.states)), columns=list(self.names))
        return frame.assign(probability=self.probabilities.reshape(-1))

    def _repr_html_(self) -> str:
        rows = [(*states, f"{p:.6g}") for states, p in self.to_dict().items()]
        return table((*self.names, "probability"), rows, heading(self.names, self.evidence, self.do).strip())

    def __repr__(self) -> str:
        cells = [(*states, f"{p:.6g}") for states, p in list(self.to_dict().items())[:ROWS]]
        size = self.probabilities.size
        left = f"\n... and {size - ROWS} more" if size > ROWS else ""
        return heading(self.names, self.evidence, self.do) + aligned([(*self.names, "probability"), *cells]) + left


@dataclass(frozen=True, eq=False, repr=False)
class JointGaussian:
    """The joint normal distribution of variables, as `Network.query` returns it.

    Attributes:
        names: The variables.
        mean: Their means.
        covariance: Their covariance matrix.
        evidence: The evidence of the query.
        do: The interventions of the query.

    See also:
        `Network.query`, docs/inference.md
    """

    names: tuple[str, ...]
    mean: Floats
    covariance: Floats
    evidence: tuple[tuple[str, float], ...] = ()
    do: tuple[tuple[str, str | float], ...] = ()

    def __post_init__(self) -> None:
        self.mean.flags.writeable = False
        self.covariance.flags.writeable = False

    @property
    def sd(self) -> Floats:
        """The standard deviation of each variable."""
        return np.sqrt(self.covariance.diagonal())

    def marginal(self, names: str | Iterable[str]) -> JointGaussian:
        """The distribution of some of the variables, in the order given."""
        wanted = _among(names, self.names)
        at = [self.names.index(v) for v in wanted]
        return JointGaussian(wanted, self.mean[at], self.covariance[np.ix_(at, at)], self.evidence, self.do)

    def to_pandas(self) -> pd.DataFrame:
        """A row for every variable, with its ``mean`` and ``sd``."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame({"mean": self.mean, "sd": self.sd}, index=pd.Index(self.names, name="variable"))

    def _repr_html_(self) -> str:
        rows = [(v, f"{m:.6g}", f"{s:.6g}") for v, m, s in zip(self.names, self.mean, self.sd, strict=True)]
        return table(("variable", "mean", "sd"), rows, heading(self.names, self.evidence, self.do).strip())

    def __repr__(self) -> str:
        rows = list(zip(self.names, self.mean, self.sd, strict=True))[:ROWS]
        cells = [(name, f"{m:.6g}", f"{s:.6g}") for name, m, s in rows]
        left = f"\n... and {len(self.names) - ROWS} more" if len(self.names) > ROWS else ""
        return heading(self.names, self.evidence, self.do) + aligned([("variable", "mean", "sd"), *cells]) + left


@dataclass(frozen=True, eq=False, repr=False)
class JointMixture:
    """The joint distribution of variables of a mixed network: a mixture of normal distributions, with its moments.

    The moments are exact, but within a cell of the discrete variables the distribution need not be normal. `mean`,
    `covariance` and `sd` are those over all cells.

    Attributes:
        discrete: The discrete variables.
        continuous: The continuous variables.
        states: The states of each discrete variable.
        probabilities: The table of the discrete variables, with an axis for each.
        means: ``means[i, j, ...]`` is the mean vector of the continuous variables in a cell of that table; not a number
            if its probability is zero.
        covariances: The covariance matrices, in the same form.
        evidence: The evidence of the query.
        do: The interventions of the query.

    See also:
        `Network.query`, docs/mixed.md
    """

    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: Floats
    means: Floats
    covariances: Floats
    evidence: tuple[tuple[str, str | float], ...] = ()
    do: tuple[tuple[str, str | float], ...] = ()

    def __post_init__(self) -> None:
        for array in (self.probabilities, self.means, self.covariances):
            array.flags.writeable = False

    @property
    def names(self) -> tuple[str, ...]:
        """The discrete variables, then the continuous ones."""
        return (*self.discrete, *self.continuous)

    @property
    def mean(self) -> Floats:
        """The mean of each continuous variable."""
        return self._merged(())[1]

    @property
    def covariance(self) -> Floats:
        """The covariance matrix of the continuous variables: that within the cells, and that of their means."""
        return self._merged(())[2]

    @property
    def sd(self) -> Floats:
        """The standard deviation of each continuous variable."""
        return np.sqrt(self.covariance.diagonal())

    def marginal(self, names: str | Iterable[str]) -> JointMixture | JointTable:
        """The distribution of some of the variables, in the order given; a table if all of them are discrete."""
        wanted = _among(names, self.names)
        discrete = tuple(v for v in wanted if v in self.discrete)
        if discrete == wanted:
            return self.table.marginal(wanted)
        continuous = tuple(v for v in wanted if v not in self.discrete)
        at = [self.continuous.index(v) for v in continuous]
        states = tuple(self.states[self.discrete.index(v)] for v in discrete)
        probabilities, means, covariances = self._merged(discrete)
        chosen = means[..., at], covariances[..., at, :][..., at]
        return JointMixture(discrete, continuous, states, probabilities, *chosen, self.evidence, self.do)

    def _merged(self, kept: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Probability, mean and covariance of the cells of some discrete variables."""
        axes = [self.discrete.index(v) for v in kept]
        shape, k = [len(self.states[i]) for i in axes], len(self.continuous)
        p = np.moveaxis(self.probabilities, axes, range(len(axes))).reshape(prod(shape), -1)
        m = np.moveaxis(self.means, axes, range(len(axes))).reshape(*p.shape, k)
        s = np.moveaxis(self.covariances, axes, range(len(axes))).reshape(*p.shape, k, k)
        there = p > 0  # other cells have no moments
        m, s = np.where(there[..., None], m, 0.0), np.where(there[..., None, None], s, 0.0)
        total = p.sum(axis=1)
        with np.errstate(invalid="ignore"):
            weights = p / total[:, None]
        mean = np.einsum("ab,abi->ai", weights, m)
        apart = m - mean[:, None]
        covariance = np.einsum("ab,abij->aij", weights, s) + np.einsum("ab,abi,abj->aij", weights, apart, apart)
        return total.reshape(shape), mean.reshape(*shape, k), covariance.reshape(*shape, k, k)

    @property
    def table(self) -> JointTable:
        """The distribution of the discrete variables."""
        if not self.discrete:
            raise InputError(
                "the targets have no discrete variables, so there is no table: ask for a discrete variable"
            )
        return JointTable(self.discrete, self.states, self.probabilities.copy(), self.evidence, self.do)

    def to_pandas(self) -> pd.DataFrame:
        """A row for every cell and continuous variable, with the ``probability`` of the cell, ``mean`` and ``sd``."""
        pd = import_optional("pandas", "to_pandas")
        cells = list(product(*self.states))
        p, k = self.probabilities.reshape(-1), len(self.continuous)
        frame = pd.DataFrame([cell for cell in cells for _ in range(k)], columns=list(self.discrete))
        frame = frame if self.discrete else pd.DataFrame(index=range(k))
        sds = np.sqrt(np.diagonal(self.covariances, axis1=-2, axis2=-1)).reshape(-1)
        columns = {"variable": list(self.continuous) * len(cells), "probability": np.repeat(p, k)}
        return frame.assign(**columns, mean=self.means.reshape(-1), sd=sds)

    def _head(self) -> tuple[str, ...]:
        each = [f"{what} of {v}" for v in self.continuous for what in ("mean", "sd")]
        return (*self.discrete, *(("probability",) if self.discrete else ()), *each)

    def _rows(self) -> tuple[list[tuple[str, ...]], int]:
        """The first rows, and how many there are: with discrete variables one for all cells, then the cells."""
        k, size = len(self.continuous), self.probabilities.size
        means = self.means.reshape(-1, k)[:ROWS].tolist()
        sds = np.sqrt(np.diagonal(self.covariances, axis1=-2, axis2=-1)).reshape(-1, k)[:ROWS].tolist()
        rows = [_numbers(m, s) for m, s in zip(means, sds, strict=True)]
        if not self.discrete:
            return rows, size
        cells = zip(product(*self.states), self.probabilities.reshape(-1)[:ROWS].tolist(), rows, strict=False)
        total = ("all", *("" for _ in self.discrete[1:]), "1", *_numbers(self.mean, self.sd))
        return [total, *((*states, f"{p:.6g}", *row) for states, p, row in cells)][:ROWS], size + 1

    def _repr_html_(self) -> str:
        rows, number = self._rows()
        return table(self._head(), rows, heading(self.names, self.evidence, self.do).strip()) + more(number)

    def __repr__(self) -> str:
        rows, number = self._rows()
        left = f"\n... and {number - ROWS} more" if number > ROWS else ""
        return heading(self.names, self.evidence, self.do) + aligned([self._head(), *rows]) + left


def _numbers(means: Iterable[float], sds: Iterable[float]) -> tuple[str, ...]:
    return tuple(f"{x:.6g}" for pair in zip(means, sds, strict=True) for x in pair)


def _among(names: str | Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in known:
            raise InputError(f"names: {name!r} is not part of the answer: {suggest(name, known)}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(f"names: give one or more variables, each once, not {wanted}")
    return wanted


def heading(
    names: tuple[str, ...], evidence: tuple[tuple[str, object], ...], do: tuple[tuple[str, object], ...] = ()
) -> str:
    """What is shown, as P(names | evidence), on a line of its own."""
    given = ", ".join([*(f"do({v} = {x})" for v, x in do), *(f"{v} = {x}" for v, x in evidence)])
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return f"P({shown}{' | ' + given if given else ''})\n"
