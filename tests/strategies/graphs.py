"""DAGs and partial graphs drawn by Hypothesis."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from naive import graphs as naive
from veridag import DAG, PartialGraph


def dag_of(n: int, arcs: naive.Arcs) -> DAG:
    return DAG.from_adjacency(naive.matrix(n, arcs))


@st.composite
def dags(draw: st.DrawFn, max_nodes: int = 9) -> DAG:
    n = draw(st.integers(0, max_nodes))
    order = draw(st.permutations(range(n)))
    chosen = draw(st.lists(st.booleans(), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    a = np.zeros((n, n), bool)
    for (i, j), there in zip(combinations(range(n), 2), chosen, strict=True):
        a[order[i], order[j]] = there
    return DAG.from_adjacency(a)


@st.composite
def partial_graphs(draw: st.DrawFn, n: int = 5) -> PartialGraph:
    kinds = draw(st.lists(st.integers(0, 4), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    a, s = np.zeros((n, n), bool), np.ones((n, n), bool)
    for (i, j), kind in zip(combinations(range(n), 2), kinds, strict=True):
        a[i, j], a[j, i] = kind in (1, 3), kind in (2, 3)
        s[i, j] = s[j, i] = kind != 4
    return PartialGraph(tuple("ABCDEFGH"[:n]), a, s)
