"""What holds for every measure, whatever it is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from naive import graphs as naive
from veridag.specs import members

#: The measures of two graphs: whether they are symmetric, whether they are about classes rather than DAGs, and the
#: value of a graph against itself.
TWO = {
    "shd": (True, True, 0),
    "scaled-shd": (False, True, 0),
    "shd-parts": (False, True, None),
    "phd": (True, True, 0),
    "phd-parts": (False, True, None),
    "skeleton-phd": (True, True, 0),
    "hamming": (True, True, 0),
    "confusion": (False, False, None),
    "sid": (False, False, 0),
}
#: The measures of one graph, or of a graph and something else.
ONE = {"arc-count", "nparams", "unshielded-v-structures"}
#: The measures of networks with parameters.
NETWORKS = {"cross-entropy", "kl-divergence", "log-loss"}
each = pytest.mark.parametrize("name", TWO)
symmetric = pytest.mark.parametrize("name", [name for name, (is_symmetric, _, _) in TWO.items() if is_symmetric])
of_classes = pytest.mark.parametrize("name", [name for name, (_, about_classes, _) in TWO.items() if about_classes])


def random_dags(count, n=6):
    rng = np.random.default_rng(11)
    found = []
    for _ in range(count):
        order = rng.permutation(n)
        a = np.triu(rng.random((n, n)) < rng.uniform(0.1, 0.7), 1)
        found.append(vd.DAG.from_adjacency(a[np.ix_(order, order)], [f"v{i}" for i in range(n)]))
    return found


DAGS = random_dags(40)
PAIRS = list(zip(DAGS[::2], DAGS[1::2], strict=True))


def renamed(graph, names):
    return type(graph)(tuple(names[v] for v in graph.names), graph.adjacency)


def with_isolated(graph, count=3):
    n = len(graph.names)
    a = np.zeros((n + count, n + count), bool)
    a[:n, :n] = graph.adjacency
    return type(graph)((*graph.names, *(f"alone{i}" for i in range(count))), a)


def test_every_metric_is_in_the_tables():
    assert set(members("metric")) == set(TWO) | ONE | NETWORKS


def test_every_metric_is_public_and_has_a_section_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text("utf-8")
    for name, function in members("metric").items():
        assert getattr(vd, name.replace("-", "_")) is function
        assert f"`{function.__name__}(" in page


@each
def test_a_graph_is_at_no_distance_from_itself(name):
    metric, (_, _, zero) = members("metric")[name], TWO[name]
    for dag in DAGS:
        value = metric(dag, dag)
        if name in ("shd-parts", "phd-parts"):
            assert asdict(value) == {"missing": 0, "spurious": 0, "misoriented": 0, "arcs": len(dag.arcs)}
        elif name == "confusion":
            assert (value.arcs.tp, value.arcs.fp, value.arcs.fn) == (len(dag.arcs), 0, 0)
            assert value.arcs == value.adjacencies
        else:
            assert value == zero


@symmetric
def test_a_metric_that_claims_it_is_symmetric(name):
    metric = members("metric")[name]
    for a, b in PAIRS:
        assert metric(a, b) == metric(b, a)
        assert metric(a.cpdag(), b) == metric(b, a.cpdag())


@pytest.mark.parametrize("name", [name for name, (is_symmetric, _, _) in TWO.items() if not is_symmetric])
def test_a_metric_that_denies_it_is_not(name):
    metric = members("metric")[name]
    assert any(metric(a, b) != metric(b, a) for a, b in PAIRS)


@of_classes
def test_equivalent_graphs_are_at_the_same_distance(name):
    metric = members("metric")[name]
    for a, b in PAIRS:
        assert metric(a, b) == metric(a.cpdag(), b) == metric(a, b.cpdag()) == metric(a.cpdag().extension(), b.cpdag())


def test_the_others_tell_equivalent_graphs_apart():
    chain, fork = vd.DAG.from_arcs([("A", "B")]), vd.DAG.from_arcs([("B", "A")], ["A", "B"])
    for name in set(TWO) - {name for name, (_, about_classes, _) in TWO.items() if about_classes}:
        metric = members("metric")[name]
        assert metric(chain, fork) != metric(chain, chain)


@each
def test_the_order_of_variables_does_not_matter(name):
    metric, rng = members("metric")[name], np.random.default_rng(12)
    for a, b in PAIRS:
        shuffled = b.reorder([b.names[i] for i in rng.permutation(len(b.names))])
        assert metric(a, shuffled) == metric(a, b)
        assert metric(shuffled, a) == metric(b, a)
        assert metric(a, shuffled.cpdag()) == metric(a, b.cpdag())


@each
def test_the_names_of_variables_do_not_matter(name):
    metric = members("metric")[name]
    names = dict(zip(DAGS[0].names, ["zeta", "a b", "é", "X2", "X10", "0"], strict=True))
    for a, b in PAIRS:
        assert metric(renamed(a, names), renamed(b, names)) == metric(a, b)


@each
def test_isolated_variables_do_not_matter(name):
    metric = members("metric")[name]
    for a, b in PAIRS:
        assert metric(with_isolated(a), with_isolated(b)) == metric(a, b)
        assert metric(with_isolated(a), with_isolated(b.cpdag())) == metric(a, b.cpdag())


@each
def test_graphs_without_variables_or_arcs_can_be_compared(name):
    metric = members("metric")[name]
    for names in ([], ["A"], ["A", "B"]):
        empty = vd.DAG.empty(names)
        assert metric(empty, empty) == metric(empty, vd.DAG.empty(names[::-1]))


@each
def test_different_variables_are_an_error_that_names_one(name):
    metric = members("metric")[name]
    with pytest.raises(vd.InputError, match="'C' is in only one of them, the second"):
        metric(vd.DAG.empty(["A", "B"]), vd.DAG.empty(["A", "B", "C"]))
    with pytest.raises(vd.InputError, match="'A' is in only one of them, the first"):
        metric(vd.DAG.empty(["A", "B"]), vd.DAG.empty(["D", "B"]))


@pytest.mark.parametrize("name", sorted(set(members("metric")) - NETWORKS))
def test_what_is_no_graph_is_an_error_that_names_the_kind(name):
    metric = members("metric")[name]
    with pytest.raises(vd.InputError, match=r"^(a|truth|graph): a DAG.* is needed, not a ndarray$"):
        metric(np.eye(2), vd.DAG.empty(["A", "B"])) if name in TWO or name == "nparams" else metric(np.eye(2))
    if name in TWO:
        with pytest.raises(vd.InputError, match=r"^(b|estimate): a DAG.* is needed, not a NoneType$"):
            metric(vd.DAG.empty(["A"]), None)
        if "phd" not in name:
            with pytest.raises(vd.InputError, match="not a PartialGraph"):
                metric(vd.DAG.empty(["A"]), vd.PartialGraph.empty(["A"]))


@symmetric
def test_the_symmetric_ones_obey_the_triangle_axiom(name):
    metric = members("metric")[name]
    dags = [vd.DAG.from_adjacency(naive.matrix(3, arcs)) for arcs in naive.all_dags(3)]
    d = np.array([[metric(a, b) for b in dags] for a in dags])
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :]).all()
