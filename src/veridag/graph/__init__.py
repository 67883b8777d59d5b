"""Graphs over named variables, what is known about them, their text forms and drawings.

Nothing here knows of data or parameters.
"""

from .graphs import (
    DAG,
    PDAG,
    Arc,
    Graph,
    InvalidGraph,
    Matrix,
    PairType,
    PartialGraph,
    VStructure,
    check_names,
    completed,
    default_names,
    read_graph,
)
from .knowledge import Knowledge

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
