"""What a cell of a study of calibration counts: probabilities by bins, and how many are of what is true."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from veridag.study.kind import Row

BINS = 10

#: What probabilities are of, in the order of the figures.
WHAT = ("edges", "arcs", "directions", "compelled")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def counted(arcs: Floats, true: Bools, in_class: Bools, said_compelled: Floats | None = None) -> list[Row]:
    """The rows of a cell, with the variables in the same order in all matrices.

    `arcs` are the probabilities, `true` the arcs of the true DAG and `in_class` those that its class has in that
    direction; `said_compelled` are the probabilities of the latter, where there are any.
    """
    upper = np.triu_indices(len(true), 1)
    outside = ~np.eye(len(true), dtype=bool)
    rows = _binned("edges", np.minimum(arcs + arcs.T, 1.0)[upper], (true | true.T)[upper])
    rows += _binned("arcs", arcs[outside], true[outside])
    rows += _binned("directions", arcs[outside], in_class[outside])
    if said_compelled is not None:
        rows += _binned("compelled", said_compelled[outside], in_class[outside])
    return rows


def _binned(what: str, said: Floats, there: Bools) -> list[Row]:
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    return [
        {
            "what": what,
            "bin": k,
            "pairs": int(inside.sum()),
            "said": float(said[inside].sum()),
            "true": int(there[inside].sum()),
            "squared": float(((said[inside] - there[inside]) ** 2).sum()),
        }
        for k in range(BINS)
        if (inside := which == k).any()
    ]
