"""What the page on greedy search says about the order of columns is what the cells of the study say."""

from __future__ import annotations

import re

import polars as pl
import pytest

import veridag as vd
from project.verdicts import REPLICATION, cells

LINES = {
    "parents first": "topological",
    "as the file has them": "given",
    "random": "random",
    "children first": "reversed",
    'tabu, `ties="data"`': "ties by the data",
    "GES in two phases": "GES",
    "order annealing": "annealing",
}


def table() -> dict[str, list[str]]:
    """The cells of each line of the table by the label of its learner."""
    page = (REPLICATION.parent / "algorithms" / "greedy.md").read_text("utf-8").partition("### Does the order")[2]
    lines = [line.strip("| ").split(" | ") for line in page.partition("\n## ")[0].splitlines()]
    named = {re.sub(r'^tabu, `ties="columns"`, ', "", first): rest for first, *rest in lines}
    return {label: named[words] for words, label in LINES.items()}


@pytest.mark.parametrize("label", LINES.values())
def test_the_table_has_the_means_of_the_cells(label):
    parameters = {name: vd.networks.info(name).parameters for name in vd.networks.names()}
    size = pl.col("n") / pl.col("network").replace_strict(parameters, return_dtype=pl.Int64)
    own = cells("column-order").filter(pl.col("label") == label).with_columns(small=size < 0.75)
    means = [
        own.filter(pl.col("part") == part, pl.col("small") == small)["scaled_shd"].mean()
        for part in ("bic", "posterior")
        for small in (True, False)
    ]
    assert table()[label] == [f"{mean:.3f}" for mean in means]
