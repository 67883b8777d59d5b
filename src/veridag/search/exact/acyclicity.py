"""The constraint of the integer program that the chosen parent sets form an acyclic graph.

What it adds to the linear program is found in the core: clusters, and constraints on three or four variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscipopt import Conshdlr
from pyscipopt.scip import PY_SCIP_RESULT as SCIP_RESULT

from veridag import _core

from .method import Patience

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]

#: How far below 1 the sum of a cluster must be for its constraint to be worth adding.
MARGIN = 1e-3

#: The most clusters that one round adds.
MOST_CLUSTERS = 200

#: The most entries of the linear program that the clusters of the beginning may take, sparse ones first.
MOST_ENTRIES = 2_000_000

#: As above, for constraints on three or four variables.
FACET_MARGIN = 0.01
MOST_FACETS = 100


class SolverFailure(RuntimeError):
    """The solver's answer does not stand up to checking; it is not passed on."""


@dataclass(frozen=True)
class Candidates:
    """A table as the integer program needs it: the core's, with where each variable's rows start, and the scores."""

    core: _core.Candidates
    offsets: Int64s
    scores: Floats

    def best_of(self, weights: Floats) -> list[int]:
        """The row of the greatest weight of every variable."""
        pairs = zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)
        return [a + int(np.argmax(weights[a:b])) for a, b in pairs]

    def score_of(self, choice: Sequence[int]) -> float:
        """The score of the graph that has these rows."""
        return float(self.scores[list(choice)].sum())


@dataclass(frozen=True)
class Row:
    """A constraint of the linear program: the sum of coefficients times variables is between two numbers."""

    variables: list[int]
    coefficients: list[float]
    least: float | None
    most: float | None
    name: str = "facet"


class AcyclicGraph(Conshdlr):
    """The constraint that the chosen parent sets form an acyclic graph.

    `waiting` are clusters that the first round adds: the relaxation is then as tight as the bound that they show.

    Whatever is raised in a callback is kept in `failure` and ends the search: SCIP itself would go on.
    """

    def __init__(self, candidates: Candidates, variables: list[Any], waiting: Sequence[list[int]]) -> None:
        self.candidates, self.variables = candidates, variables
        self.waiting = list(waiting)
        self.patience: Patience | None = None
        self.transformed: list[Any] = []
        self.failure: BaseException | None = None
        self.stopped = False  # set from outside: a round can take long where the constraints have many entries
        self.seen = (-inf, inf, 0)  # best score, bound and number of nodes when last looked at
        self.clusters: list[list[int]] = []  # those whose constraints were added, by the number in their names

    def consinitpre(self, constraints: Any) -> None:
        """Whether the locks are there, before SCIP draws conclusions from them."""
        self.guarded(self._check_locks, None)

    def consinitsol(self, constraints: Any) -> None:
        """The variables of the presolved problem, in which rows of the linear program are written."""
        self.transformed = [self.model.getTransformedVar(v) for v in self.variables]

    def conssepalp(self, constraints: Any, nusefulconss: int) -> dict[str, Any]:
        """Adds clusters that the relaxation violates."""
        return self.guarded(self._separate, SCIP_RESULT.DIDNOTRUN)

    def consenfolp(self, constraints: Any, nusefulconss: int, solinfeasible: bool) -> dict[str, Any]:
        """Adds the cycles of an integral solution of the relaxation."""
        return self.guarded(self._enforce, SCIP_RESULT.INFEASIBLE)

    def consenfops(self, constraints: Any, nusefulconss: int, solinfeasible: bool, objinfeasible: bool) -> Any:
        """Whether the pseudo-solution is acyclic."""
        return self.guarded(lambda: self._judge(None), SCIP_RESULT.INFEASIBLE)

    def conscheck(
        self,
        constraints: Any,
        solution: Any,
        checkintegrality: Any,
        checklprows: Any,
        printreason: Any,
        completely: Any,
    ) -> dict[str, Any]:
        """Whether a solution is acyclic."""
        return self.guarded(lambda: self._judge(solution), SCIP_RESULT.INFEASIBLE)

    def conslock(self, constraint: Any, locktype: Any, nlockspos: int, nlocksneg: int) -> None:
        """Any variable may break the constraint: without these locks SCIP fixes variables that it must not."""
        locks = nlockspos + nlocksneg
        with suppress(ReferenceError):  # it also unlocks while it is freed, when PySCIPOpt before 6.2 has let go of it
            for variable in self.variables:
                self.model.addVarLocksType(variable, locktype, locks, locks)

    def guarded(self, act: Callable[[], Any], otherwise: Any) -> dict[str, Any]:
        """What a callback answers; after a failure, in this call or before, the other answer."""
        if self.failure is None:
            try:
                return {"result": act()}
            except BaseException as failure:  # an interrupt as well
                self.failure = failure
                self.model.interruptSolve()
        return {"result": otherwise}

    def _check_locks(self) -> None:
        for variable in self.variables:
            own = self.model.getTransformedVar(variable)
            # One of each is that of the constraint that a variable has one parent set.
            if min(own.getNLocksDown(), own.getNLocksUp()) < 2:
                raise SolverFailure("a variable of the integer program lacks the locks of the acyclicity constraint")

    def _judge(self, solution: Any) -> Any:
        weights = np.array([self.model.getSolVal(solution, v) for v in self.variables])
        cycles = self.candidates.core.cycles(self.candidates.best_of(weights))
        return SCIP_RESULT.INFEASIBLE if cycles else SCIP_RESULT.FEASIBLE

    def relaxed(self) -> Floats:
        """The solution of the linear program."""
        return np.array([v.getLPSol() for v in self.transformed])

    def _separate(self) -> Any:
        best, bound = self.model.getPrimalbound(), self.model.getDualbound()
        self.seen = (best, bound, int(self.model.getNTotalNodes()))
        if self.patience is not None and self.patience.is_over(int(self.model.getNLPIterations()), bound - best):
            self.model.interruptSolve()
            return SCIP_RESULT.DIDNOTFIND
        if self.waiting:
            clusters, self.waiting = sparsest(self.candidates.core, self.waiting, MOST_ENTRIES), []
            return self._add_all(map(self._of_cluster, clusters), must=True)
        core, x = self.candidates.core, self.relaxed()
        found = [self._of_cluster(cluster) for cluster in core.violated_clusters(x, MARGIN, MOST_CLUSTERS)]
        for cut in core.violated_facets(x, FACET_MARGIN, MOST_FACETS):
            found.append(Row(cut.rows.tolist(), cut.coefficients.tolist(), None, cut.most))
        return self._add_all(found, must=False) if found else SCIP_RESULT.DIDNOTFIND

    def tight_clusters(self) -> list[list[int]]:
        """Clusters whose constraints are in the linear program."""
        names = [row.name for row in self.model.getLPRowsData()]
        numbers = {int(name[1:]) for name in names if name[:1] == "C" and name[1:].isdigit()}
        return [self.clusters[number] for number in sorted(numbers)]

    def _enforce(self) -> Any:
        cycles = self.candidates.core.cycles(self.candidates.best_of(self.relaxed()))
        if not cycles:
            return SCIP_RESULT.FEASIBLE
        return self._add_all(map(self._of_cluster, cycles), must=True)

    def _of_cluster(self, cluster: list[int]) -> Row:
        rows, least, most = cluster_constraint(self.candidates.core, cluster)
        self.clusters.append(cluster)
        return Row(rows, [1.0] * len(rows), least, most, f"C{len(self.clusters) - 1}")

    def _add_all(self, found: Iterable[Row], *, must: bool) -> Any:
        """Add constraints to the linear program, up to one that leaves no solution, or until the search is to stop."""
        for row in found:
            if self.stopped:
                break
            cut = self.model.createEmptyRowUnspec(row.name, lhs=row.least, rhs=row.most, local=False)
            self.model.cacheRowExtensions(cut)
            for variable, coefficient in zip(row.variables, row.coefficients, strict=True):
                self.model.addVarToRow(cut, self.transformed[variable], coefficient)
            self.model.flushRowExtensions(cut)
            infeasible = bool(self.model.addCut(cut, forcecut=must))
            self.model.addPoolCut(cut)
            self.model.releaseRow(cut)
            if infeasible:
                return SCIP_RESULT.CUTOFF
        return SCIP_RESULT.SEPARATED


def sparsest(core: _core.Candidates, clusters: list[list[int]], entries: int) -> list[list[int]]:
    """The clusters whose constraints have the fewest entries, as many as have so many together; all if all have."""
    sizes = np.array(
        [min(len(core.cluster_rows(cluster, outside)) for outside in (True, False)) for cluster in clusters]
    )
    if sizes.sum() <= entries:
        return clusters
    order = np.argsort(sizes, kind="stable")
    return [clusters[k] for k in order[np.cumsum(sizes[order]) <= entries]]


def cluster_constraint(core: _core.Candidates, cluster: list[int]) -> tuple[list[int], float | None, float | None]:
    """Rows whose variables sum to at least the second or at most the third, whichever way has fewer rows.

    Each variable has one set, so "at least one member has its parents outside" is "at most size - 1 members have not".
    """
    outside, inside = core.cluster_rows(cluster, True), core.cluster_rows(cluster, False)
    if len(outside) <= len(inside):
        return outside.tolist(), 1.0, None
    return inside.tolist(), None, len(cluster) - 1.0
