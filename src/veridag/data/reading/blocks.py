"""Tables read block by block: what is in memory at a time is one block of raw values, and all codes with few bits each.

Every block is read by the same rules as a whole table. A column collects the labels of its blocks; what it is, its
states and their order are decided when all are there, from the same labels as if it had been read at once.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from veridag._core import PackedStates
from veridag.data.columns import INTEGER, MAX_STATES, NUMBER, frozen, in_order
from veridag.data.packed import look_up, pack
from veridag.errors import InputError, import_optional, setting
from veridag.progress import Progress
from veridag.work.memory import free_memory

from .coding import check_names, numbers_of_levels
from .csv_text import CsvText
from .delimited import check_header, check_separator, read_part, split_header, utf8_text
from .formats import FileOptions
from .formats.apart import ReaderError, shape_apart, try_rows_apart
from .formats.panics import one_line
from .raw import Levels, Numbers, Origin, Raw, RawTable, Unusable
from .rules import Rules
from .tidying import decode_text

#: Values and bytes that are read at a time: about 100 MB of memory.
VALUES = 1 << 24
BYTES = 1 << 25

#: Smaller files, in bytes, are read at once without asking how much memory is free.
SMALL = 1 << 26

_COLUMNAR = {".parquet": "scan_parquet", ".arrow": "scan_ipc", ".feather": "scan_ipc"}
_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": None, ".dat": None, ".data": None}


@dataclass(frozen=True)
class Source:
    """One file or several of the same columns, which are read one after the other."""

    paths: tuple[Path, ...]
    suffix: str
    is_packed: bool = False  # by gzip

    @classmethod
    def of(cls, source: object) -> Source | None:
        """The files that a path names, if they can be read block by block: a file, a folder, or a pattern."""
        if not isinstance(source, str | Path):
            return None
        path = Path(source)
        if path.is_dir():
            paths = sorted(own for own in path.iterdir() if _suffix(own.name) in _COLUMNAR)
        elif any(sign in path.name for sign in "*?[") and not path.exists():
            paths = sorted(path.parent.glob(path.name))
        else:
            paths = [path]
        suffixes = {_suffix(own.name) for own in paths}
        if len(suffixes) != 1 or not all(own.is_file() for own in paths):
            return None
        suffix = suffixes.pop()
        is_packed = paths[0].name.lower().endswith(".gz")
        if suffix not in (_SEPARATORS if is_packed else {**_COLUMNAR, **_SEPARATORS}):
            return None
        return cls(tuple(paths), suffix, is_packed)

    @property
    def is_text(self) -> bool:
        """Whether it is text with separators."""
        return self.suffix in _SEPARATORS

    def needed_memory(self) -> int:
        """Bytes that reading it at once takes, roughly: the file, its fields, and the columns made of them."""
        size = sum(path.stat().st_size for path in self.paths)
        if self.is_text:
            return size * (40 if self.is_packed else 5)
        shapes = (_shape(path, self.suffix) for path in self.paths)
        return size + sum(rows * len(names) * 10 for rows, names in shapes)


def _suffix(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def wants_blocks(source: object, options: FileOptions) -> Source | None:
    """The files, if they are to be read block by block: where the caller says so, or if they would fill the memory."""
    found = Source.of(source)
    several = found is not None and (len(found.paths) > 1 or Path(str(source)).is_dir())
    if options.blocks is False and several:
        raise InputError(f"{source}: several files can only be read block by block: leave out blocks=False")
    if options.blocks is True and found is None:
        raise InputError(
            f"{source}: only .csv and .tsv (also with .gz), .parquet and .arrow files, and folders of .parquet files, "
            "can be read block by block: save it as one of them, or leave out blocks=True"
        )
    if found is None or options.blocks is False:
        return None
    if options.blocks is True or several:
        return found
    is_large = found.paths[0].stat().st_size > SMALL and found.needed_memory() > free_memory() // 2
    return found if is_large else None


def read_blocks(source: Source, rules: Rules, options: FileOptions, progress: Progress | None = None) -> RawTable:
    """A table from its blocks; `progress` has the rows read so far."""
    columns: dict[str, _Column] = {}
    start, stop = options.span
    seen = used = 0
    notes: tuple[str, ...] = ()
    whole = _total_rows(source)
    numeric: set[str] = set()
    for block in _blocks(source, rules, options, numeric):
        notes = notes or block.notes
        names = [raw.name for raw in block.columns]
        if columns and names != list(columns):
            raise InputError(f"the files have different columns: {names} after {list(columns)}")
        columns = columns or {name: _Column(name, rules.wants(name), source.is_text) for name in names}
        first, last = max(start - seen, 0), block.nrows if stop is None else min(stop - seen, block.nrows)
        seen += block.nrows
        if first < last:
            for raw in block.columns:
                part = raw if (first, last) == (0, block.nrows) else raw.take(np.arange(first, last))
                columns[raw.name].add(part, last - first, rules)
            used += last - first
        numeric |= {name for name, column in columns.items() if column.numbers is not None}
        if progress is not None:
            progress("reading", seen, whole, {})
    if not columns:
        raise InputError("there are no rows: the table needs at least one")
    if used < seen:
        notes = (*notes, f"{used} of {seen} rows are used ({setting('rows')})")
    if len(source.paths) > 1:
        notes = (*notes, f"read from {len(source.paths)} files, {source.paths[0].name} to {source.paths[-1].name}")
    return RawTable([column.finished(used, rules) for column in columns.values()], used, notes)


def number_blocks(
    source: Source, rules: Rules, options: FileOptions, progress: Progress | None = None
) -> Iterator[dict[str, NDArray[np.float64]]]:
    """The wanted columns of each block as numbers, `NaN` if missing; any other column is refused."""
    seen, whole = 0, _total_rows(source)
    for block in _blocks(source, rules, options, _Every()):
        wanted = [raw for raw in block.columns if rules.wants(raw.name)]
        check_names([raw.name for raw in block.columns], rules)
        yield {raw.name: _numbers(raw, rules) for raw in wanted}
        seen += block.nrows
        if progress is not None:
            progress("reading", seen, whole, {})


class _Every(tuple[str, ...]):
    """The names of all columns, whatever they are."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True


def _numbers(raw: Raw, rules: Rules) -> NDArray[np.float64]:
    if isinstance(raw, Unusable):
        raise raw.refusal()
    return (raw if isinstance(raw, Numbers) else numbers_of_levels(raw, rules)).values


def table_of(blocks: Iterable[RawTable], rules: Rules) -> RawTable:
    """One table of the rows of several, which have the same columns."""
    columns: dict[str, _Column] = {}
    rows = 0
    for block in blocks:
        if columns and [raw.name for raw in block.columns] != list(columns):
            raise InputError(f"the partitions have different columns: {[raw.name for raw in block.columns]}")
        columns = columns or {raw.name: _Column(raw.name, rules.wants(raw.name), False) for raw in block.columns}
        for raw in block.columns:
            columns[raw.name].add(raw, block.nrows, rules)
        rows += block.nrows
    return RawTable([column.finished(rows, rules) for column in columns.values()], rows)


# --- one column -----------------------------------------------------------------------------------------------------


@dataclass
class _Column:
    """What the blocks so far say of a column: codes into labels, or numbers once labels are too many."""

    name: str
    is_wanted: bool
    is_text: bool
    origin: Origin | None = None
    places: dict[str | None, int] = field(default_factory=dict)
    codes: PackedStates = field(default_factory=lambda: PackedStates(1))
    numbers: list[NDArray[np.float64]] | None = None
    plain: bool = True  # all of these numbers are integers in plain form
    unusable: Unusable | None = None

    def add(self, raw: Raw, rows: int, rules: Rules) -> None:
        if not self.is_wanted:
            return
        if isinstance(raw, Unusable):
            if raw.is_date and rules.kind(self.name) is not None:
                raise InputError(
                    f"column {self.name!r} holds {raw.found}, which cannot be read block by block: convert it to text "
                    "or numbers first, or pass blocks=False"
                )
            self.unusable = raw
        elif isinstance(raw, Numbers):
            present = raw.values[~np.isnan(raw.values)]
            self.plain = self.plain and self.is_text and bool((np.floor(present) == present).all())
            self._as_numbers(rules).append(raw.values)
        elif self.numbers is not None:
            self.numbers.append(look_up(self._parsed(raw.labels, rules), raw.codes))
        elif self.unusable is None:
            self._add_levels(raw, rules)

    def _add_levels(self, raw: Levels, rules: Rules) -> None:
        if any(label is not None for label in raw.labels):
            self.origin = "field" if self.is_text else raw.origin
        is_declared = raw.origin in ("declared", "boolean")
        there = range(len(raw.labels)) if is_declared else np.flatnonzero(raw.counts() > 0).tolist()
        lut = np.zeros(max(len(raw.labels), 1), np.int64)
        for i in there:
            lut[i] = self.places.setdefault(raw.labels[i], len(self.places))
        if len(self.places) > MAX_STATES:
            self._outgrown(raw, rules)
            return
        if len(self.places) > 1 << self.codes.bits:
            self.codes = pack(self.codes, len(self.places))
        dtype = np.uint8 if self.codes.bits <= 8 else np.uint16
        self.codes.append(look_up(lut.astype(dtype), raw.codes))

    def _outgrown(self, raw: Levels, rules: Rules) -> None:
        """More different values than a variable can have states: they are numbers, or cannot be used."""
        labels = [label for label in self.places if label is not None and label not in rules.tokens(self.name)]
        if all(map(NUMBER.fullmatch, labels)) and rules.kind(self.name) != "discrete":
            lut = self._parsed([*self.places], rules)
            self.numbers = [look_up(lut, self.codes), look_up(self._parsed(raw.labels, rules), raw.codes)]
        elif rules.strict:
            raise self._too_many()
        else:
            self.unusable = Unusable(self.name, f"more than {MAX_STATES} different texts")
        self.places, self.codes = {}, PackedStates(1)

    def _as_numbers(self, rules: Rules) -> list[NDArray[np.float64]]:
        if self.numbers is None:
            lut = self._parsed([*self.places], rules)
            self.numbers = [look_up(lut, self.codes)] if len(self.codes) else []
            self.places, self.codes = {}, PackedStates(1)
        return self.numbers

    def _parsed(self, labels: Sequence[str | None], rules: Rules) -> NDArray[np.float64]:
        """The number of each label; one that is none is refused."""
        tokens = rules.tokens(self.name)
        numbers = np.full(max(len(labels), 1), np.nan)
        for i, label in enumerate(labels):
            if label is None or label in tokens:
                continue
            if not NUMBER.fullmatch(label):
                raise self._too_many(f", such as {label!r} after numbers")
            self.plain = self.plain and INTEGER.fullmatch(label) is not None
            numbers[i] = float(label)
        return numbers

    def _too_many(self, more: str = "") -> InputError:
        return InputError(
            f"column {self.name!r} has more than {MAX_STATES} different values{more}, too many for states: leave it "
            f"out: {setting('drop', [self.name])}"
        )

    def finished(self, rows: int, rules: Rules) -> Raw:
        """The column as if it had been read at once."""
        if not self.is_wanted:
            return Levels(self.name, "text", [None], pack(np.broadcast_to(np.zeros(1, np.uint8), rows), 1))
        if self.unusable is not None:
            return self.unusable
        if self.numbers is not None:
            if self.plain and rules.strict and rules.kind(self.name) is None:
                raise InputError(
                    f"column {self.name!r} has more than {MAX_STATES} distinct values and looks continuous: discretize "
                    f"it, or pass {setting('kinds', {self.name: 'continuous'})}"
                )
            parts, self.numbers = self.numbers, None
            return Numbers(self.name, frozen(np.concatenate(parts)))
        origin = self.origin or "text"
        labels: list[str | None] = [label for label in self.places if label is not None]
        if origin not in ("declared", "boolean"):
            labels = [*in_order(label for label in labels if label is not None)]
        labels += [None] if None in self.places else []
        lut = np.zeros(max(len(labels), 1), np.int64)
        for code, label in enumerate(labels):
            lut[self.places[label]] = code
        is_same = np.array_equal(lut, np.arange(len(lut)))
        codes = self.codes if is_same else pack(self.codes, len(labels), lut)
        self.codes = PackedStates(1)
        return Levels(self.name, origin, labels, codes)


# --- blocks of files ------------------------------------------------------------------------------------------------


def _blocks(source: Source, rules: Rules, options: FileOptions, numeric: Collection[str]) -> Iterator[RawTable]:
    for option in ("sheet",) if source.is_text else ("separator", "encoding", "sheet"):
        if getattr(options, option) is not None:
            raise InputError(f"{setting(option, getattr(options, option))} is not for {source.suffix} files")
    for path in source.paths:
        if source.is_text:
            yield from _text_blocks(path, source, rules, options, numeric)
        else:
            yield from _frame_blocks(path, source.suffix, rules)


def _shape(path: Path, suffix: str) -> tuple[int, list[str]]:
    """The rows of a file that says how many there are, and the names of its columns."""
    with _readable(suffix):
        return shape_apart(_COLUMNAR[suffix], str(path))


def _readable(suffix: str) -> Any:
    pl = import_optional("polars", f"reading {suffix}", "files")
    errors = (pl.exceptions.PolarsError, OSError, ValueError, OverflowError, ReaderError)
    return one_line(f"a {suffix} file", "save it again", *errors)


def _total_rows(source: Source) -> int | None:
    return None if source.is_text else sum(_shape(path, source.suffix)[0] for path in source.paths)


def _frame_blocks(path: Path, suffix: str, rules: Rules) -> Iterator[RawTable]:
    rows, names = _shape(path, suffix)
    places = [j for j, name in enumerate(names) if rules.wants(name)]
    step = max(1, VALUES // max(len(names), 1))
    for start in range(0, rows, step):
        count = min(step, rows - start)
        block = _frame_block(path, suffix, places, start, count) if places else RawTable([], count)
        yield _with_unwanted(block, names)


def _frame_block(path: Path, suffix: str, places: list[int], start: int, rows: int) -> RawTable:
    scanner = _COLUMNAR[suffix]
    with _readable(suffix):
        import polars as pl

        from .polars_columns import from_polars

        try_rows_apart(scanner, str(path), places, start, rows)  # a damaged file may end the process that reads it
        frame = getattr(pl, scanner)(path).select(pl.nth(places)).slice(start, rows).collect()
        return RawTable(from_polars(frame), frame.height)


def _with_unwanted(table: RawTable, names: Sequence[str]) -> RawTable:
    """All columns of the file, those that were not read without values."""
    found = {raw.name: raw for raw in table.columns}
    nothing = np.broadcast_to(np.zeros(1, np.uint8), table.nrows)
    return replace(table, columns=[found.get(name, Levels(name, "text", [None], nothing)) for name in names])


@contextmanager
def _opened(path: Path, is_packed: bool) -> Iterator[IO[bytes]]:
    try:
        with gzip.open(path) if is_packed else path.open("rb") as file:
            yield file  # type: ignore[misc] # both give bytes
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _pieces(file: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Whole rows of a text file, and whether they are the last."""
    rest, read = b"", file.read(BYTES)
    while read:
        following = file.read(BYTES)
        rest += read
        end = _end_of_rows(rest) if following else len(rest)
        if end:
            yield rest[:end], not following
        rest, read = rest[end:], following


def _end_of_rows(text: bytes) -> int:
    """Where the last row ends that is whole; a line that ends within quotes is no row.

    Blank lines after it belong to the rows that follow: only at the end of the file they are none.
    """
    end = text.rfind(b"\n")
    while end >= 0 and text.count(b'"', 0, end) % 2:
        end = text.rfind(b"\n", 0, end)
    filled = len(text[: end + 1].rstrip(b"\r\n"))
    return text.index(b"\n", filled) + 1 if filled else 0


def _text_blocks(
    path: Path, source: Source, rules: Rules, options: FileOptions, numeric: Collection[str]
) -> Iterator[RawTable]:
    separator, encoding = options.separator or _SEPARATORS[source.suffix], options.encoding or "utf-8"
    if separator is None and rules.strict:
        raise InputError(f"the file name does not determine the field separator: pass {setting('separator', ',')}")
    check_separator(separator or "\t")
    head: CsvText | None = None
    wanted: list[str] = []
    notes: tuple[str, ...] = ()
    line = 1
    with _opened(path, source.is_packed) as file:
        for piece, is_last in _pieces(file):
            text = utf8_text(piece, encoding, line)
            if head is None:
                if not rules.strict:
                    separator, notes = _plain(text, separator or "\t", rules, options)
                head = split_header(text, separator or "\t")
                check_header(head, rules)
                wanted = [name for name in head.names if rules.wants(name)]
                own = head
            else:
                own = replace(head, body=text if text.endswith(b"\n") else text + b"\n", line=line)
            line += piece.count(b"\n")
            if is_last:
                own = replace(own, body=own.body.rstrip(b"\r\n") + b"\n")
            if own.body.strip(b"\r\n"):
                try:
                    part = read_part(own, wanted, numeric, rules)
                except InputError as error:
                    if rules.strict:
                        raise
                    raise InputError(f"{error}; this is {_AT_ONCE}") from error
                yield replace(_with_unwanted(part, head.names), notes=notes)


#: The remedy where a file needs repair, for which all of it has to be seen.
_AT_ONCE = (
    "corrected only if the file is read at once: pass blocks=False if it fits into memory, or save it as plain CSV in "
    "UTF-8"
)


def _plain(text: bytes, usual: str, rules: Rules, options: FileOptions) -> tuple[str, tuple[str, ...]]:
    """What separates the fields of a file that needs no repair; any other has to be read at once."""
    decoded = decode_text(text, options.separator, options.encoding, usual)
    if not decoded.is_plain(rules) or decoded.text.encode() != text.removeprefix(b"\xef\xbb\xbf"):
        raise InputError(f"the file has more than a header and rows, which is {_AT_ONCE}")
    return decoded.separator, decoded.notes
