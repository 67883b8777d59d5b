"""Data and networks to try learners on: random DAGs, random parameters, related data sets.

Nothing here learns anything.
"""

from .chain import chain_dag
from .independent_arcs import random_dag
from .networks import random_gaussian_network, random_network
from .related_data import RelatedSample, related
from .uniform import uniform_dag

__all__ = [
    "RelatedSample",
    "chain_dag",
    "random_dag",
    "random_gaussian_network",
    "random_network",
    "related",
    "uniform_dag",
]
