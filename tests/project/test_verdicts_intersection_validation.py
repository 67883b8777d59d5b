"""The verdicts on Viinikka (2019), computed again from the tables of exact search that come with the page.

Each function gives the verdict on one claim, and numbers that its note prints. We read "mostly" as three of four,
"strong" as a correlation of at least 0.7, and "moderately strong" as one of at least 0.5.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import veridag as vd
from project.verdicts import REPLICATION, Claims, Found, claims, part, table, verdict

MOSTLY, STRONG, MODERATE = 0.75, 0.7, 0.5
CLAIMS = Claims("intersection-validation")
claim = CLAIMS.claim


def exact(name: str) -> pl.DataFrame:
    """The rows of exact search in one of the tables."""
    return table(f"intersection-{name}.csv").filter(search="exact")


def means(measure: str) -> pl.DataFrame:
    return exact("means").filter(measure=measure).select("source", "size", "learner", pl.col("mean").alias(measure))


def by_point(measure: str) -> pl.DataFrame:
    """A measure of the agreement graphs, by network and intersection point."""
    kept = exact("agreement").filter(measure=measure)
    return kept.select("source", "point", pl.col("mean").alias(measure)).sort("source", "point")


def distances() -> pl.DataFrame:
    """PHD and SHD of each network, point, size and learner."""
    return exact("phd").join(means("shd"), on=["source", "size", "learner"])


def correlations(name: str = "similarity") -> pl.DataFrame:
    return exact(name).filter(pl.col("point").is_not_null())


def baseline() -> pl.DataFrame:
    """The correlations of the cross-validated loss with SHD."""
    return exact("similarity").filter(pl.col("point").is_null())


def over_learners(a: str, b: str) -> pl.DataFrame:
    """The correlation of two measures over learners, by network and size; null if one of them does not vary."""
    both = means(a).join(means(b), on=["source", "size", "learner"])
    return both.group_by("source", "size").agg(pearson=pl.corr(a, b)).fill_nan(None).drop_nulls()


@claim("IV-1")
def differ_in_difficulty() -> Found:
    shd = exact("means").filter(measure="shd")
    last = shd.filter(pl.col("size") == pl.col("size").max())
    missed = last.group_by("source").agg(pl.col("mean").max())["mean"] > 0
    own = shd.filter(size=800).group_by("source").agg(pl.col("mean").mean(), pl.col("se").mean())
    pairs = own.join(own, how="cross", suffix="_other").filter(pl.col("source") < pl.col("source_other"))
    apart = (pl.col("mean") - pl.col("mean_other")).abs() > 2 * (pl.col("se") ** 2 + pl.col("se_other") ** 2).sqrt()
    clear = pairs.select(apart).to_series()
    return verdict(part(missed), part(clear)), [f"{sum(clear)} of {len(clear)} pairs"]


@claim("IV-2")
def all_but_aic_find_the_truth() -> Found:
    kept = means("shd").filter(pl.col("source").is_in(["sachs", "child"]), pl.col("learner") != "aic", size=6400)
    return part(kept["shd"] == 0), []


@claim("IV-3")
def cross_validation_is_near_cross_entropy() -> Found:
    alike = over_learners("validation_loss", "cross_entropy")["pearson"] >= 0.8
    both = means("validation_loss").join(means("cross_entropy"), on=["source", "size", "learner"])
    near = both.select((pl.col("validation_loss") / pl.col("cross_entropy") - 1).abs() < 0.05).to_series()
    return verdict(part(alike), part(near)), [f"{sum(alike)} of {len(alike)}", f"{100 * near.mean():.0f} %"]


@claim("IV-4")
def prediction_is_no_measure_of_structure() -> Found:
    found = over_learners("shd", "cross_entropy").with_columns(weak=pl.col("pearson") < MODERATE)
    weak = found["weak"]
    return part(found.group_by("source").agg(pl.col("weak").any())["weak"]), [f"{sum(weak)} of {len(weak)}"]


@claim("IV-5")
def curves_are_alike_at_1600() -> Found:
    strong = correlations().filter(point=1600)["pearson"] >= STRONG
    return part(strong), [f"{sum(strong)} of {len(strong)}"]


@claim("IV-6")
def phd_is_mostly_smaller() -> Found:
    smaller = distances().select(pl.col("phd") < pl.col("shd")).to_series()
    return part(smaller, MOSTLY), [f"{sum(smaller)} of {len(smaller)}"]


def shares(name: str, column: str) -> tuple[float, float]:
    """How many comparisons agree, and of how many."""
    found = exact(name)
    return float((found[column] * found["comparisons"]).sum()), float(found["comparisons"].sum())


@claim("IV-7")
def rankings_agree() -> Found:
    alike, all_ = shares("rankings", "alike")
    return part([True] * round(alike) + [False] * round(all_ - alike), 0.875), [f"{alike / all_:.3f}", f"{all_:.0f}"]


@claim("IV-8")
def both_measures_of_rankings_say_the_same() -> Found:
    found = exact("rankings")
    by_network = found.group_by("source").agg(pl.corr("alike", "spearman"))["alike"]
    return part(by_network >= 0.8), [f"{found.select(pl.corr('alike', 'spearman')).item():.2f}"]


def spread() -> pl.DataFrame:
    """How far apart the SHDs of the learners are, by network and size."""
    return means("shd").group_by("source", "size").agg(spread=pl.col("shd").std())


@claim("IV-9")
def correlations_drop_where_distances_are_close() -> Found:
    found = (
        correlations()
        .group_by("source", "size")
        .agg(pl.col("pearson").mean())
        .drop_nulls()
        .join(spread(), on=["source", "size"])
    )
    close = found.with_columns(close=pl.col("spread") < pl.col("spread").median().over("source"))
    moderate = correlations()["pearson"].drop_nulls() >= MODERATE
    dropped = close.filter(pl.col("pearson") < MODERATE)["close"]
    return verdict(part(moderate), part(dropped)), [f"{sum(moderate)} of {len(moderate)}"]


@claim("IV-10")
def correlations_are_weaker_between_few_and_many_rows() -> Found:
    found = correlations().with_columns(
        rows=pl.when(pl.col("size") == 50)
        .then(pl.lit("few"))
        .when(pl.col("size") < 1600)
        .then(pl.lit("some"))
        .otherwise(pl.lit("many"))
    )
    wide = (
        found.group_by("source", "rows").agg(pl.col("pearson").mean()).pivot("rows", index="source", values="pearson")
    )
    return verdict(part(wide["few"] > wide["some"]), part(wide["many"] > wide["some"])), []


@claim("IV-11")
def a_network_with_large_arities_is_an_exception() -> Found:
    found = correlations().filter(source="mildew")
    at_points = found.filter(pl.len().over("point") > 2).group_by("point")
    falls = at_points.agg(slope=pl.corr("size", "pearson", method="spearman"))["slope"] < 0
    negative = found["pearson"] < 0
    return verdict(part([bool(negative.any())]), part(falls)), [f"{sum(negative)} of {len(negative)}"]


@claim("IV-12")
def phd_is_better_than_cross_validation() -> Found:
    both = correlations().join(baseline(), on=["source", "size"], suffix="_cv")
    pearson, spearman = (
        both.select(pl.col(c) > pl.col(f"{c}_cv")).to_series().drop_nulls() for c in ("pearson", "spearman")
    )
    rmse = both.select(pl.col("rmse") < pl.col("rmse_cv")).to_series()
    parts = (pearson, rmse, spearman)
    return verdict(*(part(own, MOSTLY) for own in parts)), [f"{100 * own.mean():.0f} %" for own in parts]


@claim("IV-13")
def correlations_are_never_negative() -> Found:
    ours = [correlations()[c].drop_nulls() >= 0 for c in ("pearson", "spearman")]
    theirs = baseline().filter(pl.col("source").is_in(["sachs", "insurance", "water"]))
    below = theirs.group_by("source").agg(((pl.col("pearson") < 0) | (pl.col("spearman") < 0)).any().alias("any"))[
        "any"
    ]
    return verdict(*map(part, ours), part(below)), [f"{sum(~own)} of {len(own)}" for own in ours]


@claim("IV-14")
def agreement_graphs_grow() -> Found:
    steps = by_point("agreement_size").select(pl.col("agreement_size").diff().over("source")).to_series().drop_nulls()
    edges = {source: len(vd.networks.load(source).dag.arcs) for source in exact("agreement")["source"].unique()}
    joined = by_point("connected_pairs").filter(point=800)
    slowly = joined.select(pl.col("connected_pairs") < 0.5 * pl.col("source").replace_strict(edges)).to_series()
    return verdict(part(steps > 0), part(slowly)), [f"{sum(steps > 0)} of {len(steps)}"]


@claim("IV-15")
def most_errors_are_missing_edges() -> Found:
    found = by_point("missing")
    for other in ("spurious", "misoriented"):
        found = found.join(by_point(other), on=["source", "point"])
    wrong = found.filter(pl.sum_horizontal("missing", "spurious", "misoriented") > 0)
    most = wrong.select(pl.col("missing") > pl.max_horizontal("spurious", "misoriented")).to_series()
    few = found["spurious"] < 1
    return verdict(part(most), part(few)), [f"{sum(most)} of {len(most)}", f"{sum(few)} of {len(few)}"]


def error_shares() -> pl.DataFrame:
    """Errors and pairs by network, point and kind of error; numbers for each graph."""
    kinds = [
        by_point(wrong)
        .join(by_point(of), on=["source", "point"])
        .select("source", "point", kind=pl.lit(wrong), wrong=wrong, all=of)
        for wrong, of in (("missing", "apart_pairs"), ("spurious", "connected_pairs"))
    ]
    return pl.concat(kinds).filter(pl.col("all") > 0)


@claim("IV-16")
def errors_are_improbable() -> Found:
    found = error_shares()
    expected = pl.col("source").is_in(["sachs", "alarm"]) & (pl.col("point") <= 100)
    low = found.filter(~expected).select(pl.col("wrong") / pl.col("all") <= 0.10).to_series()
    small = found.filter(pl.col("point") <= 800).group_by("kind").agg(share=pl.col("wrong").sum() / pl.col("all").sum())
    of = dict(small.rows())
    numbers = part([of["missing"] < 0.045, of["spurious"] < 0.025])
    return verdict(part(low), numbers), [f"{sum(low)} of {len(low)}", f"{of['missing']:.3f}", f"{of['spurious']:.3f}"]


@claim("IV-17")
def agreement_graphs_cover_most_pairs() -> Found:
    least = pl.when(pl.col("source") == "mildew").then(0.7).otherwise(0.85)
    covered = (
        by_point("agreement_size").filter(pl.col("point") >= 100).select(pl.col("agreement_size") > least).to_series()
    )
    return part(covered), [f"{sum(covered)} of {len(covered)}"]


@claim("IV-18")
def the_method_can_be_weak_without_errors() -> Found:
    weak = correlations("error-free")["pearson"].drop_nulls() < MODERATE
    return part([bool(weak.any())]), [f"{sum(weak)} of {len(weak)}"]


@claim("IV-19")
def size_predicts_success_sometimes() -> Found:
    found = exact("predictors").filter(predictor="agreement_size", outcome="pearson")["correlation"].drop_nulls()
    well, against = found > 0.5, found < 0
    sometimes = part([bool(well.any()), bool(against.any()), float(well.mean()) < 0.5])
    return sometimes, [f"{sum(well)} of {len(found)}", f"below 0 in {sum(against)}"]


@claim("IV-20")
def the_intersection_point_does_not_tell() -> Found:
    by_network = exact("rankings").group_by("source").agg(pl.corr("point", "spearman", method="spearman"))["point"]
    return part(by_network.abs() < STRONG), []


def deviating() -> pl.DataFrame:
    return exact("deviation").filter(deviation="above 0.03")


@claim("IV-21")
def large_deviations_imply_strong_correlations() -> Found:
    strong, runs = deviating()["strong_pearson"].sum(), deviating()["runs"].sum()
    return part([True] * strong + [False] * (runs - strong)), [f"{strong} of {runs}"]


@claim("IV-22")
def the_same_less_clearly_for_ranks() -> Found:
    strong, runs = deviating()["strong_spearman"].sum(), deviating()["runs"].sum()
    less = strong < deviating()["strong_pearson"].sum()
    return verdict(part([True] * strong + [False] * (runs - strong)), part([less])), [f"{strong} of {runs}"]


@claim("IV-23")
def two_at_a_time() -> Found:
    alike, all_ = shares("pairs", "alike")
    weight = pl.col("comparisons")
    mean = (pl.col("alike") * weight).sum() / weight.sum()
    both = (
        exact("pairs")
        .group_by("source")
        .agg(two=mean)
        .join(exact("rankings").group_by("source").agg(five=mean), on="source")
    )
    number = part([True] * round(alike) + [False] * round(all_ - alike), 0.880)
    return verdict(number, part(both["two"] > both["five"])), [f"{alike / all_:.3f}"]


@claim("IV-24")
def overlapping_errors_count_as_ties() -> Found:
    alike, all_ = shares("pairs", "alike_or_close")
    return part([True] * round(alike) + [False] * round(all_ - alike), 0.920), [f"{alike / all_:.3f}"]


@claim("IV-25")
def no_pair_of_scores_fails() -> Found:
    weight = pl.col("comparisons")
    found = exact("pairs").group_by("learner", "other").agg(alike=(pl.col("alike") * weight).sum() / weight.sum())
    high = found["alike"] >= 0.8095
    extremes = [f"{found['alike'].min():.3f}", f"{found['alike'].max():.3f}"]
    return part(high), [f"{sum(high)} of {len(high)}", *extremes]


@pytest.mark.parametrize("code", CLAIMS)
def test_the_verdict_of_the_page_follows_from_its_tables(code):
    CLAIMS.check(code)


def test_only_a_claim_about_another_study_is_not_computed_again():
    assert set(claims("intersection-validation")) - set(CLAIMS) == {"IV-26"}


def test_correlations_of_the_table_follow_from_its_distances():
    found = distances().group_by("source", "point", "size").agg(own=pl.corr("phd", "shd")).drop_nulls()
    both = found.join(correlations(), on=["source", "point", "size"]).drop_nulls("pearson")
    assert np.abs(both["own"] - both["pearson"]).max() < 0.02  # the means are rounded


@pytest.mark.parametrize(
    ("way", "shown"), [("exact", "exact search"), ("median", "posterior median"), ("tabu", "tabu search")]
)
def test_ways_of_learning_have_the_shares_of_their_table(way, shown):
    [own] = table("intersection-learners.csv").filter(source="all", score=way).to_dicts()
    cells = [
        f"{own[value]:.3f} ± {own[f'{value}_se']:.3f}" for value in ("alike", "pearson", "alike_more", "pearson_more")
    ]
    cells[2:] = ["-", "-"] if way == "exact" else cells[2:]
    assert f"| {shown} | {' | '.join(cells)} |" in (REPLICATION / "intersection-validation.md").read_text("utf-8")
