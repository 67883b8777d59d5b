"""Tables with discrete and continuous columns."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from veridag.data import Column, Data


def mixed_data(seed: int, n: int = 120, p: int = 6, *, weighted: bool = False, kinds: str | None = None) -> Data:
    """A chain of random dependences between columns of both kinds, of different units, in a random order of kinds."""
    rng = np.random.default_rng(seed)
    kinds = "".join(rng.permutation(list("dc" * p)[:p])) if kinds is None else kinds
    hidden = rng.normal(size=n)
    columns = []
    for i, kind in enumerate(kinds):
        hidden = 0.7 * hidden + 0.7 * rng.normal(size=n)
        if kind == "c":
            unit = 10.0 ** rng.integers(-3, 4)
            columns.append(Column.continuous(f"v{i}", unit * (hidden + 5 * rng.normal())))
        else:
            r = int(rng.integers(2, 5))
            top = max(2, r - int(rng.integers(0, 2)))  # the last state may never occur
            codes = np.clip(np.floor((hidden + 2) / 4 * top), 0, top - 1).astype(np.uint8)
            columns.append(Column.discrete(f"v{i}", codes, [f"s{k}" for k in range(r)]))
    return Data(columns, rng.integers(0, 4, n) + (np.arange(n) < 2) if weighted else None)


@st.composite
def mixed_tables(draw: st.DrawFn) -> Data:
    """Some columns of each kind, with and without weights."""
    kinds = draw(st.permutations("ddcc" + draw(st.sampled_from(["", "d", "c", "dc"]))))
    seed, n = draw(st.integers(0, 2**32)), draw(st.sampled_from([30, 60, 150]))
    return mixed_data(seed, n, weighted=draw(st.booleans()), kinds="".join(kinds))
