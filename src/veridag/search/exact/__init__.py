"""Exact search over score tables, which proves that the network is the best, and the k best networks.

Searches without a proof do not belong here.
"""

from .best_networks import RankedNetwork, best_networks
from .exact import Exact, solve

__all__ = ["Exact", "RankedNetwork", "best_networks", "solve"]
