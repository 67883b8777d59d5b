"""One learner of every kind, quick enough for a test."""

from __future__ import annotations

import veridag as vd

ALGORITHMS = {
    "hill-climbing": vd.HillClimbing(),
    "tabu": vd.Tabu(restarts=1),
    "ges": vd.GES(),
    "ges-phases": vd.GES(order="phases", turning=False),
    "ges-turning": vd.GES(order="phases", turning=True),
    "order-annealing": vd.OrderAnnealing(max_indegree=3, candidates=7, steps=3000),
    "order-average": vd.OrderAnnealing(max_indegree=3, candidates=7, steps=1000, order_score="average"),
    "boss": vd.BOSS(restarts=2),
    "boss-trees": vd.BOSS(restarts=0, max_indegree=3),
    "exact": vd.Exact(max_indegree=3),
    "exact-penalty": vd.SearchSpacePenalty(vd.Exact(max_indegree=3)),
    "space-penalty": vd.SearchSpacePenalty(vd.Tabu(max_indegree=3)),
    "mmhc": vd.MMHC(),
    "h2pc": vd.H2PC(max_conditioning=2),
    "rsmax2": vd.RSMAX2(vd.GrowShrink(), vd.GES()),
}
CONSTRAINT_BASED = {
    "pc-stable": vd.PCStable(),
    "grow-shrink": vd.GrowShrink(),
    "inter-iamb": vd.InterIAMB(),
    "mmpc": vd.MMPC(),
    "si-hiton-pc": vd.SIHitonPC(),
    "hpc": vd.HPC(),
}
AVERAGES = {
    "averaged": vd.Averaged(vd.Tabu(), repeats=3),
    "posterior-median": vd.PosteriorMedian(vd.BIC(), max_indegree=3, draws=5, chains=2),
    "model-average": vd.ModelAverage(
        (vd.Averaged(vd.Tabu(), repeats=3), vd.PosteriorMedian(vd.BIC(), max_indegree=3, draws=5, chains=2))
    ),
}
LEARNERS = ALGORITHMS | CONSTRAINT_BASED | AVERAGES
