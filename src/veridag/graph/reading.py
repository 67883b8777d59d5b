"""A graph of whatever kind from its text."""

from __future__ import annotations

from veridag.errors import InputError

from . import text as notation
from .dag import DAG
from .partial import PartialGraph
from .pdag import PDAG


def read_graph(text: str) -> DAG | PDAG | PartialGraph:
    """A graph from the JSON that `Graph.to_json` writes."""
    kind, names, pairs = notation.read_json(text)
    if kind == "DAG" and not pairs["edges"] and not pairs["undetermined"]:
        return DAG.from_arcs(pairs["arcs"], names)
    if kind == "PDAG" and not pairs["undetermined"]:
        return PDAG.from_arcs(pairs["arcs"], pairs["edges"], names)
    if kind == "PartialGraph":
        return PartialGraph.from_arcs(pairs["arcs"], pairs["edges"], pairs["undetermined"], names)
    raise InputError(f"the JSON says {kind!r}, which is no kind of graph, or has pairs that such a graph has not")
