"""The abscissae of nodes and lines, given their order within the layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf

from .crossings import Proper, number_places
from .geometry import LANE_GAP, NODE_GAP, Pair


def choose_abscissae(g: Proper, order: list[list[int]], widths: Sequence[float]) -> list[float]:
    """The x of every vertex.

    Brandes and Köpf (2001) average four extreme alignments, from above or below, to the left or to the
    right; this makes the inner parts of long arcs vertical. What they leave askew is then relaxed.
    """

    def gap(u: int, v: int) -> float:
        between = LANE_GAP if u >= g.n and v >= g.n else NODE_GAP if u < g.n and v < g.n else 1.5 * LANE_GAP
        return (widths[u] if u < g.n else 0) / 2 + between + (widths[v] if v < g.n else 0) / 2

    conflicts = _conflicts(g, order)
    candidates = []
    for neighbours, layers in ((g.above, order), (g.below, order[::-1])):
        for mirrored in (False, True):
            view = [vertices[::-1] for vertices in layers] if mirrored else layers
            root = _aligned(view, neighbours, conflicts)
            xs = _compacted(view, root, gap)
            candidates.append([-x for x in xs] if mirrored else xs)
    xs = _balanced(candidates)
    _relax(g, order, xs, gap)
    return xs


def _conflicts(g: Proper, order: list[list[int]]) -> set[Pair]:
    """Lines, read both ways, that cross the inner part of a long arc and have to give way to it."""
    place = [0] * len(g.layer)
    for vertices in order:
        number_places(vertices, place)
    found: set[Pair] = set()
    for upper, lower in pairwise(order):
        left, start = 0, 0
        for k, v in enumerate(lower):
            inner = v >= g.n and g.above[v][0] >= g.n
            if not inner and k < len(lower) - 1:
                continue
            right = place[g.above[v][0]] if inner else len(upper) - 1
            for w in lower[start : k + 1]:
                for u in g.above[w]:
                    if not left <= place[u] <= right and not (u >= g.n and w >= g.n):
                        found.update(((u, w), (w, u)))
            left, start = right, k + 1
    return found


def _aligned(layers: list[list[int]], neighbours: list[list[int]], conflicts: set[Pair]) -> list[int]:
    """The block of every vertex, named by its first one: each is put in line with a median neighbour."""
    root = list(range(len(neighbours)))
    place = [0] * len(neighbours)
    for vertices in layers:
        number_places(vertices, place)
        taken = -1
        for v in vertices:
            near = sorted(neighbours[v], key=place.__getitem__)
            for w in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                if root[v] == v and place[w] > taken and (v, w) not in conflicts:
                    root[v] = root[w]
                    taken = place[w]
    return root


def _compacted(layers: list[list[int]], root: list[int], gap: Callable[[int, int], float]) -> list[float]:
    """Pack the blocks to the left, then let each follow its right neighbours as far as they leave room."""
    right: dict[int, dict[int, float]] = {r: {} for r in root}
    waiting = dict.fromkeys(right, 0)
    for vertices in layers:
        for u, v in pairwise(vertices):
            needed = right[root[u]]
            waiting[root[v]] += root[v] not in needed
            needed[root[v]] = max(needed.get(root[v], 0.0), gap(u, v))
    x = dict.fromkeys(right, 0.0)
    ready = [b for b, count in waiting.items() if count == 0]
    for b in ready:
        for c, distance in right[b].items():
            x[c] = max(x[c], x[b] + distance)
            waiting[c] -= 1
            if waiting[c] == 0:
                ready.append(c)
    for b in reversed(ready):
        if right[b]:
            x[b] = max(x[b], min(x[c] - distance for c, distance in right[b].items()))
    return [x[r] for r in root]


def _balanced(candidates: list[list[float]]) -> list[float]:
    """The mean of the two middle values, after moving all candidates over the narrowest."""
    narrowest = min(candidates, key=lambda xs: max(xs) - min(xs))
    for k, xs in enumerate(candidates):
        shift = max(narrowest) - max(xs) if k % 2 else min(narrowest) - min(xs)
        candidates[k] = [x + shift for x in xs]
    middle = (sorted(four) for four in zip(*candidates, strict=True))
    return [(four[1] + four[2]) / 2 for four in middle]


def _relax(g: Proper, order: list[list[int]], xs: list[float], gap: Callable[[int, int], float]) -> None:
    """Draw everything towards its neighbours as far as the separations allow; vertical runs move as one.

    Means first, which let whole clusters drift together; medians then make straight what is nearly so.
    """
    units = _units(g, order, xs)
    left = {v: (u, gap(u, v)) for vertices in order for u, v in pairwise(vertices)}
    right = {u: (v, distance) for v, (u, distance) in left.items()}
    own = {v: k for k, unit in enumerate(units) for v in unit}
    outside = [[w for v in unit for w in (*g.above[v], *g.below[v]) if own[w] != own[v]] for unit in units]
    sweeps = max(8, min(80, 200_000 // len(xs)))
    for sweep in range(sweeps):
        aim = _mean if sweep < sweeps - 4 else _median
        for k in range(len(units)) if sweep % 2 else reversed(range(len(units))):
            unit = units[k]
            low = max((xs[left[v][0]] + left[v][1] for v in unit if v in left), default=-inf)
            high = min((xs[right[v][0]] - right[v][1] for v in unit if v in right), default=inf)
            x = min(max(aim([xs[w] for w in outside[k]], xs[unit[0]], unit[0] >= g.n), low), high)
            for v in unit:
                xs[v] = x


def _units(g: Proper, order: list[list[int]], xs: list[float]) -> list[list[int]]:
    """Nodes one by one, and the vertical runs of dummies in long arcs, from the top left to the bottom right."""
    units = {v: [v] for v in range(g.n)}
    for chain in g.chains.values():
        head = chain[0]
        for v in chain[1:-1]:
            if head >= g.n and abs(xs[v] - xs[head]) < 1e-6:
                units[head].append(v)
            else:
                head = v
                units[v] = [v]
    return [units[v] for vertices in order for v in vertices if v in units]


def _mean(values: list[float], _now: float, _lane: bool) -> float:
    return sum(values) / len(values)


def _median(values: list[float], now: float, lane: bool) -> float:
    """The nearest point between the middle values; a lane goes to either of its ends, to bend once only."""
    values.sort()
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    if lane:
        return low if now - low < high - now else high
    return min(max(now, low), high)
