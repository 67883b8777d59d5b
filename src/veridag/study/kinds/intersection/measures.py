"""How near intersection-validation comes to the truth, by the measures of Viinikka (2019), sections 4.1 to 4.6.

All start from mean distances: the mean SHD of a learner at a sample size over independent data sets, and the mean PHD
at a size and intersection point over the runs, each of which is a mean over subsamples. They are compared across
learners, at one size, because both fall with the size whatever the learner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from veridag.study.style import summary

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

#: Means of the same numbers can differ by rounding; mean distances that are equal to so many digits are ties.
_DIGITS = 9

#: What tells one series of experiments from another.
SOURCE = ["source", "score"]

#: What can be seen of a single run, and how well it follows the truth (section 4.5).
PREDICTORS = ("agreement_size", "connected_pairs", "mean_pairwise_shd", "deviation")
OUTCOMES = ("pearson", "spearman", "rmse")

#: Classes of `deviation`; above 0.03 the thesis finds strong correlations (section 4.5.2).
DEVIATIONS = ("up to 0.01", "up to 0.03", "above 0.03")


def pearson(x: Floats, y: Floats) -> float | None:
    """The correlation; None where one of the two does not vary."""
    u, v = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((u @ u) * (v @ v)))
    floor = 1e-12 * max(1.0, float(np.abs(x).max()) * float(np.abs(y).max())) * len(x)
    return float(u @ v) / scale if scale > floor else None


def spearman(x: Floats, y: Floats) -> float | None:
    """The correlation of the ranks, where ties share the mean of theirs."""
    return pearson(ranks(x), ranks(y))


def ranks(x: Floats) -> Floats:
    """From 1 for the smallest; ties share the mean of their ranks."""
    x = np.round(x, _DIGITS)
    below, same = (x[:, None] > x).sum(axis=1), (x[:, None] == x).sum(axis=1)
    return np.asarray(below + (same + 1) / 2, dtype=np.float64)


def direction(x: Floats, i: int | Integers, j: int | Integers) -> Floats:
    """The sign of x[i] - x[j]; 0 for a tie."""
    return np.asarray(np.sign(np.round(x[i] - x[j], _DIGITS)))


def rmse(x: Floats, y: Floats) -> float:
    """The root mean square error of the straight line through (x, y) by least squares."""
    u, v = x - x.mean(), y - y.mean()
    square = float(u @ u)
    slope = float(u @ v) / square if square > 0 else 0.0
    return float(np.sqrt(np.mean((v - slope * u) ** 2)))


def learner_means(rows: pl.DataFrame) -> pl.DataFrame:
    """SHD, cross-entropy and cross-validated loss of each learner at each size: mean, standard error, repetitions."""
    part = rows.filter(pl.col("what") == "learner")
    by = [*SOURCE, "size", "learner"]
    found = []
    for measure in ("shd", "cross_entropy", "validation_loss"):
        if measure in part.columns and part[measure].null_count() < len(part):
            found.append(summary(part, by, measure).with_columns(measure=pl.lit(measure)))
    return pl.concat(found) if found else pl.DataFrame()


def phd_means(rows: pl.DataFrame, measure: str = "phd") -> pl.DataFrame:
    """The PHD of each learner at each intersection point and size: mean, standard error, repetitions."""
    part = rows.filter(pl.col("what") == "phd")
    if len(part) == part[measure].null_count():
        return pl.DataFrame()
    return summary(part, [*SOURCE, "point", "size", "learner"], measure).with_columns(measure=pl.lit(measure))


def _wide(means: pl.DataFrame, measure: str, by: Sequence[str]) -> pl.DataFrame:
    part = means.filter(pl.col("measure") == measure)
    return part.select(*by, "learner", pl.col("mean").alias(measure))


def _groups(table: pl.DataFrame, by: Sequence[str]) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    for key, group in table.sort([*by, "learner"]).group_by(list(by), maintain_order=True):
        yield dict(zip(by, key, strict=True)), group


def _similarity(x: Floats, y: Floats) -> dict[str, float | None]:
    return {"spearman": spearman(x, y), "pearson": pearson(x, y), "rmse": rmse(x, y)}


def similarity(rows: pl.DataFrame, measure: str = "phd") -> pl.DataFrame:
    """Spearman and Pearson correlation with the mean SHD, and RMSE from the PHD to it (figures 11 and 16).

    `measure` is "phd" or "phd_error_free". Rows without a point are the baseline: the cross-validated loss instead.
    """
    means, distances = learner_means(rows), phd_means(rows, measure)
    truth = _wide(means, "shd", [*SOURCE, "size"])
    found = []
    both = _wide(distances, measure, [*SOURCE, "point", "size"]).join(truth, on=[*SOURCE, "size", "learner"])
    for key, group in _groups(both, [*SOURCE, "point", "size"]):
        found.append({**key, **_similarity(group[measure].to_numpy(), group["shd"].to_numpy()), "learners": len(group)})
    loss = _wide(means, "validation_loss", [*SOURCE, "size"]).join(truth, on=[*SOURCE, "size", "learner"])
    for key, group in _groups(loss, [*SOURCE, "size"]):
        own = _similarity(group["validation_loss"].to_numpy(), group["shd"].to_numpy())
        found.append({**key, "point": None, **own, "learners": len(group)})
    return pl.DataFrame(found, infer_schema_length=None)


def established(rows: pl.DataFrame) -> pl.DataFrame:
    """The correlations between SHD, cross-entropy and cross-validation at each size (figure 8)."""
    means = learner_means(rows)
    wide = means.pivot("measure", index=[*SOURCE, "size", "learner"], values="mean")
    there = [m for m in ("shd", "cross_entropy", "validation_loss") if m in wide.columns]
    found = []
    for key, group in _groups(wide, [*SOURCE, "size"]):
        for a, b in combinations(there, 2):
            value = pearson(group[a].to_numpy(), group[b].to_numpy())
            found.append({**key, "between": f"{a}, {b}", "pearson": value})
    return pl.DataFrame(found, infer_schema_length=None)


def rankings(rows: pl.DataFrame) -> pl.DataFrame:
    """Over all sizes below a point: Spearman correlation of the ranks, and the share of pairs ranked alike (figure 10).

    A pair of learners at one size is ranked alike if the mean SHDs and the mean PHDs differ in the same direction; a
    tie in one matches a tie in the other only.
    """
    truth = _wide(learner_means(rows), "shd", [*SOURCE, "size"])
    both = _wide(phd_means(rows), "phd", [*SOURCE, "point", "size"]).join(truth, on=[*SOURCE, "size", "learner"])
    found = []
    for key, group in _groups(both, [*SOURCE, "point"]):
        of_shd, of_phd, alike = [], [], []
        for _, part in _groups(group, ["size"]):
            x, y = part["shd"].to_numpy(), part["phd"].to_numpy()
            of_shd.append(ranks(x))
            of_phd.append(ranks(y))
            alike += [direction(x, i, j) == direction(y, i, j) for i, j in combinations(range(len(x)), 2)]
        own = spearman(np.concatenate(of_shd), np.concatenate(of_phd))
        found.append({**key, "spearman": own, "alike": float(np.mean(alike)), "comparisons": len(alike)})
    return pl.DataFrame(found, infer_schema_length=None)


def agreement_quality(rows: pl.DataFrame) -> pl.DataFrame:
    """Size, joined pairs, mean pairwise SHD and errors of the agreement graphs at each point (figures 13 and 14)."""
    part = rows.filter(pl.col("what") == "agreement")
    pairs = ("agreement_size", "connected_pairs", "apart_pairs", "mean_pairwise_shd")
    measures = (*pairs, "missing", "spurious", "misoriented")
    found = [
        summary(part, [*SOURCE, "point"], measure).with_columns(measure=pl.lit(measure))
        for measure in measures
        if part[measure].null_count() < len(part)
    ]
    return pl.concat(found)


def error_probabilities(rows: pl.DataFrame) -> pl.DataFrame:
    """The share of agreed absences that are edges in truth, and of agreed edges that are none (figure 15)."""
    part = rows.filter((pl.col("what") == "agreement") & pl.col("missing").is_not_null())
    sums = part.group_by([*SOURCE, "point"]).agg(
        pl.col("missing", "spurious", "apart_pairs", "connected_pairs").sum(), repetitions=pl.len()
    )
    share = [
        pl.when(pl.col(all_) > 0).then(pl.col(wrong) / pl.col(all_)).alias(f"p_{wrong}")
        for wrong, all_ in (("missing", "apart_pairs"), ("spurious", "connected_pairs"))
    ]
    return sums.with_columns(share).sort([*SOURCE, "point"])


def predictors(rows: pl.DataFrame) -> pl.DataFrame:
    """For each single run: how well its PHDs follow the mean SHDs, and what can be observed of it (section 4.5).

    `deviation` is the mean absolute deviation of the learners' PHDs, over the number of pairs of variables.
    """
    truth = _wide(learner_means(rows), "shd", [*SOURCE, "size"])
    run = [*SOURCE, "point", "repetition"]
    seen = PREDICTORS[:3]
    quality = rows.filter(pl.col("what") == "agreement").select(*run, "variables", *seen)
    phds = rows.filter(pl.col("what") == "phd").select(*run, "size", "learner", "phd")
    both = phds.join(truth, on=[*SOURCE, "size", "learner"]).join(quality, on=run)
    found = []
    for key, group in _groups(both, [*run, "size"]):
        d, variables = group["phd"].to_numpy(), group["variables"][0]
        deviation = float(np.abs(d - d.mean()).mean()) / (variables * (variables - 1) / 2)
        own = _similarity(d, group["shd"].to_numpy())
        found.append({**key, **{name: group[name][0] for name in seen}, "deviation": deviation, **own})
    return pl.DataFrame(found, infer_schema_length=None)


def predictive_power(found: pl.DataFrame) -> pl.DataFrame:
    """The Pearson correlation over runs of every predictor with every outcome, at each size (table 2)."""
    lines = []
    for outcome in OUTCOMES:
        kept = found.filter(pl.col(outcome).is_not_null()).sort("point", "repetition")
        for key, group in kept.group_by([*SOURCE, "size"], maintain_order=True):
            own = {**dict(zip([*SOURCE, "size"], key, strict=True)), "runs": len(group)}
            for predictor in PREDICTORS:
                x, y = group[predictor].cast(pl.Float64).to_numpy(), group[outcome].to_numpy()
                power = pearson(x, y) if len(group) > 2 else None
                lines.append({**own, "predictor": predictor, "outcome": outcome, "correlation": power})
    return pl.DataFrame(lines, infer_schema_length=None).sort("outcome", "predictor", *SOURCE, "size")


def by_deviation(found: pl.DataFrame) -> pl.DataFrame:
    """The runs by the deviation of their PHDs: mean correlations, the least one, and how many are strong.

    Strong are Pearson correlations of at least 0.7, which the thesis prints in bold, and Spearman correlations above
    0.6, which it names.
    """
    kept = found.filter(pl.col("pearson").is_not_null() & pl.col("spearman").is_not_null())
    above = (pl.col("deviation") > 0.01).cast(pl.Int64) + (pl.col("deviation") > 0.03)
    return (
        kept.with_columns(deviation=above)
        .group_by([*SOURCE, "deviation"])
        .agg(
            pl.col("pearson", "spearman").mean(),
            least_pearson=pl.col("pearson").min(),
            least_spearman=pl.col("spearman").min(),
            negative=(pl.col("pearson") < 0).sum(),
            strong_pearson=(pl.col("pearson") >= 0.7).sum(),
            strong_spearman=(pl.col("spearman") > 0.6).sum(),
            runs=pl.len(),
        )
        .sort([*SOURCE, "deviation"])
        .with_columns(pl.col("deviation").replace_strict(dict(enumerate(DEVIATIONS)), return_dtype=pl.String))
    )


def pairwise(rows: pl.DataFrame) -> pl.DataFrame:
    """Two learners at a time: whether mean SHD and mean PHD, to the agreement of these two, rank them alike (section
    4.6).

    `alike_or_close` also takes for alike what overlaps, mean and standard error, in both distances.
    """
    part = rows.filter(pl.col("what") == "pair")
    if part.is_empty():
        return pl.DataFrame()
    by = [*SOURCE, "point", "size", "learner", "other"]
    distances = summary(part, by, "phd").rename({"mean": "phd", "se": "phd_se"}).drop("repetitions")
    means = learner_means(rows).filter(pl.col("measure") == "shd")
    truth = means.select(*SOURCE, "size", "learner", shd=pl.col("mean"), shd_se=pl.col("se"))
    ours = distances.join(truth, on=[*SOURCE, "size", "learner"])
    theirs = ours.rename({"learner": "other", "other": "learner"})
    both = ours.join(theirs, on=by, suffix="_other").filter(pl.col("learner") < pl.col("other"))
    by_shd, by_phd = (
        (pl.col(distance) - pl.col(f"{distance}_other")).round(_DIGITS).sign() for distance in ("shd", "phd")
    )
    alike = by_shd == by_phd
    close = _overlap("shd") & _overlap("phd")
    return both.with_columns(alike=alike, alike_or_close=alike | close.fill_null(value=False)).sort(by)


def _overlap(distance: str) -> pl.Expr:
    apart = (pl.col(distance) - pl.col(f"{distance}_other")).abs()
    return apart <= pl.col(f"{distance}_se") + pl.col(f"{distance}_se_other")


def by_pair(found: pl.DataFrame, by: Sequence[str] = ()) -> pl.DataFrame:
    """The share of comparisons ranked alike for each two learners (table 3), and for each of what `by` names."""
    return _shares(found, [*by, "learner", "other"])


def by_point(found: pl.DataFrame) -> pl.DataFrame:
    """The same for each network and intersection point (figure 20)."""
    return _shares(found, [*SOURCE, "point"])


def _shares(found: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    means: Callable[[str], pl.Expr] = lambda name: pl.col(name).cast(pl.Float64).mean()  # noqa: E731
    return found.group_by(list(by)).agg(means("alike"), means("alike_or_close"), comparisons=pl.len()).sort(list(by))
