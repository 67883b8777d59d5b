"""Names of learners for figures: short ones that tell them apart, and those that a study gives to their settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from veridag.search.labels import distinct_labels
from veridag.specs import parse
from veridag.study.kind import Value

if TYPE_CHECKING:
    import polars as pl


def short_labels(specs: Sequence[str]) -> dict[str, str]:
    """A label for every spec: the score, the prior or the algorithm where that is enough, more where it is not."""
    return dict(zip(specs, distinct_labels([parse(spec, "algorithm") for spec in specs]), strict=True))


def labelled(rows: pl.DataFrame, entries: Mapping[str, Mapping[str, Value]]) -> pl.DataFrame:
    """The rows of the cells that an entry of the study stands for, by its settings, with its label."""
    import polars as pl

    settings = list(next(iter(entries.values())))
    table = pl.DataFrame(
        {"label": list(entries), **{name: [own[name] for own in entries.values()] for name in settings}},
        schema_overrides={name: rows.schema[name] for name in settings},
    )
    return rows.join(table, on=settings, how="inner", nulls_equal=True)
