"""The figures of the study of intersection-validation, after those of Viinikka (2019), section 4."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from veridag.figures import PALETTE, style
from veridag.study.kind import Figure
from veridag.study.kinds._labels import short_labels
from veridag.study.style import curve, legend, line, panels, repetitions, size_axis

from . import measures as measures
from .graphs import agreement_graphs
from .series import by_series
from .tables import power_table, table_of_pairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAMES = {
    "shd": "mean SHD",
    "cross_entropy": "cross-entropy (nats)",
    "validation_loss": "cross-validated loss (nats)",
    "phd": "mean PHD",
    "spearman": "Spearman correlation",
    "pearson": "Pearson correlation",
    "rmse": "RMSE of SHD",
    "agreement_size": "size: share of pairs agreed on",
    "connected_pairs": "joined pairs",
    "mean_pairwise_shd": "mean SHD of the learners",
    "missing": "missing edges",
    "spurious": "spurious edges",
    "misoriented": "misoriented edges",
    "deviation": "deviation of the PHDs / pairs",
}


def draw_all(rows: pl.DataFrame) -> Iterator[Figure]:
    """All figures that there are rows for; those that need a truth only where networks were sampled."""
    sampled = rows.filter(pl.col("digest") == "")
    yield from _curves(sampled)
    yield from _file_curves(rows.filter(pl.col("digest") != ""))
    if rows.filter(pl.col("what") == "agreement").height:
        yield _agreement(rows)
    if sampled.is_empty() or not {"learner", "phd"} <= set(sampled["what"].unique()):
        return
    if measures.phd_means(sampled).is_empty() or measures.learner_means(sampled).is_empty():
        return
    yield _established(sampled)
    yield draw_rankings(sampled)
    for name, measure in (("similarity", "phd"), ("error-free", "phd_error_free")):
        yield _similarity(name, measures.similarity(sampled, measure))
    yield _errors(sampled)
    yield from agreement_graphs(sampled)
    yield from _predictors(sampled)
    yield from _pairwise(sampled)
    if sampled["score"].n_unique() > 1 and not (compared := by_series(sampled)).is_empty():
        yield _series(compared)


def _title(source: str, score: str) -> str:
    return f"{source}, {score}" if score else source


def _sources(table: pl.DataFrame) -> list[tuple[str, str]]:
    return [tuple(row) for row in table.select(measures.SOURCE).unique().sort(measures.SOURCE).rows()]


def _of(table: pl.DataFrame, source: str, score: str) -> pl.DataFrame:
    return table.filter((pl.col("source") == source) & (pl.col("score") == score))


def _grid(
    name: str, data: pl.DataFrame, shown: Sequence[str], draw: Callable[[Axes, pl.DataFrame, str], None], note: str
) -> Figure:
    """A row of panels for every source, a column for each of `shown`; `draw` fills a panel with the source's rows."""
    sources = _sources(data)
    cells = [(source, column) for source in sources for column in shown]
    with style():
        titles = [f"{_title(*source)}: {_NAMES.get(column, column)}" for source, column in cells]
        drawing, every = panels(titles, columns=len(shown), width=3.1, height=2.2)
        for axes, (source, column) in zip(every, cells, strict=True):
            draw(axes, _of(data, *source), column)
        legend(drawing, every, note, columns=5)
    return Figure(name, drawing, data)


def _curves(rows: pl.DataFrame) -> Iterator[Figure]:
    """SHD to the truth, and PHD to the agreement at every intersection point, over the rows (figures 7 and 9)."""
    if rows.is_empty():
        return
    distances = measures.phd_means(rows) if "phd" in rows["what"].unique() else pl.DataFrame()
    truth = measures.learner_means(rows)
    known = truth.filter(pl.col("measure") == "shd") if not truth.is_empty() else truth
    both = pl.concat([table for table in (known, distances) if not table.is_empty()], how="diagonal")
    for source, score in _sources(both):
        part = _of(both, source, score)
        if "point" not in part.columns:
            part = part.with_columns(point=pl.lit(None, dtype=pl.Int64))
        name = "-".join(["curves", source, *([score] if score else [])])
        yield _curves_of(name, _title(source, score), part.sort("measure", "point", "learner", "size"))


def _file_curves(rows: pl.DataFrame) -> Iterator[Figure]:
    """PHD to the agreement on each file over the size of subsamples, with errors over these, a figure a score."""
    if rows.is_empty() or "phd" not in rows["what"].unique():
        return
    own = rows.filter(pl.col("what") == "phd")
    table = own.select(
        *measures.SOURCE, "point", "size", "learner", mean="phd", se="phd_se", repetitions=pl.col("subsamples")
    )
    for score in sorted(table["score"].unique().to_list()):
        part = table.filter(pl.col("score") == score).sort("source", "learner", "size")
        labels = short_labels(sorted(part["learner"].unique().to_list()))
        sources = sorted(part["source"].unique().to_list())
        with style():
            drawing, every = panels(sources, columns=4, width=3.0, height=2.3)
            for axes, source in zip(every, sources, strict=True):
                for i, (spec, label) in enumerate(labels.items()):
                    of_both = (pl.col("source") == source) & (pl.col("learner") == spec)
                    curve(axes, part.filter(of_both), "size", label, i)
                size_axis(axes, part.filter(pl.col("source") == source)["size"], "rows of a subsample")
                axes.set_ylabel("mean PHD")
            legend(drawing, every, f"{score} {repetitions(part)}".strip(), columns=5)
        yield Figure("-".join(["files", *([score] if score else [])]), drawing, part)


def _curves_of(name: str, title: str, table: pl.DataFrame) -> Figure:
    labels = short_labels(sorted(table["learner"].unique().to_list()))
    points = sorted(table["point"].drop_nulls().unique().to_list())
    shown: list[int | None] = [*([None] if "shd" in table["measure"] else []), *points]
    with style():
        titles = [f"{title}: SHD to the truth" if p is None else f"PHD, intersection point {p}" for p in shown]
        drawing, every = panels(titles, columns=4, width=3.0, height=2.3)
        for axes, point in zip(every, shown, strict=True):
            part = table.filter(pl.col("point").is_null() if point is None else pl.col("point") == point)
            for i, (spec, label) in enumerate(labels.items()):
                curve(axes, part.filter(pl.col("learner") == spec), "size", label, i)
            size_axis(axes, table["size"])
            axes.set_ylabel("mean SHD" if point is None else "mean PHD")
        legend(drawing, every, f"{repetitions(table)}; standard errors over data sets", columns=5)
    return Figure(name, drawing, table)


def _agreement(rows: pl.DataFrame) -> Figure:
    """Size, joined pairs and operands of the agreement graph over the intersection point (figure 13)."""
    shown = ("agreement_size", "connected_pairs", "mean_pairwise_shd")
    data = measures.agreement_quality(rows).filter(pl.col("measure").is_in(shown))

    def draw(axes: Axes, part: pl.DataFrame, measure: str) -> None:
        curve(axes, part.filter(pl.col("measure") == measure), "point", "agreement graph", 0)
        size_axis(axes, part["point"], "intersection point (rows)")

    return _grid("agreement", data, shown, draw, repetitions(data))


def _established(rows: pl.DataFrame) -> Figure:
    """SHD, cross-entropy and cross-validation over the sample size (figure 7), with their correlations (figure 8)."""
    data = measures.learner_means(rows)
    shown = [m for m in ("shd", "cross_entropy", "validation_loss") if m in data["measure"]]
    correlations = measures.established(rows)

    def draw(axes: Axes, part: pl.DataFrame, measure: str) -> None:
        if measure == "correlations":
            source = part["source"][0], part["score"][0]
            _lines(axes, _of(correlations, *source), "between", "pearson")
            axes.set_ylim(-1.05, 1.05)
        else:
            labels = short_labels(sorted(part["learner"].unique().to_list()))
            for i, (spec, label) in enumerate(labels.items()):
                own = part.filter((pl.col("measure") == measure) & (pl.col("learner") == spec))
                curve(axes, own, "size", label, i)
        size_axis(axes, part["size"])

    figure = _grid("established", data, [*shown, "correlations"] if len(shown) > 1 else shown, draw, repetitions(data))
    return Figure(figure.name, figure.drawing, pl.concat([data, correlations], how="diagonal"))


def _lines(axes: Axes, table: pl.DataFrame, by: str, value: str) -> None:
    """Lines without error bars, for correlations; black dashes where `by` has none (the baseline)."""
    kinds = table[by].unique().sort().to_list()
    for i, kind in enumerate(kinds):
        part = table.filter(pl.col(by).is_null() if kind is None else pl.col(by) == kind).sort("size")
        look = {"color": PALETTE["black"], "linestyle": "--"} if kind is None else line(i)
        axes.plot(
            part["size"].to_numpy(), part[value].to_numpy(), label="baseline: CV" if kind is None else str(kind), **look
        )


def draw_rankings(rows: pl.DataFrame) -> Figure:
    """Spearman correlation of the rankings, and the share of pairs ranked alike, by intersection point (figure 10)."""
    data = measures.rankings(rows)
    overall = float(np.average(data["alike"].to_numpy(), weights=data["comparisons"].to_numpy()))
    with style():
        drawing, every = panels(
            ["Spearman correlation of ranks", "share of pairs ranked alike"], columns=2, width=3.6, height=2.8
        )
        for axes, value in zip(every, ("spearman", "alike"), strict=True):
            _by_source(axes, data, value)
        legend(drawing, every, f"{overall:.3f} of all {data['comparisons'].sum()} pairs are ranked alike")
    return Figure("rankings", drawing, data)


def _by_source(axes: Axes, table: pl.DataFrame, value: str) -> None:
    for i, source in enumerate(_sources(table)):
        part = _of(table, *source).sort("point")
        axes.plot(part["point"].to_numpy(), part[value].to_numpy(), label=_title(*source), **line(i))
    axes.set_ylim(top=1.03)
    size_axis(axes, table["point"], "intersection point (rows)")


def _similarity(name: str, data: pl.DataFrame) -> Figure:
    """Correlations and RMSE between SHD and PHD over the sample size, with the baseline (figures 11 and 16)."""

    def draw(axes: Axes, part: pl.DataFrame, measure: str) -> None:
        _lines(axes, part, "point", measure)
        if measure != "rmse":
            axes.set_ylim(-1.05, 1.05)
        size_axis(axes, part["size"])

    return _grid(name, data, ("spearman", "pearson", "rmse"), draw, "lines: intersection points, across learners")


def _errors(rows: pl.DataFrame) -> Figure:
    """The errors of the agreement graphs, and how probable they are (figures 14 and 15)."""
    types = ("missing", "spurious", "misoriented")
    counts = measures.agreement_quality(rows).filter(pl.col("measure").is_in(types))
    shares = measures.error_probabilities(rows)

    def draw(axes: Axes, part: pl.DataFrame, column: str) -> None:
        if column == "errors":
            for i, kind in enumerate(types):
                curve(axes, part.filter(pl.col("measure") == kind), "point", f"{kind} edges", i)
        else:
            own = _of(shares, part["source"][0], part["score"][0])
            for i, (kind, of) in enumerate((("missing", "absences"), ("spurious", "edges"))):
                axes.plot(
                    own["point"].to_numpy(),
                    own[f"p_{kind}"].to_numpy(),
                    label=f"{kind} among agreed {of}",
                    **line(i + 3),
                )
        size_axis(axes, part["point"], "intersection point (rows)")

    figure = _grid("agreement-errors", counts, ("errors", "probability of an error"), draw, repetitions(counts))
    return Figure(figure.name, figure.drawing, pl.concat([counts, shares], how="diagonal"))


def _predictors(rows: pl.DataFrame) -> Iterator[Figure]:
    """What predicts how well a single run follows the truth, by every measure (figures 17 to 19, table 2)."""
    data = measures.predictors(rows)
    for outcome in measures.OUTCOMES:
        yield _scatter(f"predictors-{outcome}", data.filter(pl.col(outcome).is_not_null()), outcome)
    yield power_table("predictors-table", measures.predictive_power(data))
    yield _deviations(data)


def _scatter(name: str, data: pl.DataFrame, outcome: str) -> Figure:
    sizes = sorted(data["size"].unique().to_list())

    def draw(axes: Axes, part: pl.DataFrame, predictor: str) -> None:
        for i, size in enumerate(sizes):
            own = part.filter(pl.col("size") == size)
            look = {**line(i), "linestyle": "none", "alpha": 0.7, "markersize": 3}
            axes.plot(own[predictor].to_numpy(), own[outcome].to_numpy(), label=f"{size} rows", **look)
        axes.set_ylabel(_NAMES[outcome])

    return _grid(name, data, measures.PREDICTORS, draw, f"one point a run and size: {len(data)}")


def _deviations(data: pl.DataFrame) -> Figure:
    """The correlations of runs by the deviation of their PHDs, in three classes."""
    table = measures.by_deviation(data)
    with style():
        drawing, every = panels(["Pearson correlation", "Spearman correlation"], columns=2, width=3.8, height=2.8)
        for axes, outcome in zip(every, ("pearson", "spearman"), strict=True):
            for i, source in enumerate(_sources(table)):
                own = _of(table, *source)
                places = [measures.DEVIATIONS.index(label) for label in own["deviation"]]
                axes.plot(places, own[outcome].to_numpy(), label=_title(*source), **line(i))
            axes.set_xticks(range(len(measures.DEVIATIONS)), measures.DEVIATIONS)
            axes.set_xlabel(_NAMES["deviation"])
            axes.set_ylim(top=1.05)
        legend(drawing, every, f"means of {len(data)} runs and sizes")
    return Figure("predictors-deviation", drawing, table)


def _series(data: pl.DataFrame) -> Figure:
    """Each series of experiments, such as a way of learning: how well its PHDs follow its SHDs."""
    sources = data["source"].unique(maintain_order=True).to_list()
    names = data["score"].unique(maintain_order=True).to_list()
    with style():
        shown = {"alike": "share of pairs ranked alike", "pearson": "Pearson correlation with SHD"}
        drawing, every = panels(list(shown.values()), columns=2, width=3.8, height=3.0)
        for axes, value in zip(every, shown, strict=True):
            for i, name in enumerate(names):
                own = data.filter(pl.col("score") == name)
                places = np.array([sources.index(source) for source in own["source"]]) + 0.18 * (
                    i - (len(names) - 1) / 2
                )
                look = {**line(i), "linestyle": "none"}
                errors = own[f"{value}_se"].to_numpy()
                axes.errorbar(places, own[value].to_numpy(), errors, label=name, capsize=2, **look)
            axes.set_xticks(range(len(sources)), sources)
            axes.axvline(len(sources) - 1.5, color="#9aa3ad", linewidth=0.8)
            axes.set_xlim(-0.5, len(sources) - 0.5)
        legend(drawing, every, f"{repetitions(data)}; standard errors by bootstrap over them")
    return Figure("series", drawing, data)


def _pairwise(rows: pl.DataFrame) -> Iterator[Figure]:
    """Two learners at a time (figure 20, table 3)."""
    found = measures.pairwise(rows)
    if found.is_empty():
        return
    data = measures.by_point(found)
    overall = found.select(pl.col("alike", "alike_or_close").cast(pl.Float64).mean()).row(0)
    with style():
        titles = ["by the means", "overlapping standard errors count as alike"]
        drawing, every = panels(titles, columns=2, width=3.8, height=2.8)
        for axes, value in zip(every, ("alike", "alike_or_close"), strict=True):
            _by_source(axes, data, value)
            axes.set_ylabel("share of pairs ranked alike")
        legend(drawing, every, f"{len(found)} comparisons: {overall[0]:.3f} alike, {overall[1]:.3f} alike or close")
    yield Figure("pairwise", drawing, data)
    yield table_of_pairs("pairwise-table", measures.by_pair(found))
