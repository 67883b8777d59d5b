"""Joint counts without the rows, added up over the partitions of a table that may be on many machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from veridag._core import Table
from veridag.checks import Integer
from veridag.data import Data
from veridag.data.columns import Kind
from veridag.data.data import MergeStates, MissingValues, States
from veridag.data.packed import unpacked
from veridag.data.partitions import each_partition
from veridag.data.reading import (
    Levels,
    Missing,
    RawTable,
    Rules,
    Unusable,
    code_columns,
    read_frame,
    select_columns,
    table_of,
)
from veridag.errors import InputError, suggest

from .discrete import FamilyCounts
from .family import Counts

#: The most numbers that the counts may have in all: 1 GiB of them.
MOST_NUMBERS = 2**27


@dataclass(frozen=True, eq=False, repr=False)
class JointCounts:
    """Contingency tables of every `size` discrete variables, without the rows.

    They contain everything that a score needs for families with up to `size` - 1 parents: `score_table` accepts them
    in place of data.

    Attributes:
        states: The states of each variable, in the order of the columns.
        size: How many variables each table has.
        n: The number of rows counted.
        numbers: The tables one after the other, in the order of `itertools.combinations` of the columns.

    See also:
        `count_partitions`, `score_table`, docs/large.md
    """

    states: Mapping[str, tuple[str, ...]]
    size: int
    n: int
    numbers: Counts

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the columns."""
        return tuple(self.states)

    @cached_property
    def _arities(self) -> tuple[int, ...]:
        return tuple(len(own) for own in self.states.values())

    @cached_property
    def _starts(self) -> dict[tuple[int, ...], int]:
        start, found = 0, {}
        for chosen in combinations(range(len(self._arities)), self.size):
            found[chosen] = start
            start += prod(self._arities[v] for v in chosen)
        return found

    def table(self, names: Sequence[str]) -> Counts:
        """The contingency table of up to `size` variables, with an axis for each of them."""
        for name in names:
            if name not in self.states:
                raise InputError(f"there is no column {name!r}: {suggest(name, self.names)}")
        if len(set(names)) < len(names) or len(names) > self.size:
            raise InputError(
                f"names: at most {self.size} different variables were counted together, but you gave {tuple(names)}"
            )
        wanted = [self.names.index(name) for name in names]
        others = [v for v in range(len(self._arities)) if v not in wanted][: self.size - len(wanted)]
        chosen = tuple(sorted([*wanted, *others]))
        shape, start = [self._arities[v] for v in chosen], self._starts[chosen]
        whole = self.numbers[start : start + prod(shape)].reshape(shape)
        summed = whole.sum(axis=tuple(chosen.index(v) for v in others))
        return np.asarray(summed.transpose(np.argsort(np.argsort(wanted)))) if names else np.asarray(summed)

    def family(self, child: str, parents: Sequence[str]) -> FamilyCounts:
        """The counts of a family, the same as from the rows."""
        ordered = tuple(sorted(parents, key=self.names.index))
        table = self.table((*ordered, child))
        rows = table.reshape(-1, table.shape[-1])
        occurs = np.flatnonzero(rows.any(axis=1))
        configurations = np.stack(np.unravel_index(occurs, table.shape[:-1]), axis=1) if ordered else np.zeros((1, 0))
        arities = table.shape[:-1]
        return FamilyCounts(child, ordered, rows[occurs], configurations.astype(np.intp), arities, len(self.names))

    def __repr__(self) -> str:
        return f"<JointCounts of every {self.size} of {len(self.names)} variables, {self.n} rows>"


def count_partitions(
    partitions: Any,
    size: int = 3,
    *,
    states: States | None = None,
    kinds: Mapping[str, Kind] | None = None,
    missing: Missing | None = None,
    missing_values: MissingValues | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    merge_states: MergeStates | None = None,
) -> JointCounts:
    """Count the joint states of every `size` variables in each partition, and add up the counts.

    Rows never leave their partition. Two rounds are made, one for the states of the columns and one for the counts.
    ``vd.solve(vd.score_table(counts, vd.BIC()))`` then finds the best network with up to `size` - 1 parents.

    All variables are discrete. Integers with more than 20 values must be declared in `states` or `kinds`.

    Args:
        partitions: A Dask DataFrame, a pyarrow data set, or a list of data frames.
        size: How many variables to count together: one more than the number of parents.
        states, kinds: As in `read`.
        missing: What to do with missing values: refuse them (None), ``"drop"`` or ``"state"``.
        missing_values, columns, drop, merge_states: As in `read`.

    See also:
        `read_partitions`, `score_table`, `solve`, docs/large.md
    """
    size = Integer(1)("size", size)
    if missing in ("keep", "indicator"):
        raise InputError(f"missing={missing!r}: counts need complete rows: use 'drop' or 'state'")
    if not hasattr(partitions, "to_delayed") and not hasattr(partitions, "to_batches"):
        partitions = list(partitions) if not hasattr(partitions, "columns") else partitions
    rules = Rules(states, kinds, None, None, missing, missing_values, columns, drop, (), merge_states)
    for_states = rules if missing == "state" else replace(rules, missing="keep")
    found = _coded(table_of(each_partition(partitions, _one_of_each), for_states), for_states)
    for name, kind in found.kinds.items():
        if kind == "continuous":
            raise InputError(
                f"column {name!r} has numbers, and only discrete columns can be counted: leave it out with drop=, or "
                f"make it discrete with kinds={{{name!r}: 'discrete'}}"
            )
    size = min(size, len(found.names))
    numbers = sum(prod(found.arities[v] for v in chosen) for chosen in combinations(found.names, size))
    if numbers > MOST_NUMBERS:
        raise InputError(
            f"size={size}: the tables of every {size} of {len(found.names)} variables have {numbers} cells, more than "
            f"{MOST_NUMBERS}: lower size, or give the variables fewer states"
        )
    count = _Counting(replace(rules, states=dict(found.states), columns=found.names, drop=()), size)
    total = None
    for part in each_partition(partitions, count, _sum):
        total = _sum(total, part)
    if total is None:
        raise InputError("there are no rows: give at least one")
    return JointCounts(dict(found.states), size, *total)


Part = tuple[int, Counts]


def _sum(a: Part | None, b: Part | None) -> Part | None:
    """The rows and counts of two partitions together; None stands for one without rows."""
    if a is None or b is None:
        return b if a is None else a
    return a[0] + b[0], a[1] + b[1]


def _coded(table: RawTable, rules: Rules) -> Data:
    return Data(*code_columns(select_columns(table, rules), rules))


def _one_of_each(frame: Any) -> RawTable | None:
    """A small table in which each column has each of its values twice, so that none looks like an identifier."""
    table = read_frame(frame)
    if not table.nrows:
        return None
    places: list[Any] = []
    for column in table.columns:
        values = unpacked(column.codes) if isinstance(column, Levels) else getattr(column, "values", np.zeros(1))
        places.append(np.unique(values, return_index=True)[1])
    longest = max(len(place) for place in places)
    kept = [
        replace(column, texts=None) if isinstance(column, Unusable) else column.take(np.resize(place, 2 * longest))
        for column, place in zip(table.columns, places, strict=True)
    ]
    return RawTable(kept, 2 * longest, table.notes)


@dataclass(frozen=True)
class _Counting:
    """Counts one partition."""

    rules: Rules
    size: int

    def __call__(self, frame: Any) -> Part | None:
        table = read_frame(frame)
        if not table.nrows:
            return None
        data = _coded(table, self.rules)
        if not data.n:
            return None
        arities = [len(c.states) for c in data.columns]
        sets = [list(chosen) for chosen in combinations(range(len(arities)), self.size)]
        return data.n, Table([c.values for c in data.columns], arities).joint_counts(sets)
