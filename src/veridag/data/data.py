"""`Data`: observations of variables, coded, checked and immutable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.errors import InputError, suggest

from . import resampling
from .columns import Array, Column, DataKind, Kind, check_columns, frozen
from .completeness import missing_in, refusal, rows_observed, with_missing_mark
from .describe import Description, described
from .discretization import Choice, choose, discretized, with_bins
from .export import to_pandas, to_polars
from .missingness import MissingPattern, missing_pattern
from .ordering import order_by_data
from .preparing import Changes, prepare
from .reading import Missing, MissingRefused, Rules, check_weights, read_array, read_frame
from .resampling import Seed
from .row_order import row_order
from .rows import row_positions
from .scales import check_scales
from .targets import Targets
from .writing import write_data

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

States = Mapping[str, Iterable[object]]
MissingValues = Collection[object] | Mapping[str, Collection[object]]
MergeStates = Mapping[str, Mapping[str, object]]
Weights = str | Array | Sequence[int]
TargetsGiven = str | Sequence[object] | Mapping[Any, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """A table of observations, ready to learn from: coded, checked and immutable.

    `read`, `Data.from_frame`, `Data.from_numpy` and `Network.sample` make it.

    Attributes:
        columns: The variables, in order.
        weights: How many observations each row counts for; 1 each if None.
        group: For data with groups: the position in `groups` of each row's group.
        groups: The labels of the groups (related data sets).
        notes: What was done to the data since it was read.
        targets: Which variables were set by an intervention in each row; None if none was.

    See also:
        `read`, `inspect`, docs/data.md
    """

    columns: Sequence[Column]
    weights: NDArray[np.int64] | None = None
    group: Array | None = None
    groups: Sequence[str] = ()
    notes: Sequence[str] = ()
    targets: Targets | None = None

    def __post_init__(self) -> None:
        for field in ("columns", "groups", "notes"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        check_columns(self.columns)
        if self.weights is not None:
            object.__setattr__(self, "weights", check_weights(self.weights, self.nrows))
        if (self.group is None) != (not self.groups):
            raise InputError(
                "group and groups must be given together: the codes of the rows, and the labels of the codes"
            )
        if self.group is not None:
            coded = Column.discrete("group", self.group, self.groups)
            if len(coded.values) != self.nrows:
                raise InputError(f"group has {len(coded.values)} entries for {self.nrows} rows")
            object.__setattr__(self, "group", coded.values)
        if self.targets is not None:
            targets = self.targets if isinstance(self.targets, Targets) else Targets.of_rows(self.targets)
            targets.check([c.name for c in self.columns], self.nrows)
            object.__setattr__(self, "targets", targets if targets.names else None)

    @classmethod
    def of(cls, data: Data | Any) -> Data:
        """Return the data itself, or convert a data frame with `Data.from_frame`."""
        if isinstance(data, Data):
            return data
        try:
            return cls.from_frame(data)
        except MissingRefused as refused:  # its remedy is an argument that the caller's function does not take
            raise InputError(
                f'{refused.found}; pass vd.Data.from_frame(frame, missing="keep") instead of the frame to use the '
                f'observed values, or missing="drop" there to leave out these rows{refused.hint}'
            ) from None

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        states: States | None = None,
        kinds: Mapping[str, Kind] | None = None,
        group: str | None = None,
        weights: Weights | None = None,
        targets: TargetsGiven | None = None,
        missing: Missing | None = None,
        missing_values: MissingValues | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        as_written: Sequence[str] = (),
        merge_states: MergeStates | None = None,
        discretize: str | Mapping[str, str] | None = None,
        transform: Mapping[str, str] | None = None,
        merge_rare: Mapping[str, int] | None = None,
        strict: bool = True,
    ) -> Data:
        """Convert a pandas, polars or pyarrow table, or a dictionary of columns.

        Text, booleans, integers and categories become discrete variables; other numbers become continuous ones.
        `Data.describe` shows which rule decided for each column. docs/data.md has all rules.

        Args:
            frame: The table.
            states, kinds, group, weights, targets, missing, missing_values: As in `read`.
            columns, drop, as_written, merge_states, discretize, transform: As in `read`.
            merge_rare, strict: As in `read`.

        Raises:
            InputError: If a column cannot be converted. The message names the column, the value and the argument that
                helps.

        See also:
            `read`, `Data.from_numpy`, docs/data.md
        """
        said = (states, kinds, group, weights, missing, missing_values, columns, drop, as_written, merge_states)
        rules = Rules(*said, strict=strict, targets=targets)
        return cls(*prepare(read_frame(frame), rules, Changes(discretize, transform, merge_rare))[0])

    @classmethod
    def from_numpy(
        cls,
        array: Any,
        names: Sequence[str] | None = None,
        *,
        states: States | None = None,
        kinds: Mapping[str, Kind] | None = None,
        group: str | None = None,
        weights: Weights | None = None,
        targets: TargetsGiven | None = None,
        missing: Missing | None = None,
        missing_values: MissingValues | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        as_written: Sequence[str] = (),
        merge_states: MergeStates | None = None,
        discretize: str | Mapping[str, str] | None = None,
        transform: Mapping[str, str] | None = None,
        merge_rare: Mapping[str, int] | None = None,
        strict: bool = True,
    ) -> Data:
        """Convert a two-dimensional array: integers become discrete variables, floats continuous ones.

        Args:
            array: The array, with a row for each observation.
            names: The names of the columns; X1, X2, ... if None.
            states, kinds, group, weights, targets, missing, missing_values: As in `read`.
            columns, drop, as_written, merge_states, discretize, transform: As in `read`.
            merge_rare, strict: As in `read`.

        See also:
            `read`, `Data.from_frame`, docs/data.md
        """
        said = (states, kinds, group, weights, missing, missing_values, columns, drop, as_written, merge_states)
        rules = Rules(*said, strict=strict, targets=targets)
        return cls(*prepare(read_array(array, names), rules, Changes(discretize, transform, merge_rare))[0])

    # --- what is in it ----------------------------------------------------------------------------------------------

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {c.name: c for c in self.columns}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return tuple(self._by_name)

    @property
    def nrows(self) -> int:
        """The number of stored rows."""
        return self.columns[0].nrows

    @cached_property
    def n(self) -> int:
        """The number of observations: the sum of the weights."""
        return self.nrows if self.weights is None else int(self.weights.sum())

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of each variable."""
        return MappingProxyType({c.name: c.kind for c in self.columns})

    @property
    def kind(self) -> DataKind:
        """The kind of all variables: "discrete", "continuous" or "mixed"."""
        kinds = set(self.kinds.values())
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @cached_property
    def states(self) -> Mapping[str, tuple[str, ...]]:
        """The states of the discrete variables, including states that are not observed."""
        return MappingProxyType({c.name: c.states for c in self.columns if c.kind == "discrete"})

    @cached_property
    def arities(self) -> Mapping[str, int]:
        """The number of states of each discrete variable."""
        return MappingProxyType({name: len(states) for name, states in self.states.items()})

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """The variables with at most one observed value. Rows of weight zero do not count."""
        counted = None if self.weights is None or self.weights.all() else self.weights > 0
        return tuple(c.name for c in self.columns if (c if counted is None else c.take(counted)).is_constant())

    @cached_property
    def bin_edges(self) -> Mapping[str, tuple[float, ...]]:
        """For each discretized variable, the upper edges of all bins except the last."""
        return MappingProxyType({c.name: c.edges for c in self.columns if c.edges})

    def column(self, name: str) -> Array:
        """The codes of a discrete variable, or the values of a continuous one, as a read-only array.

        Raises:
            InputError: If values of the variable are missing.
        """
        column = self._column(name)
        if column.observed is not None:
            raise refusal([column], "this")
        return column.values

    def observed(self, name: str) -> NDArray[np.bool_]:
        """A read-only mask: True where the variable has a value."""
        mask = self._column(name).observed
        return frozen(np.ones(self.nrows, bool)) if mask is None else mask

    @cached_property
    def incomplete(self) -> bool:
        """Whether any value is missing."""
        return any(c.observed is not None for c in self.columns)

    @cached_property
    def missing_counts(self) -> Mapping[str, int]:
        """The number of observations without a value, for each variable."""
        return MappingProxyType({c.name: missing_in(c, self.weights) for c in self.columns})

    @cached_property
    def indicators(self) -> Mapping[str, str]:
        """The indicator columns of ``missing="indicator"``, each with the variable whose missing values it marks."""
        return MappingProxyType({c.name: c.indicates for c in self.columns if c.indicates})

    def require_complete(self, what: str, remedy: str = "") -> None:
        """Raise `InputError` if a value is missing; `what` names the operation that needs complete data."""
        if self.incomplete:
            raise refusal(self.columns, what, remedy)

    def _column(self, name: str) -> Column:
        if name not in self._by_name:
            raise InputError(f"there is no column {name!r}: {suggest(name, self.names)}")
        return self._by_name[name]

    def require_one_kind(self) -> Kind:
        """Return the kind of all variables; raise `InputError` if the data is mixed."""
        kind = self.kind
        if kind == "mixed":
            discrete = len(self.states)
            raise InputError(
                f"the data is mixed, with {discrete} discrete and {len(self.names) - discrete} continuous columns: "
                f"discretize() the continuous ones, or select() those of one kind"
            )
        return kind

    def describe(self) -> Description:
        """Describe each variable: its kind, its states or range, and the rule that decided. The notes follow."""
        rows = tuple(MappingProxyType(described(c, self.weights)) for c in self.columns)
        return Description(rows, repr(self), tuple(self.notes))

    def missing_pattern(self) -> MissingPattern:
        """Summarise the missing values: how many, in which variables together, and what they depend on.

        They may depend on another variable, or on the group of the row. As text, the summary ends with a verdict.

        See also:
            `MissingPattern`, docs/incomplete.md
        """
        name = "group" if "group" not in self._by_name else "group of the row"
        group = None if self.group is None else Column.discrete(name, self.group, self.groups)
        return missing_pattern(self.columns, self.weights, group)

    # --- parts of it ------------------------------------------------------------------------------------------------

    def _with(self, columns: Iterable[Column], notes: Iterable[str] = ()) -> Data:
        columns = tuple(columns)
        names = [c.name for c in columns]
        targets, lost = (None, ()) if self.targets is None else self.targets.only(names)
        return Data(columns, self.weights, self.group, self.groups, (*self.notes, *notes, *lost), targets)

    def select(self, names: Iterable[str]) -> Data:
        """Return some variables, in the given order, with groups, weights and their targets. Shares memory."""
        if isinstance(names, str):
            raise InputError(f"select({names!r}) needs a list of names, such as select([{names!r}])")
        return self._with([self._column(name) for name in names])

    def in_data_order(self) -> Data:
        """Return the same data with its columns in an order that depends only on their values, not on their positions.

        Searches break ties by this order. Later calls return the same object, with its cached values.
        """
        return self if self._data_order is None else self._data_order

    @cached_property
    def _data_order(self) -> Data | None:
        order = self._names_by_data()
        if order == list(self.names):
            return None
        ordered = self.select(order)
        ordered.__dict__["_data_order"] = None  # it is in that order already
        places = [self.names.index(name) for name in order]
        for table in ("core_table", "core_table_with_missing"):  # whose rows have an order of their own
            if table in self.__dict__:
                ordered.__dict__[table] = self.__dict__[table].select(places)
        return ordered

    def _names_by_data(self) -> list[str]:
        return order_by_data(self)

    @cached_property
    def row_order(self) -> NDArray[np.intp]:
        """The positions of the rows in an order that depends only on their values. Sums over rows use it."""
        columns = sorted(self.columns, key=lambda c: c.name)  # not by place, where values cannot tell columns apart
        return row_order((with_missing_mark(c) for c in columns), self.weights)

    def check_scales(self, names: Iterable[str]) -> None:
        """Raise `InputError` for continuous columns whose scale makes moments overflow or lose precision."""
        fresh = [name for name in names if name not in self._scaled]
        check_scales([self._column(name) for name in fresh], self.weights)
        self._scaled.update(fresh)

    @cached_property
    def _scaled(self) -> set[str]:
        return set()

    def _sorted(self, columns: Iterable[Array]) -> tuple[list[Array], NDArray[np.int64] | None]:
        """The columns and the weights in the order of `row_order`."""
        weights = None if self.weights is None else self.weights[self.row_order]
        return [values.take(self.row_order) for values in columns], weights

    @cached_property
    def core_table(self) -> _core.Table:
        """The discrete data in the form that the C++ core counts. It is made once and reused."""
        self.require_complete("counting")
        order = row_order((c.values for c in self.columns), self.weights)  # not kept, since it is as large as the bits
        weights = None if self.weights is None else self.weights[order]
        return _core.Table([c.in_order(order) for c in self.columns], [len(c.states) for c in self.columns], weights)

    @cached_property
    def core_table_with_missing(self) -> _core.Table:
        """The same, where missing values of a variable are one more state, the last."""
        columns, weights = self._sorted(with_missing_mark(c) for c in self.columns)
        arities = [len(c.states) + (c.observed is not None) for c in self.columns]
        return _core.Table(columns, arities, weights, [len(c.states) for c in self.columns])

    @cached_property
    def core_mixed_table(self) -> _core.MixedTable:
        """Discrete and continuous columns together, in the form that the C++ core uses."""
        self.require_complete("counting")
        self.check_scales(self.names)
        columns, weights = self._sorted(c.values for c in self.columns)
        return _core.MixedTable(columns, [len(c.states) for c in self.columns], weights)

    @cached_property
    def core_mixed_table_with_missing(self) -> _core.MixedTable:
        """The same with missing values: one more state, the last, in discrete columns, and `NaN` in continuous ones."""
        self.check_scales(self.names)
        columns, weights = self._sorted(with_missing_mark(c) for c in self.columns)
        arities = [len(c.states) + (c.kind == "discrete" and c.observed is not None) for c in self.columns]
        return _core.MixedTable(columns, arities, weights, [len(c.states) for c in self.columns])

    @cached_property
    def core_table_by_group(self) -> _core.Table:
        """The same with one more variable, the last: the group of each row. Groups without observations are omitted."""
        self.require_complete("counting")
        group, observed = self._require_groups(), np.flatnonzero(self._group_sizes)
        dtype = np.uint8 if observed.size <= 256 else np.uint16
        codes = np.minimum(np.searchsorted(observed, group), max(observed.size - 1, 0)).astype(dtype)
        arities = [len(c.states) for c in self.columns]
        everything = [*(c.values for c in self.columns), codes]
        order = row_order(everything, self.weights)
        weights = None if self.weights is None else self.weights[order]
        return _core.Table([values.take(order) for values in everything], [*arities, observed.size], weights)

    def rows(self, which: Any) -> Data:
        """Return the rows at these positions, in that order, or where a mask is True. A slice shares memory."""
        index = which if isinstance(which, slice) else row_positions(which, self.nrows)
        columns = [c.take(index) for c in self.columns]
        weights = None if self.weights is None else self.weights[index]
        group = None if self.group is None else self.group[index]
        targets = None if self.targets is None else self.targets.take(index)
        return Data(columns, weights, group, self.groups, self.notes, targets)

    def not_set(self, names: str | Iterable[str]) -> Data:
        """Return the rows in which none of these variables was set, as data without targets. It may have no rows.

        These rows show what the variables depend on (Cooper and Yoo 1999). Later calls return the same object, with its
        cached values.

        See also:
            docs/interventions.md
        """
        if self.targets is None:
            return self
        wanted = (names,) if isinstance(names, str) else tuple(names)
        hit = self.targets.hit_by(wanted)
        if hit not in self._parts:
            bare = replace(self, targets=None)
            self._parts[hit] = bare.rows(~self.targets.is_set(wanted)) if any(hit) else bare
        return self._parts[hit]

    @cached_property
    def _parts(self) -> dict[tuple[bool, ...], Data]:
        return {}

    @property
    def target_sets(self) -> tuple[tuple[str, ...], ...]:
        """The different non-empty sets of variables that were set together, in rows of positive weight."""
        counts = {} if self.targets is None else self.targets.counted(self.weights)
        return tuple(own for own, count in counts.items() if own and count)

    def require_observational(self, what: str, remedy: str) -> None:
        """Raise `InputError` if a variable was set in some row; `what` names the operation that needs observations."""
        if self.targets is not None:
            rows = int(self.targets.is_set(self.targets.names).sum())
            raise InputError(f"{what} is not for data with interventions, and {rows} rows have targets: {remedy}")

    def complete_cases(self) -> Data:
        """Return the rows without missing values."""
        kept = rows_observed(self.columns)
        if kept is None:
            return self
        if not kept.any():
            raise InputError(
                f"complete_cases(): all {self.nrows} rows have missing values: select() variables with fewer missing "
                "values, or learn with the score PNAL, which uses all rows"
            )
        part = self.rows(kept)
        note = f"the {part.nrows} of {self.nrows} rows without missing values"
        return replace(part, notes=(*self.notes, note))

    def where_observed(self, names: Iterable[str]) -> Data:
        """Return some variables, in the rows where all of them have a value. It may have no rows."""
        part = self.select(names)
        kept = rows_observed(part.columns)
        return part if kept is None else part.rows(kept)

    def by_group(self) -> dict[str, Data]:
        """Split the data into its groups, by label. All parts have the same variables and states.

        Groups without rows are left out.
        """
        group = self._require_groups()
        parts = {}
        for code, label in enumerate(self.groups):
            rows = np.flatnonzero(group == code)
            if rows.size:
                part = self.rows(rows)
                parts[label] = replace(part, group=None, groups=(), notes=(*self.notes, f"the rows of group {label!r}"))
        return parts

    @property
    def observed_groups(self) -> tuple[str, ...]:
        """The labels of the groups that have observations. Rows of weight zero do not count."""
        return tuple(label for label, size in zip(self.groups, self._group_sizes, strict=True) if size > 0)

    @cached_property
    def _group_sizes(self) -> NDArray[np.int64]:
        weights = np.ones(self.nrows, np.int64) if self.weights is None else self.weights
        sizes = np.zeros(len(self.groups), np.int64)
        np.add.at(sizes, self._require_groups(), weights)
        return sizes

    def _require_groups(self) -> Array:
        if self.group is None:
            raise InputError("the data has no groups: name the column of the groups in group= when reading")
        return self.group

    def subsample(self, n: int, seed: Seed) -> Data:
        """Draw observations at random without replacement. Their order stays.

        A row of weight w counts as w observations. Up to 100 000 observations, the same seed draws the same ones as if
        the row were repeated w times. Above that, the number taken from each row is drawn.

        Args:
            n: How many observations to draw.
            seed: Seed of the random numbers. The same seed gives the same result.
        """
        note = f"subsample of {n} of {self.n} observations (seed {resampling.shown(seed)})"
        if self._is_listed:
            return self._observations(resampling.without_replacement(self.n, n, seed), note)
        return self._counted(resampling.drawn_counts(self._row_weights, n, seed), note)

    def resample(self, seed: Seed) -> Data:
        """Draw a bootstrap sample: as many observations as there are, with replacement.

        Data with groups is resampled within each group, and data with interventions within each set of targets, so each
        keeps its size. A row of weight w counts as w observations.

        Args:
            seed: Seed of the random numbers. The same seed gives the same result.
        """
        group = np.zeros(self.nrows, np.intp) if self.group is None else self.group.astype(np.intp)
        if self.targets is not None:
            group = group * len(self.targets.sets) + self.targets.codes
        note = f"bootstrap sample (seed {resampling.shown(seed)})"
        if not self._is_listed:
            return self._counted(resampling.resampled_counts(self._row_weights, group, seed), note)
        which = resampling.with_replacement(np.repeat(group, 1 if self.weights is None else self.weights), seed)
        return self._observations(which, note)

    def folds(self, k: int, seed: Seed) -> list[tuple[Data, Data]]:
        """Split the observations at random into k folds for cross-validation.

        A row of weight w counts as w observations, which may be in different folds.

        Args:
            k: How many folds.
            seed: Seed of the random numbers. The same seed gives the same result.

        Returns:
            For each fold, the training data (all other folds) and the test data (the fold).
        """
        split = self._split(k, seed)
        return [self._fold(i, *parts, len(split)) for i, parts in enumerate(split)]

    def fold(self, i: int, k: int, seed: Seed) -> tuple[Data, Data]:
        """Return ``folds(k, seed)[i]`` without making the others."""
        split = self._split(k, seed)
        return self._fold(i, *split[i], len(split))

    def _split(self, k: int, seed: Seed) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        if self._is_listed:
            return list(resampling.folds(self.n, k, seed))
        return list(resampling.fold_counts(self._row_weights, k, seed))

    def _fold(self, i: int, train: NDArray[np.int64], test: NDArray[np.int64], k: int) -> tuple[Data, Data]:
        part = self._observations if self._is_listed else self._counted
        return part(train, f"training part of fold {i + 1} of {k}"), part(test, f"test part of fold {i + 1} of {k}")

    @property
    def _is_listed(self) -> bool:
        """Whether observations are few enough to be drawn one by one; without weights they are the rows."""
        return self.weights is None or self.n <= resampling.LISTED

    @property
    def _row_weights(self) -> NDArray[np.int64]:
        return np.ones(self.nrows, np.int64) if self.weights is None else self.weights

    def _observations(self, which: NDArray[np.int64], note: str) -> Data:
        """The rows that hold these observations, counted from 0; in weighted data they lie row after row."""
        if self.weights is None:
            part = self.rows(np.sort(which))
            return replace(part, notes=(*self.notes, note))
        row = np.searchsorted(np.cumsum(self.weights), which, side="right")
        return self._counted(np.bincount(row, minlength=self.nrows), note)

    def _counted(self, counts: NDArray[np.int64], note: str) -> Data:
        """Each row with so many observations; without rows that have none."""
        part = self.rows(counts > 0)
        return replace(part, weights=counts[counts > 0], notes=(*self.notes, note))

    def discretize(
        self, bins: int | None = None, method: Choice = "quantile", columns: Iterable[str] | None = None
    ) -> Data:
        """Cut continuous variables into bins.

        A bin includes its upper edge. The notes list the edges.

        Args:
            bins: The number of bins, for a method given by its name alone.
            method: How to cut: ``"quantile(4)"`` (bins with equal counts), ``"interval(4)"`` (bins of equal width),
                ``"hartemink(4)"`` (keeps the information that columns have about each other), ``"mdl(by=X)"``
                (separates the states of X), or a method for each column, ``{"age": "interval(5)"}``.
            columns: The columns to cut; all continuous ones if None.

        See also:
            `discretize`, docs/data.md
        """
        if isinstance(columns, str):
            raise InputError(f"columns={columns!r} must be a list of names: [{columns!r}]")
        methods = choose(self._by_name, with_bins(method, bins), columns, "method")
        cut, notes = discretized(self._by_name, self.weights, methods)
        return self._with(cut.values(), notes)

    # --- out of it --------------------------------------------------------------------------------------------------

    def to_pandas(self, *, weights: str = "weight", group: str = "group", targets: str = "targets") -> pd.DataFrame:
        """Convert to a pandas DataFrame. Discrete variables become categories.

        Args:
            weights: The name of the column for the weights, if there are any.
            group: The name of the column for the groups, if there are any.
            targets: The name of the column for the targets of interventions, if there are any.
        """
        return to_pandas(self, weights, group, targets)

    def to_polars(self, *, weights: str = "weight", group: str = "group", targets: str = "targets") -> pl.DataFrame:
        """Convert to a polars DataFrame. Discrete variables become Enum columns.

        Args:
            weights, group, targets: As in `Data.to_pandas`.
        """
        return to_polars(self, weights, group, targets)

    def write(
        self, path: str | Path | BinaryIO, *, weights: str = "weight", group: str = "group", targets: str = "targets"
    ) -> None:
        """Write the data to a file, or as CSV to an open binary stream.

        Discrete variables are written as the names of their states. A missing value is an empty field or a null.
        .parquet and .arrow keep all states and their order: `read` returns the same data if you give it the names of
        the columns below. They need ``pip install 'veridag[files]'``. Text files have observed values only, so declare
        the states when you read them.

        Args:
            path: The file, with suffix .csv, .csv.gz, .tsv, .tsv.gz, .parquet or .arrow, or a stream.
            weights, group, targets: As in `Data.to_pandas`.
        """
        write_data(self, path, weights, group, targets)

    # --- as a value -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.nrows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return NotImplemented
        same = self.columns == other.columns and self.groups == other.groups
        same = same and self.targets == other.targets
        return same and _same(self.weights, other.weights) and _same(self.group, other.group)

    __hash__ = None  # type: ignore[assignment] # arrays are not hashable

    def __reduce__(self) -> tuple[Any, ...]:
        return Data, (self.columns, self.weights, self.group, self.groups, self.notes, self.targets)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else f" in {self.nrows} weighted rows"
        groups = f", {len(self.groups)} groups" if self.groups else ""
        missing = f", {sum(self.missing_counts.values())} values missing" if self.incomplete else ""
        set_in = (
            ""
            if self.targets is None
            else f", something set in {int(self.targets.is_set(self.targets.names).sum())} rows"
        )
        what = f"{len(self.names)} {self.kind} variables{groups}{missing}{set_in}"
        return f"<Data: {self.n} observations{weighted} of {what}>"

    def _repr_html_(self) -> str:
        return self.describe()._repr_html_()


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)
