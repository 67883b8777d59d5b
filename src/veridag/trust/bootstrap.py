"""The bootstrap: how strongly the data supports each arc that a learner finds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.checks import SECONDS, Integer, Number, Optional
from veridag.data import Data
from veridag.display import ROWS, aligned, drawing, paragraph, table
from veridag.errors import import_optional
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.graph.matrices import Matrix
from veridag.progress import Interrupted, Progress
from veridag.search import Algorithm
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, deadline_after

from .averages.averaged import learn_resampled
from .constants import isolating_constants
from .defaults import learner_or_default

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client

Floats = NDArray[np.float64]

_THRESHOLD = Optional(Number(least=0, most=1, example=0.5))

_HEAD = ("from", "to", "strength", "direction")


class ArcStrength(NamedTuple):
    """A pair of variables in the direction that was found more often.

    Attributes:
        source: The first variable.
        target: The second variable.
        strength: The share of the repeats that join the pair.
        direction: The share of those repeats with this direction. An undirected edge counts half for each direction.
    """

    source: str
    target: str
    strength: float
    direction: float


@dataclass(frozen=True, eq=False, repr=False)
class Strengths:
    """How often each pair of variables is joined in the graphs of the repeats, and how, as `bootstrap` returns it.

    Attributes:
        names: The variables, in the order of the matrices.
        strength: ``strength[i, j]`` is the share of the repeats that join i and j.
        direction: ``direction[i, j]`` is the share of those repeats in which the arc leads from i to j. An undirected
            edge counts half for each direction. It is 0 if the pair is never joined.
        repeats: The number of bootstrap samples.
        settings: The learner.
        seed: The seed of the samples.

    See also:
        `bootstrap`, docs/resampling.md
    """

    names: tuple[str, ...]
    strength: Floats
    direction: Floats
    repeats: int
    settings: str
    seed: int

    def __post_init__(self) -> None:
        self.strength.flags.writeable = False
        self.direction.flags.writeable = False

    @cached_property
    def arcs(self) -> tuple[ArcStrength, ...]:
        """The pairs that were joined at all, the strongest first; ties are in the order of names."""
        found = []
        for i, j in np.argwhere(np.triu(self.strength) > 0):
            a, b = sorted((int(i), int(j)), key=self.names.__getitem__)
            if self.direction[b, a] > self.direction[a, b]:
                a, b = b, a
            pair = ArcStrength(self.names[a], self.names[b], float(self.strength[a, b]), float(self.direction[a, b]))
            found.append(pair)
        return tuple(sorted(found, key=lambda arc: (-arc.strength, -arc.direction, arc.source, arc.target)))

    @cached_property
    def threshold(self) -> float:
        """The strength above which an arc is significant (Scutari and Nagarajan 2013); see `significance_threshold`."""
        return significance_threshold(self.strength[np.triu_indices(len(self.names), 1)])

    def averaged(self, threshold: float | None = None) -> DAG:
        """The averaged network: the arcs stronger than the threshold, by default the data-driven one.

        They are added from the strongest to the weakest, each in the direction that was seen more often (the first by
        name if both were equally often). An arc that would close a cycle is added in the other direction if that was
        ever seen, and left out otherwise.
        """
        limit = self.threshold if threshold is None else _THRESHOLD("threshold", threshold)
        at = {v: i for i, v in enumerate(self.names)}
        arcs = np.zeros((len(at), len(at)), bool)
        reach = np.eye(len(at), dtype=bool)  # reach[i, j]: there is a path from i to j
        for arc in self.arcs:
            if arc.strength <= limit:
                break
            for i, j in ((at[arc.source], at[arc.target]), (at[arc.target], at[arc.source])):
                if self.direction[i, j] > 0 and not reach[j, i]:
                    arcs[i, j] = True
                    reach |= np.outer(reach[:, i], reach[j])
                    break
        return DAG(self.names, arcs)

    def to_pandas(self) -> pd.DataFrame:
        """A row for every pair that was joined at all: ``from``, ``to``, ``strength``, ``direction``."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame(self.arcs, columns=list(_HEAD))

    def _rows(self) -> list[tuple[str, str, str, str]]:
        return [(a.source, a.target, f"{a.strength:.3g}", f"{a.direction:.3g}") for a in self.arcs]

    def __str__(self) -> str:
        left = f"... and {len(self.arcs) - ROWS} more" if len(self.arcs) > ROWS else ""
        lines = [repr(self).strip("<>"), aligned([_HEAD, *self._rows()[:ROWS]]), left]
        return "\n".join(line for line in lines if line)

    def _repr_html_(self) -> str:
        drawn = drawing(lambda: self.averaged().to_svg("averaged network"), len(self.names))
        return paragraph(repr(self).strip("<>")) + drawn + table(_HEAD, self._rows())

    def __repr__(self) -> str:
        kept = sum(arc.strength > self.threshold for arc in self.arcs)
        return (
            f"<Strengths: {len(self.arcs)} pairs joined in {self.repeats} repeats, "
            f"{kept} of them in more than {self.threshold:.3g}>"
        )


def bootstrap(
    data: Data | Any,
    algorithm: Algorithm | None = None,
    repeats: int = 200,
    *,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Strengths:
    """Measure how strongly the data supports each arc: the share of bootstrap samples from which it is learned.

    Each repeat draws as many observations as the data has, with replacement (within groups, if the data has groups). It
    learns a graph from them and counts how each pair is joined in its CPDAG, in which knowledge directs the edges that
    it can (Friedman, Goldszmidt and Wyner 1999). A graph that represents no equivalence class, as constraint-based
    algorithms can return, counts as it is. Columns that are constant in all of the data have no arcs except required
    ones.

    An interrupt stops the work promptly: `Interrupted` carries `.result`, from the repeats that were done, if there
    were any.

    Args:
        data: The table: a `Data` or a data frame.
        algorithm: The learner; the default of `learn` for all of the data if None.
        repeats: Number of bootstrap samples.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result with any number of jobs.
        jobs: Number of threads, or `Processes(n)` for n processes.
        client: Dask client, or the address of its scheduler; the work then runs on that cluster.
        progress: Progress callback, see `ProgressBar`.
        seconds: Stop after this many seconds, with the repeats done so far; no limit if None.

    Raises:
        InputError: If the time is too short for one repeat.

    See also:
        `Strengths`, `cross_validate`, `posterior`, docs/resampling.md, docs/running.md
    """
    data = Data.of(data)
    learner = learner_or_default(algorithm, data, knowledge)
    repeats, seconds = Integer(1)("repeats", repeats), SECONDS("seconds", seconds)
    executor = executor_of(jobs, client)
    known = isolating_constants(data, knowledge) or Knowledge()
    done: dict[int, tuple[Matrix, int]] = {}
    try:
        learn_resampled(data, learner, repeats, known, seed, executor, done, progress, deadline_after(seconds))
    except KeyboardInterrupt:
        if not done:
            raise
        found = _strengths(data.names, [graph for graph, _ in done.values()], repr(learner), seed)
        raise Interrupted("the bootstrap was stopped; .result has the finished repeats", found) from None
    if not done:
        raise OutOfTime(f"seconds={seconds:g}: the time was too short for one repeat: allow more seconds")
    return _strengths(data.names, [graph for graph, _ in done.values()], repr(learner), seed)


def _strengths(names: tuple[str, ...], graphs: list[NDArray[np.bool_]], settings: str, seed: int) -> Strengths:
    arcs = np.zeros((len(names), len(names)))  # sums of halves are exact, in whatever order
    for a in graphs:
        arcs += 0.5 * a + 0.5 * (a & ~a.T)
    joined = arcs + arcs.T
    direction = np.divide(arcs, joined, out=np.zeros_like(arcs), where=joined > 0)
    return Strengths(names, joined / len(graphs), direction, len(graphs), settings, seed)


def significance_threshold(strengths: NDArray[np.float64]) -> float:
    """The threshold of Scutari and Nagarajan (2013): pairs stronger than it are significant.

    If it were clear which arcs exist, each strength would be 0 or 1 and their distribution function a constant t
    between 0 and 1, the share of the zeros. t is taken closest to the strengths' empirical distribution function F in
    the L1 norm, the integral of |F(x) - t| from 0 to 1, and the threshold is its quantile, the smallest x with
    F(x) >= t. Among several t the largest is taken. Since F does not fall, the minimum is at t = F(1/2): in effect,
    pairs joined in more than half of the repeats are significant.
    """
    if not len(strengths):
        return 0.0
    values, counts = np.unique(np.asarray(strengths, dtype=np.float64), return_counts=True)
    # F is constant between neighbouring values: its heights there, and how long each stretch is.
    heights = np.concatenate([[0.0], np.cumsum(counts) / counts.sum()])
    lengths = np.diff(np.concatenate([[0.0], values, [1.0]]))
    distances = [float(lengths @ np.abs(heights - t)) for t in heights]
    nearest = max(i for i, d in enumerate(distances) if d <= min(distances) + 1e-12)
    return 0.0 if nearest == 0 else float(values[nearest - 1])
