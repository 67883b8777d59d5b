"""Data and networks to try learners on: random DAGs, random parameters, related data sets, experiments, missing values.

Nothing here learns anything.
"""

from .chain_dag import chain_dag
from .experiments import experiments
from .gaps import remove_values
from .networks import random_gaussian_network, random_mixed_network, random_network
from .random_dag import random_dag
from .related_data import RelatedSample, related
from .uniform_dag import uniform_dag

__all__ = [
    "RelatedSample",
    "chain_dag",
    "experiments",
    "random_dag",
    "random_gaussian_network",
    "random_mixed_network",
    "random_network",
    "related",
    "remove_values",
    "uniform_dag",
]
