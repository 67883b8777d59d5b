"""Completions of incomplete data, drawn from a network given what is observed."""

from __future__ import annotations

import numpy as np

from veridag.data import Column, Data
from veridag.errors import InputError
from veridag.network import Network
from veridag.network.query import JunctionTree

from .matching import States, matched, state_rows
from .moments import GaussianFill


def draw_completions(network: Network, data: Data, draws: int, seed: int, jobs: int = 1) -> tuple[Data, ...]:
    """So many completions of discrete or of continuous data."""
    network = matched(network, data)
    if data.kind == "mixed":
        raise InputError("draws: completions of mixed data cannot be drawn; give them")
    if data.kind == "continuous":
        fill = GaussianFill(network, data)
        streams = np.random.SeedSequence(seed).spawn(draws)
        return tuple(_with_numbers(data, fill.drawn(np.random.default_rng(stream))) for stream in streams)
    states = draw_states(network, state_rows(data), draws, seed, jobs)
    return tuple(_with_states(data, states[i::draws]) for i in range(draws))


def draw_states(network: Network, rows: States, draws: int, seed: int, jobs: int) -> States:
    """So many completions of each row, one after the other."""
    drawn = JunctionTree(network).sample(np.repeat(rows, draws, axis=0), seed, jobs=jobs)
    impossible = np.flatnonzero(drawn.log_probabilities == -np.inf)
    if len(impossible):
        raise impossible_row(int(impossible[0]) // draws)
    return drawn.states


def impossible_row(row: int) -> InputError:
    """The error for a row that the network cannot produce."""
    return InputError(
        f"network: what row {row} of the data has is impossible under the network: fit its parameters with ess above 0"
    )


def _with_numbers(data: Data, values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Data:
    columns = [Column.continuous(v, values[:, i]) for i, v in enumerate(data.names)]
    return Data(columns, data.weights, data.group, data.groups)


def _with_states(data: Data, states: States) -> Data:
    columns = [Column.discrete(c.name, states[:, i], c.states) for i, c in enumerate(data.columns)]
    return Data(columns, data.weights, data.group, data.groups)
