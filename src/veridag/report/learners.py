"""The learners that a report compares unless told otherwise."""

from __future__ import annotations

from veridag.data import Data
from veridag.independence import G2, FisherZ, ScoreTest
from veridag.priors import Fair, MarginalUniform
from veridag.scores import BHD, BIC, QNML, BDeu, BDs, BGe
from veridag.search import GES, H2PC, Algorithm, Exact, PCStable, Tabu

#: Up to so many variables and rows every subsample's best network is found and proven in a second or so.
MOST_FOR_EXACT, MOST_ROWS_FOR_EXACT = 20, 100_000
MOST_FOR_EXACT_IN_GROUPS = 12

#: Tables with more columns are wide: there no variable may have more than so many parents, or searches on more columns
#: than rows add thousands of arcs and take hours.
WIDE, MOST_PARENTS = 100, 5


def default_learners(data: Data) -> dict[str, Algorithm]:
    """The classics, beside what the papers found best: sparse priors, BDs, and a normalised maximum likelihood.

    Small samples profit from priors that favour few arcs (Eggeling et al. 2019), BDs does not overfit sparse tables as
    BDeu does (Scutari 2017), and qNML needs no parameter to be set. Few variables are searched exactly too. Groups ask
    for BHD, which does not take differences between groups for dependence (Azzimonti et al. 2020).
    """
    kind = data.require_one_kind()
    if has_groups(data):
        return _for_groups(data)
    return _for_continuous(data) if kind == "continuous" else _for_discrete(data)


def default_companions(data: Data) -> dict[str, Algorithm]:
    """Learners of other kinds, compared with the agreement but without a part in it: see `docs/validation.md`.

    One that goes by tests and a hybrid; with groups, also what is learned from all rows as if they were one group.
    """
    most = _most_parents(data)
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


def has_groups(data: Data) -> bool:
    """Whether the data is of related data sets that BHD can tell apart."""
    return data.kind == "discrete" and data.group is not None and len(data.observed_groups) > 1


def _most_parents(data: Data) -> int | None:
    return MOST_PARENTS if len(data.names) > WIDE else None


def _exact_suits(data: Data, most: int = MOST_FOR_EXACT) -> bool:
    return len(data.names) <= most and data.n <= MOST_ROWS_FOR_EXACT


def _for_discrete(data: Data) -> dict[str, Algorithm]:
    most = _most_parents(data)
    found: dict[str, Algorithm] = {
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
        "tabu, BDeu": Tabu(score=BDeu(ess=1), max_indegree=most),
        "tabu, BDeu, fair": Tabu(score=BDeu(ess=1), prior=Fair(), max_indegree=most),
        "tabu, BDs, marginal uniform": Tabu(score=BDs(ess=1), prior=MarginalUniform(), max_indegree=most),
        "tabu, qNML": Tabu(score=QNML(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
    }
    if _exact_suits(data):
        found["exact, BDeu, fair"] = Exact(score=BDeu(ess=1), prior=Fair(), max_indegree=4, time_limit=10)
    return found


def _for_continuous(data: Data) -> dict[str, Algorithm]:
    most = _most_parents(data)
    found: dict[str, Algorithm] = {
        "tabu, BIC": Tabu(score=BIC(), max_indegree=most),
        "tabu, BIC gamma 0.5": Tabu(score=BIC(gamma=0.5), max_indegree=most),
        "tabu, BGe": Tabu(score=BGe(), max_indegree=most),
        "tabu, BGe, fair": Tabu(score=BGe(), prior=Fair(), max_indegree=most),
        "GES, BIC": GES(score=BIC(), max_indegree=most),
    }
    if _exact_suits(data):
        found["exact, BIC"] = Exact(score=BIC(), max_indegree=4, time_limit=10)
    return found


def _for_groups(data: Data) -> dict[str, Algorithm]:
    most = _most_parents(data)
    found: dict[str, Algorithm] = {
        "tabu, BHD": Tabu(score=BHD(), max_indegree=most),
        "tabu, BHD, fair": Tabu(score=BHD(), prior=Fair(), max_indegree=most),
        "tabu, BHD, marginal uniform": Tabu(score=BHD(), prior=MarginalUniform(), max_indegree=most),
        "tabu, BHD of size 10": Tabu(score=BHD(ess=10), max_indegree=most),
    }
    if _exact_suits(data, MOST_FOR_EXACT_IN_GROUPS):
        found["exact, BHD, fair"] = Exact(score=BHD(), prior=Fair(), max_indegree=3, time_limit=10)
    return found
