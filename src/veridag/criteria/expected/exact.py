"""The score of expected counts, or of expected moments: no draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, cast

import numpy as np

from veridag import _core
from veridag.counts import FamilyCounts, Floats, check_variables
from veridag.criteria.scores import AIC, BIC, K2, PNAL, BDeu, BDJeffreys, BGe, DegenerateGaussian, LogLik
from veridag.criteria.scores.base import Score
from veridag.criteria.scores.dirichlet import UniformDirichlet
from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.errors import InputError
from veridag.network import Network
from veridag.network.matching import Rows
from veridag.network.query import JunctionTree

from .draws import draw_states, impossible_row
from .matching import matched
from .moments import data_with_moments, expected_moments

#: A set of missing values that depend on each other is enumerated if it has at most so many completions.
LIMIT = 256

#: How many completions are drawn in its place if it has more.
DRAWS = 64

#: Entries of the table of posterior probabilities that the readable formula makes at a time.
BLOCK = 1 << 22

#: The scores with a formula of expected counts, and of expected moments. Subclasses may have another formula.
OF_COUNTS = (LogLik, AIC, BIC, PNAL, BDeu, K2, BDJeffreys)
OF_MOMENTS = (LogLik, AIC, BIC, PNAL, BGe, DegenerateGaussian)


def is_exact(score: Score, data: Data) -> bool:
    """Whether a score has a formula of expected counts or of expected moments on this data."""
    if data.kind == "discrete":
        return type(score) in OF_COUNTS
    return data.kind == "continuous" and type(score) in OF_MOMENTS and data.n > len(data.names)


class ExpectedFamilyCounts(FamilyCounts):
    """Counts of a family that need not be integers; their sum is."""

    @cached_property
    def n(self) -> int:
        """The number of observations."""
        return round(float(self.n_ijk.sum()))


@dataclass(frozen=True, eq=False)
class ExpectedScore(Score):
    """A score of expected counts: n_ijk = sum over rows of P(x_ik, w_ij | what the row has), under a network.

    With the likelihood, ``sum n_ijk log(n_ijk / n_ij)`` is what EM maximises over the parameters of another structure,
    E[log P(D | G, theta) | observed]; with a penalty it is the expected BIC of structural EM (Friedman 1997). The
    Bayesian Dirichlet scores of expected counts are the approximation of E[log P(D, G) | observed] of Friedman (1998).
    LogLik, AIC, BIC, PNAL, BDeu, K2 and BDJeffreys have such formulas. On continuous data, the expected mean and
    scatter take the place of those of the data, for LogLik, AIC, BIC, PNAL, BGe and DegenerateGaussian. PNAL has the
    penalty of complete data.

    The missing values of a row fall into components, which are independent given what is observed. Each is enumerated;
    one of more than 256 completions is represented by 64 draws, in which case `exact` is false and `note` says so. The
    readable formula, `local`, has no draws.

    A penalised likelihood is less than its mean over completions, `AveragedScore`, the more so the more parents there
    are: there the parameters are fitted to each completion. With the Bayesian scores it is the mean that estimates
    E[log P(D, G) | observed]; that of expected counts is a linear approximation, and too low for families with many
    cells in which little is expected.

    The score is bound to `data`; the data that it is called with must have variables of it, and only names are read.
    """

    score: Score
    network: Network
    data: Data
    seed: int = 0
    jobs: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not is_exact(self.score, self.data):
            raise InputError(
                f"score: {self.score} has no closed form for the expected score of {self.data.kind} data: use draws"
            )
        if self.data.n == 0:
            raise InputError("the data has no rows")
        object.__setattr__(self, "network", matched(self.network, self.data))
        for trait in ("equivalent", "scores_constants", "both_directions"):
            object.__setattr__(self, trait, getattr(self.score, trait))

    @property
    def exact(self) -> bool:
        """Whether nothing was drawn."""
        return self.note is None

    @property
    def note(self) -> str | None:
        """What was drawn, if anything."""
        if self.data.kind != "discrete" or not (number := self._completions(self.data.names).number_beyond_limit):
            return None
        return (
            f"{number:.0f} of {self.data.n} observations have missing values with more than {LIMIT} joint states; "
            f"these were represented by {DRAWS} draws each"
        )

    def check(self, data: Data) -> DataKind:
        """The kind of the data; raises `InputError` if the score cannot be used on it."""
        if self.data.kind == "continuous":
            return self.score.check(self._stand_in.select(data.names))
        return self.data.kind

    def local(self, child: str, parents: Sequence[str], data: Data) -> float:
        """The local score of a family, by the readable formula."""
        if self.data.kind == "continuous":
            return self.score.local(child, parents, self._stand_in.select(data.names))
        return self.score.discrete(self.family_counts(child, parents, data))

    def family_counts(self, child: str, parents: Sequence[str], data: Data) -> FamilyCounts:
        """The expected counts of a family, from a junction tree that has it in a clique."""
        ordered = check_variables(data, child, parents)
        family = (*ordered, child)
        shape = [self.data.arities[v] for v in family]
        tree = JunctionTree(self.network, together=[family])
        rows = Rows(self.network, self.data).states
        weights = np.ones(len(rows)) if self.data.weights is None else self.data.weights.astype(float)
        counts = np.zeros(shape)
        step = max(1, BLOCK // counts.size)
        for start in range(0, len(rows), step):
            (posterior,), _ = tree.posteriors(rows[start : start + step], [family], jobs=self.jobs)
            counts += np.tensordot(weights[start : start + step], posterior, axes=1)
        flat = counts.reshape(-1, shape[-1])
        occur = flat.sum(axis=1) > 0
        configurations = np.argwhere(np.ones(shape[:-1], bool))[occur]
        n_ijk = cast("Any", flat[occur])
        return ExpectedFamilyCounts(child, ordered, n_ijk, configurations, tuple(shape[:-1]), len(data.names))

    def widths(self, data: Data) -> list[int] | None:
        """As those of the score."""
        return self.score.widths(self._stand_in.select(data.names) if self.data.kind == "continuous" else data)

    def compiled(self, data: Data) -> _core.Scorer:
        """The C++ version of the score."""
        if self.data.kind == "continuous":
            return self.score.bind(self._stand_in.select(data.names))
        name, parameters = self._formula()
        return _core.expected_scorer(self._completions(data.names), name, parameters, len(data.names))

    def _formula(self) -> tuple[str, list[float]]:
        """The name of the formula in the C++ core, and its parameters."""
        score = self.score
        if isinstance(score, UniformDirichlet):
            return score.core_formula()
        if isinstance(score, BIC):
            return "bic", [score.gamma]
        if isinstance(score, PNAL):
            return "penalised", [log(self.data.n) / 2 if score.k is None else score.k]
        return ("aic", []) if isinstance(score, AIC) else ("loglik", [])

    def _completions(self, names: Sequence[str]) -> _core.Completions:
        """The possible missing values, with these variables first; cached until others are needed."""
        order = (*names, *(v for v in self.data.names if v not in set(names)))
        kept = self.__dict__.get("_kept")
        if kept is None or kept[0] != order:
            object.__setattr__(self, "_kept", kept := (order, self._complete(order)))
        return cast("_core.Completions", kept[1])

    def _complete(self, order: Sequence[str]) -> _core.Completions:
        data, network = self.data.select(order), self.network
        at = {v: i for i, v in enumerate(order)}
        made = _core.Completions(
            data.core_table_with_missing,
            [*data.arities.values()],
            [[at[p] for p in network.cpds[v].parents] for v in order],
            [_flat(network, v) for v in order],
            float(LIMIT),
        )
        if made.impossible >= 0:
            raise impossible_row(int(data.row_order[made.impossible]))
        beyond = made.beyond_limit()
        if len(beyond):  # the same draws whatever the order of the columns
            ordered = self.data.in_data_order()
            drawer = matched(network, ordered)
            rows = data.row_order[beyond]
            drawn = draw_states(drawer, Rows(drawer, ordered).states[rows], DRAWS, self.seed, self.jobs)
            made.draw(np.ascontiguousarray(drawn[:, [ordered.names.index(v) for v in order]]), DRAWS)
        return made

    @cached_property
    def _stand_in(self) -> Data:
        """Complete data with the expected moments."""
        return data_with_moments(self.data, *expected_moments(self.network, self.data))

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_kept", "_stand_in")}


def _flat(network: Network, variable: str) -> Floats:
    """A table whose rows sum to one; published ones are rounded."""
    p = network.table(variable).probabilities
    return np.ascontiguousarray(p / p.sum(axis=-1, keepdims=True)).reshape(-1)
