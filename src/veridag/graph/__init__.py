"""Graphs over named variables (DAG, PDAG, partial graphs), knowledge about them, their text forms and drawings.

Nothing here knows about data or parameters.
"""

from .base import Graph, InvalidGraph, VStructure
from .causal import Instrument, NotAmenable
from .dag import DAG
from .files import graph_from_json, read_graph
from .knowledge import Knowledge
from .matrices import Arc, Matrix
from .names import check_names, default_names
from .partial import PairType, PartialGraph
from .pdag import PDAG, completed

__all__ = [
    "DAG",
    "PDAG",
    "Arc",
    "Graph",
    "Instrument",
    "InvalidGraph",
    "Knowledge",
    "Matrix",
    "NotAmenable",
    "PairType",
    "PartialGraph",
    "VStructure",
    "check_names",
    "completed",
    "default_names",
    "graph_from_json",
    "read_graph",
]
