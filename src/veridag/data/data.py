"""`Data`: observations of variables that are ready to learn from, coded, checked and immutable."""

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
    """Observations of discrete or continuous variables.

    ``columns`` are the variables in order. ``weights`` say how many observations a row stands for. ``group`` holds for
    each row the position in ``groups`` of the related data set it belongs to. ``notes`` say what was done to the data
    since it was read. ``targets`` say which variables were set in each row by an intervention; None if nothing was,
    which is what data without any becomes. Made by ``read``, ``from_frame``, ``from_numpy`` or ``Network.sample``.
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
        """The data itself, or the `Data` that `from_frame` makes of a data frame: what every learner starts with."""
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
        """Take a pandas, polars or pyarrow table, or a dictionary of columns.

        Text, booleans, integers and categories become discrete, other numbers continuous: ``veridag.data.reading`` has
        the rules in full, and ``describe()`` shows which one decided for each column.

        - ``states``: the states of columns, in order: ``{"X": ["low", "high"]}``. Other values are an error.
        - ``kinds``: ``{"age": "continuous"}`` or ``"discrete"``, where the rules would decide otherwise.
        - ``group``: the column that says which related data set a row belongs to; it is no variable.
        - ``weights``: how many observations each row stands for: a column, which is no variable, or integers.
        - ``targets``: which variables were set in each row by an intervention: a column, which is no variable, whose
          entries name them (several separated by ``;`` or ``+``, none if empty, missing or "none"); a list with a name,
          a tuple of names or None for each row; or what was set in each condition of a column,
          ``{"condition": {"drug": ["A"], "control": []}}``. See ``docs/interventions.md``.
        - ``missing``: ``"error"``, the default unless ``strict=False``, names the columns; ``"drop"`` leaves out rows;
          ``"state"`` makes missing values of discrete columns a last state "missing", or that state if there is one
          already; ``"keep"`` keeps them as missing, for what can learn from incomplete data: see
          ``docs/incomplete.md``; ``"indicator"`` does that, and adds for each column with missing values a discrete one
          that says where, as ``age_missing``.
        - ``missing_values``: the texts and numbers that mean missing in place of the usual ones, or beside them in a
          column, as in ``{"age": [-99]}``; nulls and NaN always do, declared states never.
        - ``columns``, ``drop``: the columns to take, or to leave out.
        - ``discretize``: cuts continuous columns: ``"hartemink(3)"`` for all, or ``{"age": "quantile(4)"}``.
        - ``transform``: ``{"income": "log"}`` or ``"rank"``, the normal scores of the ranks.
        - ``merge_states``: ``{"smoker": {"y": "yes"}}`` makes two states one.
        - ``merge_rare``: ``{"city": 5}`` makes states of fewer than five observations one state "other".
        - ``strict=False``: what a careful analyst would do is done and stated in ``notes``, where otherwise an error is
          raised: see ``docs/data.md``. ``as_written`` names columns whose values are taken as they are then.
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
        """Take a two-dimensional array: of integers for discrete variables, of floats for continuous ones.

        The names are X1, X2, ... unless given. The other arguments are those of ``from_frame``.
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
        """The variables, in order."""
        return tuple(self._by_name)

    @property
    def nrows(self) -> int:
        """The number of stored rows."""
        return self.columns[0].nrows

    @cached_property
    def n(self) -> int:
        """The number of observations: the total weight."""
        return self.nrows if self.weights is None else int(self.weights.sum())

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of each variable."""
        return MappingProxyType({c.name: c.kind for c in self.columns})

    @property
    def kind(self) -> DataKind:
        """The kind of all variables, or "mixed"."""
        kinds = set(self.kinds.values())
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @cached_property
    def states(self) -> Mapping[str, tuple[str, ...]]:
        """The states of the discrete variables, observed or not."""
        return MappingProxyType({c.name: c.states for c in self.columns if c.kind == "discrete"})

    @cached_property
    def arities(self) -> Mapping[str, int]:
        """The number of states of each discrete variable."""
        return MappingProxyType({name: len(states) for name, states in self.states.items()})

    @cached_property
    def constants(self) -> tuple[str, ...]:
        """The variables of which at most one value is observed; rows of weight zero are no observations."""
        counted = None if self.weights is None or self.weights.all() else self.weights > 0
        return tuple(c.name for c in self.columns if (c if counted is None else c.take(counted)).is_constant())

    @cached_property
    def bin_edges(self) -> Mapping[str, tuple[float, ...]]:
        """Where each variable that was cut into bins was cut: the upper edges of its bins but the last."""
        return MappingProxyType({c.name: c.edges for c in self.columns if c.edges})

    def column(self, name: str) -> Array:
        """The codes of a discrete variable or the values of a continuous one; read-only. None may be missing."""
        column = self._column(name)
        if column.observed is not None:
            raise refusal([column], "this")
        return column.values

    def observed(self, name: str) -> NDArray[np.bool_]:
        """Where a variable has a value; read-only."""
        mask = self._column(name).observed
        return frozen(np.ones(self.nrows, bool)) if mask is None else mask

    @cached_property
    def incomplete(self) -> bool:
        """Whether a value is missing."""
        return any(c.observed is not None for c in self.columns)

    @cached_property
    def missing_counts(self) -> Mapping[str, int]:
        """In how many observations each variable has no value."""
        return MappingProxyType({c.name: missing_in(c, self.weights) for c in self.columns})

    @cached_property
    def indicators(self) -> Mapping[str, str]:
        """The columns that say where a variable is missing, each with that variable: ``missing="indicator"``."""
        return MappingProxyType({c.name: c.indicates for c in self.columns if c.indicates})

    def require_complete(self, what: str, remedy: str = "") -> None:
        """Refuse data in which a value is missing; `what` names the work that cannot be done with it."""
        if self.incomplete:
            raise refusal(self.columns, what, remedy)

    def _column(self, name: str) -> Column:
        if name not in self._by_name:
            raise InputError(f"there is no column {name!r}: {suggest(name, self.names)}")
        return self._by_name[name]

    def require_one_kind(self) -> Kind:
        """The kind of all variables; mixed data is an error."""
        kind = self.kind
        if kind == "mixed":
            discrete = len(self.states)
            raise InputError(
                f"the data is mixed, with {discrete} discrete and {len(self.names) - discrete} continuous columns: "
                f"discretize() the continuous ones, or select() those of one kind"
            )
        return kind

    def describe(self) -> Description:
        """Each variable with its kind, states or range, and the rule that decided; then the notes."""
        rows = tuple(MappingProxyType(described(c, self.weights)) for c in self.columns)
        return Description(rows, repr(self), tuple(self.notes))

    def missing_pattern(self) -> MissingPattern:
        """How much is missing, in which variables together, and what goes with it; as text, with a verdict.

        What goes with it may be another variable, or the group that a row is in.
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
        """These variables in this order; groups, weights and the targets among them stay. Shares memory."""
        if isinstance(names, str):
            raise InputError(f"select({names!r}) needs a list of names, such as select([{names!r}])")
        return self._with([self._column(name) for name in names])

    def in_data_order(self) -> Data:
        """The same with the columns in an order that comes from the data alone: that of `ordering.order_by_data`.

        Searches break ties by it. Later calls return the same object, with its cached values.
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
        """The positions of the rows in an order that comes from their values alone; sums over rows are taken in it."""
        columns = sorted(self.columns, key=lambda c: c.name)  # not by place, where values cannot tell columns apart
        return row_order((with_missing_mark(c) for c in columns), self.weights)

    def check_scales(self, names: Iterable[str]) -> None:
        """Refuse continuous columns of a scale at which moments overflow or lose their digits."""
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
        """Discrete data as the core counts it; made once, since its bit rows serve every search and test."""
        self.require_complete("counting")
        order = row_order((c.values for c in self.columns), self.weights)  # not kept, since it is as large as the bits
        weights = None if self.weights is None else self.weights[order]
        return _core.Table([c.in_order(order) for c in self.columns], [len(c.states) for c in self.columns], weights)

    @cached_property
    def core_table_with_missing(self) -> _core.Table:
        """The same with one state more, the last, in each variable with missing values: that of those."""
        columns, weights = self._sorted(with_missing_mark(c) for c in self.columns)
        arities = [len(c.states) + (c.observed is not None) for c in self.columns]
        return _core.Table(columns, arities, weights, [len(c.states) for c in self.columns])

    @cached_property
    def core_mixed_table(self) -> _core.MixedTable:
        """Discrete and continuous columns as the core takes them together."""
        self.require_complete("counting")
        self.check_scales(self.names)
        columns, weights = self._sorted(c.values for c in self.columns)
        return _core.MixedTable(columns, [len(c.states) for c in self.columns], weights)

    @cached_property
    def core_mixed_table_with_missing(self) -> _core.MixedTable:
        """The same with missing values: one state more, the last, in discrete columns, and NaN in continuous ones."""
        self.check_scales(self.names)
        columns, weights = self._sorted(with_missing_mark(c) for c in self.columns)
        arities = [len(c.states) + (c.kind == "discrete" and c.observed is not None) for c in self.columns]
        return _core.MixedTable(columns, arities, weights, [len(c.states) for c in self.columns])

    @cached_property
    def core_table_by_group(self) -> _core.Table:
        """The same with one variable more, the last: which of the related data sets with observations a row is in."""
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
        """The rows at these positions, in that order, or where a mask is true; a slice shares memory."""
        index = which if isinstance(which, slice) else row_positions(which, self.nrows)
        columns = [c.take(index) for c in self.columns]
        weights = None if self.weights is None else self.weights[index]
        group = None if self.group is None else self.group[index]
        targets = None if self.targets is None else self.targets.take(index)
        return Data(columns, weights, group, self.groups, self.notes, targets)

    def not_set(self, names: str | Iterable[str]) -> Data:
        """The rows in which none of these variables was set, as data without targets; perhaps without any rows.

        These are the rows that tell what the variables depend on (Cooper and Yoo 1999). Later calls return the same
        object, with its cached values.
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
        """The different sets of variables that were set together, in rows that count; without the empty one."""
        counts = {} if self.targets is None else self.targets.counted(self.weights)
        return tuple(own for own, count in counts.items() if own and count)

    def require_observational(self, what: str, remedy: str) -> None:
        """Refuse data in which something was set; `what` names the work that cannot be done with it."""
        if self.targets is not None:
            rows = int(self.targets.is_set(self.targets.names).sum())
            raise InputError(f"{what} is not for data with interventions, and {rows} rows have targets: {remedy}")

    def complete_cases(self) -> Data:
        """The rows in which no value is missing."""
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
        """These variables in the rows in which all of them have a value: complete, and perhaps without any rows."""
        part = self.select(names)
        kept = rows_observed(part.columns)
        return part if kept is None else part.rows(kept)

    def by_group(self) -> dict[str, Data]:
        """The related data sets by label, with the same variables and states; groups without rows are left out."""
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
        """The labels of the related data sets that have observations; rows of weight zero are none."""
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
        """So many observations drawn without replacement, in their order.

        A row of weight w counts as w observations. Of up to 100 000 observations, the same seed draws the same ones as
        if the row were there w times; of more, it draws how many of each row are taken.
        """
        note = f"subsample of {n} of {self.n} observations (seed {resampling.shown(seed)})"
        if self._is_listed:
            return self._observations(resampling.without_replacement(self.n, n, seed), note)
        return self._counted(resampling.drawn_counts(self._row_weights, n, seed), note)

    def resample(self, seed: Seed) -> Data:
        """As many observations as there are, drawn with replacement: a bootstrap sample.

        Grouped data is resampled within each group, which keeps its size, and data with targets within the rows of each
        set of targets: an experiment has as many as were planned. A row of weight w counts as w observations.
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
        """Split the observations at random into k test sets; each comes after the rest, (train, test).

        A row of weight w counts as w observations, which may fall into different folds.
        """
        split = self._split(k, seed)
        return [self._fold(i, *parts, len(split)) for i, parts in enumerate(split)]

    def fold(self, i: int, k: int, seed: Seed) -> tuple[Data, Data]:
        """What ``folds(k, seed)[i]`` is, without making the others."""
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
        """Continuous variables cut into bins: all of them, or those that are named.

        The method is ``"quantile(4)"`` (bins of equal count), ``"interval(4)"`` (of equal width), ``"hartemink(4)"``
        (that keep what columns say about each other), ``"mdl(by=X)"`` (that tell the states of X apart), or methods by
        column, ``{"age": "interval(5)"}``: see ``docs/data.md``. ``bins`` is for a method that is named alone. Bins
        hold their upper edge, and the notes state the edges. `veridag.discretize` can learn meanwhile, too.
        """
        if isinstance(columns, str):
            raise InputError(f"columns={columns!r} must be a list of names: [{columns!r}]")
        methods = choose(self._by_name, with_bins(method, bins), columns, "method")
        cut, notes = discretized(self._by_name, self.weights, methods)
        return self._with(cut.values(), notes)

    # --- out of it --------------------------------------------------------------------------------------------------

    def to_pandas(self, *, weights: str = "weight", group: str = "group", targets: str = "targets") -> pd.DataFrame:
        """A pandas DataFrame, discrete variables as categories; weights, group and targets as columns."""
        return to_pandas(self, weights, group, targets)

    def to_polars(self, *, weights: str = "weight", group: str = "group", targets: str = "targets") -> pl.DataFrame:
        """A polars DataFrame, discrete variables as Enum; weights, group and targets as columns."""
        return to_polars(self, weights, group, targets)

    def write(
        self, path: str | Path | BinaryIO, *, weights: str = "weight", group: str = "group", targets: str = "targets"
    ) -> None:
        """Write a .csv, .csv.gz, .tsv, .tsv.gz, .parquet or .arrow file, or CSV into an open binary stream.

        Discrete variables are written as the names of their states; weights, group and targets, if any, as
        columns of those names. A missing value is an empty field or a null. .parquet and .arrow keep all states and
        their order, and ``read`` gives the same data back if it gets the names of those columns. Text files hold
        observed values only: declare the states when reading them. .parquet and .arrow need ``veridag[files]``.
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
