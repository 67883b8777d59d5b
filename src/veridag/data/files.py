"""Reading a file into `Data`; `Data.write` is the other way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    strict: bool = True,
    progress: Progress | None = None,
) -> Data:
    """Read a table from a file or an open binary stream.

    The suffix tells the format: text (.csv, .tsv, .txt), JSON (.json, .jsonl), .parquet, .arrow, workbooks (.xlsx,
    .xls, .ods), Stata (.dta), SPSS (.sav), SAS (.sas7bdat, .xpt), and tables of SQLite (.sqlite, .db) and DuckDB
    (.duckdb), also with .gz or in a .zip. Some need ``pip install 'veridag[files]'``. A stream is known by its first
    bytes, and is CSV if they say nothing else.

    - ``separator``, ``decimal`` and ``encoding`` are for text files; by default .csv has commas, .tsv has tabs, numbers
      have a decimal point, and the encoding is UTF-8. With ``strict=False`` they are found from the file.
    - ``sheet``: the sheet of a workbook, the table of a database, or the file in a .zip. By default it is the first
      sheet with a table, and the only table or file.
    - ``rows``: read only so many rows from the start, or those from one to another, as in ``(100, 200)``.
    - ``blocks``: read block by block, so that the table takes little more memory than its codes, with a few bits each;
      rows that repeat often become weighted rows. By default, that is done for files that would take most of the free
      memory, and for a folder of .parquet files or a pattern such as ``"cases-*.parquet"``. See ``docs/large.md``.
    - ``progress``: called with the rows read so far, if the table is read block by block; see `veridag.progress`.

    What is kept in a file beside the table, as `describe --save` writes it, counts where no argument says otherwise;
    ``discretize={"age": None}`` takes back what is kept there of a column.
    The other arguments are those of ``Data.from_frame``.
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
        strict=strict,
    )
    loaded = load(path, settings, progress=PROGRESS("progress", progress))
    if loaded.later is not None:
        raise InputError(
            f"discretize={loaded.later!r}: that learns networks, which reading does not: leave it out"
            f"{_kept(loaded.later)}, and use veridag.discretize(data, {loaded.later!r}) on what is read"
        )
    return loaded.data


def _kept(later: str | Mapping[str, str]) -> str:
    """How to leave out what may be kept beside the table."""
    return "" if isinstance(later, str) else f" (discretize={dict.fromkeys(later)!r} if it is kept beside the table)"


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
    """The moments of continuous columns, from a file of any number of rows or a folder of .parquet files.

    What comes back has no rows, only what Gaussian scores and Fisher's z need: means, and sums of products of
    deviations. They are added up block by block, so that the memory does not grow with the rows; what needs rows, such
    as `fit`, raises `InputError`. All columns that are used must be numbers. `missing="drop"` leaves out rows in which
    one of them is missing. The other arguments are those of `read`.

    The deviations of a block are taken from its own mean, and blocks are put together in extended precision (Chan,
    Golub and LeVeque 1983). Unlike sums over rows in memory, the last digits depend on the order of the rows.
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
            raise InputError("there are no rows without missing values: at least one is needed")
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
                f"values are missing: {gone} in column {name!r}; pass missing='drop' to leave out such rows"
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
        """What is missing in the variables; if rows were left out or gaps made a state, what was missing before.

        None if that cannot be said, since groups or weights are missing, too.
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
    progress: Progress | None = None,
) -> Loaded:
    """Read a table by settings, and by those that are kept beside it where these say nothing, unless `beside` is False.

    With `only`, these variables are all that is wanted: values that are missing in other columns cost no rows. If they
    are `optional`, those that the table lacks are left out; otherwise they are an error.
    Warnings point at the caller of the function that calls this one.
    """
    kept = TableSettings.beside(path) if beside else None
    notes: tuple[str, ...] = ()
    if kept is not None:
        notes, settings = (f"settings from {kept[0].name}, beside the table",), settings.over(kept[1])
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
