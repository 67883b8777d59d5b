"""Reading a file into `Data`. `Data.write` writes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from veridag.checks import PROGRESS, OneOf, Optional
from veridag.errors import InputError
from veridag.progress import Progress

from .columns import Column, Kind
from .data import Data, MergeStates, MissingValues, States, TargetsGiven, Weights
from .folding import folded
from .missingness import MissingPattern, missing_pattern
from .moments import MomentData, Moments
from .packed import PackedColumn
from .preparing import prepare, with_gaps
from .reading import FileOptions, Finding, Missing, RawTable, Rules, naming, number_blocks, read_file, wants_blocks
from .settings import TableSettings

Floats = NDArray[np.float64]


def read(
    path: str | Path | BinaryIO,
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
    discretize: str | Mapping[str, str | None] | None = None,
    transform: Mapping[str, str] | None = None,
    merge_rare: Mapping[str, int] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    rows: int | tuple[int, int] | None = None,
    blocks: bool | None = None,
    strict: bool | None = None,
    beside: bool = True,
    progress: Progress | None = None,
) -> Data:
    """Read a table from a file or an open binary stream.

    The suffix determines the format: text (.csv, .tsv, .txt), JSON (.json, .jsonl), .parquet, .arrow, workbooks
    (.xlsx, .xls, .ods), Stata (.dta), SPSS (.sav), SAS (.sas7bdat, .xpt), SQLite (.sqlite, .db) and DuckDB (.duckdb).
    Files may be compressed with gzip (.gz) or inside a .zip. Some formats need ``pip install 'veridag[files]'``.

    Settings that `veridag describe --save` stored next to the table apply where no argument is given.

    Args:
        path: The file, or an open binary stream. The first bytes of a stream determine its format; otherwise it is
            read as CSV.
        states: The states of discrete columns, in order: ``{"X": ["low", "high"]}``. Any other value is an error.
        kinds: ``{"age": "continuous"}`` or ``"discrete"``, where the rules would decide differently.
        group: The column with the group (related data set) of each row. It is not a variable.
        weights: How many observations each row counts for: a column, which is then not a variable, or integers.
        targets: Which variables were set by an intervention in each row. Either a column with their names (separated
            by ``;`` or ``+``; empty, missing or "none" if none was set), which is then not a variable. Or a list with a
            name, a tuple of names or None for each row. Or the variables set in each condition of a column,
            ``{"condition": {"drug": ["A"], "control": []}}``. See docs/interventions.md.
        missing: What to do with missing values. ``"error"`` (the default if `strict`) refuses them and names the
            columns. ``"drop"`` drops their rows. ``"state"`` makes them a last state "missing" of discrete columns.
            ``"keep"`` keeps them, for methods that learn from incomplete data (docs/incomplete.md). ``"indicator"``
            keeps them and adds a discrete column that marks them, such as ``age_missing``.
        missing_values: The texts and numbers that mean missing, instead of the usual ones; or in addition to them for
            some columns, ``{"age": [-99]}``. Nulls and `NaN` are always missing, declared states never.
        columns: The columns to use; all if None.
        drop: The columns to leave out.
        as_written: With ``strict=False``, columns whose values are used exactly as written.
        merge_states: States to combine: ``{"smoker": {"y": "yes"}}`` turns "y" into "yes".
        discretize: How to cut continuous columns: ``"hartemink(3)"`` for all, or ``{"age": "quantile(4)"}``. None for
            a column cancels the stored setting: ``{"age": None}``.
        transform: ``{"income": "log"}``, or ``"rank"`` for the normal scores of the ranks.
        merge_rare: ``{"city": 5}`` combines states with fewer than five observations into a state "other".
        separator: The separator of fields in a text file. If None: a comma in .csv, a tab in .tsv, or the one found in
            the file with ``strict=False``.
        decimal: The decimal mark of numbers in a text file; a point if None, or the one found with ``strict=False``.
        encoding: The encoding of a text file; UTF-8 if None, or the one found with ``strict=False``.
        sheet: The sheet of a workbook, the table of a database, or the file in a .zip. If None: the first sheet with a
            table, or the only table or file.
        rows: Read only this many rows from the start, or a range of rows such as ``(100, 200)``.
        blocks: Read in blocks, to use little more memory than the codes need, a few bits each. Rows that repeat often
            become weighted rows. If None, this is done for files that would use most of the free memory, for folders
            of .parquet files and for patterns such as ``"cases-*.parquet"``. See docs/large.md.
        strict: With False, messy tables are cleaned as a careful analyst would, instead of raising an error. The
            `notes` say what was done. If None, the setting stored next to the table, or True. See docs/data.md.
        beside: Whether settings stored next to the table apply.
        progress: Progress callback, see `ProgressBar`; called with the rows read so far if the table is read in blocks.

    Raises:
        InputError: If the file or a column cannot be read. The message names the column, the value and the argument
            that helps.

    See also:
        `inspect`, `Data.from_frame`, `read_moments`, `read_partitions`, docs/data.md, docs/large.md
    """
    settings = TableSettings(
        states=states,
        kinds=kinds,
        group=group,
        weights=weights,
        targets=targets,
        missing=missing,
        missing_values=missing_values,
        columns=columns,
        drop=drop,
        as_written=as_written,
        merge_states=merge_states,
        discretize=discretize,
        transform=transform,
        merge_rare=merge_rare,
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        sheet=sheet,
        rows=rows,
        blocks=Optional(OneOf((True, False)))("blocks", blocks),
        strict=True if strict is None else strict,
    )
    try:
        loaded = load(path, settings, beside=beside, strict=strict, progress=PROGRESS("progress", progress))
    except InputError as error:
        if strict is not False and "column '" in str(error):
            error.add_note("vd.inspect(path) lists all problems of a table; vd.read(path, strict=False) solves most.")
        raise
    if loaded.later is not None:
        raise InputError(
            f"discretize={loaded.later!r}: this method learns networks, which vd.read does not do: leave it out"
            f"{_kept(loaded.later)}, and use veridag.discretize(data, {loaded.later!r}) after reading"
        )
    return loaded.data


def _kept(later: str | Mapping[str, str]) -> str:
    """How to leave out settings stored next to the table."""
    return "" if isinstance(later, str) else f" (discretize={dict.fromkeys(later)!r} if it is stored next to the table)"


def read_moments(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    missing: Literal["error", "drop"] = "error",
    missing_values: MissingValues | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    progress: Progress | None = None,
) -> Data:
    """Read the moments of continuous columns, from a file with any number of rows or a folder of .parquet files.

    The result has no rows, only the means and the sums of products of deviations that Gaussian scores and Fisher's z
    need. They are added up in blocks, so the memory does not grow with the number of rows. The deviations of a block
    are taken from its own mean, and blocks are combined in extended precision (Chan, Golub and LeVeque 1983). The last
    digits depend on the order of the rows.

    Args:
        path: The file or folder. All columns that are used must be numbers.
        columns, drop: As in `read`.
        missing: ``"error"`` refuses missing values; ``"drop"`` drops rows with a missing value in a used column.
        missing_values, separator, encoding: As in `read`.
        progress: Progress callback, see `ProgressBar`; called with the rows read so far.

    Returns:
        Data without rows. Functions that need rows, such as `fit`, raise `InputError`.

    See also:
        `read`, `read_partitions`, docs/large.md
    """
    OneOf(("error", "drop"))("missing", missing)
    rules = Rules(columns=columns, drop=drop, missing_values=missing_values)
    options = FileOptions(separator, encoding, blocks=True)
    moments: Moments | None = None
    names: tuple[str, ...] = ()
    rows = 0
    with naming(path):
        source = wants_blocks(path, options)
        assert source is not None
        for block in number_blocks(source, rules, options, PROGRESS("progress", progress)):
            if names and names != tuple(block):
                raise InputError(f"the files have different columns: {[*block]} after {[*names]}")
            names = tuple(block)
            rows += len(block[names[0]]) if names else 0
            part = _complete_rows(block, missing)
            if len(part):
                moments = Moments.of_rows(part) if moments is None else moments.plus(Moments.of_rows(part))
        if moments is None:
            raise InputError("there are no rows without missing values: the table needs at least one")
    dropped = rows - moments.n
    notes = (f"dropped {dropped} of {rows} rows with missing values",) if dropped else ()
    return MomentData.from_moments(names, moments, notes)


def _complete_rows(block: Mapping[str, Floats], missing: str) -> Floats:
    """The rows of a block without missing values, as a matrix."""
    x = np.column_stack([*block.values()])
    for name, values in block.items():
        if np.isinf(values).any():
            raise InputError(f"column {name!r} has values that are not finite: list them in missing_values=")
        if missing == "error" and (gone := int(np.isnan(values).sum())):
            raise InputError(
                f"values are missing: {gone} in column {name!r}; pass missing='drop' to leave out these rows"
            )
    return x[~np.isnan(x).any(axis=1)] if missing == "drop" else x


@dataclass(frozen=True)
class Loaded:
    """A table that was read: the data, and what was found in the columns.

    `later` is what is still to be done by `veridag.discretize`, since it learns networks. `table` is what was read, and
    `rules` say what was made of it.
    """

    data: Data
    table: RawTable
    rules: Rules
    findings: tuple[Finding, ...]
    later: str | Mapping[str, str] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns of the file."""
        return tuple(raw.name for raw in self.table.columns)

    def missing_pattern(self) -> MissingPattern | None:
        """The pattern of missing values, before rows are dropped or missing values become a state.

        None if it is unknown because groups or weights are missing, too.
        """
        data = self.data
        if self.rules.missing in ("drop", "state"):
            try:
                data = Data(*with_gaps(self.table, self.rules))
            except InputError:
                return None
        group = None if data.group is None else Column.discrete(self.rules.group or "group", data.group, data.groups)
        return missing_pattern(data.columns, data.weights, group)


def load(
    path: str | Path | BinaryIO,
    settings: TableSettings,
    only: Iterable[str] | None = None,
    *,
    optional: bool = False,
    beside: bool = True,
    strict: bool | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Read a table with settings, and with those stored next to it where these have the default.

    With ``beside=False``, stored settings are ignored; `strict` overrides them unless it is None. With `only`, only
    these variables are read: missing values of other columns drop no rows. If they are `optional`, variables that the
    table does not have are left out; otherwise they are an error. Warnings point at the caller of the function that
    calls this one.
    """
    kept = TableSettings.beside(path) if beside else None
    notes: tuple[str, ...] = ()
    if kept is not None:
        notes, settings = (f"settings from {kept[0].name}, next to the table",), settings.over(kept[1])
        settings = settings if strict is None else replace(settings, strict=strict)
    rules, changes = settings.rules, settings.changes.postponed()
    with naming(path):
        table = read_file(path, rules, settings.options, progress)
        if only is not None:
            only = tuple(only)
            settings = settings.narrowed(only, [raw.name for raw in table.columns], optional=optional)
            rules, changes = settings.rules, settings.changes.postponed()
        coded, findings = prepare(table, rules, changes, stacklevel=4)
    data = Data(*coded._replace(notes=(*notes, *coded.notes)))
    if only is not None:  # without what columns were cut by
        data = data.select([name for name in data.names if name in {*only}])
    if changes.later is None and any(isinstance(column, PackedColumn) for column in data.columns):
        data = folded(data) or data
    return Loaded(data, table, rules, findings, changes.later)
