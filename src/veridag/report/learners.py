"""The learners that a report compares unless told otherwise."""

from __future__ import annotations

from veridag.criteria.independence import G2, FisherZ, ScoreTest
from veridag.criteria.priors import Fair, MarginalUniform
from veridag.criteria.scores import BHD, BIC, QNML, BDeu, BDs, BGe
from veridag.data import Data
from veridag.search import GES, H2PC, Algorithm, Exact, PCStable, Tabu
from veridag.trust.defaults import against_ges, has_groups, most_parents

#: Up to so many variables and rows every subsample's best network is found and proven in a second or so.
MOST_FOR_EXACT, MOST_ROWS_FOR_EXACT = 20, 100_000
MOST_FOR_EXACT_IN_GROUPS = 12


def default_learners(data: Data) -> dict[str, Algorithm]:
    """What `docs/choosing.md` says to begin with, the best of its tables with other criteria, and BIC to compare.

    The first is the learner that `veridag learn` takes; it stands for the others where nobody can be recommended. Few
    variables are searched exactly too. Groups ask for BHD, which does not take differences between groups for
    dependence (Azzimonti et al. 2020).
    """
    kind = data.require_one_kind()
    if has_groups(data):
        return _for_groups(data)
    return _for_continuous(data) if kind == "continuous" else _for_discrete(data)


def default_companions(data: Data) -> dict[str, Algorithm]:
    """Learners of other kinds, compared with the agreement but without a part in it: see `docs/validation.md`.

    One that goes by tests and a hybrid; with groups, also what is learned from all rows as if they were one group.
    """
    most = most_parents(data)
    if has_groups(data):
        return {
            "PC-stable, BHD": PCStable(test=ScoreTest(BHD())),
            "H2PC, BHD": H2PC(test=ScoreTest(BHD()), score=BHD(), max_indegree=most),
            "tabu, BDeu, pooled": Tabu(score=BDeu(ess=1), max_indegree=most),
        }
    if data.require_one_kind() == "continuous":
        return {
            "PC-stable, Fisher's z": PCStable(test=FisherZ()),
            "H2PC, BIC": H2PC(test=FisherZ(), score=BIC(), max_indegree=most),
        }
    return {"PC-stable, G²": PCStable(test=G2()), "H2PC, BDeu": H2PC(test=G2(), score=BDeu(ess=1), max_indegree=most)}


def _exact_suits(data: Data, most: int = MOST_FOR_EXACT) -> bool:
    return len(data.names) <= most and data.n <= MOST_ROWS_FOR_EXACT


def _for_discrete(data: Data) -> dict[str, Algorithm]:
    most, (name, search) = most_parents(data), _search(data)
    found: dict[str, Algorithm] = {
        f"{name}, BDeu, fair": search(score=BDeu(ess=1), prior=Fair(), max_indegree=most),
        f"{name}, qNML, fair": search(score=QNML(), prior=Fair(), max_indegree=most),
        f"{name}, BIC": search(score=BIC(), max_indegree=most),
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
    }
    if len(data.names) > 3:  # as many as the sparse prior needs
        sparse = MarginalUniform(beta="sparse")
        found["tabu, BDs, sparse prior"] = Tabu(score=BDs(ess=5), prior=sparse, max_indegree=most)
    if _exact_suits(data):
        found["exact, BDeu, fair"] = Exact(score=BDeu(ess=1), prior=Fair(), max_indegree=4, time_limit=10)
    return found


def _for_continuous(data: Data) -> dict[str, Algorithm]:
    most, (name, search) = most_parents(data), _search(data)
    found: dict[str, Algorithm] = {
        f"{name}, BGe, fair": search(score=BGe(), prior=Fair(), max_indegree=most),
        f"{name}, BIC gamma 0.5": search(score=BIC(gamma=0.5), max_indegree=most),
        "tabu, BGe, fair": Tabu(score=BGe(), prior=Fair(), max_indegree=most),
        "tabu, BIC, fair": Tabu(score=BIC(), prior=Fair(), max_indegree=most),
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
    }
    if _exact_suits(data):
        found["exact, BGe, fair"] = Exact(score=BGe(), prior=Fair(), max_indegree=4, time_limit=10)
    return found


def _for_groups(data: Data) -> dict[str, Algorithm]:
    most = most_parents(data)
    found: dict[str, Algorithm] = {
        "tabu, BHD, fair": Tabu(score=BHD(), prior=Fair(), max_indegree=most),
        "tabu, BHD": Tabu(score=BHD(), max_indegree=most),
        "tabu, BHD, marginal uniform": Tabu(score=BHD(), prior=MarginalUniform(), max_indegree=most),
        "tabu, BHD of size 10": Tabu(score=BHD(ess=10), max_indegree=most),
    }
    if _exact_suits(data, MOST_FOR_EXACT_IN_GROUPS):
        found["exact, BHD, fair"] = Exact(score=BHD(), prior=Fair(), max_indegree=3, time_limit=10)
    return found


def _search(data: Data) -> tuple[str, type[GES] | type[Tabu]]:
    return ("GES", GES) if against_ges(data) is None else ("tabu", Tabu)
