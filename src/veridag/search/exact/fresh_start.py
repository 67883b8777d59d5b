"""Deciding when to rewrite an integer program with its remaining rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscipopt import Branchrule
from pyscipopt.scip import PY_SCIP_RESULT as SCIP_RESULT

from .acyclicity import AcyclicGraph

#: The share of the rows that may be left. A new program has to find its constraints again.
SMALL_SHARE = 0.6


class FreshStart(Branchrule):
    """Ends the search before its first branch if reduced costs have ruled out most rows.

    SCIP would carry the rows that are ruled out along in all its linear programs, and try branches with them. Without
    them the table may also fall into parts, or suit the other method.
    """

    def __init__(self, acyclic: AcyclicGraph) -> None:
        self.acyclic = acyclic
        self.kept: NDArray[np.bool_] | None = None  # rows of better networks and of the best known, once they are few

    def branchexeclp(self, allowaddcons: bool) -> dict[str, Any]:
        """Called when the linear program is solved and no more constraints are found."""
        return self.acyclic.guarded(self._look, SCIP_RESULT.DIDNOTRUN)

    def branchexecext(self, allowaddcons: bool) -> dict[str, Any]:
        """Not a case that there is: no candidates come from outside."""
        return {"result": SCIP_RESULT.DIDNOTRUN}

    def branchexecps(self, allowaddcons: bool) -> dict[str, Any]:
        """Called when a linear program was not solved: others decide."""
        return {"result": SCIP_RESULT.DIDNOTRUN}

    def _look(self) -> Any:
        if self.model.getNTotalNodes() == 1 and self.model.getNSols() > 0:
            kept = np.array([v.getUbGlobal() > 0.5 for v in self.acyclic.transformed])
            # What is left is to have the best network even if that is known already. These rows count: a program that
            # is no smaller than this one would start afresh for ever.
            best = self.model.getBestSol()
            kept |= np.array([self.model.getSolVal(best, v) > 0.5 for v in self.acyclic.variables])
            if kept.mean() <= SMALL_SHARE:
                self.kept = kept
                self.model.interruptSolve()
        return SCIP_RESULT.DIDNOTRUN
