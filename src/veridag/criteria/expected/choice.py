"""How the expectation of a score is taken: from expected counts or moments, or by draws."""

from __future__ import annotations

from veridag.checks import JOBS, SEED, Integer, Optional
from veridag.criteria.scores import AIC, BIC, PNAL, LogLik
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.network import Network
from veridag.network.incomplete.imputation import impute

from .averaged import AveragedScore
from .exact import ExpectedScore, is_exact

#: How many completions are drawn if there must be draws and nobody says how many.
DRAWS = 5

#: The scores of discrete data whose expectation is that of expected counts: likelihoods, with a penalty or none.
LIKELIHOODS = (LogLik, AIC, BIC, PNAL)


def expected_score(
    score: Score, network: Network, data: Data, *, draws: int | None = None, seed: int = 0, jobs: int = 1
) -> ExpectedScore | AveragedScore:
    """A score as it is expected once the network has filled in the missing values.

    Without `draws` it comes from expected counts, for likelihoods of discrete data, or from expected moments, if the
    score of continuous data has a formula of them; else it is the mean over 5 completions. A number of `draws` gives
    the mean over so many completions. ``draws=0`` takes expected counts for BDeu, K2 and BDJeffreys, too, which is an
    approximation: see `ExpectedScore`. What is returned says how it was made, in `exact` and `note`.
    """
    draws, seed, jobs = Optional(Integer(least=0))("draws", draws), SEED("seed", seed), JOBS("jobs", jobs)
    if not draws and is_exact(score, data) and (draws == 0 or _is_right(score, data)):
        return ExpectedScore(score, network, data, seed, jobs)
    return AveragedScore(score, impute(network, data, draws=draws or DRAWS, seed=seed, jobs=jobs))


def _is_right(score: Score, data: Data) -> bool:
    """Whether the expected score is worth its cost, and not an approximation that random completions avoid."""
    return data.kind == "continuous" or type(score) in LIKELIHOODS
