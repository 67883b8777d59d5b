"""Discretization: one method per file, the text form of a method, and how bins are cut and named.

A method is a frozen dataclass that computes the edges of the bins from columns and weights. It knows nothing about
graphs or scores.
"""

from .base import TIE, Edges, Method, looked_up_n_log_n, n_log_n
from .blanket import Blanket
from .choosing import Choice, choose, with_bins
from .cutting import cut, discretized, require_observations
from .hartemink import Hartemink
from .interval import Interval
from .mdl import MDL
from .quantile import Quantile, quantile_edges
from .specs import METHODS, parse_method

__all__ = [
    "MDL",
    "METHODS",
    "TIE",
    "Blanket",
    "Choice",
    "Edges",
    "Hartemink",
    "Interval",
    "Method",
    "Quantile",
    "choose",
    "cut",
    "discretized",
    "looked_up_n_log_n",
    "n_log_n",
    "parse_method",
    "quantile_edges",
    "require_observations",
    "with_bins",
]
