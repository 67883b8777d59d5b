"""Slow, obvious versions of methods of discretization, written from the papers alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from strategies.data import expanded
from veridag.data import Data

TIE = 1e-9


def observations(data: Data) -> Data:
    """A row of weight w is there w times."""
    return data if data.weights is None else expanded(data)


def codes_or_none(data: Data, name: str) -> list[int | None]:
    """The codes of a column, and None where its value is missing."""
    column = next(c for c in data.columns if c.name == name)
    return [int(code) if there else None for code, there in zip(column.values, data.observed(name), strict=True)]


def mutual_information(x: Sequence[int | None], y: Sequence[int | None]) -> float:
    """I(X; Y) in natural units, from the definition; of the rows in which neither is None."""
    pairs = [(a, b) for a, b in zip(x, y, strict=True) if a is not None and b is not None]
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    n, both, of_x, of_y = len(x), Counter(zip(x, y, strict=True)), Counter(x), Counter(y)
    return sum(m / n * log(m * n / (of_x[a] * of_y[b])) for (a, b), m in both.items())


def hartemink(data: Data, bins: int, initial: int) -> dict[str, list[int | None]]:
    """The bin of each observation, for every column; None where a value is missing."""
    data = observations(data)
    chosen = [name for name in data.names if data.kinds[name] == "continuous"]
    start = data.discretize(initial)
    codes = {name: codes_or_none(start, name) for name in data.names}
    while any(_count(codes[name]) > bins for name in chosen):
        codes |= {name: _merge_once(name, codes) for name in chosen if _count(codes[name]) > bins}
    return codes


def _count(codes: list[int | None]) -> int:
    return len(set(codes) - {None})


def _merge_once(name: str, codes: dict[str, list[int | None]]) -> list[int | None]:
    """The codes of a column after the merger that loses least, all other columns as they are in `codes`."""
    own, others = codes[name], [codes[other] for other in codes if other != name]
    sizes = Counter(code for code in own if code is not None)
    tries = []
    for lower in sorted(sizes)[:-1]:
        merged = [None if code is None else code - (code > lower) for code in own]
        kept = sum(mutual_information(merged, other) for other in others)
        tries.append((kept, sizes[lower] + sizes[lower + 1], lower, merged))
    most = max(kept for kept, *_ in tries)
    good = [one for one in tries if one[0] >= most - TIE * (len(others) + 1)]
    return min(good, key=lambda one: one[1:3])[3]


def entropy(states: Sequence[int]) -> float:
    """In bits."""
    return -sum(m / len(states) * log(m / len(states), 2) for m in Counter(states).values())


def fayyad_irani(values: Sequence[float], states: Sequence[int]) -> list[float]:
    """The edges, each the largest value below a cut, in order."""
    n, k = len(values), len(set(states))
    tries = []
    for edge in sorted(set(values))[:-1]:
        left = [s for v, s in zip(values, states, strict=True) if v <= edge]
        right = [s for v, s in zip(values, states, strict=True) if v > edge]
        tries.append(((len(left) * entropy(left) + len(right) * entropy(right)) / n, edge, left, right))
    if not tries:
        return []
    least = min(left_over for left_over, *_ in tries)
    remaining, edge, left, right = next(one for one in tries if one[0] <= least + TIE)
    k1, k2 = len(set(left)), len(set(right))
    delta = log(3**k - 2, 2) - (k * entropy(states) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(states) - remaining <= (log(n - 1, 2) + delta) / n + TIE:
        return []
    below = [(v, s) for v, s in zip(values, states, strict=True) if v <= edge]
    above = [(v, s) for v, s in zip(values, states, strict=True) if v > edge]
    return [*fayyad_irani(*zip(*below, strict=True)), edge, *fayyad_irani(*zip(*above, strict=True))]
