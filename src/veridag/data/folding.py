"""Rows that repeat, as one row each with the number of its copies as its weight."""

from __future__ import annotations

import numpy as np

from veridag._core import FoldedRows

from .columns import Column
from .data import Data
from .packed import ROWS, Codes, PackedColumn, bits_for
from .targets import Targets

#: Rows are folded if each occurs so often on average. Weighted rows are counted one by one, others by their bits.
COPIES = 8


def folded(data: Data) -> Data | None:
    """Discrete data with each different row once, in the order in which they come first; None if too few repeat.

    That is so, too, where the different rows would take more memory meanwhile than half of what packed columns do.
    """
    if data.kind != "discrete" or data.weights is not None or data.incomplete:
        return None
    parts: list[Codes] = [c.packed if isinstance(c, PackedColumn) else c.values for c in data.columns]
    parts += [] if data.group is None else [data.group]
    parts += [] if data.targets is None else [data.targets.codes]
    packed_bytes = data.nrows * sum(bits_for(r) for r in data.arities.values()) // 8
    most = min(data.nrows // COPIES, packed_bytes // 2 // (2 * len(parts) + 16))
    rows = FoldedRows(len(parts))
    for start in range(0, data.nrows, ROWS):
        stop = min(start + ROWS, data.nrows)
        block = np.empty((stop - start, len(parts)), np.uint16)
        for j, part in enumerate(parts):
            block[:, j] = part[start:stop] if isinstance(part, np.ndarray) else np.asarray(part.unpack(start, stop))
        rows.add(block)
        if len(rows) > most:
            return None
    return _of_rows(data, rows)


def _of_rows(data: Data, rows: FoldedRows) -> Data:
    columns = [Column.discrete(c.name, rows.states(j), c.states, c.reason, c.edges) for j, c in enumerate(data.columns)]
    at = len(columns)
    group = None if data.group is None else rows.states(at)
    targets = None
    if data.targets is not None:
        targets = Targets(data.targets.sets, rows.states(at + (group is not None)))
    note = f"the {data.nrows} rows are kept as {len(rows)} different ones with weights"
    return Data(columns, rows.weights(), group, data.groups, (*data.notes, note), targets)
