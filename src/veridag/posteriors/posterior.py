"""`posterior`: the entry point, whatever the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from veridag.checks import MAX_INDEGREE, PROGRESS, SEED, Integer, Number, OneOf, Optional
from veridag.criteria.priors import Fair
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.errors import InputError, setting
from veridag.graph.knowledge import Knowledge
from veridag.progress import Progress
from veridag.search.base import KNOWLEDGE
from veridag.work.executors import executor_of
from veridag.work.memory import checked_limit, shown
from veridag.work.pieces import Executor

from .cost import ExactCost, families_of, posterior_cost
from .default_score import default_score
from .draws import Draws
from .exact import Posterior, exact_posterior
from .sampled import sample_posterior

if TYPE_CHECKING:
    from distributed import Client

Method = Literal["auto", "exact", "sample"]

METHOD = OneOf(("auto", "exact", "sample"))

#: What "auto" computes exactly: so many variables in so many seconds.
MOST_VARIABLES = 20
MOST_SECONDS = 300.0

#: Seconds that a thread takes for the local score of a family: in the core, for each row besides, and in Python.
_SECONDS_A_SCORE = 5e-6
_SECONDS_A_ROW = 3e-10
_SECONDS_A_SLOW_SCORE = 1e-4


@dataclass(frozen=True)
class PosteriorPlan:
    """How a posterior is to be found, what the exact one would take with all scores, and why it is not that one."""

    method: Literal["exact", "sample"]
    cost: ExactCost
    reason: str = ""

    def __str__(self) -> str:
        if self.method == "exact":
            return f"exact posterior, {self.cost}"
        return "sampled posterior" + (f": {self.reason}" if self.reason else "")


def plan_posterior(
    data: Data,
    score: Score | None = None,
    max_indegree: int | None = None,
    method: Method = "auto",
    *,
    order_modular: bool = False,
    minutes: float | None = None,
    jobs: int = 1,
    memory_limit: float | None = None,
) -> PosteriorPlan:
    """What `posterior` will do with these arguments, before anything is computed."""
    METHOD("method", method)
    n = len(data.names)
    sums = posterior_cost(n, max_indegree, order_modular=order_modular, jobs=jobs)
    scores = families_of(n, max_indegree) * _seconds_a_score(data, score) / min(jobs, 8)
    cost = ExactCost(sums.bytes, sums.seconds + scores)
    if order_modular and method == "sample":
        raise InputError(
            "order_modular=True: only the exact posterior can be order-modular, and draws are from the posterior over "
            f"DAGs: set {setting('method', 'exact')}, or order_modular=False"
        )
    if method == "sample":
        return PosteriorPlan("sample", cost)
    if method == "exact" or order_modular:
        return PosteriorPlan("exact", cost)
    limit, seconds = checked_limit(memory_limit), min(MOST_SECONDS, MOST_SECONDS if minutes is None else 60.0 * minutes)
    if n > MOST_VARIABLES:
        return PosteriorPlan("sample", cost, f"{n} variables are too many for the exact posterior")
    if cost.bytes > limit:
        return PosteriorPlan("sample", cost, f"the exact posterior takes {cost}, and the limit is {shown(limit)}")
    if cost.seconds > seconds:
        return PosteriorPlan("sample", cost, f"the exact posterior takes {cost}")
    return PosteriorPlan("exact", cost)


def _seconds_a_score(data: Data, score: Score | None) -> float:
    """About what a local score takes; those of continuous and mixed data with gaps take longest."""
    compiled = score is None or score.is_compiled()
    if not compiled or (data.incomplete and data.kind != "discrete"):
        return _SECONDS_A_SLOW_SCORE
    return _SECONDS_A_SCORE + _SECONDS_A_ROW * data.n


@overload
def posterior(
    data: Data | Any,
    *,
    method: Literal["exact"],
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    order_modular: bool = False,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    memory_limit: float | None = None,
) -> Posterior: ...
@overload
def posterior(
    data: Data | Any,
    *,
    method: Literal["sample"],
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    draws: int | None = None,
    minutes: float | None = None,
    precision: float | None = None,
    chains: int = 4,
    temperatures: int = 1,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
) -> Draws: ...
@overload
def posterior(
    data: Data | Any,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    method: Method = "auto",
    order_modular: bool = False,
    draws: int | None = None,
    minutes: float | None = None,
    precision: float | None = None,
    chains: int = 4,
    temperatures: int = 1,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    memory_limit: float | None = None,
) -> Posterior | Draws: ...
def posterior(
    data: Data | Any,
    *,
    score: Score | None = None,
    prior: Prior | None = None,
    max_indegree: int | None = None,
    knowledge: Knowledge | None = None,
    method: Method = "auto",
    order_modular: bool = False,
    draws: int | None = None,
    minutes: float | None = None,
    precision: float | None = None,
    chains: int = 4,
    temperatures: int = 1,
    seed: int = 0,
    jobs: int | Executor = 1,
    client: Client | str | None = None,
    progress: Progress | None = None,
    memory_limit: float | None = None,
) -> Posterior | Draws:
    """Compute the posterior over network structures, P(G | data), exactly or by sampling.

    Each DAG G has the weight exp(score) times prior:

    ``P(G | data) = exp(sum over v of score(v, parents of v)) P(G) / (the same, summed over all DAGs)``

    `Posterior` and `Draws` answer the same questions: `names`, `arcs`, `edges`, `ancestors`, `pairs`, `probability`,
    `median_network`, `best_expected`, and, averaged over networks with parameters, `query`, `log_likelihood` and
    `predict`.

    The exact posterior takes $O(3^n)$ steps for n variables, at most 22. The result does not depend on `jobs`, `client`
    or the order of columns. On Ctrl-C while sampling, `Interrupted` carries the draws so far as `.result`.
    `sample_posterior` has more settings.

    Args:
        data: The table: a `Data` or a data frame.
        score: The score; if None, BDeu, BGe for continuous and BCG for mixed data, with the equivalent sample size that
            `choose_ess` finds; BHD for groups; PNAL if values are missing. With BDeu, BDe, K2 and
            BDJeffreys, exp(score) is a marginal likelihood. So it is with BDs, BGe, BCG and BHD, but with a prior that
            uses the data. With others it is an approximation of one (BIC), or only a weight.
        prior: The structure prior, over DAGs; `Fair` if None.
        max_indegree: Most parents of a variable; no bound if None. DAGs with more have probability 0.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits. DAGs that violate it have
            probability 0.
        method: "exact" sums over all DAGs (Tian and He 2009), and "sample" draws DAGs, as `sample_posterior` does.
            "auto" is exact for up to 20 variables if that takes at most 5 minutes (and `minutes`) on a typical machine
            and fits into memory; otherwise it draws.
        order_modular: Count each DAG once for each order of the variables that fits it (Koivisto and Sood 2004). This
            is another prior, which prefers DAGs that fit many orders, such as those with few arcs. It takes $O(n 2^n)$
            steps, for at most 25 variables, and has no ancestors. It is always exact.
        draws: Draws of each chain; 1000 if None and nothing else stops the sampling.
        minutes: Stop drawing after this many minutes; no limit if None.
        precision: Stop drawing once all probabilities have a standard error of at most this.
        chains: Number of Markov chains.
        temperatures: Number of temperatures. With more than one, chains swap states with others that move more easily.
        seed: Seed of the random numbers. The same seed gives the same draws.
        jobs, client: As in `bootstrap`. The exact posterior uses only threads.
        progress: Progress callback, see `ProgressBar`. The first call has the expected time and memory of an exact
            posterior.
        memory_limit: Most memory to use for the exact posterior, in bytes; three quarters of the free memory if None.

    Returns:
        A `Posterior` if it is exact, and `Draws` if it is sampled.

    Raises:
        MemoryError: If the exact posterior would need more than `memory_limit`.

    See also:
        `sample_posterior`, `posterior_cost`, `choose_ess`, docs/posterior.md
    """
    data = Data.of(data)
    score = Optional(SCORE)("score", score)
    prior = Fair() if prior is None else PRIOR("prior", prior)
    max_indegree = MAX_INDEGREE("max_indegree", max_indegree)
    knowledge = KNOWLEDGE("knowledge", knowledge)
    OneOf((False, True))("order_modular", order_modular)
    limits = {
        "draws": Optional(Integer(1))("draws", draws),
        "minutes": Optional(Number(above=0, example=1))("minutes", minutes),
        "precision": Optional(Number(above=0, example=0.01))("precision", precision),
    }
    chains, seed = Integer(1, 1000)("chains", chains), SEED("seed", seed)
    temperatures = Integer(1, 100)("temperatures", temperatures)
    executor, progress = executor_of(jobs, client), PROGRESS("progress", progress)
    threads = executor.local_threads
    for name, value in limits.items():
        if METHOD("method", method) == "exact" and value is not None:
            raise InputError(
                f"{name}={value!r}: the exact posterior has no draws to limit: leave it out, or set "
                f"{setting('method', 'sample')}"
            )
    plan = plan_posterior(
        data,
        score,
        max_indegree,
        method,
        order_modular=order_modular,
        minutes=minutes,
        jobs=threads,
        memory_limit=memory_limit,
    )
    if plan.method == "sample":
        return sample_posterior(
            data,
            score=score,
            prior=prior,
            knowledge=knowledge,
            max_indegree=max_indegree,
            chains=chains,
            temperatures=temperatures,
            seed=seed,
            jobs=executor,
            progress=progress,
            **limits,
        )
    return exact_posterior(
        data,
        default_score(data, prior, knowledge, max_indegree, threads) if score is None else score,
        prior,
        max_indegree,
        knowledge,
        order_modular=order_modular,
        jobs=threads,
        progress=progress,
        memory_limit=memory_limit,
    )
