"""Text with separators: CSV and TSV, read without losing what the fields look like."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from veridag.data.columns import INTEGER, NUMBER, Array, frozen
from veridag.errors import InputError, setting

from .coding import check_names, numeric_type
from .raw import Levels, Numbers, Raw, RawTable, field_levels, integer_levels, text_levels
from .rules import Rules
from .tidying import decode_text, tidy_text

if TYPE_CHECKING:
    import polars as pl

_SAMPLE = 1000  # rows looked at to guess which columns of a CSV file are worth reading as numbers
_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(?:\.[0-9]{3})?")
_SMALL = 1 << 21  # bytes that are split here in less time than it takes to load polars


@dataclass(frozen=True)
class Csv:
    """A CSV file in UTF-8: its header, and the bytes of its rows."""

    names: list[str]
    body: bytes
    separator: str
    line: int  # where the body starts

    @property
    def quoted(self) -> bool:
        """Whether there are quotes."""
        return b'"' in self.body

    def read(self, types: Mapping[str, Any], rows: int | None = None) -> pl.DataFrame:
        """The rows, columns named "0", "1", ...: as text but for the given types."""
        import polars as pl

        schema = {name: types.get(name, pl.String) for name in map(str, range(len(self.names)))}
        return pl.read_csv(self.body, has_header=False, schema=schema, separator=self.separator, n_rows=rows)


def read_csv(data: bytes, separator: str, encoding: str, rules: Rules) -> RawTable:
    """The content of a text file, a variable for each name in its header, by the letter."""
    check_separator(separator)
    file = split_header(utf8_text(data, encoding), separator)
    check_header(file, rules)
    return _raw_table(file, rules)


def check_header(file: Csv, rules: Rules) -> None:
    """Refuse names that no columns can have, and the one name that a wrong separator gives."""
    check_names(file.names, rules)
    if len(file.names) == 1:
        _check_separator(file, rules)


def utf8_text(data: bytes, encoding: str, line: int = 1) -> bytes:
    """The bytes of a text in UTF-8; what is no text in this encoding is refused, with its line."""
    data = _utf8(data, encoding, line)
    if b"\0" in data:
        line += data.count(b"\n", 0, data.index(b"\0"))
        raise InputError(
            f"line {line} holds a NUL byte, so it is no text in {encoding}: pass {setting('encoding', 'utf-16')} (or "
            f"utf-16-be), or remove the byte"
        )
    return data


def read_tidied(data: bytes, separator: str | None, encoding: str | None, usual: str, rules: Rules) -> RawTable:
    """The content of a text file as people have them: what the rules of `read_csv` would refuse is put right."""
    if separator is not None:
        check_separator(separator)
    decoded = decode_text(data, separator, encoding, usual)
    if decoded.is_plain(rules):
        try:
            file = split_header(decoded.text.encode(), decoded.separator)
            return replace(_raw_table(file, rules), notes=decoded.notes)
        except InputError:
            pass  # rows further down are not what they should be
    text = tidy_text(decoded, rules)
    return replace(_raw_table(Csv(text.names, text.body, text.separator, 2), rules), notes=text.notes)


def check_separator(separator: object) -> None:
    """Refuse what cannot separate fields."""
    if not isinstance(separator, str) or len(separator) != 1 or not separator.isascii() or separator in '"\r\n':
        raise InputError(f"separator={separator!r} must be one character, for example ',', ';' or '\\t'")


def _raw_table(file: Csv, rules: Rules) -> RawTable:
    if file.body.strip(b"\r\n") == b"" and file.body.count(b"\n") <= 1:
        raise InputError("there is a header, but there are no rows")
    if (columns := _split_fields(file)) is not None:
        return RawTable(columns, len(columns[0].codes))
    frame = _read_fields(file)
    return RawTable(_from_fields(frame, file.names, rules), frame.height)


def fields_table(file: Csv, wanted: Collection[str], numeric: Collection[str], rules: Rules) -> RawTable:
    """Some rows of a text file: the wanted columns as fields, or as numbers where those before were too many for that.

    What kind of column it is may depend on rows that are not among these. Others are there with no values.
    """
    if (columns := _split_fields(file)) is not None:
        return RawTable(columns, len(columns[0].codes))
    frame = _read_fields(file)
    chosen = [j for j, name in enumerate(file.names) if name in wanted]
    names = [file.names[j] for j in chosen]
    found = dict(zip(names, _from_fields(frame[:, chosen], names, rules, numeric), strict=True))
    nothing = np.broadcast_to(np.zeros(1, np.uint8), frame.height)
    return RawTable([found.get(name, Levels(name, "field", [None], nothing)) for name in file.names], frame.height)


def _utf8(data: bytes, encoding: str, line: int = 1) -> bytes:
    if not isinstance(encoding, str):
        raise InputError(f"encoding={encoding!r} must be the name of one, for example 'utf-8', 'latin-1' or 'utf-16'")
    data = data.removeprefix(b"\xef\xbb\xbf")
    utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
    if utf8 and data.isascii():
        return data
    try:
        text = data.decode(encoding)
    except LookupError:
        raise InputError(f"encoding={encoding!r} is not known, for example: 'utf-8', 'latin-1', 'utf-16'") from None
    except UnicodeError as error:
        at = error.start if isinstance(error, UnicodeDecodeError) else 0
        line += data.count(b"\n", 0, at)
        raise InputError(
            f"line {line} is not in {encoding}: the byte 0x{data[at]:02x} cannot be; "
            f"pass {setting('encoding')}, for example 'latin-1' or 'utf-16'"
        ) from None
    return data if utf8 else text.encode()


def split_header(data: bytes, separator: str) -> Csv:
    """The names in the first line that is not empty, and the rows below it."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    reader = _records(data, separator)
    try:
        names: list[str] = next((record for record in reader if record), [])
    except csv.Error as error:
        why = "it holds a carriage return, but lines end in another way" if "new-line" in str(error) else error
        raise InputError(f"line {reader.line_num}: the header cannot be read ({why})") from None
    start = 0
    for _ in range(reader.line_num):
        start = data.find(b"\n", start) + 1 or len(data)
    body = data[start:]
    if body.endswith((b"\n\n", b"\n\r\n")):
        body = body.rstrip(b"\r\n")  # empty lines at the end are no rows
    return Csv(names, body if body.endswith(b"\n") else body + b"\n", separator, reader.line_num + 1)


def _records(data: bytes, separator: str) -> Any:
    # Any, since the type of csv readers has no public name before Python 3.13.
    # Lines end where they do for polars, or a carriage return inside a quoted name would shift the start of the rows.
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="\n")
    return csv.reader(text, delimiter=separator, strict=True)


def _check_separator(file: Csv, rules: Rules) -> None:
    """A file with one column whose name holds a separator was written with that one, unless the user knows the name."""
    if rules.kind(file.names[0]) is not None or rules.declared(file.names[0]) is not None:
        return
    for other in ";\t,|":
        if other in file.names[0]:
            raise InputError(f"there is only one column, {file.names[0]!r}: pass {setting('separator', other)}?")


def _split_fields(file: Csv) -> list[Levels] | None:
    """The columns of a file that is small and simple: no quotes, and every line has all its separators."""
    if len(file.body) > _SMALL or file.quoted or len(file.names) == 1:
        return None
    text = file.body.decode().replace("\r\n", "\n")
    lines = text[:-1].split("\n")
    if "\r" in text or any(line.count(file.separator) != len(file.names) - 1 for line in lines):
        return None
    columns = zip(*(line.split(file.separator) for line in lines), strict=True)
    return [field_levels(name, fields) for name, fields in zip(file.names, columns, strict=True)]


def _read_fields(file: Csv) -> pl.DataFrame:
    """The rows of a CSV file: integers where all fields are in plain form, text or categories elsewhere.

    Text loses nothing, but polars needs less time and memory for categories, where values recur, and for integers. So
    columns that start with integers are tried as such, and the attempt is kept only if it lost nothing.
    """
    import polars as pl

    try:
        sample = file.read({}, _SAMPLE)
        recurring = {s.name: pl.Categorical for s in sample if s.n_unique() <= _SAMPLE // 2}
        integers = {} if file.quoted else {s.name: pl.Int32 for s in sample if _is_plain(s)}
        frame = _read_integers(file, {**recurring, **integers}) if integers else None
        frame = file.read(recurring) if frame is None else frame
    except pl.exceptions.PolarsError as error:
        _check_ragged(file)
        raise InputError(f"cannot be read as CSV: {first_line(error)} (write a quote inside a field twice)") from error
    if len(file.names) > 1 and frame.to_series(-1).null_count() and not _has_all_separators(file, frame.height):
        _check_ragged(file)
    return frame


def _is_plain(series: pl.Series) -> bool:
    """Whether all fields are integers in plain form that fit into 32 bits."""
    labels = series.unique().to_list()
    return all(v is not None and INTEGER.fullmatch(v) and len(v) < 12 and abs(int(v)) < 1 << 31 for v in labels)


def _read_integers(file: Csv, types: Mapping[str, Any]) -> pl.DataFrame | None:
    import polars as pl

    try:
        frame = file.read(types).rechunk()
    except pl.exceptions.PolarsError:
        return None  # a later row holds something else
    return frame if _is_faithful(frame, file.body) else None


def _is_faithful(frame: pl.DataFrame, body: bytes) -> bool:
    """Whether writing the frame would give the file back.

    Polars reads "01", "+1" and "-0" as integers, but the plain form is shorter than any other, so it is enough that
    no byte is left over. A null would hide a short row, and is not distinguished here.
    """
    import polars as pl

    if any(s.null_count() for s in frame):
        return False
    returns = body.count(b"\r")
    if returns and not returns == body.count(b"\r\n") == frame.height:
        return False
    fields = sum(_digits(s.to_numpy()) if s.dtype == pl.Int32 else _bytes(s) for s in frame)
    return len(body) == fields + frame.height * frame.width + returns


def _bytes(series: pl.Series) -> int:
    import polars as pl

    return int(series.cast(pl.String).str.len_bytes().sum())


def _digits(values: Array) -> int:
    """How many characters integers take in plain form."""
    total = len(values) + int(np.count_nonzero(values < 0))
    low, high, bound = int(values.min()), int(values.max()), 10
    while bound <= max(high, -low):
        total += int(np.count_nonzero(values >= bound)) if bound <= high else 0
        total += int(np.count_nonzero(values <= -bound)) if bound <= -low else 0
        bound *= 10
    return total


def _has_all_separators(file: Csv, rows: int) -> bool:
    """Whether no row is short; in a file with quotes, counting separators cannot show it."""
    return not file.quoted and file.body.count(file.separator.encode()) == rows * (len(file.names) - 1)


def _check_ragged(file: Csv) -> None:
    """Name the first row that does not have as many fields as the header."""
    reader, line, width = _records(file.body, file.separator), file.line, len(file.names)
    try:
        for record in reader:
            if not record:
                raise InputError(f"line {line} is blank: remove it")
            if len(record) != width:
                raise InputError(
                    f"line {line} has {len(record)} fields where the header has {width}: complete it, or quote fields "
                    f"that contain the separator {file.separator!r}"
                )
            line = file.line + reader.line_num
    except csv.Error as error:
        raise InputError(f"line {line}: a quoted field is not closed properly ({error})") from None


def _from_fields(
    frame: pl.DataFrame, names: Sequence[str], rules: Rules, numeric: Collection[str] | None = None
) -> list[Raw]:
    """The columns; with `numeric`, only those become numbers, whatever they start with."""
    import polars as pl

    raw: dict[str, Raw] = {}
    text: dict[str, pl.Series] = {}
    for name, s in zip(names, frame, strict=True):
        if s.dtype == pl.Int32:
            raw[name] = integer_levels(name, s.to_numpy())
        elif s.dtype == pl.String and (numbers := _decimals(name, s, rules, numeric)) is not None:
            raw[name] = numbers
        else:
            text[name] = s
    raw.update(zip(text, text_levels(list(text), list(text.values()), "field"), strict=True))
    return [raw[name] for name in names]


def _decimals(name: str, series: pl.Series, rules: Rules, numeric: Collection[str] | None) -> Numbers | None:
    """The column as numbers, if it is one of numbers by the same rule as for coded fields.

    It saves coding columns in which nearly all fields differ.
    """
    import polars as pl

    tokens = list(rules.tokens(name))
    if numeric is not None and name not in numeric:
        return None
    start = [v for v in series.head(_SAMPLE).unique().to_list() if v is not None and v not in tokens]
    if numeric is None and (rules.kind(name) == "discrete" or numeric_type(start) != "number"):
        return None
    if numeric is None and not rules.strict and all(map(_THOUSANDS.fullmatch, start)):
        return None  # 1.234 is more than a thousand where the decimal mark is a comma
    absent = series.is_null() | series.is_in(tokens)
    values = series.cast(pl.Float64, strict=False)
    if not (absent | series.str.contains(f"^(?:{NUMBER.pattern})$")).all() or (values.is_null() & ~absent).any():
        return None
    numbers = values.fill_null(np.nan).to_numpy()
    return Numbers(name, frozen(np.where(absent.to_numpy(), np.nan, numbers)))


def first_line(error: Exception) -> str:
    """The part of a library's message that fits into one of ours."""
    return next(iter(str(error).splitlines()), type(error).__name__)
