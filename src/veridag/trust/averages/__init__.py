"""Algorithms whose network sums up many: those of bootstrap samples, or draws from the posterior.

They are learners like those in `veridag.search`. A measure of how sure single arcs are does not belong here.
"""

from veridag.search import Algorithm

from .average import Average
from .averaged import Averaged
from .imputed import Imputed
from .model_average import ModelAverage
from .posterior_median import PosteriorMedian

__all__ = ["Averaged", "Imputed", "ModelAverage", "PosteriorMedian", "is_average"]


def is_average(learner: Algorithm) -> bool:
    """Whether the learner sums up many networks."""
    return isinstance(learner, Average)
