"""The learners that a report compares unless told otherwise."""

from __future__ import annotations

from veridag.data import Data
from veridag.priors import Fair, MarginalUniform
from veridag.scores import BIC, QNML, BDeu, BDs, BGe
from veridag.search import GES, Algorithm, Exact, Tabu

#: Up to so many variables every subsample's best network is found and proven in well under a second.
MOST_FOR_EXACT = 20


def default_learners(data: Data) -> dict[str, Algorithm]:
    """The classics, beside what the papers found best: sparse priors, BDs, and a normalised maximum likelihood.

    Small samples profit from priors that favour few arcs (Eggeling et al. 2019), BDs does not overfit sparse tables as
    BDeu does (Scutari 2017), and qNML needs no parameter to be set. Few variables are searched exactly too.
    """
    kind = data.require_one_kind()
    exact = len(data.names) <= MOST_FOR_EXACT
    if kind == "continuous":
        best = {"exact, BIC": Exact(score=BIC(), max_indegree=4, time_limit=10)} if exact else {}
        return {
            "tabu, BIC": Tabu(score=BIC()),
            "tabu, BIC gamma 0.5": Tabu(score=BIC(gamma=0.5)),
            "tabu, BGe": Tabu(score=BGe()),
            "tabu, BGe, fair": Tabu(score=BGe(), prior=Fair()),
            "GES, BIC": GES(score=BIC()),
            **best,
        }
    best = {"exact, BDeu, fair": Exact(score=BDeu(ess=1), prior=Fair(), max_indegree=4, time_limit=10)} if exact else {}
    return {
        "tabu, BIC": Tabu(score=BIC()),
        "tabu, BDeu": Tabu(score=BDeu(ess=1)),
        "tabu, BDeu, fair": Tabu(score=BDeu(ess=1), prior=Fair()),
        "tabu, BDs, marginal uniform": Tabu(score=BDs(ess=1), prior=MarginalUniform()),
        "tabu, qNML": Tabu(score=QNML()),
        "GES, BIC": GES(score=BIC()),
        **best,
    }
