"""The partial Hamming distance."""

from __future__ import annotations

from veridag.graph import DAG, PDAG, PartialGraph

from ._comparison import count_pairs, determined, require


def phd(a: DAG | PDAG | PartialGraph, b: DAG | PDAG | PartialGraph) -> int:
    """The partial Hamming distance (Viinikka 2019, definition 10): pairs joined differently, of those both determine.

    1/2 sum over (u, v) in S and S' of [f_E(u, v) != f_E'(u, v)], with S the pairs that a partial graph determines. A
    DAG or PDAG is taken for its CPDAG and determines all pairs, so that between such graphs this is `shd`. As there, a
    pair counts 1 however it differs. Symmetric. Zero does not mean equal: what one graph leaves undetermined is free.
    """
    require("a", a, DAG, PDAG, PartialGraph)
    require("b", b, DAG, PDAG, PartialGraph)
    ours, theirs, both = determined(a, b)
    return count_pairs(both & (ours != theirs))
