"""The median network of the posterior over structures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from veridag.checks import MAX_INDEGREE, Integer, Number, checked
from veridag.criteria.priors import Fair
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BDeu
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.graph.matrices import Matrix
from veridag.posteriors import Draws, sample_posterior
from veridag.posteriors.families import MOST_CANDIDATES
from veridag.progress import Progress
from veridag.work.pieces import Executor

from .average import Average, oriented

#: Draws that are dropped before the first one is kept, and rounds of moves for each draw: with chains that start at a
#: good network, longer ones changed the median network of hardly any table.
BURN_IN, THIN = 50, 2


@dataclass(frozen=True)
class PosteriorMedian(Average):
    """The median network: pairs that are joined with a posterior probability above the `threshold`.

    Equivalence classes are drawn from their posterior, P(G | data) proportional to exp(`score` + log `prior`), by
    `sample_posterior` with these `chains`, `draws` of each, `candidates` for the parents of each variable, and any set
    of up to `beyond` others. The defaults are smaller than those of that function, because a median needs less. The
    drawn networks have at most `max_indegree` parents of each variable; their median can have more. Joined pairs get
    the most common direction; see `ClassShares.likeliest_class`. The result has no score. With a score that is not a
    marginal likelihood, the weights are not probabilities, and the network still summarises them.

    See also:
        `posterior`, `sample_posterior`, docs/algorithms/averages.md
    """

    score: Score = field(default_factory=BDeu, metadata=checked(SCORE))
    prior: Prior = field(default_factory=Fair, metadata=checked(PRIOR))
    max_indegree: int | None = field(default=None, metadata=checked(MAX_INDEGREE))
    candidates: int = field(default=8, metadata=checked(Integer(0, MOST_CANDIDATES)))
    beyond: int = field(default=2, metadata=checked(Integer(0)))
    draws: int = field(default=100, metadata=checked(Integer(1)))
    chains: int = field(default=2, metadata=checked(Integer(1, 1000)))
    threshold: float = field(default=0.5, metadata=checked(Number(least=0, most=1, example=0.5)))

    def _most_parents(self) -> None:
        """No bound: that of the draws is none of their median, in which parents of different draws may meet."""
        return

    def _shares(
        self, data: Data, knowledge: Knowledge, seed: int, progress: Progress | None, jobs: Executor
    ) -> tuple[ClassShares, int]:
        found = sample_posterior(
            data,
            score=self.score,
            prior=self.prior,
            knowledge=knowledge,
            max_indegree=self.max_indegree,
            candidates=self.candidates,
            beyond=self.beyond,
            draws=self.draws,
            chains=self.chains,
            burn_in=BURN_IN,
            thin=THIN,
            seed=seed,
            jobs=jobs,
            progress=progress,
        )
        return posterior_shares(found, knowledge, data.target_sets), len(found)


def posterior_shares(draws: Draws, knowledge: Knowledge, targets: Sequence[tuple[str, ...]] = ()) -> ClassShares:
    """The shares of the classes of the draws, directed by what is known; with `targets`, by interventions, too."""
    seen: dict[bytes, Matrix] = {}

    def pattern(index: tuple[int, int]) -> Matrix:
        key = draws.parents[index].tobytes()
        if key not in seen:
            seen[key] = oriented(draws[index], knowledge, targets).adjacency
        return seen[key]

    places = [(chain, i) for chain in range(draws.chains) for i in range(draws.per_chain)]
    return ClassShares.of(draws.names, map(pattern, places))
