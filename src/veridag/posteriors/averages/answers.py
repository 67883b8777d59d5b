"""What an averaged query gives: the answers of a network, with Monte Carlo standard errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from veridag.network.query import JointMixture, JointTable

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class AveragedTable(JointTable):
    """A joint distribution of discrete variables, averaged over networks.

    `errors` has the Monte Carlo standard error of each of the `probabilities`, and `networks` says from how many draws
    they come. `marginal` gives a `JointTable`, without errors.
    """

    errors: Floats = field(kw_only=True)
    networks: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.errors.flags.writeable = False

    def __repr__(self) -> str:
        return super().__repr__() + _note(self.networks, self.errors)


@dataclass(frozen=True, eq=False, repr=False)
class AveragedMixture(JointMixture):
    """A joint distribution with continuous variables, averaged over networks; `mean` and `sd` are those of the average.

    `errors` has the Monte Carlo standard error of each of the `probabilities`, and `mean_errors` that of each
    `mean`. `networks` says from how many draws they come. `marginal` gives a distribution without errors.
    """

    errors: Floats = field(kw_only=True)
    mean_errors: Floats = field(kw_only=True)
    networks: int = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.errors.flags.writeable = False
        self.mean_errors.flags.writeable = False

    def __repr__(self) -> str:
        means = ", ".join(f"{v} {error:.2g}" for v, error in zip(self.continuous, self.mean_errors, strict=True))
        probabilities = _note(self.networks, self.errors) if self.discrete else f"\naverage of {self.networks} networks"
        return super().__repr__() + probabilities + f"; Monte Carlo standard errors of the means: {means}"


def _note(networks: int, errors: Floats) -> str:
    return f"\naverage of {networks} networks; Monte Carlo standard errors of at most {errors.max(initial=0.0):.2g}"
