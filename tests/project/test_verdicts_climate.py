"""The verdicts on section 5 of Scutari, Graafland and Gutierrez (2019), computed again from the cells of the study.

Each function gives the verdict on one claim, and numbers that its note prints. Verdicts are about the sea surface
temperatures; a case is mostly a learner at a gamma. We read "small" as at most 500 arcs, "medium" as at most 1200,
"nearly the same" as within 2 %, "markedly faster" as at most half the calls, "many" as a tenth, and evidence that
reaches a region as a mean change of probability by 0.05 there. Speed is in calls as published.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import polars as pl
import pytest

from project.verdicts import Claims, Found, part, table, verdict

GS, PC, MMHC, H2PC, TABU, HC = "grow-shrink", "pc-stable", "mmhc", "h2pc", "tabu", "hill-climbing"
CONSTRAINT, HYBRID, SCORE = (GS, PC), (MMHC, H2PC), (TABU, HC)
SMALL, MEDIUM, NEARLY, MARKEDLY, MANY, REACHES = 500, 1200, 0.02, 0.5, 0.1, 0.05
CLAIMS = Claims("who-learns-better")
claim = CLAIMS.claim


@cache
def cells() -> pl.DataFrame:
    """The rows of all cells, with short names of learners."""
    return table("cells/climate.csv.gz").with_columns(pl.col("learner").str.split("(").list.first())


def networks() -> pl.DataFrame:
    """A row a network: each learner, gamma and permutation."""
    return cells().filter(what="network")


@cache
def means() -> dict[tuple[str, float], dict[str, float]]:
    """The means over permutations by learner and gamma; `log_likelihood` only if all graphs are valid."""
    names = ["valid", "log_likelihood", "arcs", "long_range_arcs", "calls_published", "relative_v_structures"]
    found = networks().group_by("learner", "gamma").agg(pl.col(names).cast(pl.Float64).mean())
    return {(row["learner"], row["gamma"]): row for row in found.iter_rows(named=True)}


def gammas(least: float = 0.0, below: float = np.inf) -> list[float]:
    return sorted({gamma for _, gamma in means() if least <= gamma < below})


def at(learners: Iterable[str], among: Iterable[float]) -> list[dict[str, float]]:
    """The means of learners at gammas, as far as they were finished."""
    return [means()[learner, gamma] for gamma in among for learner in learners if (learner, gamma) in means()]


def fits(learners: Iterable[str], gamma: float) -> list[float]:
    """The log-likelihoods of those that are valid."""
    return [own["log_likelihood"] for own in at(learners, [gamma]) if own["valid"] == 1]


def as_large(learner: str, arcs: float, column: str) -> float:
    """What a learner has with so many arcs, between its networks of other gammas, or the network without arcs."""
    points = [(own["arcs"], own[column]) for own in at([learner], gammas()) if own["valid"] == 1]
    if column == "log_likelihood":
        points.append((0.0, empty_fit()))
    x, y = np.array(sorted(points)).T
    return float(np.interp(arcs, x, y))


def empty_fit() -> float:
    """The log-likelihood of 458 standardized variables of 360 months without arcs."""
    return -0.5 * 360 * 458 * (np.log(2 * np.pi) + 1)


def indian_ocean() -> pl.DataFrame:
    """The change of the probability of a warm anomaly in boxes of the tropical Indian Ocean."""
    return cells().filter(pl.col("lat").is_between(-20, 20), pl.col("lon").is_between(40, 100), what="box")


def random_share(arcs: float) -> float:
    """The share of unshielded v-structures in random DAGs with so many arcs; from 3000 on, that of 3000."""
    drawn = cells().filter(what="baseline").sort("baseline_arcs")
    return float(np.interp(np.log(arcs), np.log(drawn["baseline_arcs"].to_numpy()), drawn["share"].to_numpy()))


@claim("WL-24")
def constraint_based_fit_best_if_sparse() -> Found:
    agree = [
        own["log_likelihood"] > max(fits((*HYBRID, *SCORE), gamma))
        for gamma in gammas(least=10)
        for own in at(CONSTRAINT, [gamma])
        if own["valid"] == 1
    ]
    return part(agree), [f"{sum(agree)} of {len(agree)}"]


@claim("WL-25")
def constraint_based_are_invalid_or_small() -> Found:
    invalid = [own["valid"] == 0 for own in at(CONSTRAINT, gammas(below=10))]
    sparse = [
        own["valid"] == 1 and own["arcs"] <= 501 and own["long_range_arcs"] == 0
        for own in at(CONSTRAINT, gammas(least=10))
    ]
    numbers = [f"{sum(invalid)} of {len(invalid)}", f"{sum(sparse)} of {len(sparse)}"]
    return verdict(part(invalid), part(sparse)), numbers


@claim("WL-26")
def hybrids_fit_worst_if_sparse() -> Found:
    worst = [
        own["log_likelihood"] < min(fits((*CONSTRAINT, *SCORE), gamma))
        for gamma in gammas(least=10)
        for own in at(HYBRID, [gamma])
    ]
    dense = [own["valid"] == 1 and own["arcs"] <= 1121 for own in at(HYBRID, gammas(below=10))]
    far = [max(own["long_range_arcs"] for own in at([learner], gammas(below=10))) > 0 for learner in HYBRID]
    return verdict(part(worst), part(dense), part(far)), [f"{sum(worst)} of {len(worst)}"]


@claim("WL-27")
def evidence_stays_in_the_pacific() -> Found:
    kept = indian_ocean().filter(pl.col("learner").is_in([*CONSTRAINT, *HYBRID]))
    change = kept.group_by("learner", "gamma").agg(pl.col("difference").mean().abs())["difference"]
    return part(change < REACHES), [f"{(change < REACHES).sum()} of {len(change)}"]


@claim("WL-28")
def score_based_are_alike_and_fit_best_if_dense() -> Found:
    pairs = [at(SCORE, [gamma]) for gamma in gammas(below=10)]
    alike = [abs(a[column] / b[column] - 1) <= NEARLY for a, b in pairs for column in ("arcs", "log_likelihood")]
    fit = [min(fits(SCORE, gamma)) > max(fits((*CONSTRAINT, *HYBRID), gamma)) for gamma in gammas(below=10)]
    arcs = [
        min(own["arcs"] for own in at(SCORE, [gamma])) > max(own["arcs"] for own in at((*CONSTRAINT, *HYBRID), [gamma]))
        for gamma in gammas(below=10)
    ]
    return verdict(part(alike), part(fit), part(arcs)), []


@claim("WL-29")
def tabu_has_teleconnections() -> Found:
    own = networks().filter(learner=TABU, gamma=0.5)
    warmer = indian_ocean().filter(learner=TABU, gamma=0.5)["difference"] > REACHES
    share = f"{100 * warmer.mean():.0f} %"
    return verdict(part(own["long_range_arcs"] > MANY * own["arcs"]), part(warmer)), [share]


@claim("WL-30")
def score_based_are_fastest() -> Found:
    def faster(others: tuple[str, ...], among: list[float], times: float) -> list[bool]:
        return [
            own["calls_published"] < times * other["calls_published"]
            for gamma in among
            for other in at(others, [gamma])
            for own in at(SCORE, [gamma])
        ]

    all_, hybrid = faster((*CONSTRAINT, *HYBRID), gammas(), 1.0), faster(HYBRID, gammas(below=2.1), MARKEDLY)
    return verdict(part(all_), part(hybrid)), [f"{sum(all_)} of {len(all_)}", f"{sum(hybrid)} of {len(hybrid)}"]


@claim("WL-31")
def v_structures_of_random_dags() -> Found:
    drawn = cells().filter(what="baseline")
    formula = 0.25 - 2 * drawn["baseline_arcs"] / (458 * 457)
    agree = (drawn["share"] - formula).abs() <= 2 * drawn["share_se"] + 0.00005
    few = drawn["baseline_arcs"] <= 100
    ends = [agree.filter(few), agree.filter(~few)]  # the claim is about two numbers, with few and with many arcs
    return verdict(*map(part, ends)), [f"{end.sum()} of {len(end)}" for end in ends]


@claim("WL-32")
def graphs_up_to_1500_arcs_are_local() -> Found:
    kept = networks().filter(pl.col("arcs") <= 1500, pl.col("valid"))
    local = kept["long_range_arcs"] == 0
    return part(local), [f"{local.sum()} of {len(local)}"]


@claim("WL-33")
def v_structures_of_sparse_and_dense_graphs() -> Found:
    def more(own: dict[str, float]) -> bool:
        return own["relative_v_structures"] > random_share(own["arcs"])

    others = [own for own in at((GS, *HYBRID, *SCORE), gammas()) if own["valid"] == 1 and own["arcs"] <= 1500]
    sparse, dense = [not more(own) for own in others], [more(own) for own in at(SCORE, gammas(below=0.6))]
    pc = [more(own) for own in at([PC], gammas(least=10))]
    numbers = [f"{sum(agree)} of {len(agree)}" for agree in (sparse, dense, pc)]
    return verdict(part(sparse), part(dense), part(pc)), numbers


@claim("WL-34")
def sizes_of_networks() -> Found:
    def most(learner: str) -> int:
        return int(networks().filter(pl.col("valid"), learner=learner)["arcs"].max())

    small = [most(learner) <= SMALL for learner in CONSTRAINT]
    medium = [SMALL < most(learner) <= MEDIUM for learner in HYBRID]
    large = [most(learner) > MEDIUM for learner in SCORE]
    return verdict(part(small), part(medium), part(large)), [
        f"{max(map(most, group))}" for group in (CONSTRAINT, HYBRID)
    ]


@claim("WL-35")
def constraint_based_fit_best_if_small() -> Found:
    agree = [
        own["log_likelihood"] > as_large(other, own["arcs"], "log_likelihood")
        for own in at(CONSTRAINT, gammas())
        if own["valid"] == 1 and own["arcs"] <= SMALL
        for other in (*HYBRID, *SCORE)
    ]
    return part(agree), [f"{sum(agree)} of {len(agree)}"]


@claim("WL-36")
def score_based_are_fast_and_fit() -> Found:
    small = [
        as_large(own, other["arcs"], "calls_published") < other["calls_published"]
        for other in at(CONSTRAINT, gammas())
        if other["valid"] == 1 and other["arcs"] <= SMALL
        for own in SCORE
    ]
    medium = [own for own in at(HYBRID, gammas()) if SMALL < own["arcs"] <= MEDIUM]
    fast, fit = (
        [sign * as_large(own, other["arcs"], column) > sign * other[column] for other in medium for own in SCORE]
        for column, sign in (("calls_published", -1), ("log_likelihood", 1))
    )
    numbers = [f"{sum(agree)} of {len(agree)}" for agree in (small, fast, fit)]
    return verdict(part(small), part(fast), part(fit)), numbers


@pytest.mark.parametrize("code", CLAIMS)
def test_the_verdict_of_the_page_follows_from_its_tables(code):
    CLAIMS.check(code)


def test_the_table_has_the_means_of_the_cells():
    own = table("climate.csv").filter(~pl.col("data").str.starts_with("simulated"))
    assert len(own) == len(means())
    for row in own.iter_rows(named=True):
        expected = means()[row["learner"], row["gamma"]]
        for name in ("valid", "arcs", "calls_published", "log_likelihood"):
            assert row[name] == pytest.approx(expected[name], abs=1e-3)


def test_the_table_of_cells_has_no_values_of_the_data():
    assert set(cells()["what"]) == {"network", "arc", "edge", "box", "baseline"}
