"""What a query gives: a table of probabilities, or a mean and a covariance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.display import ROWS, aligned, table
from veridag.errors import InputError, import_optional, suggest

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class JointTable:
    """The joint distribution of discrete variables: ``probabilities[i, j, ...]`` has an axis for each of `names`.

    ``table["yes", "no"]`` is the probability of these states, in the order of the names.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: Floats
    evidence: tuple[tuple[str, str], ...] = ()

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
        return JointTable(wanted, tuple(self.states[i] for i in axes), table.copy(), self.evidence)

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
        return table((*self.names, "probability"), rows, _heading(self.names, self.evidence).strip())

    def __repr__(self) -> str:
        cells = [(*states, f"{p:.6g}") for states, p in list(self.to_dict().items())[:ROWS]]
        size = self.probabilities.size
        more = f"\n... and {size - ROWS} more" if size > ROWS else ""
        return _heading(self.names, self.evidence) + aligned([(*self.names, "probability"), *cells]) + more


@dataclass(frozen=True, eq=False, repr=False)
class JointGaussian:
    """The joint normal distribution of variables: `mean` and `covariance`, in the order of `names`."""

    names: tuple[str, ...]
    mean: Floats
    covariance: Floats
    evidence: tuple[tuple[str, float], ...] = ()

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
        return JointGaussian(wanted, self.mean[at], self.covariance[np.ix_(at, at)], self.evidence)

    def to_pandas(self) -> pd.DataFrame:
        """A row for every variable, with its ``mean`` and ``sd``."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame({"mean": self.mean, "sd": self.sd}, index=pd.Index(self.names, name="variable"))

    def _repr_html_(self) -> str:
        rows = [(v, f"{m:.6g}", f"{s:.6g}") for v, m, s in zip(self.names, self.mean, self.sd, strict=True)]
        return table(("variable", "mean", "sd"), rows, _heading(self.names, self.evidence).strip())

    def __repr__(self) -> str:
        rows = list(zip(self.names, self.mean, self.sd, strict=True))[:ROWS]
        cells = [(name, f"{m:.6g}", f"{s:.6g}") for name, m, s in rows]
        more = f"\n... and {len(self.names) - ROWS} more" if len(self.names) > ROWS else ""
        return _heading(self.names, self.evidence) + aligned([("variable", "mean", "sd"), *cells]) + more


def _among(names: str | Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    wanted = (names,) if isinstance(names, str) else tuple(names)
    for name in wanted:
        if name not in known:
            raise InputError(f"names: {name!r} is not part of the answer: {suggest(name, known)}")
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError(f"names: give one or more variables, each once, not {wanted}")
    return wanted


def _heading(names: tuple[str, ...], evidence: tuple[tuple[str, object], ...]) -> str:
    given = ", ".join(f"{v} = {x}" for v, x in evidence)
    shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
    return f"P({shown}{' | ' + given if given else ''})\n"
