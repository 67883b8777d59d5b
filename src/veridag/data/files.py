"""Reading a file into `Data`; `Data.write` is the other way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import BinaryIO

from .columns import Kind
from .data import Data, States, Weights, coded_data
from .reading import MISSING_VALUES, Missing, Rules, read_file


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
    return coded_data(read_file(path, rules, separator, encoding))
