"""Draws of networks from their posterior distribution."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.checks import MAX_INDEGREE, PROGRESS, SEED, Instance, Integer, Number, Optional
from veridag.criteria.directions import with_directions
from veridag.criteria.priors import Fair
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scorer import score as score_of
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.search.base import KNOWLEDGE
from veridag.search.problem import Matrix, Problem
from veridag.search.tabu import Tabu
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, deadline_after

from .chains import Chains, chains_on
from .default_score import default_score
from .draws import Draws, Settings
from .families import MOST_CANDIDATES, weighted_families
from .source import Source

if TYPE_CHECKING:
    from distributed import Client

# Draws of each chain if nothing else ends the sampling.
_DRAWS = 1000

# With a precision, chains must agree as well.
_MOST_RHAT = 1.01
_FIRST_LOOK, _LOOKS_GROW = 200, 1.25

_RATIO = 0.75  # of the powers of neighbouring temperatures

_CANDIDATES = Optional(Integer(0, MOST_CANDIDATES))


def sample_posterior(
    data: Data | Any,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    knowledge: Knowledge | None = None,
    max_indegree: int | None = None,
    candidates: int | Mapping[str, Sequence[str]] | None = None,
    beyond: int | None = None,
    draws: int | None = None,
    minutes: float | None = None,
    precision: float | None = None,
    chains: int = 4,
    thin: int = 5,
    burn_in: int = 200,
    temperatures: int = 1,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    resume: Draws | None = None,
    progress: Progress | None = None,
) -> Draws:
    """Draw DAGs from their posterior, P(G | data) proportional to exp(score + log prior).

    The method is Markov chain Monte Carlo over partitions (Kuipers and Moffa 2017), with the sums of Viinikka et al.
    (2020), a move of one variable to any place by the weights of all places, and the edge reversal of Grzegorczyk and
    Husmeier (2008).

    Half of the chains start at the network that `Tabu` finds, the others at the required arcs alone, so R-hat shows
    whether the start still matters. The draws depend on the data, the settings and the seed, and not on where chains
    are drawn or when they were stopped. On Ctrl-C, `Interrupted` carries the draws so far as `.result`.

    Args:
        data: The table: a `Data` or a data frame.
        score: The score; if None, BDeu for discrete, BGe for continuous and BCG for mixed data, with the equivalent
            sample size that `choose_ess` finds; BHD for groups, and PNAL if values are missing.
        prior: The structure prior; `Fair` if None.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits. DAGs that violate it have
            probability 0.
        max_indegree: Most parents of a variable; no bound if None.
        candidates: How many candidate parents each variable has, or their names by variable; 12 if None. The parents of
            a variable are any set of them.
        beyond: A parent set of at most this size can also have other variables; up to 3 if None, fewer if there are
            many variables.
        draws: Draws of each chain; 1000 if None and nothing else stops the sampling.
        minutes: Stop after this many minutes; no limit if None.
        precision: Stop once the Monte Carlo standard error of every arc is at most this, and the split R-hat of the log
            posterior and of all arcs with a probability from 0.05 to 0.95 is at most 1.01.
        chains: Number of Markov chains.
        thin: Rounds for each draw. A round has as many moves as variables.
        burn_in: How many first draws to drop.
        temperatures: Number of temperatures. With more than one, each chain swaps states with others whose weights have
            smaller powers. This helps if the chains do not agree, and takes that many times longer.
        seed: Seed of the random numbers. The same seed gives the same draws.
        jobs, client: As in `bootstrap`. A chain is one piece of work.
        resume: Draws made before with the same arguments: the chains go on as if they had never stopped, and `draws`
            counts these as well.
        progress: Progress callback, see `ProgressBar`.

    Raises:
        InputError: If no chain can start, or the time ends before the first draw.

    See also:
        `Draws`, `posterior`, `join_draws`, docs/posterior-sampling.md
    """
    started = time.perf_counter()
    data = Data.of(data)
    prior = PRIOR("prior", Fair() if prior is None else prior)
    knowledge = KNOWLEDGE("knowledge", knowledge) or Knowledge()
    limits = _Limits(draws, minutes, precision, resume)
    executor, progress = executor_of(jobs, client), PROGRESS("progress", progress)
    threads = executor.local_threads
    if score is None:
        score = default_score(data, prior, knowledge, max_indegree, threads)
    score = SCORE("score", score)
    settings = {
        "score": score,
        "prior": prior,
        "knowledge": knowledge,
        "max_indegree": MAX_INDEGREE("max_indegree", max_indegree),
        "candidates": _checked_candidates(candidates),
        "beyond": MAX_INDEGREE("beyond", beyond),
        "chains": Integer(1, 1000)("chains", chains),
        "thin": Integer(1)("thin", thin),
        "burn_in": Integer(0)("burn_in", burn_in),
        "temperatures": Integer(1, 100)("temperatures", temperatures),
        "seed": SEED("seed", seed),
    }
    source = Source(data, score, prior, max_indegree, knowledge)
    made = Settings({name: repr(value) for name, value in settings.items()})
    if resume is not None:
        _check_resumed(resume, made, data, score, prior)
    if data.kind == "mixed" and not score.both_directions:
        knowledge = with_directions(knowledge, data, type(score).__name__)
    problem = Problem(data, score, prior, knowledge, max_indegree)
    try:
        start = _network(problem, data, score, prior, knowledge, max_indegree, seed, threads)
        families = weighted_families(problem, settings["candidates"], beyond, start, progress, threads)
    except Interrupted:
        raise KeyboardInterrupt("there are no draws yet") from None
    sampler = families.sampler
    powers = [_RATIO**k for k in range(temperatures)]
    places = _starts(sampler, problem, start, chains, temperatures) if resume is None else resume.places
    run = _Run(burn_in, places, resume, progress)

    def so_far(stopped: str) -> Draws:
        parents, log_posterior = run.kept()
        before = 0.0 if resume is None else resume.seconds
        seconds = before + time.perf_counter() - started
        return Draws(data.names, made, log_posterior, parents, problem.names, run.places, seconds, stopped, source)

    with chains_on(executor, families, sampler, powers, thin, seed) as at_work:
        stopped = _sample(run, at_work, limits, so_far)
    if run.done == 0 and stopped == "interrupt":
        raise KeyboardInterrupt("there are no draws yet")
    if run.done == 0 and stopped == "time":
        raise OutOfTime(f"minutes={minutes!r} ended before the first draw: allow more, or lower burn_in")
    if stopped == "interrupt":
        raise Interrupted("sampling was stopped; .result has the draws so far", so_far(stopped))
    return so_far(stopped)


class _Limits:
    """What ends the sampling."""

    def __init__(self, draws: int | None, minutes: float | None, precision: float | None, resume: Draws | None) -> None:
        Optional(Instance(Draws, "the result of sample_posterior"))("resume", resume)
        self.draws = Optional(Integer(1))("draws", draws)
        seconds = Optional(Number(above=0, example=1))("minutes", minutes)
        self.precision = Optional(Number(above=0, example=0.01))("precision", precision)
        self.deadline = deadline_after(None if seconds is None else 60.0 * seconds)
        if self.draws is None and seconds is None and self.precision is None:
            self.draws = _DRAWS + (0 if resume is None else resume.per_chain)
        elif self.draws is not None and resume is not None and self.draws < resume.per_chain:
            raise InputError(
                f"draws={draws}, but resume= has {resume.per_chain} draws of each chain already: give a larger number"
            )

    def in_time(self) -> bool:
        return self.deadline is None or time.monotonic() < self.deadline

    def next_look(self, done: int) -> int:
        """After how many draws the precision is looked at next: these numbers are the same in every run."""
        look = float(_FIRST_LOOK)
        while int(look) <= done:
            look *= _LOOKS_GROW
        return int(look)

    def left(self, done: int) -> int:
        """How many draws there are until the next of these."""
        ends = [] if self.draws is None else [self.draws]
        if self.precision is not None:
            ends.append(self.next_look(done))
        return min(ends, default=done + 1_000_000) - done

    def is_look(self, done: int) -> bool:
        return self.precision is not None and done >= _FIRST_LOOK and self.next_look(done - 1) == done


@dataclass
class _Run:
    """The chains, where they are, and what they have drawn."""

    burn_in: int
    places: NDArray[np.int32]
    resumed: Draws | None
    progress: Progress | None
    made: int = field(init=False)  # with the burn-in
    drawn: list[tuple[NDArray[np.uint64], NDArray[np.float64]]] = field(default_factory=list)
    pace: float = 0.0  # draws a second

    def __post_init__(self) -> None:
        self.made = 0
        if self.resumed is not None:
            self.made = self.burn_in + self.resumed.per_chain
            self.drawn.append((self.resumed.parents, self.resumed.log_posterior))

    @property
    def done(self) -> int:
        """Draws of each chain that are kept."""
        return max(0, self.made - self.burn_in)

    def advance(self, chains: Chains, most: int, total: int | None) -> bool:
        """Make at most so many draws, as many as take a moment; False if interrupted, and then none is kept."""
        number = max(1, min(most, int(self.pace * chains.seconds)))

        def report() -> None:
            if self.progress is not None:
                self.progress("draws", self.done, total, {})  # those of a block that is stopped are not kept

        started = time.perf_counter()
        found = chains.draw(self.places, self.made, number, report)
        if found is None:
            return False
        self.pace = min(number / max(time.perf_counter() - started, 1e-6), 4.0 * max(self.pace, 1.0 / chains.seconds))
        parents, log_posterior, self.places = found
        if self.made >= self.burn_in:
            self.drawn.append((parents, log_posterior))
        self.made += number
        return True

    def kept(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """All draws that are kept as one."""
        self.drawn = [
            (np.concatenate([p for p, _ in self.drawn], axis=1), np.concatenate([s for _, s in self.drawn], axis=1))
        ]
        return self.drawn[0]


def _sample(run: _Run, chains: Chains, limits: _Limits, so_far: Any) -> str:
    """Draw until one of the limits is reached; which."""
    try:
        while limits.draws is None or run.done < limits.draws:
            if not limits.in_time():
                return "time"
            in_burn_in = run.made < run.burn_in
            most = run.burn_in - run.made if in_burn_in else limits.left(run.done)
            if not run.advance(chains, most, limits.draws):
                return "interrupt"
            if not in_burn_in and limits.is_look(run.done):
                found = so_far("precision")
                if found.arc_errors.max(initial=0.0) <= limits.precision and found.worst_rhat <= _MOST_RHAT:
                    return "precision"
    except KeyboardInterrupt:
        return "interrupt"
    return "draws"


def _checked_candidates(candidates: Any) -> int | dict[str, tuple[str, ...]] | None:
    if not isinstance(candidates, Mapping):
        number: int | None = _CANDIDATES("candidates", candidates)
        return number
    for child, parents in candidates.items():
        if isinstance(parents, str):
            raise InputError(f"candidates: give a list of names for {child!r}, [{parents!r}], not a string")
    return {child: tuple(candidates[child]) for child in sorted(candidates)}


def _check_resumed(resume: Draws, made: Settings, data: Data, score: Score, prior: Prior) -> None:
    resume.settings.refuse_others(made)
    same = resume.names == data.names
    if same:
        again = score_of(resume[0, resume.per_chain - 1], data, score, prior)
        same = bool(np.isclose(again, resume.log_posterior[0, -1], rtol=1e-9))
    if not same:
        raise InputError(
            "resume: the draws were made from other data: pass the same data, or sample again without resume"
        )


def _network(
    problem: Problem,
    data: Data,
    score: Score,
    prior: Prior,
    knowledge: Knowledge,
    max_indegree: int | None,
    seed: int,
    jobs: int,
) -> Matrix:
    """A good network to start from."""
    found = Tabu(score, prior, max_indegree).learn(data, knowledge, seed, jobs=jobs)
    return found.dag.reorder(problem.names).adjacency


def _starts(
    sampler: _core.PartitionSampler, problem: Problem, start: Matrix, chains: int, temperatures: int
) -> NDArray[np.int32]:
    """Chains 0, 2, ... start at the network, the others at the required arcs alone, if that is possible."""
    places = [_partition(matrix) for matrix in (start, problem.required)]
    possible = [place for place in places if _is_possible(sampler, place)]
    if not possible:
        raise InputError(
            "candidates: no chain can start, because they allow neither the network found by Tabu nor the required "
            "arcs alone: give more candidates, or raise beyond"
        )
    rows = [possible[chain % len(possible)] for chain in range(chains)]
    return np.ascontiguousarray(np.repeat(np.array(rows, dtype=np.int32)[:, np.newaxis], temperatures, axis=1))


def _partition(adjacency: Matrix) -> NDArray[np.int32]:
    """The part of each variable: 0 without parents, else one more than the last of its parents."""
    part = np.zeros(len(adjacency), dtype=np.int32)
    for _ in range(len(adjacency)):
        part = np.where(adjacency, part[:, np.newaxis] + 1, 0).max(axis=0, initial=0).astype(np.int32)
    return part


def _is_possible(sampler: _core.PartitionSampler, part: NDArray[np.int32]) -> bool:
    for v, own in enumerate(part.tolist()):
        before = np.flatnonzero(part < own).tolist()
        last = np.flatnonzero(part == own - 1).tolist() if own > 0 else None
        if sampler.log_sum(v, before, last) == -np.inf:
            return False
    return True
