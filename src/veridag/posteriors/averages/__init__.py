"""Answers that are averaged over the networks of a posterior: queries, likelihoods and predictions.

How the networks were found does not belong here.
"""

from .answers import AveragedMixture, AveragedTable
from .average import NetworkAverage

__all__ = ["AveragedMixture", "AveragedTable", "NetworkAverage"]
