"""Write the table and the figure of beyond-uniform-priors.md from cells that `veridag study export` has written.

    veridag study export beyond-uniform-priors --scale paper --compact --csv cells/beyond-uniform-priors.csv.gz
    python docs/replication/beyond_tables.py cells/beyond-uniform-priors.csv.gz

Networks with fewer than five complete repetitions do not count, and of the others only repetitions that have all cells.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

import veridag as vd
from veridag.figures import save
from veridag.study import plan, resuming, tables
from veridag.study.store import Store

HERE = Path(__file__).parent
STUDY = plan.load("beyond-uniform-priors", "paper")
SIZES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
MEASURES = ("shd", "arcs", "loglik")


def complete(cells: pl.DataFrame) -> pl.DataFrame:
    """The rows of repetitions that have all cells, of networks with at least five such."""
    own = ["network", "repetition"]
    wanted = len(SIZES) * cells["label"].n_unique()
    counts = cells.group_by(own).agg(pl.len())
    kept = counts.filter(pl.col("len") == wanted).filter(pl.len().over("network") >= 5)
    return cells.join(kept.select(own), on=own, maintain_order="left")


def with_relative_size(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with n/p, by the rule of the study: at least two rows."""
    parameters = {name: vd.networks.load(name).nparams for name in rows["network"].unique().to_list()}
    sizes = pl.DataFrame(
        [
            {"network": name, "n": max(2, round(size * count)), "n_over_p": size}
            for name, count in parameters.items()
            for size in SIZES
        ]
    )
    return rows.join(sizes, on=["network", "n"], maintain_order="left")


def table_of(rows: pl.DataFrame) -> pl.DataFrame:
    """Means and standard errors of each network, size and learner."""
    found = rows.group_by("network", "n_over_p", "n", "label").agg(
        *(
            expression
            for name in MEASURES
            for expression in (
                pl.col(name).mean().round(3),
                (pl.col(name).std() / pl.len().sqrt()).round(3).alias(f"{name}_se"),
            )
        ),
        pl.col("calls").mean().round(1),
        repetitions=pl.len(),
    )
    return found.sort("network", "n_over_p", "label")


def draw(path: str, kept: pl.DataFrame) -> None:
    """Draw the figure of the study with alpha = 5, of the repetitions that count."""
    with TemporaryDirectory() as folder, Store(Path(folder) / "cells.sqlite") as store:
        resuming.take_over(store, resuming.read_cells(STUDY, path))
        rows = tables.results(STUDY, store, only_done=True)
    own = ["network", "repetition"]
    for figure in STUDY.kind.figures(STUDY.spec, rows.join(kept.select(own).unique(), on=own, how="semi")):
        if figure.name == "shd-alpha-5":
            save(figure.drawing, HERE / "beyond-uniform-priors.svg")


def main(path: str) -> None:
    """Read the cells, and write the table and the figure."""
    rows = with_relative_size(complete(pl.read_csv(path, infer_schema_length=None)))
    table = table_of(rows)
    table.write_csv(HERE / "beyond-uniform-priors.csv")
    draw(path, rows)
    counts = table.group_by("network").agg(pl.col("repetitions").first()).sort("network").rows()
    sys.stdout.write(f"{', '.join(f'{network} {count}' for network, count in counts)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
