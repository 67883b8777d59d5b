"""What an averaged query gives: the answers of a network, with Monte Carlo standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.display import paragraph
from veridag.network.query import JointMixture, JointTable

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedTable(JointTable):
    """A joint distribution of discrete variables, averaged over networks.

    `marginal` returns a `JointTable`, without errors.

    Attributes:
        names: The variables.
        states: The states of each.
        probabilities: ``probabilities[i, j, ...]``, with an axis for each variable.
        evidence: The evidence of the query.
        do: The interventions of the query.
        errors: The Monte Carlo standard error of each probability.
        networks: The number of draws they come from.

    See also:
        `NetworkAverage`, `JointTable`
    """

    errors: Floats = field(kw_only=True)
    networks: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.errors.flags.writeable = False

    def to_pandas(self) -> pd.DataFrame:
        """A row for every combination of states, with its ``probability`` and the ``error`` of that."""
        return super().to_pandas().assign(error=self.errors.reshape(-1))

    def _note(self) -> str:
        return _of_probabilities(self.networks, self.errors)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + paragraph(self._note())

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self._note()}"


@dataclass(frozen=True, eq=False, repr=False)
class AveragedMixture(JointMixture):
    """A joint distribution with continuous variables, averaged over networks.

    `mean` and `sd` are those of the average. `marginal` returns a distribution without errors.

    Attributes:
        discrete: The discrete variables.
        continuous: The continuous variables.
        states: The states of each discrete variable.
        probabilities: The table of the discrete variables, with an axis for each.
        means: The mean vectors of the continuous variables in each cell of that table.
        covariances: The covariance matrices, in the same form.
        evidence: The evidence of the query.
        do: The interventions of the query.
        errors: The Monte Carlo standard error of each probability.
        mean_errors: The Monte Carlo standard error of each mean.
        networks: The number of draws they come from.

    See also:
        `NetworkAverage`, `JointMixture`
    """

    errors: Floats = field(kw_only=True)
    mean_errors: Floats = field(kw_only=True)
    networks: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.errors.flags.writeable = False
        self.mean_errors.flags.writeable = False

    def _note(self) -> str:
        means = ", ".join(f"{v} {error:.2g}" for v, error in zip(self.continuous, self.mean_errors, strict=True))
        whole = (
            _of_probabilities(self.networks, self.errors) if self.discrete else f"average of {self.networks} networks"
        )
        return f"{whole}; Monte Carlo standard errors of the means: {means}"

    def _repr_html_(self) -> str:
        return super()._repr_html_() + paragraph(self._note())

    def __repr__(self) -> str:
        return f"{super().__repr__()}\n{self._note()}"


def _of_probabilities(networks: int, errors: Floats) -> str:
    return f"average of {networks} networks; Monte Carlo standard errors of at most {errors.max(initial=0.0):.2g}"
