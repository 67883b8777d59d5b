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

    The data is a `Data` or any data frame. Without a score, it is BDeu with the fair prior, for continuous data BGe,
    for mixed data BCG, and for groups BHD; a score that is given has the uniform prior unless another is given. The
    search is best order score search, or tabu search for groups and for tables of more than 500 columns. A variable has
    at most 8 parents, or 5 if there are more columns than rows, unless `max_indegree` says otherwise. Constant columns
    have no arcs but those that are required. The other arguments are those of `Algorithm.learn`, and
    ``result.settings`` names the learner.
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
    """Learn a structure with the algorithm, as `learn` does if it is None, and `fit` its parameters to the same data.

    The data is a `Data` or any data frame. `ess` is the imaginary sample size of the parameters alone; that of a score
    is part of the algorithm. `progress` and interrupts are those of `Algorithm.learn`: what an interrupt carries is the
    structure. Data in groups is refused, since each group has parameters of its own.
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
