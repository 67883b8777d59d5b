"""The learning that intersection-validation asks for: by each learner, from all of the data and from subsamples."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG, completed
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.search.result import Result
from veridag.work.pieces import OpenExecutor, Stopped, Task, run_pieces

#: The share of the time that learning from all of the data may take at most, if the time is bounded.
SHARE_FOR_ALL_DATA = 0.5

#: What became of a learner: it found a graph, failed, ran out of time, or an interrupt stopped the work before.
Status = Literal["done", "failed", "out of time", "stopped"]

#: Why something is missing, in words.
NO_TIME = "no time was left"
STOPPED = "the work was stopped first"


@dataclass(frozen=True)
class Missing:
    """Why a result is missing.

    Attributes:
        status: How it ended; not "done".
        why: The reason, as text.
    """

    status: Status
    why: str


@dataclass(frozen=True)
class Learner:
    """A learner in a comparison: its graph on all of the data, or why there is none.

    `invalid` says why its graph is not a CPDAG; such a graph is compared as it is.

    Attributes:
        label: The name of the learner.
        algorithm: The algorithm with its score and prior, or its test.
        result: What it learned from all of the data; None if it failed.
        error: Why it failed; None if it did not.
        companion: Whether it is shown for comparison only: not ranked, and without a vote in the agreement.
        status: "done", or how it ended.
    """

    label: str
    algorithm: Algorithm
    result: Result | None
    error: str | None = None
    companion: bool = False
    status: Status = "done"

    def __post_init__(self) -> None:
        assert (self.status == "done") == (self.result is not None)

    @classmethod
    def of(cls, label: str, algorithm: Algorithm, outcome: Result | Missing, companion: bool = False) -> Learner:
        """A learner by what became of it."""
        if isinstance(outcome, Missing):
            return cls(label, algorithm, None, outcome.why, companion, outcome.status)
        return cls(label, algorithm, outcome, None, companion)

    @property
    def cpdag(self) -> PDAG:
        """The class that the learner found on all of the data."""
        assert self.result is not None, self.error
        return completed(self.result.graph)

    @property
    def late(self) -> bool:
        """Whether there is no graph because the time was over."""
        return self.status in ("out of time", "stopped")

    @property
    def invalid(self) -> str | None:
        """Why the graph stands for no DAG."""
        if self.result is None or isinstance(self.result.graph, DAG):
            return None
        why = self.result.graph.why_invalid()
        return None if why is None else str(why)


@dataclass(frozen=True)
class Learning:
    """Data to learn from, and how long. Outcomes are by position."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    executor: OpenExecutor
    progress: Progress | None
    deadline: float | None

    def from_all(self, algorithms: Sequence[tuple[str, Algorithm]], outcomes: dict[int, Result | Missing]) -> None:
        """Each algorithm on all of the data.

        If the time is bounded, half of it is for this; and that no slow algorithm takes the time of all, each has twice
        an equal share of what is left when it begins. Until two have learned, without which nothing can be compared,
        each has half of all the time that is left.
        """
        start = time.monotonic()
        half = None if self.deadline is None else start + SHARE_FOR_ALL_DATA * (self.deadline - start)
        width = None if self.deadline is None else self.executor.width()

        def turn(i: int) -> _Turn:
            if self.deadline is None or half is None or width is None:
                return _Turn(i, None)
            now = time.monotonic()
            if sum(isinstance(outcome, Result) for outcome in outcomes.values()) < 2:
                return _Turn(i, (self.deadline - now) / 2)
            return _Turn(i, 2 * width * (half - now) / (len(algorithms) - i))

        def describe(i: int) -> str:
            return f"{algorithms[i][0]}: all {self.data.n} rows, learner {i + 1} of {len(algorithms)}"

        learn = _FromAll(self.data, self.knowledge, self.seed, tuple(each for _, each in algorithms))
        self._run(learn, len(algorithms), outcomes, describe, turn)

    def from_subsamples(
        self,
        algorithms: Sequence[tuple[str, Algorithm]],
        sizes: Sequence[int],
        repeats: int,
        outcomes: dict[int, Result | Missing],
    ) -> bool:
        """Each algorithm on each subsample; whether there was time for all.

        Repetition by repetition, and the last size first, which is the smallest, so that what is there when the work is
        stopped is balanced and much: see `position`.
        """
        chosen = tuple(each for _, each in algorithms)
        learn = _FromSubsamples(self.data, self.knowledge, self.seed, chosen, tuple(sizes), self.executor.local_threads)

        def describe(k: int) -> str:
            r, s, i = position(k, len(sizes), len(algorithms))
            return f"{algorithms[i][0]}: {sizes[s]} rows, subsample {r + 1} of {repeats}"

        return self._run(learn, repeats * len(sizes) * len(algorithms), outcomes, describe)

    def _run(
        self,
        learn: Task[Result | Missing],
        count: int,
        outcomes: dict[int, Result | Missing],
        describe: Callable[[int], str],
        piece: Callable[[int], object] = int,
    ) -> bool:
        return run_pieces(
            learn,
            count,
            self.executor,
            outcomes,
            describe=describe,
            progress=self.progress,
            deadline=self.deadline,
            piece=piece,
        )


class _Turn(NamedTuple):
    """Which learner is next, and how many seconds it has; None if its time is not bounded."""

    learner: int
    seconds: float | None


@dataclass(frozen=True)
class _FromAll:
    """Has a learner learn from all of the data."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    algorithms: tuple[Algorithm, ...]

    def __call__(self, turn: _Turn, heartbeat: Progress) -> Result | Missing:
        if turn.seconds is not None:
            if turn.seconds <= 0:
                return Missing("out of time", NO_TIME)
            heartbeat = _bounded(heartbeat, turn.seconds)
        return _outcome(self.algorithms[turn.learner], self.data, self.knowledge, self.seed, heartbeat)


@dataclass(frozen=True)
class _FromSubsamples:
    """Has a learner learn from a subsample; see `position`. The latest subsamples are kept for the other learners."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    algorithms: tuple[Algorithm, ...]
    sizes: tuple[int, ...]
    threads: int

    def __call__(self, k: int, heartbeat: Progress) -> Result | Missing:
        r, s, i = position(k, len(self.sizes), len(self.algorithms))
        own = int(np.random.SeedSequence((self.seed, self.sizes[s], r, 1)).generate_state(1)[0])
        return _outcome(self.algorithms[i], self._draw(self.sizes[s], r), self.knowledge, own, heartbeat)

    @cached_property
    def _draw(self) -> Callable[[int, int], Data]:
        return lru_cache(2 * self.threads + 1)(lambda size, r: subsample(self.data, size, self.seed, r))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_draw"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def position(k: int, sizes: int, algorithms: int) -> tuple[int, int, int]:
    """Repetition, size and algorithm of the k-th outcome."""
    which, i = divmod(k, algorithms)
    r, s = divmod(which, sizes)
    return r, sizes - 1 - s, i


class _TookTooLong(Exception):
    """Raised by a heartbeat when a learner has had its share of the time."""


def _bounded(heartbeat: Progress, seconds: float) -> Progress:
    """A heartbeat that ends its learner after so many seconds."""
    deadline = time.monotonic() + seconds

    def beat(what: str, done: int, total: int | None, extra: Mapping[str, float]) -> None:
        heartbeat(what, done, total, extra)
        if time.monotonic() > deadline:
            raise _TookTooLong(f"learning from all of the data took longer than its {seconds:.2g} s")

    return beat


def _outcome(
    algorithm: Algorithm, data: Data, knowledge: Knowledge | None, seed: int, heartbeat: Progress
) -> Result | Missing:
    try:
        return algorithm.learn(data, knowledge, seed, heartbeat)
    except Stopped:
        raise
    except _TookTooLong as error:
        return Missing("out of time", str(error))
    except InputError as error:
        return Missing("failed", str(error))
    except Exception as error:  # whatever a learner does, the others go on
        return Missing("failed", f"{type(error).__name__}: {error}")


#: numpy draws from fewer observations only.
_MOST_OF_NUMPY = 1_000_000_000


def subsample(data: Data, size: int, seed: int, repeat: int) -> Data:
    """Observations drawn without replacement: the same for the same seed, size and repetition.

    Weighted rows are drawn by how often each is taken, which needs no memory for single observations.
    """
    stream = np.random.SeedSequence((seed, size, repeat))
    if data.weights is None or data.n >= _MOST_OF_NUMPY:
        return data.subsample(size, stream)
    drawn = np.random.default_rng(stream).multivariate_hypergeometric(data.weights, size)
    kept = np.flatnonzero(drawn)
    part = data.rows(kept)
    return replace(part, weights=drawn[kept])


#: The most sizes by default. Weights may stand for so many observations that halving them would take far more.
MOST_SIZES = 12


def default_sizes(n: int) -> tuple[int, ...]:
    """N/2, N/4, ... until the first of at most 100 (Viinikka 2019, section 3.3).

    If these were more than `MOST_SIZES`, which takes N above 400,000, so many from N/2 to 100 with the same ratio.
    """
    sizes = [n // 2]
    while sizes[-1] > 100:
        sizes.append(sizes[-1] // 2)
    if len(sizes) <= MOST_SIZES:
        return tuple(sizes)
    ratio = (n / 200) ** (1 / (MOST_SIZES - 1))
    return (n // 2, *(round(100 * ratio**i) for i in reversed(range(MOST_SIZES - 1))))
