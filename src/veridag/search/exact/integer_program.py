"""The best network of a table of candidate parent sets by integer programming, on SCIP.

A variable x(v, S) says that v has the parents S. Every v has one set, and every cluster C of variables has a member
without parents in it: the sum over v in C and S disjoint from C of x(v, S) is at least 1 (Jaakkola et al. 2010;
Bartlett and Cussens 2017). The clusters are too many to write down: the search starts with those of the best ascent in
the dual, and adds those that the linear relaxation violates, found in the core, as it goes on. So it does with
constraints on three or four variables that are stronger (Cussens et al. 2017).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyscipopt import Conshdlr, Model, quicksum
from pyscipopt.scip import PY_SCIP_PARAMSETTING as SCIP_PARAMSETTING
from pyscipopt.scip import PY_SCIP_PRESOLTIMING as SCIP_PRESOLTIMING
from pyscipopt.scip import PY_SCIP_PROPTIMING as SCIP_PROPTIMING
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

#: Settings that were better than SCIP's own on tables of 20 to 109 variables. Zero-half and Gomory cuts close some of
#: the gap that clusters and facets leave.
MEASURED = {
    "separating/zerohalf/freq": 2,
    "separating/zerohalf/maxroundsroot": -1,
    "separating/gomory/freq": 2,
    "separating/gomory/maxroundsroot": 30,
    "separating/aggregation/freq": -1,
    "branching/relpscost/initcand": 50,
    "branching/relpscost/sbiterofs": 20_000,
}


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
class Outcome:
    """The best choice of rows found, a bound on the score of every choice, and whether the search came to its end."""

    choice: list[int]
    bound: float
    finished: bool
    nodes: int
    out_of_memory: bool = False
    interrupted: bool = False


@dataclass(frozen=True)
class Row:
    """A constraint of the linear program: the sum of coefficients times variables is between two numbers."""

    variables: list[int]
    coefficients: list[float]
    least: float | None
    most: float | None


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

    def consinitpre(self, constraints: Any) -> None:
        """Whether the locks are there, before SCIP draws conclusions from them."""
        self._guarded(self._check_locks, None)

    def consinitsol(self, constraints: Any) -> None:
        """The variables of the presolved problem, in which rows of the linear program are written."""
        self.transformed = [self.model.getTransformedVar(v) for v in self.variables]

    def conssepalp(self, constraints: Any, nusefulconss: int) -> dict[str, Any]:
        """Adds clusters that the relaxation violates."""
        return self._guarded(self._separate, SCIP_RESULT.DIDNOTRUN)

    def consenfolp(self, constraints: Any, nusefulconss: int, solinfeasible: bool) -> dict[str, Any]:
        """Adds the cycles of an integral solution of the relaxation."""
        return self._guarded(self._enforce, SCIP_RESULT.INFEASIBLE)

    def consenfops(self, constraints: Any, nusefulconss: int, solinfeasible: bool, objinfeasible: bool) -> Any:
        """Whether the pseudo-solution is acyclic."""
        return self._guarded(lambda: self._judge(None), SCIP_RESULT.INFEASIBLE)

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
        return self._guarded(lambda: self._judge(solution), SCIP_RESULT.INFEASIBLE)

    def conslock(self, constraint: Any, locktype: Any, nlockspos: int, nlocksneg: int) -> None:
        """Any variable may break the constraint: without these locks SCIP fixes variables that it must not."""
        locks = nlockspos + nlocksneg
        for variable in self.variables:
            self.model.addVarLocksType(variable, locktype, locks, locks)

    def _guarded(self, act: Callable[[], Any], otherwise: Any) -> dict[str, Any]:
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

    def _relaxed(self) -> Floats:
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
        core, x = self.candidates.core, self._relaxed()
        found = [self._of_cluster(cluster) for cluster in core.violated_clusters(x, MARGIN, MOST_CLUSTERS)]
        for cut in core.violated_facets(x, FACET_MARGIN, MOST_FACETS):
            found.append(Row(cut.rows.tolist(), cut.coefficients.tolist(), None, cut.most))
        return self._add_all(found, must=False) if found else SCIP_RESULT.DIDNOTFIND

    def _enforce(self) -> Any:
        cycles = self.candidates.core.cycles(self.candidates.best_of(self._relaxed()))
        if not cycles:
            return SCIP_RESULT.FEASIBLE
        return self._add_all(map(self._of_cluster, cycles), must=True)

    def _of_cluster(self, cluster: list[int]) -> Row:
        rows, least, most = cluster_constraint(self.candidates.core, cluster)
        return Row(rows, [1.0] * len(rows), least, most)

    def _add_all(self, found: Iterable[Row], *, must: bool) -> Any:
        """Add constraints to the linear program, up to one that leaves no solution, or until the search is to stop."""
        for row in found:
            if self.stopped:
                break
            cut = self.model.createEmptyRowUnspec(lhs=row.least, rhs=row.most, local=False)
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

    As each variable has one set, "one member at least has its parents outside" is "all but one at most have not".
    """
    outside, inside = core.cluster_rows(cluster, True), core.cluster_rows(cluster, False)
    if len(outside) <= len(inside):
        return outside.tolist(), 1.0, None
    return inside.tolist(), None, len(cluster) - 1.0


class Program:
    """The integer program of one table."""

    def __init__(
        self, candidates: Candidates, start: Sequence[int], memory: float, clusters: Sequence[list[int]] = ()
    ) -> None:
        self.candidates = candidates
        self.tops = candidates.scores[candidates.offsets[:-1]]
        self.model = Model()
        self.model.hideOutput()
        # The scores less the best of each variable: small numbers, so that the solver's tolerances mean little.
        losses = candidates.scores - np.repeat(self.tops, np.diff(candidates.offsets))
        self.variables = [self.model.addVar(vtype="B", obj=loss) for loss in losses.tolist()]
        self.model.setMaximize()
        for first, last in zip(candidates.offsets[:-1].tolist(), candidates.offsets[1:].tolist(), strict=True):
            self.model.addCons(quicksum(self.variables[first:last]) == 1)
        self._add_pairs()
        self._set_parameters(memory)
        self.handler = AcyclicGraph(candidates, self.variables, clusters)
        self.model.includeConshdlr(
            self.handler,
            "acyclic",
            "the graph is acyclic",
            sepapriority=1_000_000,
            enfopriority=-10,  # below integrality and the linear constraints: what is enforced is integral
            chckpriority=-10_000_000,
            sepafreq=1,
            propfreq=-1,
            eagerfreq=100,
            maxprerounds=0,
            delaysepa=False,
            delayprop=False,
            needscons=True,
            presoltiming=SCIP_PRESOLTIMING.FAST,
            proptiming=SCIP_PROPTIMING.BEFORELP,
        )
        self.model.addPyCons(self.model.createCons(self.handler, "acyclic"))
        self.known = candidates.score_of(start) if start else -inf
        if start:
            self._start_from(start)

    def _add_pairs(self) -> None:
        """Two variables are not each other's parents: the clusters that matter most, from the beginning."""
        for pair in self.candidates.core.mutual_pairs():
            rows, least, most = cluster_constraint(self.candidates.core, pair)
            total = quicksum(self.variables[row] for row in rows)
            self.model.addCons(total >= least if most is None else total <= most, removable=True)

    def _set_parameters(self, memory: float) -> None:
        model = self.model
        model.setHeuristics(SCIP_PARAMSETTING.OFF)  # the start is better than what they would find
        model.setParam("presolving/maxrestarts", 0)
        model.setParam("misc/catchctrlc", False)  # Python's own handler is used
        model.setParam("limits/memory", memory / 2**20)
        for name, value in MEASURED.items():
            model.setParam(name, value)

    def _start_from(self, choice: Sequence[int]) -> None:
        solution = self.model.createSol()
        for row in choice:
            self.model.setSolVal(solution, self.variables[row], 1.0)
        self.model.addSol(solution)

    def solve(
        self, watch: Callable[[float, float, int], bool], seconds: float = inf, patience: Patience | None = None
    ) -> Outcome | None:
        """Search to the end, or until `watch` says so or `patience` is over; the next call goes on from there.

        This callback gets the best score, the bound and the nodes several times a second.
        `seconds` are for the linear programs, which cannot be interrupted: one can take long where rows are very many.

        None if there is no acyclic graph. SCIP works in a thread of its own, so that an interrupt reaches the caller at
        once, wherever SCIP is.
        """
        raised: list[BaseException] = []
        self.handler.patience, self.handler.stopped = patience, False
        if seconds < inf:
            self.model.setParam("limits/time", self.model.getSolvingTime() + max(0.0, seconds))

        def work() -> None:
            try:
                self.model.optimizeNogil()
            except BaseException as failure:
                raised.append(failure)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        stopped, interrupted, top = False, False, float(self.tops.sum())
        try:
            while thread.is_alive():
                try:
                    thread.join(0.02)
                    best, bound, nodes = self.handler.seen
                    stopped = stopped or watch(best + top, bound + top, nodes)
                except KeyboardInterrupt:
                    stopped = interrupted = True
                if stopped:
                    self._stop()
        finally:
            while thread.is_alive():
                self._stop()
                thread.join(0.02)
        if self.handler.failure is not None:
            raise self.handler.failure
        if raised:
            raise SolverFailure(f"SCIP failed: {raised[0]}") from raised[0]
        if self.model.getStatus() == "unknown" and stopped:  # before the search itself had begun
            return Outcome([], inf, False, 0, False, interrupted)
        return self._outcome(interrupted)

    def _stop(self) -> None:
        self.handler.stopped = True
        try:
            self.model.interruptSolve()
        except Exception:  # not in a stage that can be interrupted; tried again soon
            return

    def _outcome(self, interrupted: bool) -> Outcome | None:
        status = self.model.getStatus()
        if status == "infeasible" and self.known == -inf:
            return None
        if status not in ("optimal", "userinterrupt", "memlimit", "timelimit"):
            raise SolverFailure(f"SCIP ended with the status {status!r} on a problem that has a solution")
        finished = status == "optimal"
        bound, nodes = self.model.getDualbound() + float(self.tops.sum()), int(self.model.getNTotalNodes())
        if not finished and self.model.getNSols() == 0:
            return Outcome([], bound, False, nodes, status == "memlimit", interrupted)
        choice = self._checked_choice()
        score = self.candidates.score_of(choice)
        if bound < max(score, self.known) - tolerance(score) or (finished and bound > score + tolerance(score)):
            raise SolverFailure(f"SCIP's bound {bound} does not fit the score {max(score, self.known)} of a network")
        bound = score if finished else max(score, bound)
        return Outcome(choice, bound, finished, nodes, status == "memlimit", interrupted)

    def _checked_choice(self) -> list[int]:
        """The best solution's rows, recomputed and checked: one row a variable, acyclic, of the score it claims."""
        solution = self.model.getBestSol()
        weights = np.array([self.model.getSolVal(solution, v) for v in self.variables])
        if np.any(np.minimum(np.abs(weights), np.abs(weights - 1)) > 1e-4):
            raise SolverFailure("SCIP's solution is not integral")
        choice = self.candidates.best_of(weights)
        if round(float(weights.sum())) != len(choice) or self.candidates.core.cycles(choice):
            raise SolverFailure("SCIP's solution is no acyclic graph")
        claimed = self.model.getPrimalbound() + float(self.tops.sum())
        score = self.candidates.score_of(choice)
        if abs(claimed - score) > tolerance(score):
            raise SolverFailure(f"SCIP claims the score {claimed} of a network whose score is {score}")
        return choice


def tolerance(score: float) -> float:
    """How exact a score is that went through linear programming."""
    return 1e-6 + 1e-8 * abs(score)
