"""Completions of incomplete data, drawn from a network given what is observed."""

from __future__ import annotations

import numpy as np

from veridag.errors import InputError
from veridag.network import Network
from veridag.network.matching import States
from veridag.network.query import JunctionTree


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
        f"network: row {row} of the data is impossible under the network: fit its parameters with ess above 0"
    )
