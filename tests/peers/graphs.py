"""Random graphs: classes, separation, blankets, adjustment, distances."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

import veridag as vd

from . import inputs
from .comparing import Random, compares


def in_pgmpy(dag: vd.DAG) -> Any:
    from pgmpy.base import DAG

    made = DAG()
    made.add_nodes_from(dag.names)
    made.add_edges_from(dag.arcs)
    return made


def in_pyagrum(dag: vd.DAG) -> Any:
    import pyagrum as gum

    made = gum.BayesNet()
    for name in dag.names:
        made.add(gum.LabelizedVariable(name, name, 2))
    for u, v in dag.arcs:
        made.addArc(u, v)
    return made


def in_causal_learn(graph: vd.DAG | vd.PDAG) -> Any:
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    nodes = {name: GraphNode(name) for name in graph.names}
    made = GeneralGraph(list(nodes.values()))
    for u, v in graph.arcs:
        made.add_edge(Edge(nodes[u], nodes[v], Endpoint.TAIL, Endpoint.ARROW))
    for u, v in graph.edges if isinstance(graph, vd.PDAG) else ():
        made.add_edge(Edge(nodes[u], nodes[v], Endpoint.TAIL, Endpoint.TAIL))
    return made


def edges(pairs: Any) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in pairs}


def skeleton(graph: vd.PDAG) -> set[frozenset[str]]:
    """The pairs that are joined."""
    return edges((*graph.arcs, *graph.edges))


@compares("pyAgrum", "CPDAG of a DAG", 100)
def cpdag_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    dag = inputs.dag(random, most=10)
    peer = in_pyagrum(dag)
    found = gum.EssentialGraph(peer)
    name = {peer.idFromName(v): v for v in dag.names}
    ours, arcs = dag.cpdag(), {(name[u], name[v]) for u, v in found.arcs()}
    assert set(ours.arcs) <= arcs
    assert skeleton(ours) == edges([*arcs, *((name[u], name[v]) for u, v in found.edges())])
    for u, v in arcs - set(ours.arcs):
        member = vd.Knowledge(required=[(v, u)]).orient(ours).extension()
        assert (v, u) in member.arcs
        assert in_pgmpy(member).is_iequivalent(in_pgmpy(dag))
    return "pyAgrum directs an edge that another DAG of the class has the other way" if set(ours.arcs) < arcs else None


@compares("pgmpy", "CPDAG of a DAG", 100)
def cpdag_of_pgmpy(random: Random) -> str | None:
    dag = inputs.dag(random, most=10)
    found = in_pgmpy(dag).to_pdag()
    assert set(dag.cpdag().arcs) == set(found.directed_edges)
    assert edges(dag.cpdag().edges) == edges(found.undirected_edges)
    return None


@compares("causal-learn", "CPDAG of a DAG", 60)
def cpdag_of_causal_learn(random: Random) -> str | None:
    from causallearn.graph.Dag import Dag
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.DAG2CPDAG import dag2cpdag

    dag = inputs.dag(random, most=7)
    nodes = {name: GraphNode(name) for name in dag.names}
    peer = Dag(list(nodes.values()))
    for u, v in dag.arcs:
        peer.add_directed_edge(nodes[u], nodes[v])
    marks = dag2cpdag(peer).graph
    found = vd.PDAG(dag.names, np.asarray(marks) == -1)  # the tail of an arc, and both ends of an edge
    assert found == dag.cpdag()
    return None


@compares("pgmpy", "a DAG of a class: the extension of a CPDAG", 100)
def extension_of_pgmpy(random: Random) -> str | None:
    from pgmpy.base import PDAG

    dag = inputs.dag(random)
    cpdag = dag.cpdag()
    if not dag.arcs:
        return None
    found = PDAG(directed_ebunch=list(cpdag.arcs), undirected_ebunch=list(cpdag.edges)).to_dag()
    theirs = vd.DAG.from_arcs(found.edges(), dag.names)
    assert theirs.is_equivalent(dag)
    assert cpdag.extension().is_equivalent(theirs)
    return None


@compares("pgmpy", "d-separation, and all variables that a path leads to", 200)
def separation_of_pgmpy(random: Random) -> str | None:
    dag = inputs.dag(random)
    x, y = inputs.pair(random, dag.names)
    given = [v for v in inputs.subset(random, dag.names) if v not in (x, y)]
    peer = in_pgmpy(dag)
    assert dag.d_separated(x, y, given) == (not peer.is_dconnected(x, y, observed=given))
    reached = {v for v in dag.names if v not in given and (v == x or not dag.d_separated(x, v, given))}
    assert reached == set(peer.active_trail_nodes(x, observed=given)[x])
    return None


@compares("pyAgrum", "d-separation of sets", 200)
def separation_of_pyagrum(random: Random) -> str | None:
    dag = inputs.dag(random)
    role = random.choice(["x", "y", "given", ""], size=len(dag.names))
    x, y, given = ([v for v, own in zip(dag.names, role, strict=True) if own == which] for which in ("x", "y", "given"))
    if not x or not y:
        return None
    assert dag.d_separated(x, y, given) == in_pyagrum(dag).isIndependent(x, y, given)
    return None


@compares("pgmpy and pyAgrum", "Markov blankets, ancestors, moral graph and equivalence", 100)
def blankets(random: Random) -> str | None:
    import pyagrum as gum

    dag = inputs.dag(random)
    v = str(random.choice(dag.names))
    peer, other = in_pgmpy(dag), in_pyagrum(dag)
    assert set(dag.markov_blanket(v)) == set(peer.get_markov_blanket(v))
    blanket = gum.MarkovBlanket(other, v)
    assert {*dag.markov_blanket(v), v} == {other.variable(node).name() for node in blanket.nodes()}
    assert {*dag.ancestors(v), v} == set(peer.get_ancestors([v]))
    assert edges(dag.moral().edges) == edges(peer.moralize().edges())
    second = vd.DAG(dag.names, inputs.dag(random, len(dag.names), len(dag.names)).adjacency)
    if edges(dag.arcs) == edges(second.arcs) and dag.arcs:  # pgmpy compares graphs of the same skeleton
        assert dag.is_equivalent(second) == peer.is_iequivalent(in_pgmpy(second))
    return None


@compares("pgmpy", "back-door sets of variables that do not descend from the cause", 150)
def adjustment_of_pgmpy(random: Random) -> str | None:
    from pgmpy.inference import CausalInference

    dag = inputs.dag(random, least=3, most=7)
    x, y = inputs.pair(random, dag.names)
    others = [v for v in dag.names if v not in (x, y, *dag.descendants(x))]
    inference = CausalInference(in_pgmpy(dag))
    if y in dag.parents(x):
        assert not any(dag.is_valid_adjustment(x, y, given) for given in ([], others))
        return "pgmpy asks whether an outcome that is a parent of the cause is connected with itself"
    for size in range(min(3, len(others)) + 1):
        for given in combinations(others, size):
            assert dag.is_valid_adjustment(x, y, given) == inference.is_valid_backdoor_adjustment_set(x, y, given)
    return None


@compares("causal-learn", "SHD of two CPDAGs", 100)
def shd_of_causal_learn(random: Random) -> str | None:
    from causallearn.graph.SHD import SHD

    first = inputs.dag(random, most=6)
    second = vd.DAG(first.names, inputs.dag(random, len(first.names), len(first.names)).adjacency)
    theirs = SHD(in_causal_learn(first.cpdag()), in_causal_learn(second.cpdag())).get_shd()
    assert vd.shd(first, second) == theirs
    return None


@compares("pgmpy", "SHD of two DAGs, which here is that of their classes", 100)
def shd_of_pgmpy(random: Random) -> str | None:
    from pgmpy.metrics import SHD

    first = inputs.dag(random, most=6)
    second = vd.DAG(first.names, inputs.dag(random, len(first.names), len(first.names)).adjacency)
    theirs = SHD()(true_causal_graph=in_pgmpy(first), est_causal_graph=in_pgmpy(second))
    missing_or_spurious = vd.hamming(first, second)
    turned = sum((v, u) in second.arcs for u, v in first.arcs)
    assert missing_or_spurious + turned == theirs
    return None if vd.shd(first, second) == theirs else "pgmpy compares the DAGs, veridag's shd their classes"
