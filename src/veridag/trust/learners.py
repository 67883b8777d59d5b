"""The learners that are compared with each other: those that were given, or a set that suits the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veridag.criteria.independence import DegenerateG2, FisherZ, ScoreTest
from veridag.criteria.priors import Fair, MarginalUniform
from veridag.criteria.scores import BCG, BHD, BIC, QNML, BDeu, BDs, BGe, DegenerateGaussian
from veridag.criteria.scores.complexity import MOST_OBSERVATIONS
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.search import BOSS, GES, H2PC, Algorithm, Exact, PCStable, Tabu

from .defaults import against_boss, asks_for_both_directions, has_groups, most_parents, most_required, taking_gaps

Learners = Sequence[Algorithm] | Mapping[str, Algorithm]

#: Up to so many variables and rows every subsample's best network is found and proven in a second or so.
MOST_FOR_EXACT, MOST_ROWS_FOR_EXACT = 20, 100_000
MOST_FOR_EXACT_IN_GROUPS = 12


def compared_learners(
    data: Data,
    algorithms: Learners | None = None,
    companions: Learners | None = None,
    knowledge: Knowledge | None = None,
) -> tuple[dict[str, Algorithm], dict[str, Algorithm]]:
    """The learners to rank and their companions, by label.

    Without algorithms, these are `default_learners` and `default_companions`, with the companions that are given beside
    them; one with the label of a default takes its place.
    """
    beside = _by_label("companions", () if companions is None else companions)
    if algorithms is None:
        ranked, beside = default_learners(data, knowledge), default_companions(data, knowledge) | beside
        if data.incomplete:
            ranked, beside = _taking_gaps(ranked, data), _taking_gaps(beside, data)
    else:
        ranked = _by_label("algorithms", algorithms)
    if len(ranked) < 2:
        raise InputError(f"algorithms: {len(ranked)} given, but an agreement needs at least two")
    twice = sorted(set(ranked) & set(beside))
    if twice:
        raise _given_twice(twice[0])
    return ranked, beside


def _taking_gaps(learners: Mapping[str, Algorithm], data: Data) -> dict[str, Algorithm]:
    """The learners as they take gaps; the label of one whose score had to change says so."""
    found: dict[str, Algorithm] = {}
    for label, learner in learners.items():
        used = taking_gaps(learner, data)
        changed = used.traits.score != learner.traits.score
        found[f"{label.rpartition(', ')[0]}, PNAL" if changed else label] = used
    return found


def _by_label(name: str, learners: object) -> dict[str, Algorithm]:
    if isinstance(learners, str) or not isinstance(learners, Sequence | Mapping):
        raise InputError(f"{name}={learners!r} must be a list of algorithms, or a mapping from labels to them")
    for learner in learners.values() if isinstance(learners, Mapping) else learners:
        if not isinstance(learner, Algorithm):
            raise InputError(f"{name}: {learner!r} is not an algorithm such as Tabu(); vd.parse makes one of a text")
    if isinstance(learners, Mapping):
        return dict(learners)
    found: dict[str, Algorithm] = {}
    for learner in learners:
        if learner.label in found:
            raise _given_twice(learner.label)
        found[learner.label] = learner
    return found


def _given_twice(label: str) -> InputError:
    return InputError(f"algorithms: {label} is there twice: compare different algorithms, or label them")


def default_learners(data: Data, knowledge: Knowledge | None = None) -> dict[str, Algorithm]:
    """What `docs/choosing.md` says to begin with, the best of an earlier study with other criteria, and BIC to compare.

    The first is the learner that `veridag learn` takes; it stands for the others where nobody can be recommended. Few
    variables are searched exactly too. Groups ask for BHD, which does not take differences between groups for
    dependence (Azzimonti et al. 2020). Interventions leave out GES, which refuses them. None allows fewer parents than
    `knowledge` requires.
    """
    if has_groups(data):
        return _for_groups(data, knowledge)
    by_kind = {"discrete": _for_discrete, "continuous": _for_continuous, "mixed": _for_mixed}
    found = by_kind[data.kind](data, knowledge)
    if data.targets is None:
        return found
    return {label: learner for label, learner in found.items() if not isinstance(learner, GES)}


def default_companions(data: Data, knowledge: Knowledge | None = None) -> dict[str, Algorithm]:
    """Learners of other kinds, compared with the agreement but without a part in it: see `docs/validation.md`.

    One that goes by tests and a hybrid; with groups, also what is learned from all rows as if they were one group.
    """
    most = most_parents(data, knowledge)
    if has_groups(data):
        return {
            "PC-stable, BHD": PCStable(test=ScoreTest(BHD())),
            "H2PC, BHD": H2PC(test=ScoreTest(BHD()), score=BHD(), max_indegree=most),
            "tabu, BDeu, pooled": Tabu(score=BDeu(ess=1), max_indegree=most),
        }
    if data.kind == "mixed" and asks_for_both_directions(data, knowledge):
        embedded = DegenerateG2()
        return {
            "PC-stable, degenerate G²": PCStable(test=embedded),
            "H2PC, degenerate Gaussian": H2PC(test=embedded, score=DegenerateGaussian(), max_indegree=most),
        }
    if data.kind == "mixed":
        return {"PC-stable, G²": PCStable(), "H2PC, BIC": H2PC(score=BIC(), max_indegree=most)}
    if data.kind == "continuous":
        return {
            "PC-stable, Fisher's z": PCStable(test=FisherZ()),
            "H2PC, BIC": H2PC(test=FisherZ(), score=BIC(), max_indegree=most),
        }
    return {"PC-stable, G²": PCStable(), "H2PC, BDeu": H2PC(score=BDeu(ess=1), max_indegree=most)}


def _exact_suits(data: Data, most: int = MOST_FOR_EXACT) -> bool:
    return len(data.names) <= most and data.n <= MOST_ROWS_FOR_EXACT


def _for_discrete(data: Data, knowledge: Knowledge | None) -> dict[str, Algorithm]:
    most, (name, search) = most_parents(data, knowledge), _search(data)
    found: dict[str, Algorithm] = {
        f"{name}, BDeu, fair": search(score=BDeu(ess=1), prior=Fair(), max_indegree=most),
        f"{name}, qNML, fair": search(score=QNML(), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
    }
    if data.n > MOST_OBSERVATIONS:
        del found[f"{name}, qNML, fair"]  # it would refuse the data
    if len(data.names) > 3:  # as many as the sparse prior needs
        sparse = MarginalUniform(beta="sparse")
        found["tabu, BDs, sparse prior"] = Tabu(score=BDs(ess=5), prior=sparse, max_indegree=most)
    if _exact_suits(data):
        found["exact, BDeu, fair"] = Exact(
            score=BDeu(ess=1), prior=Fair(), max_indegree=max(4, most_required(knowledge)), time_limit=10
        )
    return found


def _for_continuous(data: Data, knowledge: Knowledge | None) -> dict[str, Algorithm]:
    most, (name, search) = most_parents(data, knowledge), _search(data)
    found: dict[str, Algorithm] = {
        f"{name}, BGe, fair": search(score=BGe(), prior=Fair(), max_indegree=most),
        f"{name}, BIC gamma 0.5": search(score=BIC(gamma=0.5), prior=Fair(), max_indegree=most),
        "GES, BGe, fair": GES(score=BGe(), prior=Fair(), max_indegree=most),
        "tabu, BIC, fair": Tabu(score=BIC(), prior=Fair(), max_indegree=most),
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
    }
    if _exact_suits(data):
        found["exact, BGe, fair"] = Exact(
            score=BGe(), prior=Fair(), max_indegree=max(4, most_required(knowledge)), time_limit=10
        )
    return found


def _for_mixed(data: Data, knowledge: Knowledge | None) -> dict[str, Algorithm]:
    """Where what is known asks for arcs from continuous to discrete variables, by scores that allow them."""
    most, (name, search) = most_parents(data, knowledge), _search(data)
    embedded: dict[str, Algorithm] = {
        f"{name}, degenerate Gaussian, fair": search(score=DegenerateGaussian(), prior=Fair(), max_indegree=most),
        "GES, degenerate Gaussian": GES(score=DegenerateGaussian(), max_indegree=most),
    }
    if asks_for_both_directions(data, knowledge):
        sparse = DegenerateGaussian(gamma=0.5)
        embedded[f"{name}, degenerate Gaussian, gamma 0.5"] = search(score=sparse, prior=Fair(), max_indegree=most)
        return embedded
    found: dict[str, Algorithm] = {
        f"{name}, BCG, fair": search(score=BCG(), prior=Fair(), max_indegree=most),
        f"{name}, BIC, fair": search(score=BIC(), prior=Fair(), max_indegree=most),
        "GES, BCG, fair": GES(score=BCG(), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
        f"{name}, degenerate Gaussian, fair": embedded[f"{name}, degenerate Gaussian, fair"],
    }
    if _exact_suits(data):
        found["exact, BCG, fair"] = Exact(
            score=BCG(), prior=Fair(), max_indegree=max(4, most_required(knowledge)), time_limit=10
        )
    return found


def _for_groups(data: Data, knowledge: Knowledge | None) -> dict[str, Algorithm]:
    most = most_parents(data, knowledge)
    found: dict[str, Algorithm] = {
        "tabu, BHD, fair": Tabu(score=BHD(), prior=Fair(), max_indegree=most),
        "tabu, BHD": Tabu(score=BHD(), max_indegree=most),
        "tabu, BHD, marginal uniform": Tabu(score=BHD(), prior=MarginalUniform(), max_indegree=most),
        "tabu, BHD of size 10": Tabu(score=BHD(ess=10), max_indegree=most),
    }
    if _exact_suits(data, MOST_FOR_EXACT_IN_GROUPS):
        found["exact, BHD, fair"] = Exact(
            score=BHD(), prior=Fair(), max_indegree=max(3, most_required(knowledge)), time_limit=10
        )
    return found


def _search(data: Data) -> tuple[str, type[BOSS] | type[Tabu]]:
    return ("BOSS", BOSS) if against_boss(data, BIC()) is None else ("tabu", Tabu)
