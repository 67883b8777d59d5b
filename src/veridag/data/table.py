"""A table of variables that is ready to learn from: coded, validated and immutable."""

from __future__ import annotations

import html
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.errors import InputError, suggest

from . import reading as ingest
from .columns import Array, Column, Kind
from .reading import MISSING_VALUES, Missing, Rules

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

__all__ = ["MISSING_VALUES", "Column", "Data", "DataWarning", "Description", "read"]

Seed = int | np.random.Generator | np.random.SeedSequence
States = Mapping[str, Iterable[object]]
Weights = str | Array | Sequence[int]


class DataWarning(UserWarning):
    """Something about the data that is accepted, but that the user should know."""


def read(
    path: str | Path | BinaryIO,
    *,
    separator: str | None = None,
    encoding: str = "utf-8",
    states: States | None = None,
    kinds: Mapping[str, Kind] | None = None,
    group: str | None = None,
    weights: Weights | None = None,
    missing: Missing = "error",
    missing_values: Collection[object] = MISSING_VALUES,
) -> Data:
    """Read a .csv, .tsv, .csv.gz, .tsv.gz, .parquet or .arrow file, or an open binary stream of one.

    ``separator`` and ``encoding`` are for text files; by default .csv has commas and .tsv has tabs. A stream is taken
    for CSV unless it starts like one of the other formats. The other arguments are those of ``Data.from_frame``.
    """
    rules = Rules(states, kinds, group, weights, missing, missing_values)
    return _announced(ingest.read_file(path, rules, separator, encoding))


@dataclass(frozen=True, eq=False, repr=False)
class Data:
    """Observations of discrete or continuous variables.

    ``columns`` are the variables in order. ``weights`` say how many observations a row stands for. ``group`` holds for
    each row the position in ``groups`` of the related data set it belongs to. ``notes`` say what was done to the table
    since it was read. Made by ``read``, ``from_frame``, ``from_numpy`` or ``Network.sample``.
    """

    columns: Sequence[Column]
    weights: NDArray[np.int64] | None = None
    group: Array | None = None
    groups: Sequence[str] = ()
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for field in ("columns", "groups", "notes"):
            object.__setattr__(self, field, tuple(getattr(self, field)))
        _check_columns(self.columns)
        if self.weights is not None:
            object.__setattr__(self, "weights", ingest.check_weights(self.weights, self.nrows))
        if (self.group is None) != (not self.groups):
            raise InputError("group and groups belong together: the codes of the rows and the labels they stand for")
        if self.group is not None:
            coded = Column.discrete("group", self.group, self.groups)
            if len(coded.values) != self.nrows:
                raise InputError(f"group has {len(coded.values)} entries for {self.nrows} rows")
            object.__setattr__(self, "group", coded.values)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        states: States | None = None,
        kinds: Mapping[str, Kind] | None = None,
        group: str | None = None,
        weights: Weights | None = None,
        missing: Missing = "error",
        missing_values: Collection[object] = MISSING_VALUES,
    ) -> Data:
        """Take a pandas, polars or pyarrow table.

        Text, booleans, integers and categories become discrete, other numbers continuous: ``veridag.data.reading`` has
        the rules in full, and ``describe()`` shows which one decided for each column.

        - ``states``: the states of columns, in order: ``{"X": ["low", "high"]}``. Other values are an error.
        - ``kinds``: ``{"age": "continuous"}`` or ``"discrete"``, where the rules would decide otherwise.
        - ``group``: the column that says which related data set a row belongs to; it is no variable.
        - ``weights``: how many observations each row stands for: a column, which is no variable, or whole numbers.
        - ``missing``: ``"error"`` names the columns; ``"drop"`` leaves out rows; ``"state"`` makes missing values of
          discrete columns a last state "missing", or that state if there is one already.
        - ``missing_values``: the texts and numbers that mean missing; nulls and NaN always do, declared states never.
        """
        rules = Rules(states, kinds, group, weights, missing, missing_values)
        return _announced(ingest.read_frame(frame, rules))

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
        missing: Missing = "error",
        missing_values: Collection[object] = MISSING_VALUES,
    ) -> Data:
        """Take a two-dimensional array: of integers for discrete variables, of floats for continuous ones.

        The names are X1, X2, ... unless given. The other arguments are those of ``from_frame``.
        """
        rules = Rules(states, kinds, group, weights, missing, missing_values)
        return _announced(ingest.read_array(array, names, rules))

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
        return len(self.columns[0].values)

    @cached_property
    def n(self) -> int:
        """The number of observations: the total weight."""
        return self.nrows if self.weights is None else int(self.weights.sum())

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of each variable."""
        return MappingProxyType({c.name: c.kind for c in self.columns})

    @property
    def kind(self) -> Literal["discrete", "continuous", "mixed"]:
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

    def column(self, name: str) -> Array:
        """The codes of a discrete variable or the values of a continuous one; read-only."""
        return self._column(name).values

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
        rows = tuple(MappingProxyType(_described(c, self.weights)) for c in self.columns)
        return Description(rows, repr(self), tuple(self.notes))

    # --- parts of it ------------------------------------------------------------------------------------------------

    def _with(self, columns: Iterable[Column], notes: Iterable[str] = ()) -> Data:
        return Data(tuple(columns), self.weights, self.group, self.groups, (*self.notes, *notes))

    def select(self, names: Iterable[str]) -> Data:
        """These variables in this order; groups and weights stay. Shares memory."""
        if isinstance(names, str):
            raise InputError(f"select({names!r}) needs a list of names: select([{names!r}])")
        return self._with([self._column(name) for name in names])

    def in_name_order(self) -> Data:
        """The same with the columns sorted by name; asked again it is the same object, so what it keeps is kept."""
        return self if list(self.names) == sorted(self.names) else self._sorted

    @cached_property
    def _sorted(self) -> Data:
        return self.select(sorted(self.names))

    @cached_property
    def core_table(self) -> _core.Table:
        """Discrete data as the core counts it; made once, since its bit rows serve every search and test."""
        return _core.Table([c.values for c in self.columns], [len(c.states) for c in self.columns], self.weights)

    @cached_property
    def core_table_by_group(self) -> _core.Table:
        """The same with one variable more, the last: which of the related data sets with observations a row is in."""
        group, observed = self._require_groups(), np.flatnonzero(self._group_sizes)
        dtype = np.uint8 if observed.size <= 256 else np.uint16
        codes = np.minimum(np.searchsorted(observed, group), max(observed.size - 1, 0)).astype(dtype)
        arities = [len(c.states) for c in self.columns]
        return _core.Table([*(c.values for c in self.columns), codes], [*arities, observed.size], self.weights)

    def rows(self, which: Any) -> Data:
        """The rows at these positions, in that order, or where a mask is true; a slice shares memory."""
        index = which if isinstance(which, slice) else _positions(which, self.nrows)
        columns = [c.take(index) for c in self.columns]
        weights = None if self.weights is None else self.weights[index]
        group = None if self.group is None else self.group[index]
        return Data(columns, weights, group, self.groups, self.notes)

    def by_group(self) -> dict[str, Data]:
        """The related data sets by label, with the same variables and states; groups without rows are left out."""
        group = self._require_groups()
        parts = {}
        for code, label in enumerate(self.groups):
            rows = np.flatnonzero(group == code)
            if rows.size:
                part = self.rows(rows)
                parts[label] = Data(part.columns, part.weights, None, (), (*self.notes, f"the rows of group {label!r}"))
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
            raise InputError("the data has no groups: name the column that holds them in group= when reading")
        return self.group

    def subsample(self, n: int, seed: Seed) -> Data:
        """So many observations drawn without replacement, in their order.

        A row of weight w counts as w observations: the same seed draws the same ones as if the row were there w times.
        """
        if not _is_whole(n) or not 0 < n <= self.n:
            raise InputError(f"subsample(n={n!r}): n must be between 1 and the number of observations, {self.n}")
        drawn = _generator(seed).choice(self.n, size=int(n), replace=False)
        shown = seed if isinstance(seed, int) else "of the caller"
        return self._observations(drawn, f"subsample of {n} of {self.n} observations (seed {shown})")

    def resample(self, seed: Seed) -> Data:
        """As many observations as there are, drawn with replacement: a bootstrap sample.

        Grouped data is resampled within each group, which keeps its size. A row of weight w counts as w observations.
        """
        generator, drawn = _generator(seed), np.zeros(self.n, np.int64)
        group = np.zeros(self.nrows, np.intp) if self.group is None else self.group
        group = np.repeat(group, 1 if self.weights is None else self.weights)
        for code in np.unique(group):
            own = np.flatnonzero(group == code)
            drawn[own] = own[generator.integers(len(own), size=len(own))]
        return self._observations(
            drawn, f"bootstrap sample (seed {seed if isinstance(seed, int) else 'of the caller'})"
        )

    def folds(self, k: int, seed: Seed) -> list[tuple[Data, Data]]:
        """Part the observations at random into k test sets; each comes after the rest, (train, test).

        A row of weight w counts as w observations, which may fall into different folds.
        """
        if not _is_whole(k) or not 2 <= k <= self.n:
            raise InputError(f"folds(k={k!r}): k must be between 2 and the number of observations, {self.n}")
        parts = np.array_split(_generator(seed).permutation(self.n), int(k))
        pairs = []
        for i, test in enumerate(parts):
            train = np.concatenate([*parts[:i], *parts[i + 1 :]])
            name = f"of fold {i + 1} of {k}"
            pairs.append(
                (self._observations(train, f"training part {name}"), self._observations(test, f"test part {name}"))
            )
        return pairs

    def _observations(self, which: NDArray[np.int64], note: str) -> Data:
        """The rows that hold these observations, counted from 0; in a weighted table they lie row after row."""
        if self.weights is None:
            part = self.rows(np.sort(which))
            return Data(part.columns, None, part.group, part.groups, (*self.notes, note))
        row = np.searchsorted(np.cumsum(self.weights), which, side="right")
        counts = np.bincount(row, minlength=self.nrows)
        part = self.rows(counts > 0)
        return Data(part.columns, counts[counts > 0], part.group, part.groups, (*self.notes, note))

    def discretize(
        self,
        bins: int = 3,
        method: Literal["quantile", "interval"] = "quantile",
        columns: Iterable[str] | None = None,
    ) -> Data:
        """Continuous variables cut into bins of equal count (``"quantile"``) or of equal width (``"interval"``).

        Bins hold their upper edge. Quantiles are observed values (the smallest that at least the share i / bins of the
        observations does not exceed); where they coincide there are fewer bins. The edges are stated in the notes.
        """
        if method not in ("quantile", "interval"):
            raise InputError(f"method={method!r} must be 'quantile' or 'interval'")
        if not _is_whole(bins) or not 2 <= bins <= ingest.MAX_STATES:
            raise InputError(f"bins={bins!r} must be a whole number between 2 and {ingest.MAX_STATES}")
        if isinstance(columns, str):
            raise InputError(f"columns={columns!r} must be a list of names: [{columns!r}]")
        chosen = [v for v in self.names if self.kinds[v] == "continuous"] if columns is None else list(columns)
        cut, notes = dict(self._by_name), []
        for name in chosen:
            if self._column(name).kind == "discrete":
                raise InputError(f"column {name!r} is discrete already: name continuous columns only")
            cut[name], note = _cut(self._column(name), self.weights, int(bins), method)
            notes.append(note)
        return self._with(cut.values(), notes)

    # --- out of it --------------------------------------------------------------------------------------------------

    def to_pandas(self, *, weights: str = "weight", group: str = "group") -> pd.DataFrame:
        """A pandas DataFrame, discrete variables as categories; weights and group, if any, as so named columns."""
        import pandas as pd

        frame: dict[str, Any] = {}
        for c in self._with_group(weights, group):
            discrete = c.kind == "discrete"
            frame[c.name] = pd.Categorical.from_codes(c.values, categories=list(c.states)) if discrete else c.values
        return pd.DataFrame(frame if self.weights is None else {**frame, weights: self.weights})

    def to_polars(self, *, weights: str = "weight", group: str = "group") -> pl.DataFrame:
        """A polars DataFrame, discrete variables as Enum; weights and group, if any, as columns of those names."""
        import polars as pl

        frame: dict[str, Any] = {}
        for c in self._with_group(weights, group):
            states = pl.Series(c.states, dtype=pl.Enum(c.states)) if c.kind == "discrete" else None
            frame[c.name] = pl.Series(c.values) if states is None else states.gather(c.values)
        return pl.DataFrame(frame if self.weights is None else {**frame, weights: self.weights})

    def write(self, path: str | Path | BinaryIO, *, weights: str = "weight", group: str = "group") -> None:
        """Write a .csv, .csv.gz, .tsv, .tsv.gz, .parquet or .arrow file, or CSV into an open binary stream.

        Discrete variables are written as the names of their states; weights and group, if any, as columns of those
        names. .parquet and .arrow keep all states and their order, and ``read`` gives the same data back if told the
        names of those columns. Text files hold observed values only: declare the states when reading them.
        """
        ingest.write_file(self.to_polars(weights=weights, group=group), path)

    def _with_group(self, weights: str, group: str) -> list[Column]:
        """The variables and after them the group, if the names of the extra columns are free."""
        for argument, name, extra in (("group", group, self.group), ("weights", weights, self.weights)):
            if extra is not None and (not isinstance(name, str) or not name):
                raise InputError(f"{argument}={name!r} must be a name for the column, as a text")
            if extra is not None and name in self.names:
                raise InputError(f"{argument}={name!r} is a variable too: pass {argument}= with another name")
        if self.group is None:
            return list(self.columns)
        if self.weights is not None and weights == group:
            raise InputError(f"group= and weights= are both {group!r}: pass two names")
        return [*self.columns, Column.discrete(group, self.group, self.groups)]

    # --- as a value -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.nrows

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return NotImplemented
        same = self.columns == other.columns and self.groups == other.groups
        return same and _same(self.weights, other.weights) and _same(self.group, other.group)

    __hash__ = None  # type: ignore[assignment] # arrays are not hashable

    def __reduce__(self) -> tuple[Any, ...]:
        return Data, (self.columns, self.weights, self.group, self.groups, self.notes)

    def __repr__(self) -> str:
        weighted = "" if self.weights is None else f" in {self.nrows} weighted rows"
        groups = f", {len(self.groups)} groups" if self.groups else ""
        return f"<Data: {self.n} observations{weighted} of {len(self.names)} {self.kind} variables{groups}>"

    def _repr_html_(self) -> str:
        return self.describe()._repr_html_()


@dataclass(frozen=True)
class Description:
    """What ``Data.describe`` found: one mapping for each variable in ``rows``; as text, an aligned table."""

    rows: Sequence[Mapping[str, Any]]
    heading: str
    notes: tuple[str, ...]

    def cells(self) -> list[tuple[str, ...]]:
        """The table as texts, its heading first."""
        body = [(r["name"], r["kind"], _states_shown(r), _range_shown(r), r["rule"]) for r in self.rows]
        return [("name", "kind", "states", "commonest or range", "rule"), *body]

    def __str__(self) -> str:
        cells = self.cells()
        widths = [max(len(row[j]) for row in cells) for j in range(len(cells[0]))]
        lines = ["  ".join(f"{v:<{w}}" for v, w in zip(row, widths, strict=True)).rstrip() for row in cells]
        return "\n".join([self.heading, *lines, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        head, *body = self.cells()
        rows = ["".join(f"<td>{html.escape(v)}</td>" for v in row) for row in body[:20]]
        more = f"<p>and {len(body) - 20} more variables</p>" if len(body) > 20 else ""
        table = "".join(f"<tr>{row}</tr>" for row in ["".join(f"<th>{v}</th>" for v in head), *rows])
        return f"<p>{html.escape(self.heading)}</p><table>{table}</table>{more}"


def _announced(table: ingest.Table) -> Data:
    for text in ingest.remarks(table.columns, table.weights):
        warnings.warn(text, DataWarning, stacklevel=3)
    return Data(*table)


def _check_columns(columns: Sequence[Column]) -> None:
    if not columns:
        raise InputError("data needs at least one column")
    names: set[str] = set()
    for c in columns:
        if not isinstance(c, Column):
            raise InputError(f"columns must be Column objects, not {type(c).__name__}: use Data.from_frame for frames")
        if c.name in names:
            raise InputError(f"the column name {c.name!r} occurs twice")
        if len(c.values) != len(columns[0].values):
            raise InputError(
                f"column {c.name!r} has {len(c.values)} rows, but {columns[0].name!r} {len(columns[0].values)}"
            )
        names.add(c.name)


def _same(a: Array | None, b: Array | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _generator(seed: Seed) -> np.random.Generator:
    if not isinstance(seed, np.random.Generator | np.random.SeedSequence) and not (_is_whole(seed) and seed >= 0):
        raise InputError(f"seed={seed!r} must be a whole number from 0 up, or a numpy generator")
    return np.random.default_rng(seed)


def _positions(which: Any, nrows: int) -> NDArray[np.intp]:
    index = np.asarray(which)
    if index.ndim != 1:
        raise InputError(f"rows() needs a list of positions or a mask, not an array of shape {index.shape}")
    if index.dtype == bool:
        if len(index) != nrows:
            raise InputError(f"rows(): the mask has {len(index)} entries for {nrows} rows")
        return np.flatnonzero(index)
    if not index.size:
        return np.zeros(0, dtype=np.intp)
    if index.dtype.kind not in "iu":
        raise InputError(f"rows() needs whole numbers or a mask, not {index.dtype}")
    if index.min() < 0 or index.max() >= nrows:
        wrong = index[(index < 0) | (index >= nrows)][0]
        raise InputError(f"rows(): there is no row {wrong}; rows are counted from 0 to {nrows - 1}")
    return index.astype(np.intp, copy=False)


# --- discretization -------------------------------------------------------------------------------------------------


def _cut(column: Column, weights: Array | None, bins: int, method: str) -> tuple[Column, str]:
    """A continuous column in bins, and the note that says how."""
    values = column.values
    counted = values if weights is None else values[weights > 0]
    if not counted.size:
        raise InputError(f"column {column.name!r} has no observations to place edges by")
    if counted.min() == counted.max():
        label = f"{counted[0]:.6g}"
        constant = Column.discrete(column.name, np.zeros(len(values), dtype=np.uint8), (label,), "discretized")
        return constant, f"discretized {column.name!r}: constant, so one state"
    edges = _quantiles(values, weights, bins) if method == "quantile" else _intervals(counted, bins)
    merged = f" ({len(edges) + 1} bins and not {bins}, because of ties)" if len(edges) < bins - 1 else ""
    codes = np.searchsorted(edges, values, side="left")
    note = f"discretized {column.name!r} by {method} at {', '.join(map(repr, edges.tolist()))}{merged}"
    return Column.discrete(column.name, codes, _bin_labels(edges), f"discretized by {method}"), note


def _quantiles(values: Array, weights: Array | None, bins: int) -> Array:
    """The inner edges; one at the largest value would leave the last bin empty, so it moves to the next smaller."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(np.ones(len(values), dtype=np.int64) if weights is None else weights[order])
    # In whole numbers, since 3 * (1 / 3) need not be 1: the smallest row with total * bins >= i * n.
    rank = -(-np.arange(1, bins, dtype=np.int64) * total[-1] // bins)
    at_rank = values[order][np.searchsorted(total, rank, side="left")]
    counted = values if weights is None else values[weights > 0]
    edges: Array = np.unique(np.minimum(at_rank, counted[counted < counted.max()].max()))
    return edges


def _intervals(values: Array, bins: int) -> Array:
    low, high = values.min(), values.max()
    width = high / bins - low / bins  # not (high - low) / bins, which may overflow
    edges: Array = np.unique(np.clip(low + width * np.arange(1, bins), low, np.nextafter(high, low)))
    return edges


def _bin_labels(edges: Array) -> list[str]:
    """Labels with as few digits as tell the edges apart, but no fewer than four."""
    shown = [repr(e) for e in edges.tolist()]
    for digits in range(4, 17):
        short = [f"{e:.{digits}g}" for e in edges]
        if len({float(e) for e in short}) == len(edges):
            shown = short
            break
    inner = [f"({a},{b}]" for a, b in pairwise(shown)]
    return [f"<={shown[0]}", *inner, f">{shown[-1]}"]


# --- description ----------------------------------------------------------------------------------------------------


def _described(column: Column, weights: Array | None) -> dict[str, Any]:
    row: dict[str, Any] = {"name": column.name, "kind": column.kind}
    row |= _state_summary(column, weights) if column.kind == "discrete" else _number_summary(column.values, weights)
    return row | {"rule": column.reason}


def _state_summary(column: Column, weights: Array | None) -> dict[str, Any]:
    counts = np.bincount(column.values, weights=weights, minlength=len(column.states))
    top, total = int(counts.argmax()), counts.sum()
    share = float(counts[top] / total) if total else float("nan")
    observed = int(np.count_nonzero(counts))
    return {"states": len(column.states), "observed": observed, "commonest": column.states[top], "share": share}


def _number_summary(values: Array, weights: Array | None) -> dict[str, Any]:
    w = np.ones(len(values)) if weights is None else weights
    n, x = w.sum(), values[w > 0]
    if not n:
        return dict.fromkeys(("mean", "sd", "min", "max"), float("nan"))
    mean = float(w @ values / n)
    sd = float(np.sqrt(w @ (values - mean) ** 2 / (n - 1))) if n > 1 else float("nan")
    return {"mean": mean, "sd": sd, "min": float(x.min()), "max": float(x.max())}


def _states_shown(row: Mapping[str, Any]) -> str:
    if row["kind"] == "continuous":
        return ""
    return f"{row['states']}" if row["observed"] == row["states"] else f"{row['states']} ({row['observed']} observed)"


def _range_shown(row: Mapping[str, Any]) -> str:
    if row["kind"] == "discrete":
        return f"{row['commonest']} {row['share']:.1%}"
    return f"mean {row['mean']:.4g}, sd {row['sd']:.4g}, {row['min']:.4g} to {row['max']:.4g}"
