"""What there is to judge a pair of variables by: four sources, each of which joins it in a share of many classes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from veridag.criteria.independence import Test
from veridag.criteria.priors import Fair, MarginalUniform
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores import BHD, BIC, PNAL, QNML, BDs, DegenerateGaussian
from veridag.criteria.scores.base import Score
from veridag.criteria.scores.complexity import MOST_OBSERVATIONS
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge
from veridag.posteriors import sample_posterior
from veridag.progress import Progress, equal_part_of
from veridag.search import Tabu
from veridag.trust.averages import is_average
from veridag.trust.averages.average import oriented
from veridag.trust.averages.averaged import bootstrap_shares
from veridag.trust.averages.imputed import completions
from veridag.trust.averages.posterior_median import posterior_shares
from veridag.trust.defaults import has_groups, most_parents, most_required
from veridag.trust.subsampling import Learner
from veridag.work.executors import executor_of
from veridag.work.pieces import Executor, OutOfTime

#: The sources, in the order in which the model has them.
SOURCES = ("posterior", "bootstrap", "learners", "tests")

#: Bootstrap samples for each score.
REPEATS = 40
#: Draws of each of the chains, rounds for each draw, and draws that are dropped.
DRAWS, THIN, BURN_IN, CHAINS = 200, 3, 50, 2
#: Tables in which gaps are filled in.
COMPLETIONS = 4
#: The most parents in the posterior; how many candidates there are for them, and how many more any set may have.
MOST_PARENTS, CANDIDATES, BEYOND = 4, 8, 2

_Criterion = tuple[Score, Prior]


@dataclass(frozen=True)
class Evidence:
    """What the chances of an assessment were computed from.

    Attributes:
        names: The variables.
        rows: Number of rows.
        kind: The kind of data: discrete, continuous or mixed.
        shares: For each source, the shares of the classes that join each pair: posterior, bootstrap, learners, tests.
            None for a source without a result.
        absent: The sources that this data should have, and that failed or got no time.

    See also:
        `assess`, docs/trust.md
    """

    names: tuple[str, ...]
    rows: int
    kind: str
    shares: tuple[ClassShares | None, ...]
    absent: tuple[str, ...] = ()


def collect(
    data: Data,
    learners: Sequence[Learner],
    score: Score,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int | Executor = 1,
    progress: Progress | None = None,
    deadline: float | None = None,
) -> Evidence:
    """All sources for this data, as far as there is time.

    - `posterior`: classes drawn from the posterior with the `score`, which is that of `chosen_score`;
    - `bootstrap`: classes that tabu search with this and two other scores finds from bootstrap samples;
    - `learners`: the classes that the learners found, without averages and learners shown for comparison;
    - `tests`: the graphs of learners that use only tests.

    If values are missing, the first two are of tables in which the first learner's network fills them in, with as many
    samples and draws in all.
    """
    resampled, weighed = criteria(data, score)
    bootstrap: list[ClassShares] = []
    posterior: list[ClassShares] = []
    executor = executor_of(jobs)
    tables = _filled_in(data, learners, knowledge, seed, executor.local_threads, deadline)
    works = [_Work(table, knowledge, seed, executor, deadline, len(tables)) for table in tables]
    steps = [(bootstrap, work.resampled, each) for each in resampled for work in works] + [
        (posterior, work.weighed, each) for each in weighed for work in works
    ]
    for i, (found, step, (own, prior)) in enumerate(steps):
        try:
            found.append(step(own, prior, equal_part_of(progress, i, len(steps))))
        except OutOfTime:
            break
    voting = [each for each in learners if not each.companion and not is_average(each.algorithm)]
    testing = [each for each in learners if each.companion and isinstance(each.algorithm.criterion, Test)]
    sources = (posterior, bootstrap, _votes(voting, data, knowledge), _votes(testing, data, knowledge))
    shares = tuple(ClassShares.mean(parts) if parts else None for parts in sources)
    due = (weighed, resampled, voting, testing)
    absent = tuple(source for source, own, asked in zip(SOURCES, shares, due, strict=True) if asked and own is None)
    return Evidence(data.names, data.n, data.kind, shares, absent)


def _filled_in(
    data: Data,
    learners: Sequence[Learner],
    knowledge: Knowledge | None,
    seed: int,
    jobs: int,
    deadline: float | None,
) -> tuple[Data, ...]:
    """The tables to learn from: the data itself if it is complete, or if it has groups, which `PNAL` takes as they are.

    None if there is no time to fill in the gaps, or if that fails.
    """
    if not data.incomplete or has_groups(data):
        return (data,)
    searching = [x.algorithm for x in learners if not x.companion and not is_average(x.algorithm)]
    if not searching or (deadline is not None and time.monotonic() >= deadline):
        return ()
    try:
        return completions(data, searching[0], knowledge, COMPLETIONS, seed, jobs)
    except InputError:
        return ()


def criteria(data: Data, score: Score) -> tuple[tuple[_Criterion, ...], tuple[_Criterion, ...]]:
    """The scores and priors for the bootstrap, and those for the posterior."""
    fair = Fair()
    own = (score, fair)
    if isinstance(score, DegenerateGaussian | PNAL):
        return (own,), (own,)
    if has_groups(data):
        return (own, (BHD(ess=10), fair)), ()
    if data.kind == "continuous":
        return (own, (BIC(gamma=0.5), fair), (BIC(), fair)), (own,)
    if data.kind == "mixed":
        return (own, (BIC(), fair), (DegenerateGaussian(), fair)), (own,)
    sparse = MarginalUniform(beta="sparse") if len(data.names) > 3 else fair
    normalized = QNML() if data.n <= MOST_OBSERVATIONS else BIC()  # which it approaches
    return (own, (normalized, fair), (BDs(ess=5), sparse)), (own,)


@dataclass(frozen=True)
class _Work:
    """What takes time: learning from bootstrap samples, and drawing from a posterior."""

    data: Data
    knowledge: Knowledge | None
    seed: int
    executor: Executor
    deadline: float | None
    parts: int = 1  # of how many tables this is one

    def resampled(self, score: Score, prior: Prior, progress: Progress | None) -> ClassShares:
        learner = Tabu(score=score, prior=prior, max_indegree=most_parents(self.data, self.knowledge))
        shares, _ = bootstrap_shares(
            self.data, learner, REPEATS // self.parts, self.knowledge, self.seed, self.executor, progress, self.deadline
        )
        return shares

    def weighed(self, score: Score, prior: Prior, progress: Progress | None) -> ClassShares:
        left = None if self.deadline is None else self.deadline - time.monotonic()
        if left is not None and left <= 0:
            raise OutOfTime("there is no time left for the posterior")
        most = max(MOST_PARENTS, most_required(self.knowledge))
        draws = sample_posterior(
            self.data,
            score=score,
            prior=prior,
            knowledge=self.knowledge,
            max_indegree=most,
            candidates=CANDIDATES,
            beyond=BEYOND,
            draws=DRAWS // self.parts,
            minutes=None if left is None else left / 60,
            chains=CHAINS,
            thin=THIN,
            burn_in=BURN_IN,
            seed=self.seed,
            jobs=self.executor,
            progress=progress,
        )
        return posterior_shares(draws, Tabu(score=score).obeyed(self.knowledge, self.data))


def _votes(learners: Sequence[Learner], data: Data, knowledge: Knowledge | None) -> list[ClassShares]:
    found = []
    for learner in learners:
        if learner.result is None:
            continue
        pattern = oriented(learner.result.graph, learner.algorithm.obeyed(knowledge, data))
        found.append(ClassShares.of(data.names, [pattern.reorder(data.names).adjacency]))
    return found
