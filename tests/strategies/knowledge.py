"""Knowledge drawn by Hypothesis, and its meaning by the definition."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from veridag import DAG
from veridag.graph.knowledge import Knowledge

NAMES = "ABCDE"


@st.composite
def dags(draw: st.DrawFn, min_nodes: int = 0, max_nodes: int = 5) -> DAG:
    """Variables are A, B, ... in any column order, whatever the order of the arcs."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(NAMES[:n]))
    pairs = list(combinations(order, 2))
    there = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    arcs = [pair for pair, is_there in zip(pairs, there, strict=True) if is_there]
    return DAG.from_arcs(arcs, draw(st.permutations(NAMES[:n])))


def subset(draw: st.DrawFn, items: list) -> list:
    kept = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items)))
    return [item for item, is_kept in zip(items, kept, strict=True) if is_kept]


@st.composite
def knowledge_of(draw: st.DrawFn, dag: DAG) -> Knowledge:
    """Some of what is true of the DAG."""
    arcs = set(dag.arcs)
    others = [pair for pair in product(sorted(dag.names), repeat=2) if pair not in arcs and pair[0] != pair[1]]
    ranks = {name: draw(st.integers(0, 2)) for name in dag.topological_order()}
    rank, tiers = 0, {}
    for name in dag.topological_order():  # ranks that only rise along the order
        rank = max(rank, ranks[name])
        tiers.setdefault(rank, []).append(name)
    tiers = [kept for tier in tiers.values() if (kept := subset(draw, tier))]
    limits = {name: len(dag.parents(name)) + draw(st.integers(0, 1)) for name in dag.names}
    by_name = {name: limits[name] for name in subset(draw, sorted(dag.names))}
    limit = draw(st.sampled_from([None, max(limits.values(), default=0), by_name]))
    alone = subset(draw, [name for name in sorted(dag.names) if not any(name in arc for arc in arcs)])
    return Knowledge(subset(draw, sorted(arcs)), subset(draw, others), tiers, limit, alone)


@st.composite
def dags_with_knowledge(draw: st.DrawFn) -> tuple[DAG, Knowledge]:
    """A DAG, and knowledge that is true of another DAG on the same variables."""
    dag = draw(dags(min_nodes=1))
    return dag, draw(knowledge_of(draw(dags(len(dag), len(dag)))))


def limit_of(knowledge: Knowledge, name: str) -> float:
    if knowledge.max_indegree is None:
        return np.inf
    if isinstance(knowledge.max_indegree, int):
        return knowledge.max_indegree
    limits = dict(knowledge.max_indegree)
    return limits.get(name, limits.get(None, np.inf))


def is_barred(knowledge: Knowledge, u: str, v: str) -> bool:
    """By the definition: forbidden, or v in a tier before that of u, or one of them isolated."""
    before = any(v in early and u in late for early, late in combinations(knowledge.tiers, 2))
    return before or (u, v) in knowledge.forbidden or not {u, v}.isdisjoint(knowledge.isolated)


def broken(knowledge: Knowledge, dag: DAG) -> tuple[list, list, list]:
    """Required arcs that are missing, arcs that are barred, variables with too many parents."""
    arcs = sorted(dag.arcs)
    return (
        [arc for arc in knowledge.required if arc not in arcs],
        [(u, v) for u, v in arcs if is_barred(knowledge, u, v)],
        [v for v in sorted(dag.names) if sum(b == v for _, b in arcs) > limit_of(knowledge, v)],
    )
