"""Write the tables and figures of own-questions.md from the cells of `best-combination`, as `veridag study export` has.

    veridag study export best-combination --compact --csv docs/replication/cells/best-combination.csv.gz
    python docs/replication/own_questions_tables.py docs/replication/cells/best-combination.csv.gz
    python tests/project/test_verdicts_own_questions.py

The last command prints the rows and statements of the page that follow from the tables.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

from veridag.figures import save
from veridag.study.kinds.learning.comparison import ALL, differences, draw_differences
from veridag.study.kinds.learning.predictions import draw_predictions, means

HERE = Path(__file__).parent
BASELINE = "default"
PARTS = ("discrete", "gaussian", "small", "reference-discrete", "reference-gaussian")


def combinations(cells: pl.DataFrame) -> pl.DataFrame:
    """Every learner against the default: by size over all networks, and for single networks over all sizes."""
    found = []
    for part in PARTS:
        table = differences(cells.filter(pl.col("part") == part), "scaled_shd", BASELINE)
        single = pl.col("n").is_null() & pl.lit(part != "small")
        found.append(table.filter((pl.col("networks") == ALL) | single).with_columns(part=pl.lit(part)))
    for structure in ("sparse", "dense"):
        own = cells.filter(pl.col("part") == "discrete", pl.col("network").str.ends_with(f", {structure})"))
        table = differences(own, "scaled_shd", BASELINE)
        found.append(table.filter(pl.col("networks") == ALL).with_columns(part=pl.lit(f"discrete-{structure}")))
    columns = ("scaled_shd", "difference", "low", "high")
    return _shown(pl.concat(found)).select(
        "part", "networks", "n", pl.col("label").alias("learner"), *columns, "number"
    )


def likelihoods(cells: pl.DataFrame) -> pl.DataFrame:
    """How far held-out likelihood agrees with distance, for all learners and for those with a prior."""
    with_prior = ~pl.col("label").str.ends_with(", uniform")
    found = []
    for part in PARTS:
        own = cells.filter(pl.col("part") == part)
        found.append(means(own, BASELINE).with_columns(part=pl.lit(part)))
        if part in ("discrete", "gaussian"):
            found.append(means(own.filter(with_prior), BASELINE).with_columns(part=pl.lit(f"{part}-with-prior")))
    table = pl.concat(found).filter((pl.col("networks") == ALL) | pl.col("n").is_null())
    return _shown(table).select("part", "networks", "n", "measure", "mean", "low", "high", "number")


def _shown(table: pl.DataFrame) -> pl.DataFrame:
    """Numbers with four digits after the point, and "all" for all sizes."""
    return table.with_columns(pl.col("n").cast(pl.String).fill_null(ALL), pl.col(pl.Float64).round(4) + 0.0)


def main(path: str) -> None:
    """Read the cells, and write the tables and figures."""
    cells = pl.read_csv(path, infer_schema_length=None)
    combinations(cells).write_csv(HERE / "best-combination.csv")
    likelihoods(cells).write_csv(HERE / "likelihood-and-distance.csv")
    for part in ("discrete", "gaussian"):
        own = cells.filter(pl.col("part") == part)
        compared = draw_differences(part, own, "scaled_shd", BASELINE)
        predicted = draw_predictions(part, own, BASELINE)
        save(compared.drawing, HERE / f"best-combination-{part}.svg")
        save(predicted.drawing, HERE / f"likelihood-and-distance-{part}.svg")


if __name__ == "__main__":
    main(*sys.argv[1:])
