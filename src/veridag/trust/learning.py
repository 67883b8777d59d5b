"""`learn` and `learn_network`: a structure, and a structure with parameters, in one call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.progress import Progress
from veridag.search import Algorithm
from veridag.search.result import Result
from veridag.work.pieces import Executor

from .constants import constants_note, isolating_constants
from .defaults import default_learner, learner_or_default


def learn(
    data: Data | Any,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    jobs: int = 1,
) -> Result:
    """Learn a network structure with the default learner for this data, as ``veridag learn`` does.

    The default search is best order score search (BOSS), or tabu search for groups and for tables of more than 500
    columns. Constant columns have no arcs except required ones. ``result.settings`` names the learner.

    Args:
        data: The table: a `Data` or a data frame.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result.
        progress: Progress callback, see `ProgressBar`.
        score: The score to maximise; if None, BDeu, or BGe for continuous data, BCG for mixed data, and BHD for groups.
        prior: The structure prior; if None, the fair prior, or the uniform prior if you give a score.
        max_indegree: Most parents of a variable; if None, 8, or 5 if there are more columns than rows, and fewer if
            discrete parents would have more configurations than there are rows.
        jobs: Number of threads.

    See also:
        `learn_network`, `BOSS`, `Tabu`, `Result`, docs/choosing.md
    """
    data = Data.of(data)
    learner = default_learner(data, score, prior, knowledge, max_indegree)
    result = learner.learn(data, isolating_constants(data, knowledge), seed, progress, jobs=jobs)
    return replace(result, notes=(*result.notes, *constants_note(data, knowledge)))


def learn_network(
    data: Data | Any,
    algorithm: Algorithm | None = None,
    ess: float = 1.0,
    *,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int | Executor = 1,
    progress: Progress | None = None,
) -> Network:
    """Learn a structure and fit its parameters to the same data.

    An interrupt carries the structure.

    Args:
        data: The table: a `Data` or a data frame.
        algorithm: The learner; the default of `learn` if None.
        ess: Equivalent sample size of the prior on parameters, as in `fit`. That of a score is part of the algorithm.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads, or `Processes(n)` for n processes.
        progress: Progress callback, see `ProgressBar`.

    Raises:
        InputError: If the data has groups, because each group has its own parameters.

    See also:
        `learn`, `fit`, `Network`, docs/tutorial.md
    """
    data = Data.of(data)
    if data.group is not None:
        raise InputError(
            "data: it has groups, and learn_network returns one network: use fit(learn(data).dag, data, "
            "method='hierarchical'), or 'separate' for continuous data, which gives one for each group"
        )
    learner = learner_or_default(algorithm, data, knowledge)
    known = isolating_constants(data, knowledge)
    return fit(learner.learn(data, known, seed, progress, jobs=jobs).dag, data, ess)
