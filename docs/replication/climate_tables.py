"""Write climate.csv from the cells of the study `climate`, as `veridag study export` writes them.

    veridag study export climate --scale paper --data VALUES.csv --data GRID.csv --compact --csv cells/climate.csv.gz
    veridag study export climate --scale short --compact --csv cells/climate-simulated.csv.gz
    python docs/replication/climate_tables.py cells/climate.csv.gz cells/climate-simulated.csv.gz

A row has the means over permutations of a field, a learner and a gamma. Learners that do not depend on the order of
columns have one permutation, and no standard error.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl

HERE = Path(__file__).parent

MEANS = {
    "valid": "valid",
    "log_likelihood": "log_likelihood",
    "arcs": "arcs",
    "long_range_arcs": "long_range_arcs",
    "relative_v_structures": "unshielded_v_structures",
    "formula_v_structures": "formula_of_the_paper",
    "calls": "calls",
    "calls_published": "calls_published",
}


def table_of(cells: pl.DataFrame) -> pl.DataFrame:
    """The means over permutations, in the order of fields, gammas and learners."""
    networks = cells.filter(pl.col("what") == "network").with_columns(
        learner=pl.col("learner").str.split("(").list.first(), valid=pl.col("valid").cast(pl.String) == "true"
    )
    found = networks.group_by("data", "gamma", "learner").agg(
        pl.len().alias("permutations"),
        *(pl.col(name).cast(pl.Float64).mean().round(4).alias(shown) for name, shown in MEANS.items()),
        (pl.col("log_likelihood").std() / pl.len().sqrt()).round(4).alias("log_likelihood_se"),
        pl.col("arcs").max().alias("arcs_max"),
    )
    return found.sort("data", "gamma", "learner")


def main(*paths: str) -> None:
    """Read the cells of all files, and write the table."""
    cells = pl.concat([pl.read_csv(path, infer_schema_length=None) for path in paths], how="diagonal_relaxed")
    table_of(cells).write_csv(HERE / "climate.csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
