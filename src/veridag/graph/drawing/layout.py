"""A layered drawing: where the nodes of a directed graph go, and how its arcs run between them.

The steps are those of Sugiyama, Tagawa and Toda (1981): make the graph acyclic, give every node a layer,
order the layers so that few arcs cross, then choose the abscissae. Each connected component is laid out on
its own.

References:
    Gansner, Koutsofios, North, Vo: A technique for drawing directed graphs, IEEE TSE 19(3), 1993.
    Brandes, Köpf: Fast and simple horizontal coordinate assignment, Graph Drawing 2001.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, sqrt

from veridag.errors import InputError

from .crossings import make_proper, order_layers
from .geometry import ASPECT, COMPONENT_GAP, NODE_GAP, Pair, Point, Size
from .layers import assign_layers, downward, split_components
from .placement import choose_abscissae
from .routing import choose_bands, draw_route, spread_ports


@dataclass(frozen=True)
class Layout:
    """A drawing's extent, the centre of every node, and a curve for every pair that is drawn.

    A route is a chain of cubic Bézier curves, `3k + 1` points: the start on the border of the first node of
    the pair, then two control points and an end for each curve, the last on the border of the second node.
    The key of an arc is the arc; the key of an edge has the smaller index first.
    """

    width: float
    height: float
    centres: tuple[Point, ...]
    routes: dict[Pair, tuple[Point, ...]]


def layered(sizes: Sequence[Size], arcs: Iterable[Pair], edges: Iterable[Pair] = (), most_width: float = inf) -> Layout:
    """Lay out boxes of the given `(width, height)` so that arcs point downward.

    Directed cycles are broken by turning a few arcs upward. Undirected edges follow an orientation that
    agrees with the arcs. Two opposed arcs share one route. Isolated nodes go into a grid below the rest.
    Components lie side by side as long as they take no more than `most_width`.
    """
    n = len(sizes)
    directed, undirected = checked_pairs(n, arcs, edges)
    pairs = downward(n, directed, undirected)
    alone, components = split_components(n, pairs)
    drawings = [_draw_component(sizes, nodes, inner) for nodes, inner in components]
    packed = _pack(sizes, drawings, alone, most_width)
    routes = {}
    for i, j in directed + undirected:
        route = packed.routes.get((i, j))
        routes[i, j] = route if route is not None else packed.routes[j, i][::-1]
    return Layout(packed.width, packed.height, packed.centres, routes)


def checked_pairs(n: int, arcs: Iterable[Pair], edges: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The distinct arcs and edges in sorted order, edges with the smaller index first.

    Raises:
        InputError: if a pair names an absent node, joins a node with itself, or is both an arc and an edge.
    """
    directed = sorted({(int(i), int(j)) for i, j in arcs})
    undirected = sorted({(int(min(pair)), int(max(pair))) for pair in edges})
    for i, j in directed + undirected:
        if not (0 <= i < n and 0 <= j < n):
            raise InputError(f"the pair ({i}, {j}) names a node that is not there: nodes are 0 to {n - 1}")
        if i == j:
            raise InputError(f"the pair ({i}, {j}) joins a node with itself, which cannot be drawn: leave it out")
    both = {(min(pair), max(pair)) for pair in directed}.intersection(undirected)
    if both:
        raise InputError(f"the pair {min(both)} is given both as an arc and as an edge: give it once")
    return directed, undirected


# --- components and their packing --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Drawing:
    """A part of the picture with its own origin; the centres are those of the listed nodes."""

    width: float
    height: float
    centres: dict[int, Point]
    routes: dict[Pair, tuple[Point, ...]]


def _draw_component(sizes: Sequence[Size], nodes: list[int], pairs: list[Pair]) -> _Drawing:
    local = {v: k for k, v in enumerate(nodes)}
    widths = [sizes[v][0] for v in nodes]
    heights = [sizes[v][1] for v in nodes]
    inner = [(local[i], local[j]) for i, j in pairs]
    g = make_proper(len(nodes), inner, assign_layers(len(nodes), inner, widths))
    xs = choose_abscissae(g, order_layers(g), widths)
    bands = choose_bands(g, xs, heights)
    at = [(x, sum(bands[k]) / 2) for x, k in zip(xs, g.layer, strict=True)]
    ports = spread_ports(g, xs, widths)
    routes = {
        (nodes[i], nodes[j]): draw_route(g, (i, j), xs, (ports[(i, j), 0], ports[(i, j), 1]), heights, bands)
        for i, j in inner
    }
    spans = [(x, widths[v] / 2 if v < g.n else 0.0) for v, x in enumerate(xs)]
    left, right = min(x - half for x, half in spans), max(x + half for x, half in spans)
    centres = {v: at[k] for k, v in enumerate(nodes)}
    return _moved(_Drawing(right - left, bands[-1][1], centres, routes), -left, 0.0)


def _moved(drawing: _Drawing, dx: float, dy: float) -> _Drawing:
    centres = {v: (x + dx, y + dy) for v, (x, y) in drawing.centres.items()}
    routes = {pair: tuple((x + dx, y + dy) for x, y in route) for pair, route in drawing.routes.items()}
    return _Drawing(drawing.width, drawing.height, centres, routes)


def _grid(sizes: Sequence[Size], nodes: list[int], width: float) -> _Drawing:
    """Isolated nodes in rows, as many to a row as the width allows; boxes of one size line up in columns."""
    step = max(sizes[v][1] for v in nodes) + NODE_GAP
    centres = {}
    x = y = right = 0.0
    for v in nodes:
        if x > 0 and x + sizes[v][0] > width + 1e-6:
            x, y = 0.0, y + step
        centres[v] = (x + sizes[v][0] / 2, y + (step - NODE_GAP) / 2)
        right = max(right, x + sizes[v][0])
        x += sizes[v][0] + NODE_GAP
    return _Drawing(right, y + step - NODE_GAP, centres, {})


def _pack(sizes: Sequence[Size], drawings: list[_Drawing], alone: list[int], most_width: float) -> Layout:
    """Shelves of components side by side, the tallest first, then the grid of isolated nodes."""
    area = sum((sizes[v][0] + NODE_GAP) * (sizes[v][1] + NODE_GAP) for v in alone)
    area += sum((d.width + COMPONENT_GAP) * (d.height + COMPONENT_GAP) for d in drawings)
    width = max([min(sqrt(ASPECT * area), most_width), *(d.width for d in drawings)])
    placed: list[_Drawing] = []
    x = y = shelf = 0.0
    for drawing in sorted(drawings, key=lambda d: (-d.height, min(d.centres))):
        if x > 0 and x + drawing.width > width:
            x, y, shelf = 0.0, y + shelf + COMPONENT_GAP, 0.0
        placed.append(_moved(drawing, x, y))
        x += drawing.width + COMPONENT_GAP
        shelf = max(shelf, drawing.height)
    if alone:
        y += shelf + COMPONENT_GAP if drawings else 0.0
        placed.append(_moved(_grid(sizes, alone, width), 0.0, y))
    return _joined(len(sizes), sizes, placed)


def _joined(n: int, sizes: Sequence[Size], drawings: list[_Drawing]) -> Layout:
    centres = {v: point for d in drawings for v, point in d.centres.items()}
    routes = {pair: route for d in drawings for pair, route in d.routes.items()}
    rights = [centres[v][0] + sizes[v][0] / 2 for v in range(n)]
    rights += [x for route in routes.values() for x, _ in route]
    height = max((centres[v][1] + sizes[v][1] / 2 for v in range(n)), default=0.0)
    return Layout(max(rights, default=0.0), height, tuple(centres[v] for v in range(n)), routes)
