"""The heights of the layers, and the curves between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .crossings import Proper
from .geometry import CORNER, LAYER_GAP, PORT_GAP, SWAY, Pair, Point


def choose_bands(g: Proper, xs: list[float], heights: Sequence[float]) -> list[tuple[float, float]]:
    """Top and bottom of every layer, farther apart where a line travels far sideways."""
    tall = [0.0] * (max(g.layer) + 1)
    for v in range(g.n):
        tall[g.layer[v]] = max(tall[g.layer[v]], heights[v])
    travel = [0.0] * len(tall)
    for v, lower in enumerate(g.below):
        for w in lower:
            travel[g.layer[v]] = max(travel[g.layer[v]], abs(xs[v] - xs[w]))
    bands = []
    top = 0.0
    for height, far in zip(tall, travel, strict=True):
        bands.append((top, top + height))
        top += height + LAYER_GAP + min(0.1 * far, 1.5 * LAYER_GAP)
    return bands


def spread_ports(g: Proper, xs: list[float], widths: Sequence[float]) -> dict[tuple[Pair, int], float]:
    """The x at which a line leaves the upper (0) and reaches the lower (1) node of its pair.

    Lines are spread over the border in the order of where they go, so that heads do not pile up.
    """
    leaving: dict[tuple[int, int], list[tuple[float, Pair]]] = {}
    for pair, chain in g.chains.items():
        leaving.setdefault((pair[0], 0), []).append((xs[chain[1]], pair))
        leaving.setdefault((pair[1], 1), []).append((xs[chain[-2]], pair))
    ports = {}
    for (v, end), lines in leaving.items():
        lines.sort()
        flat = max(widths[v] - 2 * CORNER, 0.0)
        step = min(PORT_GAP, flat / len(lines))
        for k, (_, pair) in enumerate(lines):
            ports[pair, end] = xs[v] + step * (k - (len(lines) - 1) / 2)
    return ports


def draw_route(
    g: Proper, pair: Pair, xs: list[float], ports: Point, heights: Sequence[float], bands: list[Point]
) -> tuple[Point, ...]:
    """From border to border, passing every layer on the way nearly upright, which keeps clear of its boxes."""
    chain = [(ports[0], bands[g.layer[pair[0]]])]
    chain += [(xs[v], bands[g.layer[v]]) for v in g.chains[pair][1:-1]]
    chain += [(ports[1], bands[g.layer[pair[1]]])]
    leans = [_lean(a, b) for a, b in pairwise(chain)]
    stops = [(ports[0], (sum(chain[0][1]) + heights[pair[0]]) / 2, 0.0), (ports[0], chain[0][1][1], 0.0)]
    for (x, (top, bottom)), before, after in zip(chain[1:-1], leans, leans[1:], strict=False):
        lean = 0.0
        if before * after > 0:
            lean = min(before, after, key=abs)
            most = SWAY / max((bottom - top) / 2, 1.0)
            lean = min(max(lean, -most), most)
        shift = lean * (bottom - top) / 2
        stops += [(x - shift, top, lean), (x + shift, bottom, lean)]
    stops += [(ports[1], chain[-1][1][0], 0.0), (ports[1], (sum(chain[-1][1]) - heights[pair[1]]) / 2, 0.0)]
    return _spline([stop for k, stop in enumerate(stops) if k == 0 or stop[1] > stops[k - 1][1] + 1e-9])


def _lean(a: tuple[float, Point], b: tuple[float, Point]) -> float:
    """Sideways over downward travel between two layers."""
    return (b[0] - a[0]) / (b[1][0] - a[1][1])


def _spline(stops: list[tuple[float, float, float]]) -> tuple[Point, ...]:
    """Bézier curves through `(x, y, lean)` from top to bottom; none leaves the stripe between its ends."""
    spline = [stops[0][:2]]
    for (xa, ya, lean_a), (xb, yb, lean_b) in pairwise(stops):
        lead = (yb - ya) * 0.42
        spline += [(xa + lean_a * lead, ya + lead), (xb - lean_b * lead, yb - lead), (xb, yb)]
    return tuple(spline)
