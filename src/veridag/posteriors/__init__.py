"""The posterior over structures: probabilities of arcs, ancestors and other features, and networks that sum them up.

What learns one network does not belong here.
"""

from .draws import Draws
from .exact import ExactCost, Posterior, posterior_cost
from .posterior import posterior
from .sampled import sample_posterior
from .summaries import ArcProbabilities, ArcProbability

__all__ = [
    "ArcProbabilities",
    "ArcProbability",
    "Draws",
    "ExactCost",
    "Posterior",
    "posterior",
    "posterior_cost",
    "sample_posterior",
]
