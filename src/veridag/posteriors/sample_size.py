"""The equivalent sample size with the highest evidence. Measurements is in `docs/calibration.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

from veridag.checks import JOBS, MAX_INDEGREE, PROGRESS
from veridag.criteria.priors import Fair, Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BCG, BDe, BDeu, BDs, BGe
from veridag.criteria.scores.base import SCORE, Score, continuous_part
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.graph.knowledge import Knowledge
from veridag.progress import Interrupted, Progress
from veridag.search.base import KNOWLEDGE
from veridag.search.tabu import Tabu

#: The sizes to choose from, and the one to begin with. Larger ones fit independent columns of even values best, and
#: then an arc costs next to nothing: with 300 or 1000, each pair of such columns was joined with a probability of 1/3.
SIZES = (0.1, 0.3, 1.0, 3.0, 10.0)
_FIRST = SIZES.index(1.0)

#: The most parents in the networks that are compared, unless more are asked for: large sizes lead to many.
_MOST_PARENTS = 5


def choose_ess(
    data: Data | Any,
    score: Score | None = None,
    prior: Prior | None = None,
    *,
    knowledge: Knowledge | None = None,
    max_indegree: int | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Score:
    """Choose the equivalent sample size under which the best network is most probable (empirical Bayes).

    ``argmax over ess of max over G of log P(data | G, ess) + log P(G)``, among 0.1, 0.3, 1, 3 and 10

    The best network G is the one that `Tabu` finds. The search for the size starts at 1 and goes up, or otherwise down,
    as long as that gains. Silander, Kontkanen and Myllymäki (2007) show how much depends on the size. The result does
    not depend on `jobs` or on the order of columns.

    Args:
        data: The table: a `Data` or a data frame.
        score: `BDeu`, `BDs` or `BDe`, whose `ess` is chosen; `BGe`, whose ``iss_w`` is N + 1 + the size for N columns;
            or `BCG`, both parts of which get a size. If None, BDeu, ``BGe(T="scaled")`` for continuous and BCG for
            mixed data.
        prior: The structure prior; `Fair` if None. One that rules out the network of required arcs alone, where the
            search starts, is left out of the comparison.
        knowledge: Background knowledge: required and forbidden arcs, tiers, and limits.
        max_indegree: Most parents of a variable; 5, or the number of required parents if that is larger, if None.
        jobs: Number of threads.
        progress: Progress callback, see `ProgressBar`.

    Returns:
        The score with this size.

    See also:
        `posterior`, `BDeu`, `BGe`, `BCG`, docs/posterior.md
    """
    data = Data.of(data)
    score = _usual(data) if score is None else SCORE("score", score)
    prior = PRIOR("prior", Fair() if prior is None else prior)
    knowledge = KNOWLEDGE("knowledge", knowledge)
    most = MAX_INDEGREE("max_indegree", max_indegree)
    most = _most_parents(knowledge) if most is None else most
    jobs, progress = JOBS("jobs", jobs), PROGRESS("progress", progress)
    start = () if knowledge is None else knowledge.required
    if {name for arc in start for name in arc} <= set(data.names):
        rules_out = prior.log(DAG.from_arcs(start, data.names), data.n) == -inf
        prior = Uniform() if rules_out else prior  # the search could not begin
    compared = 0

    def best(tried: Score) -> float:
        nonlocal compared
        if progress is not None:
            progress("equivalent sample size", compared, None, {})
        compared += 1
        try:
            found = Tabu(tried, prior, most).learn(data, knowledge, jobs=jobs).score
        except Interrupted:  # whose result is a network, and none was asked for
            raise KeyboardInterrupt("the equivalent sample size was not chosen yet") from None
        assert found is not None
        return found

    if not isinstance(score, BCG):
        return _climb(score, data, best)
    if isinstance(score.dirichlet, BDeu | BDs) and "discrete" in data.kinds.values():
        own = score  # for the function below, which mypy checks without what is known here
        dirichlet = _climb(score.dirichlet, data, lambda tried: best(replace(own, dirichlet=tried)))  # type: ignore[arg-type]
        score = replace(score, dirichlet=dirichlet)  # type: ignore[arg-type] # of the same class
    if "continuous" in data.kinds.values():
        other = score
        gaussian = _climb(score.gaussian, continuous_part(data), lambda tried: best(replace(other, gaussian=tried)))  # type: ignore[arg-type]
        score = replace(score, gaussian=gaussian)  # type: ignore[arg-type] # of the same class
    return score


def with_size(score: Score, size: float, data: Data) -> Score:
    """The score with this equivalent sample size; raises `InputError` if it has none."""
    if isinstance(score, BDeu | BDs | BDe):
        return replace(score, ess=size)
    if isinstance(score, BGe) and score.T in (None, "scaled"):
        return replace(score, iss_w=len(data.names) + 1 + size)
    if isinstance(score, BGe):
        raise InputError(f"score={score!r}: with a given T, the size alone has no meaning: set T='scaled'")
    raise InputError(
        f"score={score!r}: it has no equivalent sample size to choose: give BDeu(), BDs(), BDe(...), BGe(T='scaled') "
        "or BCG()"
    )


def _usual(data: Data) -> Score:
    if data.kind == "mixed":
        return BCG()
    return BGe(T="scaled") if data.kind == "continuous" else BDeu()


def _most_parents(knowledge: Knowledge | None) -> int:
    required = Counter(child for _, child in (() if knowledge is None else knowledge.required))
    return max(_MOST_PARENTS, *required.values(), 0)


def _climb(score: Score, data: Data, best: Callable[[Score], float]) -> Score:
    """The score whose value is not below that with the next smaller and the next larger size."""
    tried = [with_size(score, size, data) for size in SIZES]
    values: dict[int, float] = {}

    def value(k: int) -> float:
        if k not in values:
            values[k] = best(tried[k])
        return values[k]

    at = _FIRST
    for step in (1, -1):
        while 0 <= at + step < len(SIZES) and value(at + step) > value(at):
            at += step
        if at != _FIRST:
            break
    return tried[at]
