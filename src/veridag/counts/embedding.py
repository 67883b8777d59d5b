"""Variables as blocks of columns: a discrete one as the indicators of its states. Readable, not fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from veridag import _core
from veridag.data import Data
from veridag.errors import InputError
from veridag.work.memory import free_memory, shown

from .family import Floats
from .moments import centred


def embedded_scatter(data: Data, names: Sequence[str], ess: float) -> tuple[Floats, list[int]]:
    """The scatter of the blocks of these variables, and how many columns each block has.

    A continuous variable is one column. A discrete one of r declared states has r - 1 indicators, of all its states but
    the last; which one is left out changes no determinant. To the scatter of a discrete block `ess` imaginary
    observations are added that have each state equally often and are independent of all other variables: so no
    determinant is zero because a state is rare or follows from another variable.
    """
    data.check_scales(names)
    _check_memory(data, names)
    weights = np.ones(data.nrows) if data.weights is None else data.weights.astype(np.float64)
    rows = data.row_order[weights[data.row_order] > 0]
    blocks = [_block(data, name) for name in names]
    widths = [block.shape[1] for block in blocks]
    x, weights = np.column_stack([np.zeros((data.nrows, 0)), *blocks])[rows], weights[rows]
    for column in x.T:
        column[:] = centred(column, weights, data.n)[0]
    scatter = _core.scatter(np.ascontiguousarray(x.T), weights)
    start = 0
    for name, width in zip(names, widths, strict=True):
        if data.kinds[name] == "discrete" and width:
            own = slice(start, start + width)
            r = width + 1
            scatter[own, own] += ess * (np.eye(width) / r - np.full((width, width), 1 / r**2))
        start += width
    return scatter, widths


def _check_memory(data: Data, names: Sequence[str]) -> None:
    """Refuse variables of so many states that the matrices do not fit into the free memory."""
    widths = {v: data.arities[v] - 1 if v in data.states else 1 for v in names}
    columns = sum(widths.values())
    needed, free = 8 * columns * (2 * columns + 3 * data.nrows), free_memory()
    if columns > _FEW_COLUMNS and needed > free:
        widest = max(widths, key=widths.__getitem__)
        raise InputError(
            f"the states give {columns} indicator columns, {widths[widest]} of them of {widest!r}, and their scatter "
            f"needs {shown(needed)} of memory, but only {shown(free)} are free: merge states, leave the column out, "
            "or use a score or test that uses counts, such as BIC or G2"
        )


#: With fewer columns no memory is too small.
_FEW_COLUMNS = 1000


def _block(data: Data, name: str) -> Floats:
    values = data.column(name)
    if data.kinds[name] == "continuous":
        return np.asarray(values[:, None], dtype=np.float64)
    indicators: Floats = (values[:, None] == np.arange(data.arities[name] - 1)[None, :]).astype(np.float64)
    return indicators
