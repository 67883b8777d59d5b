"""The average of several averages, such as bootstrap samples with several scores and draws from the posterior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from veridag.checks import Instance, Number, Several, checked
from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress, equal_part_of
from veridag.search.labels import Traits
from veridag.work.pieces import Executor

from .average import Average
from .averaged import Averaged
from .posterior_median import PosteriorMedian

_AVERAGES = Several(Instance(Average, "an average, such as Averaged() or PosteriorMedian()"), least=1)


@dataclass(frozen=True)
class ModelAverage(Average):
    """One network from several `averages`, each with the same weight.

    F_k[u, v] is the share of the classes of average k that have the arc from u to v, and U_k[u, v] the share that join
    the pair without a direction. A pair is joined if the mean over k of F_k[u, v] + F_k[v, u] + U_k[u, v] exceeds the
    `threshold`. It gets the most common direction; see `ClassShares.likeliest_class`. Averages can be
    nested: the parts of an inner one share its weight. The thresholds of the parts do not matter. The result has no
    score.

    See also:
        `Averaged`, `PosteriorMedian`, docs/algorithms/averages.md
    """

    averages: tuple[Average, ...] = field(
        default_factory=lambda: (Averaged(), PosteriorMedian(max_indegree=4)), metadata=checked(_AVERAGES)
    )
    threshold: float = field(default=0.5, metadata=checked(Number(least=0, most=1, example=0.5)))

    @property
    def criterion(self) -> Score | Test | None:
        """The criterion of the first average."""
        return self.averages[0].criterion

    @property
    def traits(self) -> Traits:
        """Those of the averages, each named once."""
        every = [each.traits for each in self.averages]
        return Traits(
            _each_once([own.score for own in every]),
            _each_once([own.prior for own in every]),
            _each_once([own.algorithm for own in every]),
        )

    def _most_parents(self) -> None:
        """No bound: parents of different networks may meet."""
        return

    def _shares(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: Executor
    ) -> tuple[ClassShares, int]:
        found = [
            each._shares(data, knowledge, seed, equal_part_of(progress, k, len(self.averages)), jobs)
            for k, each in enumerate(self.averages)
        ]
        return ClassShares.mean([shares for shares, _ in found]), sum(calls for _, calls in found)


def _each_once(names: Sequence[str]) -> str:
    return " + ".join(filter(None, dict.fromkeys(names)))
