"""Data as a network sees it: its columns by the network's variables, its states by the numbers that they have there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.errors import InputError, suggest

from .parameters import ConditionalGaussian, Floats

if TYPE_CHECKING:
    from .network import Network

States = NDArray[np.int32]
Mask = NDArray[np.bool_]


#: The names of the states of discrete variables, by variable.
StateNames = Mapping[str, Sequence[str]]


def check_data(network: Network, data: Data) -> None:
    """Refuse data that lacks a variable of the network, or has one of another kind."""
    check_columns(network.names, network.states, data)


def check_columns(names: Iterable[str], states: StateNames, data: Data) -> None:
    """Refuse data that lacks one of these variables of a network, or has one of another kind."""
    for variable in names:
        if variable not in data.kinds:
            raise InputError(
                f"the data has no column {variable!r}, which the network needs: {suggest(variable, data.names)}"
            )
        needed = "discrete" if variable in states else "continuous"
        if data.kinds[variable] != needed:
            raise InputError(f"column {variable!r} is {data.kinds[variable]}, but the network's variable is {needed}")


def state_map(states: StateNames, column: Column) -> NDArray[np.intp]:
    """For each state of a column, its number in the network; a state that is observed must have one."""
    known = {state: k for k, state in enumerate(states[column.name])}
    there = np.bincount(column.present().values, minlength=len(column.states)) > 0
    for state, is_there in zip(column.states, there, strict=True):
        if is_there and state not in known:
            raise InputError(
                f"column {column.name!r} has the state {state!r}, which the network does not have: "
                f"{suggest(state, known)}"
            )
    return np.array([known.get(state, 0) for state in column.states], dtype=np.intp)


class Rows:
    """The rows of data as arrays with a column for each variable of the network, in its order.

    `states` has the numbers of the states of the discrete variables, -1 where one is missing, and `values` the numbers
    of the continuous ones, `nan` where one is missing. A discrete variable has no use for its column of `values`, nor a
    continuous one for its column of `states`.
    """

    def __init__(self, network: Network, data: Data) -> None:
        check_data(network, data)
        self.network, self.data = network, data
        self.at = {v: i for i, v in enumerate(network.names)}
        columns = {c.name: c for c in data.columns}
        self.columns = [columns[v] for v in network.names]
        self.missing: Mask = np.zeros((data.nrows, len(network.names)), bool)
        for i, c in enumerate(self.columns):
            if c.observed is not None:
                self.missing[:, i] = ~c.observed

    @cached_property
    def states(self) -> States:
        """The numbers of states, -1 where a value is missing or the variable continuous."""
        states = np.full(self.missing.shape, -1, np.int32)
        for i, c in enumerate(self.columns):
            if c.kind == "discrete":
                states[:, i] = np.where(self.missing[:, i], -1, state_map(self.network.states, c)[c.values])
        return states

    @cached_property
    def values(self) -> Floats:
        """The values of continuous variables, `nan` where one is missing or the variable discrete."""
        values = np.full(self.missing.shape, np.nan)
        for i, c in enumerate(self.columns):
            if c.kind == "continuous":
                values[:, i] = np.where(self.missing[:, i], np.nan, c.values)
        return values

    @cached_property
    def regressions(self) -> dict[str, ConditionalGaussian]:
        """The regressions of the continuous variables."""
        network = self.network
        return {v: network.conditional_gaussian(v) for v in network.names if v not in network.states}

    @cached_property
    def weights(self) -> Floats:
        """How many observations each row stands for."""
        own = self.data.weights
        return np.ones(self.data.nrows) if own is None else own.astype(np.float64)

    def describe(self, row: int) -> str:
        """What a row has, in words, for a message."""
        facts = [
            f"{c.name} = {c.states[c.values[row]] if c.kind == 'discrete' else f'{c.values[row]:g}'}"
            for i, c in enumerate(self.columns)
            if not self.missing[row, i]
        ]
        return ", ".join(facts[:6]) + (f" and {len(facts) - 6} more" if len(facts) > 6 else "")

    def impossible(self, row: int) -> InputError:
        """The error for a row of probability zero, whose missing values nothing can be said about."""
        return InputError(
            f"data: row {row}, counted from 0, has probability zero under the network, so its missing values have no "
            f"distribution: {self.describe(row)}; leave it out with data.rows(), or fit the network with a prior"
        )
