"""Compressed files: gzip holds one file, a zip archive may hold several."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from veridag.data.columns import listed
from veridag.errors import InputError, setting, suggest
from veridag.files.limits import current_limits, gunzipped, too_large

from .content import Content, FileOptions

_GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"


@dataclass(frozen=True)
class Unpacked:
    """A file that is not compressed: its name, which is empty for a stream, and what is left to be decided."""

    name: str
    content: Content
    options: FileOptions
    notes: tuple[str, ...] = ()


def unpack(name: str, content: Content, options: FileOptions, suffixes: Sequence[str]) -> Unpacked:
    """The file itself if it is not compressed; `suffixes` are those of files that can hold a table."""
    lower = name.lower()
    if lower.endswith(".gz") or (not name and content.head.startswith(_GZIP)):
        return Unpacked(name[:-3], Content(given=_decompressed(content.data)), options)
    if lower.endswith(".zip") or (not name and content.head.startswith((ZIP, _EMPTY_ZIP)) and not is_workbook(content)):
        return _unzipped(content, options, suffixes)
    return Unpacked(name, content, options)


def _decompressed(data: bytes) -> bytes:
    try:
        return gunzipped(data, "the file")
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"the compressed file is damaged or is not gzip ({error}): compress it again") from None


def opened_zip(content: Content) -> zipfile.ZipFile:
    """A zip archive; its members are read by no other way than through their stated sizes."""
    try:
        return zipfile.ZipFile(io.BytesIO(content.data))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeDecodeError) as error:
        raise InputError(f"the archive is damaged or is not zip ({error}): compress the table again") from None


def is_workbook(content: Content) -> bool:
    """Whether a zip archive is a workbook, which is one inside."""
    if not content.head.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeDecodeError):
        return b"xl/" in content.head or b"[Content_Types].xml" in content.head or b"opendocument" in content.head
    return bool(names & {"xl/workbook.xml", "xl/workbook.bin"}) or {"mimetype", "content.xml"} <= names


def tables_packed(name: str, content: Content, suffixes: Sequence[str]) -> list[str]:
    """The tables of a zip archive; none of another file."""
    if not name.lower().endswith(".zip"):
        return []
    with opened_zip(content) as archive:
        return _members(archive, suffixes)[1]


def _members(archive: zipfile.ZipFile, suffixes: Sequence[str]) -> tuple[list[str], list[str]]:
    """All files of an archive, and those that are tables."""
    members = [info for info in archive.infolist() if not info.is_dir() and not _is_litter(info.filename)]
    names = [info.filename for info in members]
    return names, [name for name in names if name.lower().removesuffix(".gz").endswith(tuple(suffixes))]


def _unzipped(content: Content, options: FileOptions, suffixes: Sequence[str]) -> Unpacked:
    with opened_zip(content) as archive:
        names, tables = _members(archive, suffixes)
        chosen, options = _chosen(names, tables, options)
        data = member(archive, chosen)
    others = len(tables) - (chosen in tables)
    notes = (f"{chosen!r} is read from the archive, which has {others} more",) if others else ()
    if chosen.lower().endswith(".zip"):
        raise InputError(f"the archive has another archive in it, {chosen!r}: unpack it first")
    inner = unpack(chosen, Content(given=data), options, suffixes)
    return replace(inner, notes=(*notes, *inner.notes))


def _is_litter(name: str) -> bool:
    """Whether a member is one that systems add to archives."""
    return name.startswith("__MACOSX/") or name.rsplit("/", 1)[-1].startswith(".") or name.endswith("Thumbs.db")


def _chosen(names: Sequence[str], tables: Sequence[str], options: FileOptions) -> tuple[str, FileOptions]:
    """The member to read; a sheet= that names it is used up, and otherwise meant for what the one member holds."""
    if options.sheet in names:
        return str(options.sheet), replace(options, sheet=None)
    if len(tables) == 1:
        return tables[0], options
    if not tables:
        found = f"only {listed(names, 6)}" if names else "nothing"
        raise InputError(f"the archive has no table, {found}: put one such as 'cases.csv' into it")
    if options.sheet is not None:
        raise InputError(
            f"{setting('sheet', options.sheet)} is not a file in the archive: {suggest(options.sheet, tables)}"
        )
    raise InputError(
        f"the archive has {len(tables)} tables, {listed(tables, 12)}: choose one, such as {setting('sheet', tables[0])}"
    )


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The content of a member, unless that is too large."""
    info = archive.getinfo(name)
    if info.flag_bits & 1:
        raise InputError(f"{name!r} in the archive is encrypted: unpack it first")
    if info.file_size > current_limits().unpacked_bytes:
        raise InputError(too_large(f"{name!r} in the archive"))
    try:
        return archive.read(info)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, zlib.error, NotImplementedError) as error:
        raise InputError(f"{name!r} in the archive is damaged ({error}): compress it again") from None
