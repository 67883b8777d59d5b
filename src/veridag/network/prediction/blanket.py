"""A discrete variable given all of its Markov blanket: a product of the tables that hold it, in all rows at once.

With the parents, children and children's other parents of T known, nothing else matters (Pearl 1988):

``P(t | rest) is in proportion to P(t | parents) * prod over children C of P(c | parents of C)``
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.data import Column, Data
from veridag.network.matching import state_map
from veridag.network.network import Network
from veridag.network.parameters import Floats

Codes = NDArray[np.uint8] | NDArray[np.uint16]


class Factor(NamedTuple):
    """The logarithm of the table of one family, flat with the states of the target last.

    For each other variable of the family `columns` has the codes of the rows and, for each code, how far it leads into
    the table.
    """

    log_table: Floats
    columns: list[tuple[Codes, NDArray[np.int64]]]


def blanket(network: Network, target: str) -> tuple[str, ...]:
    """The parents, the children and the children's other parents of a variable, in the order of the network."""
    children = network.dag.children(target)
    near = {*network.cpds[target].parents, *children, *(u for v in children for u in network.cpds[v].parents)}
    return tuple(v for v in network.names if v in near and v != target)


def has_tables_only(network: Network, target: str) -> bool:
    """Whether the target and its children are discrete, so that tables say all about it."""
    return all(v in network.states for v in (target, *network.dag.children(target)))


def factors(network: Network, target: str, data: Data) -> list[Factor]:
    """The families that hold the target, with the columns of the data."""
    columns = {c.name: c for c in data.columns}
    return [_factor(network, target, v, columns) for v in (target, *network.dag.children(target))]


def _factor(network: Network, target: str, child: str, columns: dict[str, Column]) -> Factor:
    own = network.table(child)
    scope = (*own.parents, child)
    p = own.probabilities / own.probabilities.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):
        log_table = np.log(np.moveaxis(p, scope.index(target), -1))
    others = [v for v in scope if v != target]
    found, stride = [], log_table.shape[-1]
    for v in reversed(others):
        found.append((columns[v].values, stride * state_map(network.states, columns[v]).astype(np.int64)))
        stride *= len(network.states[v])
    return Factor(np.ascontiguousarray(log_table).reshape(-1), found)


def posteriors(
    parts: list[Factor],
    states: int,
    rows: int,
    jobs: int = 1,
    callback: Callable[[int, float, float], object] | None = None,
) -> tuple[Floats, Floats]:
    """P(target | row), rows x states, and the logarithm of the sum over the states of the product of the tables.

    Where that is minus infinity, the row is impossible and its probabilities are zero.
    """
    tables = [part.log_table for part in parts]
    return _core.predict_from_blanket(tables, [part.columns for part in parts], states, rows, jobs, callback)


def posteriors_by_numpy(parts: list[Factor], states: int, rows: int) -> tuple[Floats, Floats]:
    """The same in numpy: the formula that the core is held to."""
    logs = np.zeros((rows, states))
    for log_table, columns in parts:
        place = sum((offsets[codes] for codes, offsets in columns), np.zeros(rows, np.int64))
        logs += log_table[place[:, None] + np.arange(states)]
    highest = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - np.where(highest == -np.inf, 0.0, highest))
    total = weights.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        return weights / np.where(total == 0, 1.0, total), (highest + np.log(total))[:, 0]
