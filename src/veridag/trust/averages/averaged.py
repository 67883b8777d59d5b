"""The averaged network: what a learner finds from most bootstrap samples."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag.checks import Instance, Integer, Number, checked
from veridag.criteria.independence import Test
from veridag.criteria.priors import Fair
from veridag.criteria.scores import BDeu
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.graph.matrices import Matrix
from veridag.progress import Progress
from veridag.search import Algorithm, Tabu
from veridag.search.labels import Traits, plain_label
from veridag.trust.seeds import nth_seed, seed_number
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime, run_pieces

from .average import Average, oriented


@dataclass(frozen=True)
class Averaged(Average):
    """One network from many, by model averaging over bootstrap samples (Friedman, Goldszmidt and Wyner 1999).

    `algorithm` learns from `repeats` bootstrap samples. Pairs that are joined in more than the `threshold` share of the
    equivalence classes are joined, with the most common direction; see `ClassShares.likeliest_class`. The result has no
    score.

    See also:
        `bootstrap`, `ModelAverage`, docs/algorithms/averages.md
    """

    algorithm: Algorithm = field(
        default_factory=lambda: Tabu(score=BDeu(), prior=Fair()),
        metadata=checked(Instance(Algorithm, "an algorithm, such as Tabu()")),
    )
    repeats: int = field(default=50, metadata=checked(Integer(1)))
    threshold: float = field(default=0.5, metadata=checked(Number(least=0, most=1, example=0.5)))

    @property
    def criterion(self) -> Score | Test | None:
        """The criterion of the algorithm."""
        return self.algorithm.criterion

    @property
    def traits(self) -> Traits:
        """Those of the algorithm, as an average."""
        own = self.algorithm.traits
        return Traits(own.score, own.prior, f"Averaged {plain_label(own.algorithm)}")

    def _shares(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: Executor
    ) -> tuple[ClassShares, int]:
        return bootstrap_shares(data, self.algorithm, self.repeats, knowledge, seed, jobs, progress)


def bootstrap_shares(
    data: Data,
    algorithm: Algorithm,
    repeats: int,
    knowledge: Knowledge | None,
    seed: int,
    jobs: int | Executor = 1,
    progress: Progress | None = None,
    deadline: float | None = None,
) -> tuple[ClassShares, int]:
    """The shares of the classes that are learned from bootstrap samples, and how many criteria were evaluated.

    After the `deadline` it is the shares of those that were done; `OutOfTime` if none was.
    """
    done: dict[int, tuple[Matrix, int]] = {}
    learn_resampled(data, algorithm, repeats, knowledge, seed, executor_of(jobs), done, progress, deadline)
    if not done:
        raise OutOfTime("the time was too short for one bootstrap sample: allow more")
    matrices = [done[i][0] for i in sorted(done)]
    return ClassShares.of(data.names, matrices), sum(calls for _, calls in done.values())


def learn_resampled(
    data: Data,
    algorithm: Algorithm,
    repeats: int,
    knowledge: Knowledge | None,
    seed: int,
    executor: Executor,
    done: dict[int, tuple[Matrix, int]],
    progress: Progress | None = None,
    deadline: float | None = None,
) -> None:
    """Put into `done` the class that is learned from each bootstrap sample, and how many criteria were evaluated.

    After the `deadline`, or on an interrupt, it has those that were done.
    """
    run_pieces(
        _Repeat(data, algorithm, knowledge, algorithm.obeyed(knowledge, data), seed, repeats),
        repeats,
        executor,
        done,
        describe=lambda i: f"bootstrap sample {i + 1} of {repeats}",
        progress=progress,
        deadline=deadline,
    )


@dataclass(frozen=True)
class _Repeat:
    """Learns a class from a bootstrap sample."""

    data: Data
    algorithm: Algorithm
    knowledge: Knowledge | None
    obeyed: Knowledge
    seed: int
    repeats: int

    def __call__(self, i: int, heartbeat: Progress) -> tuple[Matrix, int]:
        for_rows, for_search = nth_seed(self.seed, i).spawn(2)
        rows = self.data.resample(for_rows)
        try:
            found = self.algorithm.learn(rows, self.knowledge, seed_number(for_search), heartbeat)
        except InputError as error:
            raise InputError(f"repeat {i + 1} of {self.repeats}: {error}") from error
        graph = oriented(found.graph, self.obeyed, found.targets)
        return graph.reorder(self.data.names).adjacency, found.calls
