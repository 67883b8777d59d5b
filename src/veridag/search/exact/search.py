"""The steps of an exact search: reduce the table, split it, and solve each part by the best method."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.criteria.score_table import ScoreTable
from veridag.errors import InputError, import_optional, is_installed
from veridag.graph import DAG
from veridag.progress import Progress
from veridag.work.memory import checked_limit, shown

from .method import WAIT, Cost, Patience
from .part import Floats, Part, tie

Method = Literal["auto", "dynamic", "integer"]

#: How many ascents in the dual are made to rule out candidates, how many climbs over orders for a first network, and
#: how many perturbations in a row one of them may fail to gain by; fewer where one takes long.
ASCENTS = 20
CLIMBS = 6
CLIMB_ROUNDS = 100


class Search:
    """One exact search: `run` gives a row of the table for each variable; the attributes say how good that is."""

    def __init__(
        self,
        table: ScoreTable,
        time_limit: float | None,
        progress: Progress | None,
        memory_limit: float | None,
        method: Method,
        seed: int,
        jobs: int = 1,
        prove: bool = True,
    ) -> None:
        self.table, self.progress, self.method, self.seed, self.jobs = table, progress, method, seed, jobs
        self.prove = prove
        self.deadline = inf if time_limit is None else time.monotonic() + time_limit
        self.memory_limit = checked_limit(memory_limit)
        self.parts: list[Part] = []
        self.steps = 0
        self.interrupted = False

    @property
    def finished(self) -> bool:
        """Whether the choice is proven to be the best."""
        return all(part.finished for part in self.parts)

    @property
    def bound(self) -> float:
        """No choice has a higher score."""
        return sum(part.bound for part in self.parts)

    def run(self) -> list[int]:
        """The best choice of rows that was found."""
        with handling_interrupts(self._interrupt):
            return self._run()

    def _interrupt(self) -> None:
        if self.interrupted:  # the second time: whoever asks twice means it
            raise KeyboardInterrupt
        self.interrupted = True

    def _run(self) -> list[int]:
        table = self.table
        for v, name in enumerate(table.names):
            if table.offsets[v] == table.offsets[v + 1]:
                raise InputError(f"table: the variable {name!r} has no candidate parent set, not even the empty one")
        core = _core.Candidates(len(table.names), table.offsets, table.scores, table.parent_offsets, table.parents)
        rows = np.arange(len(table.scores))
        whole = Part(core, rows, table.offsets, table.scores, [], inf)
        self._split(whole, np.ones(len(rows), dtype=bool), list(range(whole.size)), rounds_for(whole.size, len(rows)))
        for part in sorted(self.parts, key=lambda part: part.size):
            if self.prove and not part.finished and not self._is_over():
                self._finish(part)
        if not all(part.choice for part in self.parts):
            raise InputError("table: no DAG was found from its parent sets")
        # Rows of earlier variables come first.
        return sorted(np.concatenate([part.rows[part.choice] for part in self.parts]).tolist())

    def _split(self, whole: Part, keep: NDArray[np.bool_], order: list[int], rounds: int) -> None:
        """Prepare the parts that the rows kept fall into, each from the order of its variables."""
        for piece in whole.core.split(keep):
            variables, own = piece.variables, piece.rows
            children = np.searchsorted(whole.offsets, own, side="right") - 1
            offsets = np.append(np.searchsorted(children, variables), len(own))
            part = Part(piece.candidates, whole.rows[own], offsets, whole.scores[own], [], inf)
            place = {v: i for i, v in enumerate(variables.tolist())}
            self._prepare(part, [place[v] for v in order if v in place], rounds)

    def _prepare(self, part: Part, order: list[int], rounds: int) -> None:
        """A first network, a bound, and the parts that are left without the candidates that lose too much."""
        if part.size == 1:
            part.choice, part.bound, part.finished = [0], float(part.scores[0]), True
            self.parts.append(part)
            return
        starts, losses = self._ascend(part)
        self._climb(part, [order, *starts], rounds)
        if not part.choice:
            self.parts.append(part)
            return
        part.finished = part.bound <= part.score + tie(part.score)
        keep = np.ones(len(part.scores), dtype=bool)
        for bound, loss in losses:
            keep &= bound - loss >= part.score - tie(part.score)
        if part.finished or keep.mean() > 0.9:
            self.parts.append(part)
        else:
            self._split(part, keep, part.core.order_of(part.choice), 0)

    def _ascend(self, part: Part) -> tuple[list[list[int]], list[tuple[float, Floats]]]:
        """Lower the bound: orders to start from, and bounds with how much less a network with a row has at most."""
        starts, losses = [], []
        for seed in range(effort(ASCENTS, 3, min(1e8 / len(part.scores), 1e6) / part.size**2)):
            found = part.core.dual_ascent(seed)
            if found.score == -inf:
                break
            starts.append(found.order)
            losses.append((found.score, found.loss))
            if found.score < part.bound:
                part.bound, part.clusters = found.score, found.clusters
            if self._is_over():
                break
        return starts, losses

    def _climb(self, part: Part, starts: list[list[int]], rounds: int) -> None:
        """The best network that is reached from some orders, and by further rounds from the best of them."""
        reached = []
        for start in starts:
            reached.append((self._climb_from(part, start, 0, self.seed), start))
            if self._is_over():
                return
        climbs = effort(CLIMBS, 1, 5e9 / (part.size**2 * len(part.scores))) if rounds else 0
        for k, start in enumerate(best_first(reached)[:climbs]):
            self._climb_from(part, start, rounds, self.seed + k)
            if self._is_over():
                return

    def _climb_from(self, part: Part, order: list[int], rounds: int, seed: int) -> float:
        found = part.core.climb(order, rounds, seed, self._should_stop)
        self._count(found.steps, found.interrupted)
        if not found.choices:
            return -inf
        part.take(found.choices[0])
        return found.scores[0]

    def _finish(self, part: Part) -> None:
        """Solve a part to the end, or as far as time allows, by the method that suits it.

        How many sets of variables dynamic programming keeps shows when it is tried, which is done at once where it is
        likely to be the better one, and otherwise once integer programming takes longer than expected. After that the
        method goes on that is to be expected to end first; integer programming is given up where its bound does not
        get on. Without SCIP, dynamic programming does what it can.
        """
        cost, auto = Cost(part.size, len(part.scores)), self.method == "auto" and is_installed("pyscipopt")
        fits = part.size <= _core.MAX_DP_VARIABLES
        if self.method == "integer" or (auto and not fits):
            self._solve_integer(part, None)
            return
        waits = auto and not cost.suits_dynamic
        if waits and not self._solve_integer(part, Patience(cost, WAIT * cost.integer)):
            return
        share = self._solve_dynamic(part, cost.trial(WAIT) if waits else cost.first_trial) if fits else inf
        if part.finished or self._is_over():
            return
        fits = fits and cost.memory(share) <= self.memory_limit
        if not auto and not fits:
            raise self._too_large(part, cost.memory(share))
        dearer = auto and not (fits and cost.dynamic(share) < cost.integer)
        if dearer and not self._solve_integer(part, Patience(cost, cost.dynamic(share)) if fits else None):
            return
        self._solve_dynamic(part, None)
        if not part.finished and not self._is_over():
            self._warn_of_memory(part)

    def _too_large(self, part: Part, memory: float) -> InputError:
        """What to say where dynamic programming alone is to be used, and cannot."""
        left = f"a component of {part.size} variables is left, which needs about {shown(memory)}"
        allowed = f"and {shown(self.memory_limit)} are allowed"
        if self.method == "dynamic":
            return InputError(f"method='dynamic': {left}, {allowed}: use method='integer'")
        return InputError(
            f"{left} in dynamic programming, {allowed}; integer programming needs the package pyscipopt, which is not "
            f"installed: pip install 'veridag[exact]'"
        )

    def _solve_dynamic(self, part: Part, most: int | None) -> float:
        """Dynamic programming over at most so many sets; the share of all sets that it kept, as far as it came."""
        known = part.score + tie(part.score) if part.choice else -inf
        found = part.core.solve_dp(known, self.memory_limit, most or 2**62, self.jobs, self._should_stop)
        self._count(found.steps, found.interrupted)
        if found.finished and not found.choices and not part.choice:
            raise InputError("table: its parent sets allow no DAG: add parent sets, such as the empty set")
        if found.choices:
            part.take(found.choices[0])
            if abs(part.score - found.scores[0]) > tie(part.score):
                raise AssertionError(f"dynamic programming found {found.scores[0]}, but the best has {part.score}")
        part.bound = part.score if found.finished else max(min(part.bound, found.bound), part.score)
        part.finished = found.finished
        return found.share

    def _solve_integer(self, part: Part, patience: Patience | None) -> bool:
        """Integer programming, from where it was left, as far as time and patience allow; whether patience ended it."""
        import_optional("pyscipopt", "method='integer'", "exact")
        from .acyclicity import Candidates
        from .integer_program import Program

        before, known = self.steps, part.bound

        def watch(best: float, bound: float, nodes: int) -> bool:
            self.steps, part.bound = before + nodes, max(min(known, bound), part.score, best)
            return self._should_stop(0, best, bound)

        if part.program is None:
            candidates = Candidates(part.core, part.offsets, part.scores)
            part.program = Program(candidates, part.choice, self.memory_limit, part.clusters)
        outcome = part.program.solve(watch, self.deadline - time.monotonic(), patience)
        if outcome is None:
            raise InputError("table: its parent sets allow no DAG: add parent sets, such as the empty set")
        self._count(before + outcome.nodes - self.steps, outcome.interrupted)
        part.bound = min(known, outcome.bound)
        part.take(outcome.choice)
        part.finished = outcome.finished
        if outcome.kept is not None and not self._is_over():
            part.choice = outcome.choice  # of the same score as the one before, if not of a higher one
            self._go_on(part, outcome.kept, outcome.clusters)
            return False
        if outcome.out_of_memory:
            self._warn_of_memory(part)
        return patience is not None and not (outcome.finished or outcome.out_of_memory or self._is_over())

    def _go_on(self, part: Part, keep: NDArray[np.bool_], clusters: list[list[int]]) -> None:
        """Solve what is left of a part when a better network, and its best one, have none but these rows."""
        self.parts = [other for other in self.parts if other is not part]
        number, variables = len(self.parts), self._variables(part)
        self._split(part, keep, part.core.order_of(part.choice), 0)
        pieces = self.parts[number:]
        for piece in pieces:
            others = sum(other.score for other in pieces if other is not piece)
            piece.bound = max(piece.score, min(piece.bound, part.bound - others))
            place = {v: i for i, v in enumerate(self._variables(piece))}
            own = [tuple(place[variables[v]] for v in cluster if variables[v] in place) for cluster in clusters]
            known = {cluster for cluster in own if len(cluster) > 1}
            piece.clusters += [list(cluster) for cluster in sorted(known - {tuple(c) for c in piece.clusters})]
        for piece in sorted(pieces, key=lambda piece: piece.size):
            if not piece.finished and not self._is_over():
                self._finish(piece)

    def _variables(self, part: Part) -> list[int]:
        """Those of the table that the part has, ascending."""
        firsts = part.rows[part.offsets[:-1]]
        return [int(v) for v in np.searchsorted(self.table.offsets, firsts, side="right") - 1]

    def _warn_of_memory(self, part: Part) -> None:
        warnings.warn(
            f"the search stopped at its memory limit of {self.memory_limit / 2**20:.0f} MiB with a gap of "
            f"{part.bound - part.score:g}: a larger memory_limit, or a smaller max_indegree, can close it",
            RuntimeWarning,
            stacklevel=2,
        )

    def _count(self, steps: int, interrupted: bool) -> None:
        self.steps += steps
        self.interrupted = self.interrupted or interrupted

    def _is_over(self) -> bool:
        return self.interrupted or time.monotonic() > self.deadline

    def _should_stop(self, steps: int, best: float, core_bound: float) -> bool:
        """The callback of the core: report progress, and say whether to stop."""
        del best, core_bound  # those of one part
        if self.progress is not None:
            score = sum(part.score for part in self.parts) if self.parts else -inf
            bound = self.bound if self.parts else inf
            self.progress("exact search", self.steps + steps, None, {"score": score, "bound": bound})
        return self._is_over()


def best_first(reached: list[tuple[float, list[int]]]) -> list[list[int]]:
    """Orders by the scores that are reached from them; of scores that tie the first comes first."""
    left, ranked = list(reached), []
    while left:
        best = 0
        for k, (score, _) in enumerate(left):
            if score > left[best][0] + tie(score):
                best = k
        ranked.append(left.pop(best)[1])
    return ranked


@contextmanager
def handling_interrupts(handle: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls a function instead of raising an exception wherever the search happens to be.

    Only in the main thread, the only one that interrupts come to, and if no other handler is installed.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: handle())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def effort(most: int, least: int, affordable: float) -> int:
    """How often something is done: never more than `most`, else what can be afforded, and `least` in any case.

    It depends on the size of the problem, not on the clock: the result is the same on a slow machine.
    """
    return min(most, max(least, int(affordable)))


def rounds_for(size: int, rows: int) -> int:
    """How many perturbations in a row a climb may fail to gain by on a table of so many variables and rows."""
    return effort(CLIMB_ROUNDS, 10, 2e8 / (size * rows))


def graph_of(table: ScoreTable, choice: list[int]) -> DAG:
    """The graph in which each variable has the parents of its row."""
    n = len(table.names)
    adjacency = np.zeros((n, n), dtype=bool)
    for v, row in enumerate(choice):
        if not table.offsets[v] <= row < table.offsets[v + 1]:
            raise AssertionError(f"row {row} is not of {table.names[v]!r}")
        adjacency[table.row_parents(row), v] = True
    return DAG(table.names, adjacency)


def turned(table: ScoreTable, choice: list[int]) -> list[int]:
    """The choice with arcs u -> v turned where v comes first by name, as long as that loses nothing.

    Only covered arcs are turned, those whose ends have the same parents otherwise: that closes no cycle, and leads to
    an equivalent graph (Chickering 1995). Each turn makes one arc more go from the earlier name to the later one.
    """

    @cache
    def rows_of(v: int) -> dict[tuple[int, ...], int]:
        rows = range(int(table.offsets[v]), int(table.offsets[v + 1]))
        return {tuple(table.row_parents(row).tolist()): row for row in reversed(rows)}

    choice, more = list(choice), True
    while more:
        more = False
        sets = [tuple(table.row_parents(row).tolist()) for row in choice]
        for v, u in [(v, u) for v, parents in enumerate(sets) for u in parents if u > v]:
            if set(sets[v]) != {*sets[u], u}:
                continue
            rows = rows_of(v).get(sets[u]), rows_of(u).get(tuple(sorted((*sets[u], v))))
            if rows[0] is None or rows[1] is None:
                continue
            gain = table.scores[rows[0]] + table.scores[rows[1]] - table.scores[choice[v]] - table.scores[choice[u]]
            if gain < -1e-12 * abs(table.scores[choice[v]] + table.scores[choice[u]]) - 1e-12:
                continue
            choice[v], choice[u], more = rows[0], rows[1], True
            break
    return choice
