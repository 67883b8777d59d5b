"""Averages on incomplete data: multiple imputation."""

from __future__ import annotations

from dataclasses import dataclass, field

from veridag.checks import Instance, Integer, Number, checked
from veridag.criteria.independence import Test
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.network.fitting import fit
from veridag.network.incomplete.imputation import impute
from veridag.progress import Progress, equal_part_of
from veridag.search import Algorithm, StructuralEM
from veridag.search.labels import Traits
from veridag.trust.defaults import default_learner
from veridag.work.pieces import Executor

from .average import Average
from .model_average import ModelAverage


@dataclass(frozen=True)
class Imputed(Average):
    """An average over tables in which missing values are filled in at random: multiple imputation (Rubin 1987).

    `algorithm` learns a network from the incomplete data, and EM estimates its parameters. The missing values of a row
    are drawn from that network given its observed values, in `draws` tables. The shares of the `average` are computed
    on each table, and their mean decides: pairs above the `threshold` are joined. The tables differ by as much as the
    missing values leave open. On complete data, the result is that of the average with this threshold.

    If the algorithm can direct arcs from measurements to categories, the default learner without knowledge fills in the
    values instead, because such arcs have no parameters.

    See also:
        `impute`, `StructuralEM`, docs/algorithms/averages.md
    """

    average: Average = field(
        default_factory=ModelAverage, metadata=checked(Instance(Average, "an average, such as ModelAverage()"))
    )
    algorithm: Algorithm = field(
        default_factory=StructuralEM, metadata=checked(Instance(Algorithm, "an algorithm, such as StructuralEM()"))
    )
    draws: int = field(default=4, metadata=checked(Integer(1)))
    threshold: float = field(default=0.5, metadata=checked(Number(least=0, most=1, example=0.5)))

    @property
    def criterion(self) -> Score | Test | None:
        """The criterion of the average."""
        return self.average.criterion

    @property
    def traits(self) -> Traits:
        """Those of the average."""
        return self.average.traits

    def _most_parents(self) -> None:
        """No bound: parents of different networks may meet."""
        return

    def _shares(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: Executor
    ) -> tuple[ClassShares, int]:
        first, rest = equal_part_of(progress, 0, 2), equal_part_of(progress, 1, 2)
        tables = completions(data, self.algorithm, knowledge, self.draws, seed, jobs.local_threads, first)
        found = [
            self.average._shares(table, knowledge, seed, equal_part_of(rest, k, len(tables)), jobs)
            for k, table in enumerate(tables)
        ]
        return ClassShares.mean([shares for shares, _ in found]), sum(calls for _, calls in found)


def completions(
    data: Data,
    algorithm: Algorithm,
    knowledge: Knowledge | None,
    draws: int,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Data, ...]:
    """Fill in the missing values `draws` times, by a network learned from the data; complete data stays as it is.

    The network only has to describe how the variables depend on each other, not which comes first. An arc from a
    continuous to a discrete variable has no parameters. So where the algorithm may find one, the default learner takes
    its place, without `knowledge`, which may ask for such arcs.
    """
    if not data.incomplete:
        return (data,)
    if data.kind == "mixed" and algorithm.criterion is not None and algorithm.criterion.both_directions:
        algorithm, knowledge = default_learner(data), None
    network = fit(algorithm.learn(data, knowledge, seed, progress, jobs=jobs).dag, data)
    return impute(network, data, draws=draws, seed=seed, jobs=jobs)
