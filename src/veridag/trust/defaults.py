"""The learner that is taken where none is named. The evidence is in `docs/choosing.md`."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, replace
from math import log
from typing import TYPE_CHECKING, Any

from veridag.checks import Instance, Optional
from veridag.criteria.priors import Fair, Uniform
from veridag.criteria.priors.base import PRIOR, Prior
from veridag.criteria.scores import BCG, BHD, PNAL, BDeu, BGe, DegenerateGaussian
from veridag.criteria.scores.base import SCORE, Score
from veridag.data import Data
from veridag.graph.knowledge import Knowledge
from veridag.search import BOSS, Algorithm, StructuralEM, Tabu
from veridag.search.base import KNOWLEDGE
from veridag.search.structural_em import searches_by_score_alone

if TYPE_CHECKING:
    from veridag.network.fitting import Pooling

#: The most parents of a variable: of the 29 reference networks, two have more.
MOST_PARENTS = 8
#: The most in tables of more columns than rows: where each row has to tell much, searches add thousands of arcs.
MOST_PARENTS_IF_WIDE = 5
#: As many may always be there, however few the rows.
FEWEST_PARENTS = 2

#: With more columns, best order score search takes longer than people wait, and tabu search a second.
MOST_COLUMNS_FOR_BOSS = 500


_ALGORITHM = Instance(Algorithm, "an algorithm, such as Tabu()")


def learner_or_default(algorithm: Algorithm | None, data: Data, knowledge: Knowledge | None = None) -> Algorithm:
    """The algorithm that was given, or the default learner for this data if it is None."""
    if algorithm is None:
        return default_learner(data, knowledge=knowledge)
    checked: Algorithm = _ALGORITHM("algorithm", algorithm)
    return checked


def default_learner(
    data: Data,
    score: Score | None = None,
    prior: Prior | None = None,
    knowledge: Knowledge | None = None,
    max_indegree: int | None = None,
) -> Algorithm:
    """What to begin with on this data, as far as it is not given.

    Without a score, it is BDeu, for continuous data BGe, for mixed data BCG, for groups BHD, and the prior is fair.
    With a score, the prior is uniform. Where what is known asks for arcs from continuous to discrete variables, which
    BCG does not allow, the score is the degenerate Gaussian. The search is BOSS, or tabu search where `against_boss`
    speaks. Without `max_indegree`, a variable has at most `most_parents`, or as many as are required. Where values are
    missing, it searches within structural EM, unless the score takes gaps itself.
    """
    score, prior = Optional(SCORE)("score", score), Optional(PRIOR)("prior", prior)
    knowledge = KNOWLEDGE("knowledge", knowledge)
    usual: Prior = Fair() if score is None else Uniform()
    chosen = usual_score(data, knowledge) if score is None else score
    search = BOSS if against_boss(data, chosen) is None else Tabu
    most = most_parents(data, knowledge) if max_indegree is None else max_indegree
    return taking_gaps(search(score=chosen, prior=usual if prior is None else prior, max_indegree=most), data)


def taking_gaps(learner: Algorithm, data: Data) -> Algorithm:
    """The learner as it can be used on this data: within structural EM if values are missing and its score takes none.

    An average is taken over tables in which the gaps are filled in at random. A learner that does something else than
    search by a score, such as a hybrid, gets the score `PNAL` instead. Tests take gaps as they are.
    """
    criterion = learner.criterion
    if not data.incomplete or not isinstance(criterion, Score) or criterion.scores_incomplete:
        return learner
    from veridag.trust.averages import Imputed  # with all that averages need, which takes long to load
    from veridag.trust.averages.average import Average

    if isinstance(learner, StructuralEM | Imputed):
        return learner
    if isinstance(learner, Average):
        return Imputed(learner, default_learner(data))
    if searches_by_score_alone(learner):
        return StructuralEM(learner)
    return _with_score(learner, PNAL())


def _with_score(learner: Algorithm, score: Score) -> Algorithm:
    """The learner with another score, also of a learner that it holds."""
    own = {each.name: getattr(learner, each.name) for each in fields(learner)}
    changed: dict[str, Any] = {name: _with_score(value, score) for name, value in own.items() if _has_score(value)}
    return replace(learner, **changed, **({"score": score} if "score" in own else {}))


def _has_score(value: object) -> bool:
    return isinstance(value, Algorithm) and isinstance(value.criterion, Score)


def against_boss(data: Data, score: Score) -> str | None:
    """What makes tabu search the one to begin with: a score that takes long, or very many columns."""
    if isinstance(score, BHD):
        return "in groups"
    return f"more than {MOST_COLUMNS_FOR_BOSS} columns" if len(data.names) > MOST_COLUMNS_FOR_BOSS else None


def most_parents(data: Data, knowledge: Knowledge | None = None) -> int:
    """How many parents a variable may have, if nothing is said of it: as many as are required at least.

    Discrete parents have no more configurations than there are rows, on average over the variables. With more of them
    nearly every row has a configuration of its own, and BDeu takes that for a fit if states are about equally common.
    """
    most = MOST_PARENTS_IF_WIDE if len(data.names) > data.n else MOST_PARENTS
    if data.arities:
        mean = sum(log(arity) for arity in data.arities.values()) / len(data.arities)
        filled = int(log(max(data.n, 1)) / mean) if mean > 0 else most
        most = min(most, max(FEWEST_PARENTS, filled))
    return max(most, most_required(knowledge))


def most_required(knowledge: Knowledge | None) -> int:
    """The most parents of one variable that are known to be there."""
    required = Counter(child for _, child in (() if knowledge is None else knowledge.required))
    return max(required.values(), default=0)


def has_groups(data: Data) -> bool:
    """Whether the data is of related data sets that BHD can tell apart."""
    return data.kind == "discrete" and data.group is not None and len(data.observed_groups) > 1


def default_pooling(data: Data) -> Pooling:
    """How `fit` pools the parameters of groups: partially, which it can for complete discrete data alone."""
    return "hierarchical" if data.kind == "discrete" and not data.incomplete else "separate"


def usual_score(data: Data, knowledge: Knowledge | None = None) -> Score:
    """The score of the default learner."""
    if data.kind == "mixed":
        return DegenerateGaussian() if asks_for_both_directions(data, knowledge) else BCG()
    if data.kind == "continuous":
        return BGe()
    return BHD() if has_groups(data) else BDeu(ess=1)


def asks_for_both_directions(data: Data, knowledge: Knowledge | None) -> bool:
    """Whether what is known puts a continuous variable before a discrete one: in a required arc, or in the tiers."""
    if knowledge is None:
        return False
    if any(data.kinds.get(u) == "continuous" and data.kinds.get(v) == "discrete" for u, v in knowledge.required):
        return True
    tiers = [{data.kinds.get(name) for name in tier} for tier in knowledge.tiers]
    first = next((k for k, kinds in enumerate(tiers) if "continuous" in kinds), len(tiers))
    return any("discrete" in kinds for kinds in tiers[first + 1 :])
