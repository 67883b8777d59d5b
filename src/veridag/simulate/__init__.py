"""Data and networks to try learners on: random DAGs, random parameters, related data sets.

Nothing here learns anything.
"""

from .dags import chain_dag, random_dag, uniform_dag
from .networks import random_gaussian_network, random_network
from .related_data import RelatedSample, related

__all__ = [
    "RelatedSample",
    "chain_dag",
    "random_dag",
    "random_gaussian_network",
    "random_network",
    "related",
    "uniform_dag",
]
