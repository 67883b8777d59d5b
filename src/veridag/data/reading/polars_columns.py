"""The columns of polars. It takes long to load, so this module is imported only for a polars table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from veridag.data.columns import frozen, in_order
from veridag.errors import InputError

from .raw import Levels, Numbers, Origin, Raw, Unusable, integer_levels, level_type, with_nulls


def from_polars(frame: pl.DataFrame) -> list[Raw]:
    """The columns of a polars frame."""
    # Polars takes a name like "^a.*$" for a pattern, even in methods of a series, so columns go without names here.
    columns = [s.alias(str(j)) for j, s in enumerate(frame)]
    text = {j: s for j, s in enumerate(columns) if s.dtype in (pl.String, pl.Categorical)}
    coded = dict(zip(text, text_levels([frame.columns[j] for j in text], list(text.values()), "text"), strict=True))
    return [coded[j] if j in coded else _polars_column(frame.columns[j], s) for j, s in enumerate(columns)]


def _polars_column(name: str, series: pl.Series) -> Raw:
    kind, nulls = series.dtype, series.is_null().to_numpy()
    if isinstance(kind, pl.Enum):
        codes = series.to_physical().fill_null(0).to_numpy()
        return with_nulls(name, "declared", kind.categories.to_list(), codes, nulls)
    if kind == pl.Boolean:
        return with_nulls(name, "boolean", ["False", "True"], series.fill_null(False).cast(pl.UInt8).to_numpy(), nulls)
    if str(kind) in ("Int128", "UInt128") and not nulls.all():
        raise InputError(
            f"column {name!r} holds {kind}, and integers can have at most 64 bits: cast it to pl.Int64, or to "
            "pl.String if its values are states"
        )
    if kind.is_integer() and not nulls.all():
        levels = integer_levels(name, series.fill_null(strategy="min").to_numpy())
        return with_nulls(name, "integer", levels.labels, levels.codes, nulls)
    if kind.is_float() or kind.is_decimal():
        return Numbers(name, series.cast(pl.Float64).fill_null(np.nan).to_numpy())
    if nulls.all():
        return Levels(name, "text", [None], np.zeros(len(series), dtype=np.uint8))
    return Unusable(name, str(kind), kind.is_temporal(), lambda: series.cast(pl.String).fill_null("").to_list())


def text_levels(names: Sequence[str], columns: Sequence[pl.Series], origin: Origin) -> list[Levels]:
    """Code columns of text or undeclared categories, all at once so that polars can use its threads."""
    if not columns:
        return []
    frame = pl.DataFrame(columns).lazy().select(pl.all().cast(pl.Categorical)).collect()
    distinct = frame.lazy().select(pl.all().drop_nulls().unique().implode()).collect()
    return [_category_levels(name, s, found[0], origin) for name, s, found in zip(names, frame, distinct, strict=True)]


def _category_levels(name: str, series: pl.Series, distinct: pl.Series, origin: Origin) -> Levels:
    # The physical codes of polars belong to all categories of the process, so they are mapped to 0, 1, ...
    physical = dict(zip(distinct.cast(pl.String).to_list(), distinct.to_physical().to_list(), strict=True))
    labels = in_order(physical)
    lut = np.zeros(max(physical.values(), default=0) + 1, dtype=level_type(len(labels)))
    lut[np.array([physical[v] for v in labels], dtype=np.intp)] = np.arange(len(labels))
    codes = frozen(lut[series.to_physical().fill_null(0).to_numpy()])
    return with_nulls(name, origin, labels, codes, series.is_null().to_numpy())
