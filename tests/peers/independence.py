"""Tests of independence on random tables."""

from __future__ import annotations

import numpy as np
import pandas as pd

import veridag as vd

from . import inputs
from .comparing import Random, compares, same


def question(random: Random, frame: pd.DataFrame) -> tuple[str, str, list[str]]:
    x, y, *given = random.permutation(list(frame.columns))[: int(random.integers(2, 6))].tolist()
    return x, y, given


def strata(frame: pd.DataFrame, x: str, y: str, given: list[str]) -> list[pd.DataFrame]:
    """The contingency table of x and y in each configuration that occurs, with the states that occur there."""
    parts = [part for _, part in frame.groupby(given)] if given else [frame]
    return [pd.crosstab(part[x], part[y]) for part in parts]


@compares("causal-learn", "p-values of G2 and Pearson's X2, with degrees of freedom by observed states", 60)
def contingency_tests_of_causal_learn(random: Random) -> str | None:
    from causallearn.utils.cit import CIT

    frame = inputs.table(random)
    x, y, given = question(random, frame)
    names = list(frame.columns)
    codes = np.column_stack([frame[name].astype("category").cat.codes for name in names]).astype(np.int64)
    numbers = [names.index(v) for v in (x, y, *given)]
    for ours, method in ((vd.G2(df="observed"), "gsq"), (vd.X2(df="observed"), "chisq")):
        found = vd.test(x, y, given, vd.Data.of(frame), ours)
        same(found.p_value, CIT(codes, method)(numbers[0], numbers[1], numbers[2:]))
    return None


@compares("pgmpy", "statistic, degrees of freedom and p-value of G2 and Pearson's X2", 60)
def contingency_tests_of_pgmpy(random: Random) -> str | None:
    from pgmpy.ci_tests import ChiSquare, GSq

    frame = inputs.table(random, states=(2, 5))
    x, y, given = question(random, frame)
    tables = strata(frame, x, y, given)
    corrected = any(table.shape == (2, 2) for table in tables)
    incomplete = len(tables) < inputs.configurations(frame, given)[0]
    for ours, theirs in ((vd.G2(df="observed"), GSq(frame)), (vd.X2(df="observed"), ChiSquare(frame))):
        found = vd.test(x, y, given, vd.Data.of(frame), ours)
        theirs(x, y, given, significance_level=0.05)
        same(found.df, theirs.dof_)
        if found.df == 0:
            assert np.isnan(theirs.p_value_)
            return "without degrees of freedom pgmpy's p-value is not a number, and the variables count as dependent"
        if isinstance(ours, vd.G2) and incomplete:
            assert np.isnan(theirs.statistic_)
            return "pgmpy's G2 is not a number if a configuration of the conditions does not occur"
        if corrected:
            continue
        same(found.statistic, theirs.statistic_)
        same(found.p_value, theirs.p_value_)
    return "pgmpy has Yates' correction in configurations with two states of each variable" if corrected else None


@compares("pgmpy", "Fisher's Z and Student's t of partial correlations", 60)
def correlation_tests_of_pgmpy(random: Random) -> str | None:
    from pgmpy.ci_tests import FisherZ, Pearsonr

    frame = inputs.measurements(random)
    x, y, given = question(random, frame)
    data = vd.Data.of(frame)
    for ours, theirs in ((vd.FisherZ(), FisherZ(frame)), (vd.StudentT(), Pearsonr(frame))):
        found = vd.test(x, y, given, data, ours)
        theirs(x, y, given, significance_level=0.05)
        if isinstance(ours, vd.FisherZ):
            same(found.statistic, theirs.statistic_, 1e-6)
        same(found.p_value, theirs.p_value_, 1e-6)
    return None


@compares("causal-learn", "p-value of Fisher's Z", 60)
def fisher_z_of_causal_learn(random: Random) -> str | None:
    from causallearn.utils.cit import CIT

    frame = inputs.measurements(random)
    x, y, given = question(random, frame)
    at = frame.columns.get_loc
    theirs = CIT(frame.to_numpy(), "fisherz")(at(x), at(y), [at(z) for z in given])
    same(vd.test(x, y, given, vd.Data.of(frame), vd.FisherZ()).p_value, theirs, 1e-6)
    return None


@compares("pyAgrum", "G2 and Pearson's X2 of two variables given others, and their p-values", 60)
def contingency_tests_of_pyagrum(random: Random) -> str | None:
    import pyagrum as gum

    frame = inputs.table(random)
    x, y, given = question(random, frame)
    learner = gum.BNLearner(frame)
    complete = vd.test(x, y, given, vd.Data.of(frame), vd.G2(df="observed")).df
    for ours, ask in ((vd.G2(df="plain"), learner.G2), (vd.X2(df="plain"), learner.chi2)):
        found = vd.test(x, y, given, vd.Data.of(frame), ours)
        statistic, p_value = ask(x, y, given)
        same(found.statistic, statistic)
        if found.df != complete:
            return "pyAgrum has a rule of its own for degrees of freedom where some states do not occur"
        same(found.p_value, p_value)
    return None
