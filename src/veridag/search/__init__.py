"""Learning algorithms, one a file: each takes any score and prior, or any test, that fits the data."""

from .base import Algorithm
from .ges import GES
from .greedy import HillClimbing, Tabu
from .order_annealing import OrderAnnealing
from .space_penalty import SearchSpacePenalty

__all__ = ["GES", "Algorithm", "HillClimbing", "OrderAnnealing", "SearchSpacePenalty", "Tabu"]
