"""Score tables from the definition alone: every parent set is scored and held against all its subsets."""

from __future__ import annotations

from itertools import combinations

import numpy as np

import veridag as vd
from veridag.data import Data

Sets = dict[tuple[str, ...], float]


def naive_table(
    data: Data, score: object, prior: object, max_indegree: int | None = None, knowledge: vd.Knowledge | None = None
) -> dict[str, Sets]:
    """For every variable all allowed parent sets with a finite score, by sorted names."""
    known = knowledge or vd.Knowledge()
    scorer = vd.Scorer(data, score, prior)  # type: ignore[arg-type]
    tables: dict[str, Sets] = {}
    for child in data.names:
        others = sorted(name for name in data.names if name != child)
        limit = len(others) if max_indegree is None else min(max_indegree, len(others))
        sets = [chosen for k in range(limit + 1) for chosen in combinations(others, k)]
        sets = [chosen for chosen in sets if allows(known, child, chosen, data.names)]
        at = {name: i for i, name in enumerate(data.names)}
        values = scorer.local_many([(at[child], [at[p] for p in chosen]) for chosen in sets])
        tables[child] = {s: float(v) for s, v in zip(sets, values, strict=True) if np.isfinite(v)}
    return tables


def allows(known: vd.Knowledge, child: str, parents: tuple[str, ...], names: tuple[str, ...]) -> bool:
    bound = known.bind(names)
    v = names.index(child)
    chosen = [names.index(p) for p in parents]
    required = set(np.flatnonzero(bound.required[:, v]).tolist())
    return required <= set(chosen) and not bound.forbidden[chosen, v].any() and len(chosen) <= bound.max_indegree[v]


def undominated(sets: Sets, tolerance: float) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """The sets better than all their proper subsets by more than the tolerance, and those that are so by less."""
    clear, close = set(), set()
    for chosen, value in sets.items():
        below = [sets[s] for k in range(len(chosen)) for s in combinations(chosen, k) if s in sets]
        gain = value - max(below, default=-np.inf)
        if gain > tolerance:
            clear.add(chosen)
        elif gain > -tolerance:
            close.add(chosen)
    return clear, close
