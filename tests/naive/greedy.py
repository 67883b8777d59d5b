"""Greedy search that looks at every move of every step (Scutari, Graafland and Gutierrez 2019, Algorithm 2)."""

from __future__ import annotations

from collections import deque
from itertools import product

import veridag as vd
from veridag.data import Data

Arcs = frozenset[tuple[int, int]]
Move = tuple[str, int, int]


def published_calls(n: int, moves: list[tuple[str, int, int]]) -> int:
    """The local scores that a greedy search from the empty graph asks for, counted as R bnlearn counts them.

    Each variable is scored as it is, and with each other one added or taken away; again once its parents change. Of the
    arcs X -> Y and Y -> X between variables without parents, only the first is scored.
    """
    parents: list[set[int]] = [set() for _ in range(n)]
    scored: set[tuple[int, int]] = set()
    calls = 0

    def rescore(v: int) -> None:
        nonlocal calls
        calls += 1
        for u in set(range(n)) - {v}:
            reverse_is_known = (v, u) in scored and not parents[u] and not parents[v]
            calls += not reverse_is_known
            scored.add((u, v))

    for v in range(n):
        rescore(v)
    for kind, u, v in moves:
        parents[v] ^= {u}
        if kind == "reverse":
            parents[u] ^= {v}
        for changed in [v, u] if kind == "reverse" else [v]:
            rescore(changed)
    return calls


class Greedy:
    """Variables are numbers of columns, and a graph is the set of its arcs."""

    def __init__(self, data: Data, learner: vd.HillClimbing, knowledge: vd.Knowledge) -> None:
        self.n = len(data.names)
        self.scorer = vd.Scorer(data, learner.score, learner.prior)
        self.known = knowledge.bind(data.names)
        most = self.n if learner.max_indegree is None else learner.max_indegree
        self.limits = [min(most, int(limit)) for limit in self.known.max_indegree]
        tabu = isinstance(learner, vd.Tabu)
        self.tabu, self.max_tabu = (learner.tabu, learner.max_tabu) if tabu else (0, 0)

    def run(self) -> tuple[list[Move], float]:
        """The moves made, and the best score on the way."""
        arcs: Arcs = frozenset((i, j) for i, j in product(range(self.n), repeat=2) if self.known.required[i, j])
        best = score = self._score(arcs)
        visited: deque[Arcs] = deque(maxlen=self.tabu)
        made: list[Move] = []
        failures = 0
        while True:
            visited.append(arcs)
            moves = [(move, after) for move, after in self._moves(arcs) if after not in visited]
            if not moves:
                return made, best
            gains = [self._score(after) - score for _, after in moves]
            close = 1e-9 * max(1.0, abs(best))
            first = next(i for i, gain in enumerate(gains) if gain >= max(gains) - close)
            if gains[first] <= close and failures >= self.max_tabu:
                return made, best
            move, arcs = moves[first]
            made.append(move)
            score = self._score(arcs)
            failures = 0 if score > best + close else failures + 1
            best = max(best, score)
            if failures > self.max_tabu:
                return made, best

    def _moves(self, arcs: Arcs) -> list[tuple[Move, Arcs]]:
        """All that lead to an allowed graph, by the arc's ends and then the kind."""
        found = []
        for i, j in product(range(self.n), repeat=2):
            if (i, j) not in arcs:
                found.append((("add", i, j), arcs | {(i, j)}))
            else:
                found.append((("remove", i, j), arcs - {(i, j)}))
                found.append((("reverse", i, j), arcs - {(i, j)} | {(j, i)}))
        return [(move, after) for move, after in found if self._is_allowed(after)]

    def _is_allowed(self, arcs: Arcs) -> bool:
        required, forbidden = self.known.required, self.known.forbidden
        if any(forbidden[arc] for arc in arcs) or (required.sum() > sum(required[arc] for arc in arcs)):
            return False
        if any(sum(to == j for _, to in arcs) > self.limits[j] for j in range(self.n)):
            return False
        left = set(range(self.n))
        while left:
            free = {j for j in left if not any(to == j and i in left for i, to in arcs)}
            if not free:
                return False
            left -= free
        return self._score(arcs) > float("-inf")

    def _score(self, arcs: Arcs) -> float:
        families = [(j, sorted(i for i, to in arcs if to == j)) for j in range(self.n)]
        return float(self.scorer.local_many(families).sum())
