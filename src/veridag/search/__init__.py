"""Learning algorithms, one a file: each takes any score and prior, or any test, that fits the data."""

from .base import Algorithm
from .greedy import HillClimbing, Tabu
from .space_penalty import SearchSpacePenalty

__all__ = ["Algorithm", "HillClimbing", "SearchSpacePenalty", "Tabu"]
