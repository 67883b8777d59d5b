"""Text files as formats need them: which format a file has, compression, encodings, and how a file is written."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from veridag.errors import InputError, suggest
from veridag.files.limits import gunzipped
from veridag.files.writing import in_utf8, write_bytes

#: The encodings that a file may name itself; Python knows others that are no character sets, or cost too much.
_ENCODINGS = re.compile(
    r"utf-?8|utf-?16|us-ascii|ascii|latin-?1|iso-8859-\d{1,2}|windows-125\d|cp125\d|koi8-[ru]"
    r"|shift_jis|euc-jp|euc-kr|gb2312|gbk|gb18030|big5",
    re.IGNORECASE,
)


def save_text(text: str, path: str | Path | BinaryIO) -> Path | None:
    """Write the text in UTF-8 to a stream, or to a file and give back its path; ``.gz`` is compressed."""
    content = in_utf8(text)
    if not isinstance(path, str | Path):
        path.write(content)
        return None
    path = Path(path)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # without a time, the same network gives the same bytes
    try:
        write_bytes(path, content)
    except OSError as error:
        raise InputError(f"path: {str(path)!r} cannot be written: {error.strerror or error}") from error
    return path


def format_name(path: str | Path | BinaryIO, format: str | None, suffixes: Mapping[str, str], what: str) -> str:
    """The module of the format: the one named, or the one that the ending of the file name stands for."""
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
                f"path: the ending of {str(path)!r} is not a format for {what}: use one of {accepted}; or pass format="
            )
        name = suffixes[suffix]
    else:
        raise InputError(f"format: a stream has no suffix to determine the format: pass one of {known}")
    return name


def label(path: str | Path | BinaryIO) -> str:
    """What messages call the file or stream."""
    return str(path) if isinstance(path, str | Path) else str(getattr(path, "name", "<stream>"))


def load_text(path: str | Path | BinaryIO, encoding: str | None) -> str:
    """The text of a file or stream, decompressed; without `encoding`, in UTF-8 unless the file says otherwise."""
    source = label(path)
    content = _inflate(_load(path), source)
    return _decode(content, source, encoding or _declared_encoding(content, source))


def _load(path: str | Path | BinaryIO) -> bytes:
    if isinstance(path, str | Path):
        try:
            return Path(path).read_bytes()
        except OSError as error:
            raise InputError(f"path: {str(path)!r} cannot be read: {error.strerror or error}") from error
    content = path.read()
    if not isinstance(content, bytes):
        raise InputError("path: the stream is a text stream: open the file in mode 'rb'")
    return content


def _inflate(content: bytes, source: str) -> bytes:
    """The content, decompressed if it starts as gzip data does; no text format starts so."""
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gunzipped(content, source)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{source}:1: the gzip data is damaged ({error}): save the file again") from error


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
