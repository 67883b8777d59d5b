"""Write the table of means and the figure of related-data-sets.md from cells that `veridag study export` has written.

    veridag study export related-data-sets --scale paper --compact --csv cells/related-data-sets.csv.gz
    python docs/replication/related_tables.py cells/related-data-sets.csv.gz

A structure counts once: a mean is over the means of structures, and so is its standard error. Rows by `ess` have only
what was run with every equivalent sample size.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from veridag.figures import save
from veridag.study.kinds.related.figures import draw_all, means, with_every_ess

HERE = Path(__file__).parent
LEARNERS = tuple(f"hill-climbing(score={score}, ties=columns)" for score in ("bhd", "bdeu", "bic"))
BASELINE = LEARNERS[1]
LABELS = ("BHD", "BDeu", "BIC")
STRUCTURE = ("nodes", "groups", "states", "arcs_per_node", "structure")
GAINS = ("shd_gain", "tp_gain", "fp_gain", "joined_tp_gain", "joined_fp_gain")
#: What is told apart, with the measures of each learner; data sets lack arcs in scenario (b) alone.
BY = {
    "all": {"BDeu": ("shd",), "BHD": ("shd", *GAINS), "BIC": ("shd", *GAINS)},
    "rows": {"BDeu": ("shd",), "BHD": ("shd", *GAINS), "BIC": ("shd", *GAINS)},
    "ess": {"BDeu": ("shd",), "BHD": ("shd", "shd_gain"), "BIC": ("shd",)},
    **{
        setting: {"BHD": ("shd_gain",)}
        for setting in ("nodes", "groups", "states", "arcs_per_node", "changed_groups", "removed_arcs")
    },
}


def main(path: str) -> None:
    """Read the cells, and write the table and the figure."""
    cells = pl.read_csv(path, infer_schema_length=None)
    pl.concat(tables_of(cells)).write_csv(HERE / "related-data-sets.csv")
    for figure in draw_all(cells, LEARNERS, BASELINE, 1.0):
        if figure.name == "distances":
            save(figure.drawing, HERE / "related-data-sets.svg")


def tables_of(cells: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The means by each setting, of the cells with the paper's settings."""
    own = cells.filter(pl.col("learners") == "; ".join(LEARNERS), pl.col("iid").is_null())
    rows = means(own, LABELS, "BDeu").with_columns(all=pl.lit(""))
    for by, learners in BY.items():
        kept = with_every_ess(rows) if by == "ess" else rows.filter(pl.col("ess") == 1)
        if by in ("changed_groups", "removed_arcs"):
            kept = kept.filter(scenario="b")
        for learner, measures in learners.items():
            for measure in measures:
                yield table_of(kept.filter(learner=learner), by, measure)


def table_of(rows: pl.DataFrame, by: str, measure: str) -> pl.DataFrame:
    """Means and standard errors over structures of one measure, by one setting."""
    shown = ["scenario", "parameters", "learner"]
    own = rows.group_by(list(dict.fromkeys([by, *shown, *STRUCTURE]))).agg(pl.col(measure).mean())
    found = own.group_by(by, *shown).agg(
        mean=pl.col(measure).mean().round(3),
        se=(pl.col(measure).std() / pl.len().sqrt()).round(3),
        structures=pl.len(),
    )
    value = pl.col(by).cast(pl.String).str.strip_suffix(".0")
    return found.sort(by, *shown).select(
        pl.lit(by).alias("by"),
        value.alias("value"),
        "scenario",
        "parameters",
        pl.col("learner").alias("score"),
        pl.lit(measure).alias("measure"),
        "mean",
        "se",
        "structures",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
