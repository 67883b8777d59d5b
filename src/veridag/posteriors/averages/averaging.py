"""What the exact and the sampled posterior have in common: answers averaged over their networks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.network.query import PredictedValues
from veridag.progress import Progress

from .answers import AveragedMixture, AveragedTable

if TYPE_CHECKING:
    from .average import NetworkAverage

Floats = NDArray[np.float64]


class Averaging(ABC):
    """A posterior that answers queries as the average of its networks does.

    All methods take the same arguments as `average`, which says what they mean, and call the one of the same name of
    `NetworkAverage`.
    """

    @abstractmethod
    def average(
        self,
        networks: int | None = None,
        *,
        group: str | None = None,
        seed: int = 0,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> NetworkAverage:
        """Networks with parameters, drawn from the posterior."""

    def query(
        self,
        targets: str | Iterable[str],
        evidence: Mapping[str, str | float] | None = None,
        *,
        networks: int | None = None,
        group: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> AveragedTable | AveragedMixture:
        """P(targets | evidence, data), averaged over networks, with Monte Carlo standard errors.

        It takes the targets and the evidence of `Network.query`. A network counts by P(G | data) P(evidence | G, data).
        """
        found = self.average(networks, group=group, seed=seed, progress=progress)
        return found.query(targets, evidence, progress=progress)

    @overload
    def log_likelihood(
        self,
        data: Data,
        *,
        networks: int | None = None,
        group: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> float: ...
    @overload
    def log_likelihood(
        self,
        data: Data,
        *,
        by_row: bool,
        networks: int | None = None,
        group: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> float | Floats: ...
    def log_likelihood(
        self,
        data: Data,
        *,
        by_row: bool = False,
        networks: int | None = None,
        group: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> float | Floats:
        """The sum over new rows of log P(row | data), or that of each row: the logarithm of the mean over networks."""
        found = self.average(networks, group=group, seed=seed, progress=progress)
        return found.log_likelihood(data, by_row=by_row, progress=progress)

    def predict(
        self,
        data: Data,
        target: str,
        given: Iterable[str] | None = None,
        *,
        networks: int | None = None,
        group: str | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Floats | PredictedValues:
        """The distribution of a variable in each row of new data, given what else the row has.

        An array of probabilities, [row, state], or for a continuous target its means and standard deviations.
        """
        found = self.average(networks, group=group, seed=seed, progress=progress)
        return found.predict(data, target, given, progress=progress)

    def _kept(self) -> dict[Any, Any]:
        """What was made once and is used again: averages and draws, by their arguments."""
        kept: dict[Any, Any] = self.__dict__.setdefault("_cache", {})
        return kept

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_cache"}
