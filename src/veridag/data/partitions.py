"""Tables in partitions, such as those of a Dask DataFrame. Each is summarised where it is, and then combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag._core import FoldedRows
from veridag.errors import InputError

from .columns import Kind, frozen
from .data import Data, MergeStates, MissingValues, States
from .folding import folded
from .moments import MomentData, Moments
from .packed import unpacked
from .preparing import Changes, prepare
from .reading import Levels, Missing, Numbers, RawTable, Rules, Unusable, numbers_of_levels, read_frame, table_of


def read_partitions(
    partitions: Any,
    *,
    states: States | None = None,
    kinds: Mapping[str, Kind] | None = None,
    group: str | None = None,
    missing: Missing | None = None,
    missing_values: MissingValues | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    merge_states: MergeStates | None = None,
    strict: bool = True,
    moments: bool = False,
) -> Data:
    """Read a table in partitions: a Dask DataFrame, a pyarrow data set, or a list of data frames.

    Of discrete partitions, each different row is sent once with the number of its copies. Partitions of a Dask
    DataFrame are processed where Dask runs: on the cluster of the current client, or in this process. The data is the
    same as if all rows were in one frame, except that the order of rows within a partition may differ and rows that
    repeat often become weighted rows.

    Args:
        partitions: A Dask DataFrame, a pyarrow data set, or a list of data frames.
        states, kinds, group, missing, missing_values, columns, drop, merge_states, strict: As in `read`.
        moments: Send only the moments of continuous columns. All columns that are used must be numbers without missing
            values. The result has no rows, as with `read_moments`.

    See also:
        `read`, `read_moments`, `count_partitions`, docs/large.md
    """
    rules = Rules(states, kinds, group, None, missing, missing_values, columns, drop, (), merge_states, strict=strict)
    if moments:
        return _added_up(each_partition(partitions, _Adding(rules)))
    table = table_of(_unfolded(each_partition(partitions, _fold)), rules)
    data = Data(*prepare(table, rules, Changes())[0])
    return folded(data) or data


def each_partition(
    partitions: Any, act: Callable[[Any], Any], join: Callable[[Any, Any], Any] | None = None
) -> Iterator[Any]:
    """What `act` makes of each partition, but for None. Where Dask does the work, results may be joined there."""
    if hasattr(partitions, "to_delayed"):
        dask: Any = import_module("dask")
        parts = [dask.delayed(act)(part) for part in partitions.to_delayed()]
        while join is not None and len(parts) > 1:
            pairs = [dask.delayed(join)(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)]
            parts = pairs + parts[2 * len(pairs) :]
        results: Iterable[Any] = dask.compute(*parts)
    elif hasattr(partitions, "to_batches"):
        pa: Any = import_module("pyarrow")
        results = (act(pa.Table.from_batches([batch])) for batch in partitions.to_batches())
    elif isinstance(partitions, Iterable) and not hasattr(partitions, "columns"):
        results = map(act, partitions)
    else:
        raise InputError(
            f"partitions: a Dask DataFrame, a pyarrow data set or a list of data frames is needed, not "
            f"{type(partitions).__name__}; Data.from_frame takes a single frame"
        )
    found = False
    for result in results:
        found = True
        if result is not None:
            yield result
    if not found:
        raise InputError("partitions: the list is empty: give at least one")


@dataclass(frozen=True)
class _Folded:
    """The different rows of a partition, and how often each occurs; None stands for once."""

    table: RawTable
    copies: NDArray[np.int64] | None


def _fold(frame: Any) -> _Folded | None:
    """A partition as it is sent."""
    table = read_frame(frame)
    if not table.nrows:
        return None
    columns = [replace(c, texts=None) if isinstance(c, Unusable) else c for c in table.columns]
    levels = [c for c in columns if isinstance(c, Levels) and len(c.labels) <= 1 << 16]
    if len(levels) < len(columns):
        return _Folded(replace(table, columns=columns), None)
    rows = FoldedRows(len(levels))
    rows.add(np.column_stack([unpacked(c.codes).astype(np.uint16) for c in levels]))
    kept = [replace(c, codes=frozen(rows.states(j))) for j, c in enumerate(levels)]
    return _Folded(RawTable(kept, len(rows), table.notes), rows.weights())


def _unfolded(parts: Iterable[_Folded]) -> Iterator[RawTable]:
    for part in parts:
        copies = part.copies
        if copies is None:
            yield part.table
        else:
            where = np.repeat(np.arange(part.table.nrows), copies)
            yield RawTable([c.take(where) for c in part.table.columns], len(where), part.table.notes)


@dataclass(frozen=True)
class _Adding:
    """Adds up the moments of a partition."""

    rules: Rules

    def __call__(self, frame: Any) -> tuple[tuple[str, ...], Moments] | None:
        table = read_frame(frame)
        wanted = [c for c in table.columns if self.rules.wants(c.name)]
        if not table.nrows:
            return None
        if not wanted:
            raise InputError("no columns are left: keep at least one")
        values = []
        for column in wanted:
            if isinstance(column, Unusable):
                raise column.refusal()
            own = (column if isinstance(column, Numbers) else numbers_of_levels(column, self.rules)).values
            if not np.isfinite(own).all():
                raise InputError(f"values of column {column.name!r} are missing or not finite: leave out these rows")
            values.append(own)
        return tuple(c.name for c in wanted), Moments.of_rows(np.column_stack(values))


def _added_up(parts: Iterable[tuple[tuple[str, ...], Moments]]) -> Data:
    names: tuple[str, ...] = ()
    total: Moments | None = None
    for own, moments in parts:
        if total is not None and own != names:
            raise InputError(f"the partitions have different columns: {own} after {names}")
        names, total = own, moments if total is None else total.plus(moments)
    if total is None:
        raise InputError("there are no rows: the table needs at least one")
    return MomentData.from_moments(names, total)
