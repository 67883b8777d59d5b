"""Whether learners that predict unseen rows better are closer to the truth."""

from __future__ import annotations

import polars as pl

from veridag.figures import style
from veridag.study.kind import Figure
from veridag.study.style import legend, line, panels, size_axis

from .comparison import ALL, SAMPLE, by_networks, lengths, units

_DISTANCE, _LIKELIHOOD = "scaled_shd", "loglik"

#: What is measured of a sample; see `agreement`.
MEASURES = ("correlation", "alike", "regret", "regret_of_baseline", "regret_of_any", "regret_above_baseline")
#: The titles of the panels.
_PANELS = {
    "correlation": "rank correlation",
    "alike": "share of pairs ranked alike",
    "regret": "SHD / |A| above the best",
}
_CHOICES = {"regret": "the best likelihood", "regret_of_baseline": "", "regret_of_any": "a learner at random"}


def draw_predictions(name: str, rows: pl.DataFrame, baseline: str) -> Figure:
    """Agreement of held-out likelihood and distance over the sample size, with 95 % intervals over networks.

    Thin lines are single networks. The last panel is what choosing by likelihood costs, with the cost of always
    taking the baseline and of taking any learner. The table has every network alone, and, with n empty, all sizes.
    """
    table = means(rows, baseline)
    with style():
        drawing, every = panels(list(_PANELS.values()))
        for axes, measure in zip(every, _PANELS, strict=True):
            own = table.filter(pl.col("n").is_not_null())
            for _, single in own.filter(pl.col("measure") == measure, pl.col("networks") != ALL).group_by(
                "networks", maintain_order=True
            ):
                ordered = single.sort("n")
                axes.plot(ordered["n"], ordered["mean"], color="#BBBBBB", linewidth=0.7)
            shown = _CHOICES if measure == "regret" else {measure: ""}
            for i, (which, choice) in enumerate(shown.items()):
                mean = own.filter(pl.col("measure") == which, pl.col("networks") == ALL).sort("n")
                label = (choice or f"always {baseline}") if measure == "regret" else None
                axes.errorbar(mean["n"], mean["mean"], lengths(mean, "mean"), label=label, capsize=2, **line(i))
            size_axis(axes, own["n"])
        pooled = table.filter(pl.col("networks") == ALL)
        legend(
            drawing, every, f"learner chosen by; means and 95 % intervals over {units(pooled)}, single networks in grey"
        )
    return Figure(name, drawing, table)


def means(rows: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """The mean of every measure of `agreement`, by networks and size, with its interval over networks."""
    found = agreement(rows, baseline)
    of_each = [
        by_networks(found.filter(pl.col(measure).is_not_nan()), [], [measure], measure).rename({measure: "mean"})
        for measure in MEASURES
    ]
    return pl.concat(
        table.with_columns(measure=pl.lit(measure)) for table, measure in zip(of_each, MEASURES, strict=True)
    )


def agreement(rows: pl.DataFrame, baseline: str) -> pl.DataFrame:
    """A line for each sample: how far the order of its learners by likelihood is that by distance.

    - `correlation`: Spearman's, of likelihood and closeness; undefined where all learners are alike.
    - `alike`: of the pairs of learners at different distances, the share in which the closer one has the higher
      likelihood; equal likelihoods count half. Undefined without such pairs.
    - `regret`: the distance of the learner with the best likelihood above the least; of several such, their mean.
    - `regret_of_baseline`, `regret_of_any`: the same for the baseline, and on average over the learners.
    - `regret_above_baseline`: the distance of the learner with the best likelihood above that of the baseline.
    """
    kept = rows.filter(pl.all_horizontal(pl.col(_DISTANCE, _LIKELIHOOD).is_finite()))
    kept = kept.with_columns(pl.col(_LIKELIHOOD).round(9))  # of the same graph, whatever the order of its sums
    distance, likelihood = pl.col(_DISTANCE), pl.col(_LIKELIHOOD)
    of_baseline = distance.filter(pl.col("label") == baseline).first()
    samples = kept.group_by(SAMPLE, maintain_order=True).agg(
        correlation=pl.corr(likelihood.rank(), -distance.rank()),
        regret=distance.filter(likelihood == likelihood.max()).mean() - distance.min(),
        regret_of_baseline=of_baseline - distance.min(),
        regret_of_any=distance.mean() - distance.min(),
    )
    above = pl.col("regret") - pl.col("regret_of_baseline")
    return samples.with_columns(regret_above_baseline=above).join(
        _alike(kept), on=SAMPLE, how="left", maintain_order="left"
    )


def _alike(rows: pl.DataFrame) -> pl.DataFrame:
    own = rows.select(*SAMPLE, _DISTANCE, _LIKELIHOOD)
    pairs = own.join(own, on=SAMPLE, suffix="_of_other").filter(pl.col(_DISTANCE) < pl.col(f"{_DISTANCE}_of_other"))
    gain = pl.col(_LIKELIHOOD) - pl.col(f"{_LIKELIHOOD}_of_other")
    agrees = pl.when(gain == 0).then(0.5).otherwise((gain > 0).cast(pl.Float64))
    return pairs.group_by(SAMPLE).agg(alike=agrees.mean())
