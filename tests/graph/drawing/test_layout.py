"""Laws of a layered drawing: nothing overlaps, arcs point down, lines keep clear of boxes."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import few
from veridag.errors import InputError
from veridag.graph.drawing import Layout, layered

Pair = tuple[int, int]
Size = tuple[float, float]


@st.composite
def graphs(draw: st.DrawFn, acyclic: bool = True) -> tuple[list[Size], list[Pair], list[Pair]]:
    """Sizes, arcs and edges of a small graph; the arcs follow a random order of the nodes."""
    n = draw(st.integers(0, 9))
    sizes = draw(st.lists(st.tuples(st.integers(10, 160), st.integers(10, 60)), min_size=n, max_size=n))
    kinds = draw(st.lists(st.sampled_from(["", "", "", "", "arc", "edge", "back"]), min_size=n * n, max_size=n * n))
    order = draw(st.permutations(range(n)))
    arcs, edges = [], []
    for kind, (a, b) in zip(kinds, combinations(range(n), 2), strict=False):
        i, j = order[a], order[b]
        if kind == "arc" or (kind == "back" and acyclic):
            arcs.append((i, j))
        elif kind == "back":
            arcs.append((j, i))
        elif kind == "edge":
            edges.append((i, j))
    return sizes, arcs, edges


def key(pair: Pair) -> Pair:
    return min(pair), max(pair)


def curve_points(route: tuple[tuple[float, float], ...]) -> list[tuple[float, float]]:
    """Points along the Bézier curves of a route, by de Casteljau's formula."""
    points = []
    for k in range(0, len(route) - 1, 3):
        a, b, c, d = route[k : k + 4]
        for step in range(11):
            t = step / 10
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            points.append(
                tuple(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
            )
    return points


def on_border(point: tuple[float, float], centre: tuple[float, float], size: Size) -> bool:
    dx, dy = abs(point[0] - centre[0]), abs(point[1] - centre[1])
    return abs(dy - size[1] / 2) < 1e-6 and dx <= size[0] / 2 + 1e-6


def crossings(layout: Layout) -> int:
    """Pairs of routes that properly cross, found segment by segment."""

    def side(p, q, r):  # type: ignore[no-untyped-def]
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    lines = [list(pairwise(curve_points(route))) for route in layout.routes.values()]
    return sum(
        any(side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0 for a, b in one for c, d in other)
        for one, other in combinations(lines, 2)
    )


@few
@given(graphs(acyclic=False))
def test_boxes_do_not_overlap_and_lie_inside_the_drawing(graph):
    sizes, arcs, edges = graph
    layout = layered(sizes, arcs, edges)
    for (x, y), (w, h) in zip(layout.centres, sizes, strict=True):
        assert x - w / 2 >= -1e-6
        assert x + w / 2 <= layout.width + 1e-6
        assert y - h / 2 >= -1e-6
        assert y + h / 2 <= layout.height + 1e-6
    for i, j in combinations(range(len(sizes)), 2):
        (xi, yi), (xj, yj) = layout.centres[i], layout.centres[j]
        apart_x = abs(xi - xj) - (sizes[i][0] + sizes[j][0]) / 2
        apart_y = abs(yi - yj) - (sizes[i][1] + sizes[j][1]) / 2
        assert max(apart_x, apart_y) > 5


@few
@given(graphs())
def test_arcs_point_downward(graph):
    sizes, arcs, edges = graph
    layout = layered(sizes, arcs, edges)
    for i, j in arcs:
        assert layout.centres[i][1] < layout.centres[j][1]
        assert layout.routes[i, j][0][1] < layout.routes[i, j][-1][1]


@few
@given(graphs(acyclic=False))
def test_routes_run_from_border_to_border_and_keep_clear_of_other_boxes(graph):
    sizes, arcs, edges = graph
    layout = layered(sizes, arcs, edges)
    assert set(layout.routes) == {*arcs, *map(key, edges)}
    for (i, j), route in layout.routes.items():
        assert len(route) % 3 == 1
        assert on_border(route[0], layout.centres[i], sizes[i])
        assert on_border(route[-1], layout.centres[j], sizes[j])
        for v in set(range(len(sizes))) - {i, j}:
            (x, y), (w, h) = layout.centres[v], sizes[v]
            assert all(abs(px - x) > w / 2 or abs(py - y) > h / 2 for px, py in curve_points(route))


@few
@given(graphs(acyclic=False), st.randoms(use_true_random=False))
def test_order_and_repetition_of_pairs_do_not_matter(graph, chance):
    sizes, arcs, edges = graph
    shuffled = chance.sample(arcs, len(arcs)) + arcs[:2]
    turned = [(j, i) for i, j in reversed(edges)]
    assert layered(sizes, arcs, edges) == layered(sizes, shuffled, turned)


def test_a_directed_cycle_turns_one_arc_only():
    n = 6
    layout = layered([(40, 20)] * n, [(i, (i + 1) % n) for i in range(n)])
    upward = [pair for pair, route in layout.routes.items() if route[0][1] > route[-1][1]]
    assert len(upward) == 1


def test_opposed_arcs_share_a_route():
    layout = layered([(40, 20)] * 2, [(0, 1), (1, 0)])
    assert layout.routes[0, 1] == layout.routes[1, 0][::-1]


def test_arcs_below_a_cycle_keep_pointing_downward():
    layout = layered([(40, 20)] * 5, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4)])
    assert layout.centres[2][1] < layout.centres[3][1] < layout.centres[4][1]


def test_layers_have_the_least_total_length():
    # Longest paths alone would put 4 at the top, three layers above its only child.
    layout = layered([(40, 20)] * 5, [(0, 1), (1, 2), (2, 3), (4, 3)])
    assert layout.centres[4][1] == layout.centres[2][1]


def test_an_undirected_star_hangs_from_its_centre():
    layout = layered([(40, 20)] * 6, [], [(i, 5) for i in range(5)])
    assert all(layout.centres[5][1] < layout.centres[v][1] for v in range(5))


@pytest.mark.parametrize("branching", [1, 2, 3])
def test_a_tree_is_drawn_without_crossings(branching):
    arcs = [((v - 1) // branching, v) for v in range(1, 20)]
    chance = Random(branching)
    labels = chance.sample(range(20), 20)
    layout = layered([(50, 24)] * 20, [(labels[i], labels[j]) for i, j in arcs])
    assert crossings(layout) == 0


def test_a_planar_graph_whose_first_order_crosses_is_untangled():
    arcs = [(0, 5), (1, 4), (2, 3), (0, 6), (1, 5), (2, 4)]
    assert crossings(layered([(50, 24)] * 7, arcs)) == 0


def test_a_chain_is_a_vertical_line():
    layout = layered([(50, 24), (90, 24), (30, 24)], [(0, 1), (1, 2)])
    assert len({round(x, 6) for x, _ in layout.centres}) == 1


def test_no_nodes_give_an_empty_drawing():
    assert layered([], []) == Layout(0.0, 0.0, (), {})


def test_one_node_fills_the_drawing():
    assert layered([(40, 20)], []) == Layout(40.0, 20.0, ((20.0, 10.0),), {})


def test_isolated_nodes_form_a_compact_block_below_the_rest():
    layout = layered([(40, 20)] * 102, [(100, 101)])
    assert 0.5 < layout.width / layout.height < 4
    assert min(y for _, y in layout.centres[:100]) > layout.centres[101][1]


def test_components_stand_side_by_side():
    layout = layered([(40, 20)] * 6, [(0, 1), (2, 3), (4, 5)])
    assert len({layout.centres[v][1] for v in (0, 2, 4)}) == 1


@pytest.mark.parametrize(
    ("nodes", "seed"),
    [
        (60, 0),
        pytest.param(60, 1, marks=pytest.mark.medium),
        *(pytest.param(300, seed, marks=pytest.mark.slow) for seed in (0, 1)),
    ],
)
def test_hundreds_of_nodes_are_laid_out(nodes, seed):
    chance = Random(seed)
    arcs = [tuple(sorted(chance.sample(range(nodes), 2))) for _ in range(nodes * 3 // 2)]
    layout = layered([(60, 24)] * nodes, arcs)
    assert all(layout.centres[i][1] < layout.centres[j][1] for i, j in arcs)


@pytest.mark.parametrize(
    ("arcs", "edges", "message"),
    [
        ([(0, 3)], [], r"\(0, 3\).*0 to 2"),
        ([(1, 1)], [], "itself"),
        ([(2, 1)], [(1, 2)], "both as an arc and as an edge"),
    ],
)
def test_pairs_that_cannot_be_drawn_are_refused(arcs, edges, message):
    with pytest.raises(InputError, match=message):
        layered([(40, 20)] * 3, arcs, edges)
