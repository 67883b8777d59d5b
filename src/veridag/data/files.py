"""Reading a file into `Data`; `Data.write` is the other way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from veridag.errors import InputError

from .columns import Column, Kind
from .data import Data, MergeStates, MissingValues, States, TargetsGiven, Weights
from .missingness import MissingPattern, missing_pattern
from .preparing import prepare, with_gaps
from .reading import Finding, Missing, RawTable, Rules, naming, read_file
from .settings import TableSettings


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
    discretize: str | Mapping[str, str] | None = None,
    transform: Mapping[str, str] | None = None,
    merge_rare: Mapping[str, int] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    rows: int | tuple[int, int] | None = None,
    strict: bool = True,
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

    What is kept in a file beside the table, as `describe --save` writes it, counts where no argument says otherwise.
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
        strict=strict,
    )
    loaded = load(path, settings)
    if loaded.later is not None:
        raise InputError(
            f"discretize={loaded.later!r}: that learns networks, which reading does not: leave it out, and use "
            f"veridag.discretize(data, {loaded.later!r}) on what is read"
        )
    return loaded.data


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
) -> Loaded:
    """Read a table by settings, and by those that are kept beside it where these say nothing.

    With `only`, these variables are all that is wanted: values that are missing in other columns cost no rows. If they
    are `optional`, those that the table lacks are left out; otherwise they are an error.
    Warnings point at the caller of the function that calls this one.
    """
    kept = TableSettings.beside(path)
    notes: tuple[str, ...] = ()
    if kept is not None:
        notes, settings = (f"settings from {kept[0].name}, beside the table",), settings.over(kept[1])
    rules, changes = settings.rules, settings.changes.postponed()
    with naming(path):
        table = read_file(path, rules, settings.options)
        if only is not None:
            only = tuple(only)
            settings = settings.narrowed(only, [raw.name for raw in table.columns], optional=optional)
            rules, changes = settings.rules, settings.changes.postponed()
        coded, findings = prepare(table, rules, changes, stacklevel=4)
    data = Data(*coded._replace(notes=(*notes, *coded.notes)))
    if only is not None:  # without what columns were cut by
        data = data.select([name for name in data.names if name in {*only}])
    return Loaded(data, table, rules, findings, changes.later)
