"""SAS: data sets, whose value labels are in a catalog next to them, and transport files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from veridag.data.reading.raw import RawTable
from veridag.data.reading.rules import Rules

from .apart import read_apart
from .content import Content, FileOptions, Format

_TRANSPORT = b"HEADER RECORD*******"
_DATA_SET = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")


def _read_data_set(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    from .labelled import read_labelled

    catalog = None if content.path is None else _catalog(content.path)
    if catalog is None:
        return read_labelled("a SAS data set", content, rules, options, "read_sas7bdat")
    more = partial(_labels, catalog, options.encoding)
    table = read_labelled("a SAS data set", content, rules, options, "read_sas7bdat", more)
    return RawTable(table.columns, table.nrows, (f"value labels are from {catalog.name}", *table.notes))


def _catalog(path: Path) -> Path | None:
    """The catalog of the same name, or the one that SAS writes by default."""
    for name in (f"{path.stem}.sas7bcat", "formats.sas7bcat"):
        if (found := path.with_name(name)).is_file():
            return found
    return None


def _labels(catalog: Path, encoding: str | None, meta: Any) -> Mapping[str, Mapping[Any, str]]:
    """Value labels by column; a format is found by its name, which may be in another case."""
    _, found = read_apart("read_sas7bcat", str(catalog), encoding=encoding)
    formats = {str(name).upper(): labels for name, labels in found.value_labels.items()}
    wanted = {column: str(name).upper() for column, name in meta.variable_to_label.items()}
    return {column: formats[name] for column, name in wanted.items() if name in formats}


def _read_transport(content: Content, rules: Rules, options: FileOptions) -> RawTable:
    from .labelled import read_labelled

    return read_labelled("a SAS transport file", content, rules, options, "read_xport")


SAS = Format(
    "a SAS data set",
    (".sas7bdat",),
    _read_data_set,
    lambda content: content.head.startswith(_DATA_SET),
    takes=("encoding",),
)
SAS_TRANSPORT = Format(
    "a SAS transport file",
    (".xpt", ".xport"),
    _read_transport,
    lambda content: content.head.startswith(_TRANSPORT),
    takes=("encoding",),
)
