"""Write the tables and figures of intersection-validation.md from cells that `veridag study export` has written.

    veridag study export intersection-validation --scale paper --compact --csv cells.csv.gz
    python docs/replication/intersection_tables.py cells.csv.gz

What is given replaces the rows of its search, exact or tabu; those of another search stay. Only repetitions count of
which all cells are done, and only networks with three of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from veridag.figures import save
from veridag.specs import parse
from veridag.study.kinds.intersection import measures
from veridag.study.kinds.intersection.figures import draw_rankings
from veridag.study.kinds.intersection.graphs import agreement_graphs
from veridag.study.kinds.intersection.series import by_series

HERE = Path(__file__).parent


def tables_of(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables by the ends of their names."""
    runs = measures.predictors(rows)
    pairs = measures.pairwise(rows)
    distances = measures.phd_means(rows).drop("measure", "repetitions").rename({"mean": "phd"})
    clean = measures.phd_means(rows, "phd_error_free").rename({"mean": "phd_error_free"}).drop("measure", "se")
    by = [*measures.SOURCE, "point", "size", "learner"]
    return {
        "means": measures.learner_means(rows).select(
            *measures.SOURCE, "size", "learner", "measure", "mean", "se", "repetitions"
        ),
        "phd": distances.join(clean, on=by, how="left"),
        "similarity": measures.similarity(rows),
        "error-free": measures.similarity(rows, "phd_error_free").filter(pl.col("point").is_not_null()),
        "rankings": measures.rankings(rows),
        "overall": by_series(rows).select(pl.exclude("^.*_more.*$")),
        "agreement": measures.agreement_quality(rows).select(
            *measures.SOURCE, "point", "measure", "mean", "se", "repetitions"
        ),
        "predictors": measures.predictive_power(runs),
        "deviation": measures.by_deviation(runs),
        "pairs": measures.by_pair(pairs, [*measures.SOURCE]),
    }


def complete(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows of repetitions that have all cells, of networks with at least three such; of equal cells the first."""
    own = ["source", "repetition"]
    cells = cells.filter(pl.col("key") == pl.col("key").first().over(*own, "part", "point", "size"))
    counts = cells.group_by(own).agg(pl.col("key").n_unique())
    kept = counts.filter(pl.col("key") == pl.col("key").max()).filter(pl.len().over("source") >= 3)
    return cells.join(kept.select(own), on=own, maintain_order="left")


def main(*paths: str) -> None:
    """Read the cells of all files, and write the tables and figures."""
    cells = pl.concat([pl.read_csv(path, infer_schema_length=None) for path in paths], how="diagonal_relaxed")
    rows = complete(cells).with_columns(score=pl.lit(""))  # one series
    learners = {spec: parse(spec, "algorithm") for spec in rows["learner"].drop_nulls().unique()}
    [search] = {type(learner).__name__.lower() for learner in learners.values()}
    scores = {spec: learner.traits.score.lower() for spec, learner in learners.items()}
    rows = rows.with_columns(pl.col("learner", "other").replace(scores))
    for name, table in tables_of(rows).items():
        write(HERE / f"intersection-{name}.csv", search, table.drop("score"))
    save(draw_rankings(rows).drawing, HERE / "intersection-validation.svg")
    for figure in agreement_graphs(rows.filter(source="mildew")):
        save(figure.drawing, HERE / "intersection-graphs.svg")
    counts = rows.group_by("source").agg(pl.col("repetition").n_unique()).sort("source").rows()
    sys.stdout.write(f"{search}: {', '.join(f'{source} {count}' for source, count in counts)}\n")


def write(path: Path, search: str, table: pl.DataFrame) -> None:
    """Write a table, rounded, with the rows of other searches that are there."""
    own = table.with_columns(pl.lit(search).alias("search"), pl.selectors.float().round(3))
    if path.exists():
        kept = pl.read_csv(path, infer_schema_length=None).filter(pl.col("search") != search)
        own = pl.concat([own, kept], how="diagonal_relaxed")
    own.select("search", pl.exclude("search")).write_csv(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
