"""Small data for tests, made by hand or drawn by Hypothesis."""

from __future__ import annotations

import io

import numpy as np
import polars as pl
from hypothesis import strategies as st

from veridag.data import Column, Data, read


def discrete(name="X", codes=(0, 1, 1, 0), states=("no", "yes")):
    return Column.discrete(name, np.array(codes, dtype=np.uint8), states)


def continuous(name="Z", values=(0.5, 1.5, 2.5, 3.5)):
    return Column.continuous(name, np.array(values, dtype=float))


def numbers(values, weights=None):
    return Data([continuous("Z", values)], weights=weights)


def expanded(data: Data) -> Data:
    """The same observations without weights: the slow obvious form."""
    rows = [i for i in range(data.nrows) for _ in range(data.weights[i])]
    part = data.rows(rows)
    return Data(part.columns, None, part.group, part.groups)


@st.composite
def data_sets(draw, weighted=None, grouped=None):
    """Data of any kind, with unobserved states, weights and groups."""
    n = draw(st.integers(1, 12))
    letters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])  # arrow's names end at a zero
    names = draw(st.lists(st.text(letters, min_size=1, max_size=4), min_size=1, max_size=3, unique=True))
    columns = []
    for name in names:
        if draw(st.booleans()):
            states = draw(st.lists(st.text(letters, max_size=3), min_size=1, max_size=5, unique=True))
            codes = draw(st.lists(st.integers(0, len(states) - 1), min_size=n, max_size=n))
            columns.append(Column.discrete(name, np.array(codes), states))
        else:
            values = draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n))
            columns.append(Column.continuous(name, np.array(values)))
    weights = group = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
        weights[0] += 2
    if draw(st.booleans()) if grouped is None else grouped:
        group = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    return Data(columns, weights, group, ("a", "b", "c") if group is not None else ())


def read_back(frame, data: Data) -> Data:
    group = "(group)" if data.group is not None else None
    weights = "(weight)" if data.weights is not None else None
    return Data.from_frame(frame, group=group, weights=weights)


def csv(text: str | bytes, **options) -> Data:
    return read(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def one(values, **options) -> Data:
    """Data with the column X, by way of polars."""
    return Data.from_frame(pl.DataFrame({"X": values}), **options)


def labels(data: Data, name: str = "X") -> list[str]:
    return [data.states[name][code] for code in data.column(name)]
