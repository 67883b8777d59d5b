"""Networks and score tables in files: `read_network`, `read_table` and the like choose the format by the file's ending.

One format is one module of this package with ``read(text, source) -> Network``, whose errors start with
``source:line:``, and ``write(network) -> str``; one of score tables has a `ScoreTable` instead. To add a format, write
that module and add a line to `SUFFIXES` or `TABLE_SUFFIXES`. Any of them may be compressed: ``.gz`` after the ending.
"""

from __future__ import annotations

import gzip
import re
import zlib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast, overload

from veridag.errors import InputError, suggest

if TYPE_CHECKING:
    from veridag.network import Network
    from veridag.table import ScoreTable

#: The endings a file name may have, and the module that reads and writes such files.
SUFFIXES = {
    ".bif": "bif",
    ".xml": "xmlbif",
    ".xmlbif": "xmlbif",
    ".bifxml": "xmlbif",
    ".net": "net",
    ".dsc": "dsc",
    ".json": "json",
}

#: The same for score tables.
TABLE_SUFFIXES = {
    ".jkl": "jkl",
    ".pss": "pss",
}


#: The encodings that a file may name itself; Python knows others that are no character sets, or cost too much.
_ENCODINGS = re.compile(
    r"utf-?8|utf-?16|us-ascii|ascii|latin-?1|iso-8859-\d{1,2}|windows-125\d|cp125\d|koi8-[ru]"
    r"|shift_jis|euc-jp|euc-kr|gb2312|gbk|gb18030|big5",
    re.IGNORECASE,
)


class Format(Protocol):
    """What the module of a format offers."""

    def read(self, text: str, source: str) -> Network:
        """The network described by `text`; `source` names the file in messages."""

    def write(self, network: Network) -> str:
        """The network as text."""


class TableFormat(Protocol):
    """What the module of a format of score tables offers."""

    def read(self, text: str, source: str) -> ScoreTable:
        """The score table described by `text`; `source` names the file in messages."""

    def write(self, table: ScoreTable) -> str:
        """The score table as text."""


def read_network(path: str | Path | BinaryIO, format: str | None = None, *, encoding: str | None = None) -> Network:
    """Read a network from a file, or from a binary stream with its `format` named.

    The format is taken from the ending of the file name: ``.bif``, ``.xml`` or ``.xmlbif``, ``.net``, ``.dsc`` or
    ``.json``, with ``.gz`` after it for a compressed file. Without `encoding` the text is in UTF-8, unless the file
    says otherwise by a byte order mark or an XML declaration.
    """
    module = cast(Format, _format(path, format, SUFFIXES, "networks"))
    source = _label(path)
    content = _inflate(_load(path), source)
    return module.read(_decode(content, source, encoding or _declared_encoding(content, source)), source)


def read_table(path: str | Path | BinaryIO, format: str | None = None, *, encoding: str = "utf-8") -> ScoreTable:
    """Read a score table from a file, or from a binary stream with its `format` named.

    The format is taken from the ending of the file name: ``.jkl`` or ``.pss``, with ``.gz`` behind for a compressed
    file. The sets of each variable come out with the best first, whatever their order in the file.
    """
    module = cast(TableFormat, _format(path, format, TABLE_SUFFIXES, "score tables"))
    return module.read(_text(path, encoding), _label(path))


@overload
def write_network(network: Network, path: str | Path, format: str | None = None) -> Path: ...
@overload
def write_network(network: Network, path: BinaryIO, format: str | None = None) -> None: ...
def write_network(network: Network, path: str | Path | BinaryIO, format: str | None = None) -> Path | None:
    """Write a network to a file and give back its path, or to a binary stream with its `format` named.

    The text is in UTF-8.
    """
    return _save(cast(Format, _format(path, format, SUFFIXES, "networks")).write(network), path)


@overload
def write_table(table: ScoreTable, path: str | Path, format: str | None = None) -> Path: ...
@overload
def write_table(table: ScoreTable, path: BinaryIO, format: str | None = None) -> None: ...
def write_table(table: ScoreTable, path: str | Path | BinaryIO, format: str | None = None) -> Path | None:
    """Write a score table to a file and give back its path, or to a binary stream with its `format` named.

    The scores are read back bit for bit. What the table says of itself, its `settings`, is not kept.
    """
    return _save(cast(TableFormat, _format(path, format, TABLE_SUFFIXES, "score tables")).write(table), path)


def _save(text: str, path: str | Path | BinaryIO) -> Path | None:
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as error:
        part = text[max(0, error.start - 10) : error.end]
        raise InputError(f"a name holds a character that UTF-8 cannot: {part!r}; rename it") from None
    if not isinstance(path, str | Path):
        path.write(content)
        return None
    path = Path(path)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # without a time, the same network gives the same bytes
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"path: {str(path)!r} cannot be written: {error.strerror or error}") from error
    return path


def _format(path: str | Path | BinaryIO, format: str | None, suffixes: dict[str, str], what: str) -> object:
    known = sorted(set(suffixes.values()))
    if format is not None:
        name = format.lower()
        if name not in known:
            raise InputError(f"format: there is no format {format!r}: {suggest(name, known)}")
    elif isinstance(path, str | Path):
        suffix = Path(str(path).removesuffix(".gz")).suffix.lower()
        if suffix not in suffixes:
            accepted = ", ".join(f"{s}, {s}.gz" for s in suffixes)
            raise InputError(
                f"path: the ending of {str(path)!r} names no format of {what}: accepted are {accepted}; or pass format="
            )
        name = suffixes[suffix]
    else:
        raise InputError(f"format: a stream has no ending to tell its format: pass one of {known}")
    return import_module(f".{name}", __name__)


def _label(path: str | Path | BinaryIO) -> str:
    return str(path) if isinstance(path, str | Path) else str(getattr(path, "name", "<stream>"))


def _text(path: str | Path | BinaryIO, encoding: str) -> str:
    source = _label(path)
    return _decode(_inflate(_load(path), source), source, encoding)


def _load(path: str | Path | BinaryIO) -> bytes:
    if isinstance(path, str | Path):
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"path: {str(path)!r} cannot be read: {error.strerror or error}") from error
    content = path.read()
    if not isinstance(content, bytes):
        raise InputError("path: the stream gives text where bytes are needed: open the file in mode 'rb'")
    return content


def _inflate(content: bytes, source: str) -> bytes:
    """The content, decompressed if it starts as gzip data does; no text format starts so."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source}:1: the gzip data is damaged ({error}): write the file again") from error


def _declared_encoding(content: bytes, source: str) -> str:
    """What a byte order mark or an XML declaration says, or else UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    declaration = re.match(rb"(?:\xef\xbb\xbf)?<\?xml[^>]{0,200}?\sencoding\s*=\s*[\"']([^\"'>]{1,50})[\"']", content)
    if declaration is None:
        return "utf-8"
    name = declaration[1].decode("ascii", "replace")
    if not _ENCODINGS.fullmatch(name):
        raise InputError(f"{source}:1: the encoding {name!r} is not known: pass encoding=, or save the file as UTF-8")
    return name


def _decode(content: bytes, source: str, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except LookupError:
        raise InputError(f"encoding: {encoding!r} is unknown; try 'utf-8', 'latin-1' or 'utf-16'") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source}:{line}: byte {error.start} ({content[error.start]:#04x}) is not {encoding} text:"
            " pass the file's own encoding, such as encoding='latin-1'"
        ) from None
