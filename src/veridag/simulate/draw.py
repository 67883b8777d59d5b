"""Random numbers: the generator of a seed, indices drawn by their weights, and distributions."""

from __future__ import annotations

import numpy as np

from veridag.checks import SEED
from veridag.counts import Floats

Random = np.random.Generator


def generator(seed: int) -> Random:
    """The same generator for the same seed, on every machine."""
    return np.random.Generator(np.random.PCG64(SEED("seed", seed)))


def draw_index(cumulated: Floats, random: Random) -> int:
    """An index, with probability in proportion to its weight; the weights are given cumulated."""
    return int(np.searchsorted(cumulated, random.random() * cumulated[-1], side="right"))


def draw_log_index(log_weights: Floats, random: Random) -> int:
    """An index, with probability in proportion to the weight whose logarithm is given."""
    return draw_index(np.cumsum(np.exp(log_weights - log_weights.max())), random)


def dirichlet(alpha: Floats, random: Random) -> Floats:
    """A draw without zeros, however small alpha is: U^(1 / alpha) times a gamma variable of shape alpha + 1."""
    logs = np.log(random.gamma(alpha + 1.0)) + np.log1p(-random.random(alpha.shape)) / alpha
    weight = np.exp(np.maximum(logs - logs.max(), -600.0))
    return np.asarray(weight / weight.sum())
