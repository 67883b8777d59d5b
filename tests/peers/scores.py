"""Local scores of random families of random tables."""

from __future__ import annotations

from math import lgamma, log

import numpy as np

import veridag as vd

from . import inputs
from .comparing import Random, compares, same


@compares("pgmpy", "BIC, AIC, log-likelihood, BDeu, K2 and BDs of discrete families", 60)
def discrete_scores_of_pgmpy(random: Random) -> str | None:
    from pgmpy.structure_score import AIC, BIC, K2, BDeu, BDs, LogLikelihood

    frame = inputs.table(random)
    child, parents = inputs.family(random, frame.columns)
    ess = float(random.choice([0.5, 1.0, 7.0]))
    data = vd.Data.of(frame)
    q, occurring = inputs.configurations(frame, parents)

    def ours(score: vd.BIC) -> float:
        return vd.local_score(child, parents, data, score)

    def theirs(score: object) -> float:
        return float(score.local_score(child, tuple(parents)))

    same(ours(vd.LogLik()), theirs(LogLikelihood(frame)))
    same(ours(vd.BIC()), theirs(BIC(frame)))
    same(ours(vd.AIC()), theirs(AIC(frame)))
    same(ours(vd.BDeu(ess)), theirs(BDeu(frame, equivalent_sample_size=ess)))
    # pgmpy's K2 has log Gamma(r) for configurations that do not occur, which log Gamma(r + 0) should take away again.
    same(ours(vd.K2()) + (q - occurring) * lgamma(frame[child].nunique()), theirs(K2(frame)))
    bds = theirs(BDs(frame, equivalent_sample_size=ess))
    if q == occurring:
        same(ours(vd.BDs(ess)), bds)
        return None
    return "pgmpy's BDs divides the imaginary sample of cells by all configurations, not by those that occur"


@compares("pgmpy", "log-likelihood, BIC and AIC of Gaussian families", 30)
def gaussian_scores_of_pgmpy(random: Random) -> str | None:
    from pgmpy.structure_score import AICGauss, BICGauss, LogLikelihoodGauss

    frame = inputs.measurements(random)
    child, parents = inputs.family(random, frame.columns)
    for ours, theirs in ((vd.BIC(), BICGauss), (vd.AIC(), AICGauss), (vd.LogLik(), LogLikelihoodGauss)):
        same(
            vd.local_score(child, parents, vd.Data.of(frame), ours),
            theirs(frame).local_score(child, tuple(parents)),
            1e-6,
        )
    return None


@compares("pyAgrum", "BIC, AIC, log-likelihood, BDeu and K2 of discrete families, in bits there", 60)
def scores_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    frame = inputs.table(random)
    child, parents = inputs.family(random, frame.columns)
    data = vd.Data.of(frame)
    learner = gum.BNLearner(frame)
    learner.useNoPrior()
    q, _ = inputs.configurations(frame, parents)
    alphas = (100 / q, 100 / (q * frame[child].nunique()))
    on_grid = all(abs(alpha - round(alpha)) < 1e-9 for alpha in alphas)
    # pyAgrum's AIC takes 1 bit for each parameter, and not 1 natural unit.
    bits = q * (frame[child].nunique() - 1) * (1.0 - log(2.0))
    for ours, use, other in (
        (vd.LogLik(), learner.useScoreLog2Likelihood, 0.0),
        (vd.BIC(), learner.useScoreBIC, 0.0),
        (vd.AIC(), learner.useScoreAIC, bits),
        (vd.K2(), learner.useScoreK2, 0.0),
        *([(vd.BDeu(1.0), learner.useScoreBDeu, 0.0)] if on_grid else []),
    ):
        use()
        same(vd.local_score(child, parents, data, ours) + other, learner.score(child, parents) * log(2.0), 1e-6)
    return None if on_grid else "pyAgrum's BDeu looks up log Gamma at multiples of 0.01, and alpha is none"


@compares("causal-learn", "BDeu of discrete families, with its prior over the number of parents", 60)
def bdeu_of_causal_learn(random: Random) -> str | None:
    from causallearn.score.LocalScoreFunction import local_score_BDeu

    frame = inputs.table(random)
    while len(frame.columns) < 3:  # with two variables its prior is log 0
        frame = inputs.table(random)
    names = list(frame.columns)
    child, parents = inputs.family(random, names)
    codes = np.column_stack([frame[name].astype("category").cat.codes for name in names])
    others, k = len(names) - 1, len(parents)
    prior = k * log(1 / others) + (others - k) * log(1 - 1 / others)
    theirs = local_score_BDeu(codes, names.index(child), [names.index(p) for p in parents])
    same(vd.local_score(child, parents, vd.Data.of(frame), vd.BDeu(1.0)) + prior, theirs)
    return None
