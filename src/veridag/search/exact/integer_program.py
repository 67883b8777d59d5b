"""The best network of a table of candidate parent sets by integer programming, on SCIP.

A variable x(v, S) says that v has the parents S. Every v has one set, and every cluster C of variables has a member
without parents in it: the sum over v in C and S disjoint from C of x(v, S) is at least 1 (Jaakkola et al. 2010;
Bartlett and Cussens 2017). The clusters are too many to write down: the search starts with those of the best ascent in
the dual, and adds those that the linear relaxation violates, found in the core, as it goes on. So it does with
constraints on three or four variables that are stronger (Cussens et al. 2017).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray
from pyscipopt import Model, quicksum
from pyscipopt.scip import PY_SCIP_HEURTIMING as SCIP_HEURTIMING
from pyscipopt.scip import PY_SCIP_PARAMSETTING as SCIP_PARAMSETTING
from pyscipopt.scip import PY_SCIP_PRESOLTIMING as SCIP_PRESOLTIMING
from pyscipopt.scip import PY_SCIP_PROPTIMING as SCIP_PROPTIMING

from .acyclicity import AcyclicGraph, Candidates, SolverFailure, cluster_constraint
from .fresh_start import FreshStart
from .method import Patience
from .rounding import Rounding

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


@dataclass(frozen=True)
class Outcome:
    """The best choice of rows found, a bound on the score of every choice, and whether the search came to its end."""

    choice: list[int]
    bound: float
    finished: bool
    nodes: int
    out_of_memory: bool = False
    interrupted: bool = False
    #: Rows that a better network may have, if these are few: the program is better written anew, with these clusters.
    kept: NDArray[np.bool_] | None = None
    clusters: list[list[int]] = field(default_factory=list)


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
        self.fresh_start = FreshStart(self.handler)
        self.model.includeBranchrule(
            self.fresh_start,
            "fresh start",
            "ends the search if few rows are left",
            priority=1_000_000,
            maxdepth=0,
            maxbounddist=1.0,
        )
        self.model.includeHeur(
            Rounding(self.handler, self.variables, self.known),
            "orders",
            "climbs over orders from the solution of the linear program",
            "R",
            freq=1,
            timingmask=SCIP_HEURTIMING.DURINGLPLOOP | SCIP_HEURTIMING.AFTERLPNODE,
        )
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
        `seconds` are for the linear programs, which cannot be interrupted: they can take long if there are many rows.

        None if there is no acyclic graph. SCIP works in a thread of its own, so that an interrupt reaches the caller at
        once, wherever SCIP is.
        """
        raised: list[BaseException] = []
        self.handler.patience, self.handler.stopped = patience, False
        if seconds < inf:
            self.model.setParam("limits/time", self.model.getSolvingTime() + max(0.0, seconds))

        running, left = threading.Lock(), threading.Event()

        def work() -> None:
            with running:
                if left.is_set():
                    return
                try:
                    self.model.optimizeNogil()
                except BaseException as failure:
                    raised.append(failure)

        thread = threading.Thread(target=work, daemon=True)
        stopped, interrupted, top = False, False, float(self.tops.sum())
        try:
            thread.start()
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
            self._leave(running, left)
        if self.handler.failure is not None:
            raise self.handler.failure
        if raised:
            raise SolverFailure(f"SCIP failed: {raised[0]}") from raised[0]
        if self.model.getStatus() == "unknown" and stopped:  # before the search itself had begun
            return Outcome([], inf, False, 0, False, interrupted)
        return self._outcome(interrupted)

    def _leave(self, running: threading.Lock, left: threading.Event) -> None:
        """End the search, however often it is interrupted.

        A thread that is left behind aborts the process when Python ends: its next callback cannot come back to SCIP.
        It may not even have started, if the interrupt came while it was started; then it ends once it sees `left`.
        """
        try:
            left.set()
            while running.locked():
                self._stop()
                time.sleep(0.02)
        except KeyboardInterrupt:
            self._leave(running, left)

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
        if not finished and self.model.getNSols() == 0:  # nor has anything been ruled out
            return Outcome([], bound, False, nodes, status == "memlimit", interrupted)
        choice = self._checked_choice()
        score = self.candidates.score_of(choice)
        if bound < max(score, self.known) - tolerance(score) or (finished and bound > score + tolerance(score)):
            raise SolverFailure(f"SCIP's bound {bound} does not fit the score {max(score, self.known)} of a network")
        bound = score if finished else max(score, bound)
        kept, clusters = None if finished else self.fresh_start.kept, []
        if kept is not None:
            clusters = self.handler.tight_clusters()
        return Outcome(choice, bound, finished, nodes, status == "memlimit", interrupted, kept, clusters)

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
