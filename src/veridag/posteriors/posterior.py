"""`posterior`: the entry point, whatever the method."""

from __future__ import annotations

from typing import Any, Literal

from veridag.checks import JOBS, MAX_INDEGREE, PROGRESS, OneOf
from veridag.criteria.priors import Fair
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BCG, BHD, BDeu, BGe
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.base import KNOWLEDGE

from .exact import Posterior, exact_posterior

_METHOD = OneOf(("exact",))


def posterior(
    data: Data | Any,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    method: Literal["exact"] = "exact",
    order_modular: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
    memory_limit: float | None = None,
) -> Posterior:
    """The posterior over network structures, P(G | data), exactly: each DAG G has the weight exp(score) times prior.

    ``P(G | data) = exp(sum over v of score(v, parents of v)) P(G) / (the same, summed over all DAGs)``

    The sums over all DAGs are those of Tian and He (2009), and take O(3^n) steps for n variables: see `Posterior`. So
    there are at most 22 variables; 20 take minutes, and `posterior_cost` says beforehand how long and how much memory.

    - `score`: by default BDeu, BGe for continuous and BCG for mixed data, BHD for groups. With a Bayesian score, such
      as these, K2, BDs or BDe, exp(score) is a marginal likelihood. With others it is an approximation of one (BIC) or
      just a weight.
    - `prior`: a modular structure prior, by default `Fair`. It is a prior over DAGs, as everywhere in veridag.
    - `max_indegree`, `knowledge`: DAGs with more parents, and those that go against what is known, have probability 0.
    - `order_modular`: each DAG counts as often as there are orders of the variables that it fits (Koivisto and Sood
      2004). This is another prior, which favours DAGs that fit many orders, such as those with few arcs. It takes
      O(n 2^n) steps, so that there are at most 25 variables, and knows no ancestors.
    - `jobs`: threads; the result does not depend on it, nor on the order of columns.
    - `progress`: called now and then, as `veridag.progress` says; the first call has the expected time and memory.
    - `memory_limit`: in bytes, three quarters of what is free if None; more raises MemoryError.
    """
    data = Data.of(data)
    _METHOD("method", method)
    return exact_posterior(
        data,
        _default_score(data) if score is None else SCORE("score", score),
        Fair() if prior is None else PRIOR("prior", prior),
        MAX_INDEGREE("max_indegree", max_indegree),
        KNOWLEDGE("knowledge", knowledge),
        order_modular=OneOf((False, True))("order_modular", order_modular),
        jobs=JOBS("jobs", jobs),
        progress=PROGRESS("progress", progress),
        memory_limit=memory_limit,
    )


def _default_score(data: Data) -> Score:
    """As the default learner has it."""
    if data.kind == "mixed":
        return BCG()
    if data.kind == "continuous":
        return BGe()
    return BHD() if data.group is not None and len(data.observed_groups) > 1 else BDeu()
