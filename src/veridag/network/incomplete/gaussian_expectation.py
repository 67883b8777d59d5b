"""The E-step of a Gaussian network: expected squares and products, all rows at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import Floats

from .expectation import Statistics, complete_statistics
from .gaussian import GaussianGaps, Sets
from .parts import Positions


class _Pair(NamedTuple):
    """Where the covariances of two members of a family lie in those of the sets, and the weights of their rows."""

    at: tuple[int, int]
    sets: int
    entries: Positions
    weights: Floats


class GaussianExpectation:
    """E-steps with any parameters of one Gaussian structure; see `Expectation`, which does the same for mixed ones."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.gaps = rows, GaussianGaps(rows)
        self.complete = complete_statistics(rows)
        self._members = {x: [rows.at[u] for u in (*cpd.continuous, x)] for x, cpd in rows.regressions.items()}
        self._which = {x: np.flatnonzero(~self.gaps.barren[:, rows.at[x]]) for x in self._members}
        self._pairs: dict[str, list[_Pair]] = {x: [] for x in self._members}
        for number, sets in enumerate(self.gaps.sets):
            self._find_pairs(number, sets)

    def _find_pairs(self, number: int, sets: Sets) -> None:
        n, k = sets.variables.shape
        place = np.full((len(self.rows.network.names), n), -1)
        place[sets.variables, np.arange(n)[:, None]] = np.arange(k)
        there = [np.flatnonzero(own >= 0) for own in place]
        for x, members in self._members.items():
            counts = ~self.gaps.barren[sets.rows, self.rows.at[x]]
            for i, u in enumerate(members):
                near = there[u][counts[there[u]]]
                for j, v in enumerate(members[: i + 1]):
                    both = near[place[v, near] >= 0]
                    if both.size:
                        entries = both * k * k + place[u, both] * k + place[v, both]
                        self._pairs[x].append(
                            _Pair((i + 1, j + 1), number, entries, self.rows.weights[sets.rows[both]])
                        )

    def __call__(self, network: Network) -> tuple[Statistics, float]:
        """The statistics under the parameters of a network, and the log-likelihood of what was observed."""
        completed = self.gaps.complete(network)
        covariances = [(own.root @ np.swapaxes(own.root, 1, 2)).reshape(-1) for own in completed.solved]
        moments = {}
        for x, members in self._members.items():
            which = self._which[x]
            z = np.column_stack([np.ones(len(which)), completed.values[which[:, None], members]])
            square = (z * self.rows.weights[which, None]).T @ z
            for (i, j), number, entries, weights in self._pairs[x]:
                amount = covariances[number][entries] @ weights
                square[i, j] += amount
                if i != j:
                    square[j, i] += amount
            moments[x] = square[None]
        return Statistics({}, moments), float(self.rows.weights @ completed.log_probability)
