"""Random tables of local scores, and the best network of a table by trying every choice of one row a variable."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np

from veridag.criteria.score_table import ScoreTable


def random_table(n: int, seed: int, sets: int = 6, most: int = 3, *, empty: bool = True) -> ScoreTable:
    """Some random parent sets a variable; larger ones tend to be better, so that cycles tempt."""
    rng = np.random.default_rng(seed)
    table = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own: dict[tuple[int, ...], float] = {(): float(-20 - 3 * rng.random())} if empty else {}
        while len(own) < min(sets, 2 ** len(others) - 1):
            chosen = tuple(sorted(rng.choice(others, int(rng.integers(1, min(most, len(others)) + 1)), replace=False)))
            own[tuple(map(int, chosen))] = float(-20 + 4 * len(chosen) + 5 * rng.random())
        table.append(sorted(((value, s) for s, value in own.items()), key=lambda row: -row[0]))
    return ScoreTable.from_sets(tuple(f"v{i:02d}" for i in range(n)), table)


def rows_of(table: ScoreTable) -> list[list[tuple[float, tuple[int, ...]]]]:
    """(score, parents) of every candidate of every variable."""
    sets = [
        tuple(table.parents[a:b].tolist())
        for a, b in zip(table.parent_offsets[:-1], table.parent_offsets[1:], strict=True)
    ]
    rows = list(zip(table.scores.tolist(), sets, strict=True))
    return [rows[a:b] for a, b in zip(table.offsets[:-1], table.offsets[1:], strict=True)]


def optimum(table: ScoreTable) -> float:
    """The highest score of an acyclic choice; minus infinity if there is none."""
    best = -inf
    for choice in product(*rows_of(table)):
        score = sum(value for value, _ in choice)
        if score <= best:
            continue
        if _is_acyclic([set(parents) for _, parents in choice]):
            best = score
    return best


def _is_acyclic(parents: list[set[int]]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not parents[v] & left}
        if not free:
            return False
        left -= free
    return True
