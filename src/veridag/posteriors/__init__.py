"""The posterior over structures: probabilities of arcs, ancestors and other features, and networks that sum them up.

What learns one network does not belong here.
"""

from .averages import AveragedMixture, AveragedTable, NetworkAverage
from .cost import ExactCost, posterior_cost
from .draws import Draws
from .exact import Posterior
from .joining import join_draws
from .posterior import posterior
from .sample_size import choose_ess
from .sampled import sample_posterior
from .summaries import ArcProbabilities, ArcProbability

__all__ = [
    "ArcProbabilities",
    "ArcProbability",
    "AveragedMixture",
    "AveragedTable",
    "Draws",
    "ExactCost",
    "NetworkAverage",
    "Posterior",
    "choose_ess",
    "join_draws",
    "posterior",
    "posterior_cost",
    "sample_posterior",
]
