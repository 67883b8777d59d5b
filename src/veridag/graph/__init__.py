"""Graphs over named variables (DAG, PDAG, partial graphs), knowledge about them, their text forms and drawings.

Nothing here knows of data or parameters.
"""

from .base import Graph, InvalidGraph, VStructure
from .dag import DAG
from .knowledge import Knowledge
from .matrices import Arc, Matrix
from .names import check_names, default_names
from .partial import PairType, PartialGraph
from .pdag import PDAG, completed
from .reading import read_graph

__all__ = [
    "DAG",
    "PDAG",
    "Arc",
    "Graph",
    "InvalidGraph",
    "Knowledge",
    "Matrix",
    "PairType",
    "PartialGraph",
    "VStructure",
    "check_names",
    "completed",
    "default_names",
    "read_graph",
]
