"""The order of the nodes within their layers, such that few lines cross."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from .geometry import Pair
from .layers import adjacency


@dataclass
class Proper:
    """A layered graph in which lines join neighbouring layers only: long arcs pass through dummies.

    Vertices below `n` are nodes, the others dummies. A chain holds the vertices of an arc from top to bottom.
    """

    n: int
    layer: list[int]
    above: list[list[int]]
    below: list[list[int]]
    chains: dict[Pair, list[int]]


def make_proper(n: int, pairs: list[Pair], layers: list[int]) -> Proper:
    """Give every arc a dummy in each layer that it passes."""
    layer = list(layers)
    chains: dict[Pair, list[int]] = {}
    for i, j in pairs:
        chains[i, j] = [i, *range(len(layer), len(layer) + layers[j] - layers[i] - 1), j]
        layer.extend(range(layers[i] + 1, layers[j]))
    segments = [s for chain in chains.values() for s in pairwise(chain)]
    above, below = adjacency(len(layer), segments)
    return Proper(n, layer, above, below, chains)


def order_layers(g: Proper) -> list[list[int]]:
    """The vertices of every layer from left to right, with few crossings: the best of several starts."""
    segments = sum(map(len, g.below))
    starts = _starts(g, max(1, min(16, 4000 // segments)))
    fewest, best = _swept(g, next(starts))
    for start in starts:
        if fewest == 0:
            break
        crossings, order = _swept(g, start)
        if crossings < fewest:
            fewest, best = crossings, order
    return best


def _starts(g: Proper, count: int) -> Iterator[list[list[int]]]:
    """First orders: depth-first from the top and from the bottom, which suit trees, then shuffles."""
    yield _walk(g, g.below, g.above)
    if count > 1:
        yield _walk(g, g.above, g.below)
    for seed in range(count - 2):
        order = _walk(g, g.below, g.above)
        chance = Random(seed)
        for vertices in order:
            chance.shuffle(vertices)
        yield order


def _walk(g: Proper, ahead: list[list[int]], behind: list[list[int]]) -> list[list[int]]:
    """Vertices by layer in the order of a depth-first walk from the vertices that have nothing behind."""
    order: list[list[int]] = [[] for _ in range(max(g.layer) + 1)]
    seen = [False] * len(g.layer)
    stack = [v for v in reversed(range(len(g.layer))) if not behind[v]]
    while stack:
        v = stack.pop()
        if not seen[v]:
            seen[v] = True
            order[g.layer[v]].append(v)
            stack.extend(w for w in reversed(ahead[v]) if not seen[w])
    return order


def _swept(g: Proper, order: list[list[int]]) -> tuple[int, list[list[int]]]:
    """The best order met in alternating downward and upward sweeps, and its number of crossings."""
    place = [0] * len(g.layer)
    for vertices in order:
        number_places(vertices, place)
    _transpose(g, order, place)
    fewest, best, idle = _crossings(g, order, place), [list(v) for v in order], 0
    for sweep in range(max(2, min(24, 200_000 // len(place)))):  # dense graphs have very many dummies
        downward = sweep % 2 == 0
        beside = g.above if downward else g.below
        for vertices in order if downward else reversed(order):
            _by_barycentre(vertices, beside, place, ties_turn=sweep % 4 > 1)
        _transpose(g, order, place)
        crossings = _crossings(g, order, place)
        idle += 1
        if crossings < fewest:
            fewest, best, idle = crossings, [list(v) for v in order], 0
        if idle == 6 or fewest == 0:
            break
    return fewest, best


def number_places(vertices: list[int], place: list[int]) -> None:
    """Note the place of every vertex of a layer."""
    for k, v in enumerate(vertices):
        place[v] = k


def _by_barycentre(vertices: list[int], beside: list[list[int]], place: list[int], ties_turn: bool) -> None:
    """Sort a layer by the mean place of the neighbours; vertices without any stay where they are.

    Turning the order of ties now and then leads out of states in which sweeps stand still.
    """
    means = {v: sum(place[w] for w in beside[v]) / len(beside[v]) for v in vertices if beside[v]}
    moving = [v for v in (reversed(vertices) if ties_turn else vertices) if v in means]
    moving.sort(key=means.__getitem__)
    rest = iter(moving)
    vertices[:] = [next(rest) if v in means else v for v in vertices]
    number_places(vertices, place)


def _transpose(g: Proper, order: list[list[int]], place: list[int]) -> None:
    """Swap neighbours in a layer while that saves crossings."""
    for _ in range(max(1, min(8, 100_000 // len(place)))):
        saved = 0
        for vertices in order:
            if len(vertices) > 1:
                saved += _transpose_layer(g, vertices, place)
        if not saved:
            return


def _transpose_layer(g: Proper, vertices: list[int], place: list[int]) -> int:
    spots = {v: (sorted(place[w] for w in g.above[v]), sorted(place[w] for w in g.below[v])) for v in vertices}
    saved = 0
    for k in range(len(vertices) - 1):
        v, w = vertices[k], vertices[k + 1]
        (a, b), (c, d) = spots[v], spots[w]
        gain = _inversions(a, c) + _inversions(b, d) - _inversions(c, a) - _inversions(d, b)
        if gain > 0:
            vertices[k], vertices[k + 1] = w, v
            saved += gain
    if saved:
        number_places(vertices, place)
    return saved


def _inversions(left: list[int], right: list[int]) -> int:
    """Crossings between the lines of two neighbours, given the sorted places of the other ends."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    return sum(len(left) - bisect_right(left, y) for y in right)


def _crossings(g: Proper, order: list[list[int]], place: list[int]) -> int:
    total = 0
    for vertices in order:
        seen: list[int] = []
        for v in vertices:
            ends = sorted(place[w] for w in g.below[v])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total
