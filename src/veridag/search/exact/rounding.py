"""Good networks from the solutions of the linear programs, while integer programming goes on."""

from __future__ import annotations

from typing import Any

from pyscipopt import Heur
from pyscipopt.scip import PY_SCIP_RESULT as SCIP_RESULT

from .acyclicity import AcyclicGraph

#: Orders by weight alone are the better ones while the solutions are far from integral, the others later.
SHARES = (1.0, 0.5)


class Rounding(Heur):
    """Climbs over orders from the one that the linear program suggests.

    A bound that is nearly tight rules out most candidates only if a network is known that is nearly the best. On large
    tables climbing from elsewhere does not find one.
    """

    def __init__(self, acyclic: AcyclicGraph, variables: list[Any], known: float) -> None:
        self.acyclic, self.variables, self.best = acyclic, variables, known
        self.last: list[list[int]] = [[] for _ in SHARES]

    def heurexec(self, heurtiming: Any, nodeinfeasible: bool) -> dict[str, Any]:
        """Called after the linear programs of the cutting planes and of the nodes."""
        return self.acyclic.guarded(self._round, SCIP_RESULT.DIDNOTFIND)

    def _round(self) -> Any:
        core, relaxed = self.acyclic.candidates.core, self.acyclic.relaxed()
        result = SCIP_RESULT.DIDNOTFIND
        for k, share in enumerate(SHARES):
            order = core.order_by_weight(relaxed, share)
            if order == self.last[k]:
                continue
            self.last[k] = order
            found = core.climb(order, 0, 0, self._is_stopped)
            if found.choices and self._is_taken(found.choices[0], found.scores[0]):
                result = SCIP_RESULT.FOUNDSOL
        return result

    def _is_taken(self, choice: list[int], score: float) -> bool:
        if not score > self.best + 1e-9 * abs(score):
            return False
        solution = self.model.createSol(self)
        for row in choice:
            self.model.setSolVal(solution, self.variables[row], 1.0)
        if not self.model.trySol(solution):
            return False
        self.best = score
        return True

    def _is_stopped(self, steps: int, best: float, bound: float) -> bool:
        del steps, best, bound
        return self.acyclic.stopped
