"""Random knowledge against every algorithm, with brute force over all DAGs of three or four variables as the judge."""

from __future__ import annotations

import random
import warnings
from functools import cache
from itertools import permutations

import numpy as np

import veridag as vd
from learners import ALGORITHMS, CONSTRAINT_BASED
from naive.graphs import all_dags
from strategies.knowledge import broken

ALL = {**ALGORITHMS, **CONSTRAINT_BASED}


@cache
def table(n: int) -> vd.Data:
    """Columns A, B, ... of which each depends on the one before."""
    rng = np.random.default_rng(n)
    codes = rng.integers(0, 2, (150, n))
    for i in range(1, n):
        codes[:, i] ^= codes[:, i - 1] & (rng.random(150) < 0.8)
    return vd.Data([vd.data.Column.discrete("ABCD"[i], codes[:, i], ["no", "yes"]) for i in range(n)])


@cache
def scored(n: int) -> tuple[tuple[vd.DAG, float], ...]:
    """Every DAG with its score by BIC."""
    names = "ABCD"[:n]
    found = [vd.DAG.from_arcs([(names[a], names[b]) for a, b in arcs], list(names)) for arcs in all_dags(n)]
    return tuple((dag, vd.score(dag, table(n), vd.BIC())) for dag in found)


def random_knowledge(n: int, chance: random.Random) -> vd.Knowledge:
    """Required and forbidden arcs, tiers and limits at random; they may contradict each other."""
    names = "ABCD"[:n]
    pairs = list(permutations(names, 2))
    required = [pair for pair in pairs if chance.random() < 0.12]
    forbidden = [pair for pair in pairs if chance.random() < 0.25]
    order = chance.sample(names, n)
    cut = chance.randint(1, n - 1)
    tiers = [order[:cut], order[cut:]] if chance.random() < 0.4 else []
    limits = {name: chance.randint(0, 2) for name in names if chance.random() < 0.3}
    limit = chance.choice([None, None, 1, 2, limits])
    return vd.Knowledge(required, forbidden, tiers, limit)


def wrong(label: str, seed: int) -> str | None:
    """What an algorithm did wrong with the knowledge of this seed, or None.

    If no DAG obeys, it must say so by InputError. Otherwise its DAG must obey, and score no more than the best that
    does; the exact search must find that score.
    """
    chance = random.Random(seed)
    n = chance.choice([3, 4])
    try:
        knowledge = random_knowledge(n, chance)
    except vd.InputError:
        return None
    allowed = [score for dag, score in scored(n) if not any(broken(knowledge, dag))]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ALL[label].learn(table(n), knowledge)
    except vd.InputError as error:
        return f"{knowledge}: refused although {len(allowed)} DAGs obey: {error}" if allowed else None
    if not allowed:
        return f"{knowledge}: no DAG obeys, and it found one"
    if not result.valid:
        return None
    if any(broken(knowledge, result.dag)):
        return f"{knowledge}: {sorted(result.dag.arcs)} does not obey"
    score = vd.score(result.dag, table(n), vd.BIC())
    best = max(allowed)
    if score > best + 1e-8:
        return f"{knowledge}: scores {score}, more than the best, {best}"
    if label == "exact" and score < best - 1e-8:
        return f"{knowledge}: scores {score}, less than the best, {best}"
    return None
