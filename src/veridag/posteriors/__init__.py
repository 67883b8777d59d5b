"""The posterior over structures: probabilities of arcs, ancestors and other features, and networks that sum them up.

What learns one network does not belong here.
"""

from .draws import Draws
from .exact import ExactCost, Posterior, posterior_cost
from .posterior import posterior
from .sample_size import choose_ess
from .sampled import sample_posterior
from .summaries import ArcProbabilities, ArcProbability

__all__ = [
    "ArcProbabilities",
    "ArcProbability",
    "Draws",
    "ExactCost",
    "Posterior",
    "choose_ess",
    "posterior",
    "posterior_cost",
    "sample_posterior",
]
