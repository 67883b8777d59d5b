"""The structural Hamming distance."""

from __future__ import annotations

import numpy as np

from veridag.errors import InputError
from veridag.graph import DAG, PDAG


def shd(a: DAG | PDAG, b: DAG | PDAG) -> int:
    """The structural Hamming distance (Tsamardinos et al. 2006): the pairs joined differently in two CPDAGs.

    A pair counts 1 however it differs: an arc more or less, another direction, or an edge instead of an arc. DAGs and
    PDAGs are taken for the classes they stand for; a PDAG that no DAG extends is compared as it is. Symmetric. The
    graphs need the same variables, in any order.
    """
    for graph in (a, b):
        if not isinstance(graph, DAG | PDAG):
            raise InputError(f"a DAG or PDAG is needed, not a {type(graph).__name__}")
    if sorted(a.names) != sorted(b.names):
        odd = sorted(set(a.names) ^ set(b.names))[0]
        raise InputError(f"both graphs must have the same variables, but {odd!r} is in only one of them")
    ours, theirs = _completed(a).adjacency, _completed(b).reorder(a.names).adjacency
    differs = ours != theirs
    return int(np.triu(differs | differs.T).sum())


def _completed(graph: DAG | PDAG) -> PDAG:
    if isinstance(graph, PDAG) and graph.why_invalid() is not None:
        return graph
    return graph.cpdag()
