"""How the expectation of a score is taken: exactly where the score has a formula for it, else by draws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from veridag.checks import JOBS, SEED, Integer, Optional
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.network import Network

from .averaged import AveragedScore
from .draws import draw_completions
from .exact import ExpectedScore, is_exact

#: How many completions are drawn if there must be draws.
DRAWS = 10


def expected_score(
    score: Score,
    network: Network,
    data: Data,
    *,
    draws: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    impute: Callable[[Network, Data, int], tuple[Data, ...]] | None = None,
) -> ExpectedScore | AveragedScore:
    """A score as it is expected once the network has filled the gaps of the data.

    Without `draws` it comes from expected counts or expected moments if the score has a formula of them (see
    `ExpectedScore`), and else it is the mean over 10 completions. With `draws` it is the mean over so many completions,
    whatever the score. `impute` draws them, given the network, the data and their number; by default that is done for
    discrete and for continuous data. What is returned says how it was made, in `exact` and `note`.
    """
    draws, seed, jobs = Optional(Integer(least=1))("draws", draws), SEED("seed", seed), JOBS("jobs", jobs)
    if draws is None and is_exact(score, data):
        return ExpectedScore(score, network, data, seed, jobs)
    fill = impute or partial(draw_completions, seed=seed, jobs=jobs)
    return AveragedScore(score, fill(network, data, draws or DRAWS))
