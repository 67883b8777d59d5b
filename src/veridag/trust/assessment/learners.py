"""The learners that an assessment compares where none are named."""

from __future__ import annotations

from veridag.criteria.priors import Fair, MarginalUniform
from veridag.criteria.scores import BCG, BHD, BIC, BDeu, BDs, BGe, DegenerateGaussian
from veridag.criteria.scores.base import Score
from veridag.data import Data
from veridag.graph.knowledge import Knowledge
from veridag.posteriors.default_score import default_score
from veridag.search import BOSS, GES, Algorithm, StructuralEM, Tabu
from veridag.trust.averages import Averaged, Imputed, ModelAverage, PosteriorMedian
from veridag.trust.defaults import (
    against_boss,
    asks_for_both_directions,
    has_groups,
    most_parents,
    most_required,
    usual_score,
)

from .evidence import criteria

#: Bootstrap samples of the averaged network for each score; it is learned from every subsample as well.
AVERAGED_REPEATS = 20


def chosen_score(data: Data, knowledge: Knowledge | None = None, jobs: int = 1) -> Score:
    """The score of the posterior and of the averages: with the equivalent sample size that fits the data best."""
    if asks_for_both_directions(data, knowledge) and data.kind == "mixed":
        return DegenerateGaussian()
    if data.incomplete and not has_groups(data):
        return usual_score(data, knowledge)  # of tables in which gaps are filled in
    return default_score(data, Fair(), knowledge, jobs=jobs)


def assessed_learners(
    data: Data, knowledge: Knowledge | None = None, score: Score | None = None
) -> dict[str, Algorithm]:
    """Five learners or more, no two of which share both search and score: near-twins would make any verdict true.

    The first is the learner that ``veridag learn`` takes. The last two sum up many networks: draws
    from the posterior, and these together with networks of bootstrap samples, learned with each of the scores that are
    evidence too. Groups have the latter alone, since the posterior with BHD would take too long. The posterior has the
    `score` that is given, or else `chosen_score`. If values are missing, averages are over tables in which the
    network of the first learner fills them in. Exact search is not among the learners: it finds what the first finds.
    """
    most = most_parents(data, knowledge)
    if has_groups(data):
        return _for_groups(most)
    score = chosen_score(data, knowledge) if score is None else score
    by_kind = {"discrete": _for_discrete, "continuous": _for_continuous, "mixed": _for_mixed}
    found = by_kind[data.kind](data, knowledge, most)
    if data.incomplete:
        found = {label: StructuralEM(learner) for label, learner in found.items()}
    first = next(iter(found.values()))
    few = min(max(4, most_required(knowledge)), max(most, 1))
    name = _name(score)
    resampled = [
        Averaged(Tabu(score=own, prior=prior, max_indegree=most), AVERAGED_REPEATS)
        for own, prior in criteria(data, score)[0]
    ]
    median = PosteriorMedian(score=score, max_indegree=few)
    both = ModelAverage((ModelAverage(tuple(resampled)), median))
    found["averaged network, bootstrap and posterior"] = Imputed(both, first) if data.incomplete else both
    found[f"posterior median, {name}, fair"] = Imputed(median, first) if data.incomplete else median
    return found


def _name(score: Score) -> str:
    """The score in a label."""
    if isinstance(score, BDeu):
        return f"BDeu of size {score.ess:g}"
    return "degenerate Gaussian" if isinstance(score, DegenerateGaussian) else type(score).__name__


def _search(data: Data) -> tuple[str, type[BOSS] | type[Tabu]]:
    return ("BOSS", BOSS) if against_boss(data, BIC()) is None else ("tabu", Tabu)


def _for_discrete(data: Data, knowledge: Knowledge | None, most: int) -> dict[str, Algorithm]:
    del knowledge
    name, search = _search(data)
    sparse = MarginalUniform(beta="sparse") if len(data.names) > 3 else Fair()
    return {
        f"{name}, BDeu, fair": search(score=BDeu(ess=1), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
        "tabu, BDs, sparse prior": Tabu(score=BDs(ess=5), prior=sparse, max_indegree=most),
    }


def _for_continuous(data: Data, knowledge: Knowledge | None, most: int) -> dict[str, Algorithm]:
    del knowledge
    name, search = _search(data)
    return {
        f"{name}, BGe, fair": search(score=BGe(), prior=Fair(), max_indegree=most),
        f"{name}, BIC gamma 0.5": search(score=BIC(gamma=0.5), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
    }


def _for_mixed(data: Data, knowledge: Knowledge | None, most: int) -> dict[str, Algorithm]:
    name, search = _search(data)
    embedded: dict[str, Algorithm] = {
        f"{name}, degenerate Gaussian, fair": search(score=DegenerateGaussian(), prior=Fair(), max_indegree=most)
    }
    if asks_for_both_directions(data, knowledge):
        return embedded | {
            "GES, degenerate Gaussian": GES(score=DegenerateGaussian(), max_indegree=most),
            f"{name}, degenerate Gaussian, gamma 0.5": search(
                score=DegenerateGaussian(gamma=0.5), prior=Fair(), max_indegree=most
            ),
        }
    return {
        f"{name}, BCG, fair": search(score=BCG(), prior=Fair(), max_indegree=most),
        f"{name}, BIC, fair": search(score=BIC(), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
        **embedded,
    }


def _for_groups(most: int) -> dict[str, Algorithm]:
    return {
        "tabu, BHD, fair": Tabu(score=BHD(), prior=Fair(), max_indegree=most),
        "tabu, BHD of size 10": Tabu(score=BHD(ess=10), prior=Fair(), max_indegree=most),
        "tabu, BHD, marginal uniform": Tabu(score=BHD(), prior=MarginalUniform(), max_indegree=most),
        "tabu, BDeu, pooled": Tabu(score=BDeu(ess=1), prior=Fair(), max_indegree=most),
        "averaged tabu, BHD, fair": Averaged(Tabu(score=BHD(), prior=Fair(), max_indegree=most), AVERAGED_REPEATS),
    }
