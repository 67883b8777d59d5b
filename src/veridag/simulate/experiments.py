"""Samples of a network in which variables were set, as in randomised experiments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from veridag.checks import SEED, Instance, Integer
from veridag.data import Column, Data
from veridag.data.targets import Targets, TargetSet, names_in
from veridag.errors import InputError, suggest
from veridag.network import LinearGaussian, Network, Table

_ROWS = Integer(1)
_FOR_MOMENTS = 10_000  # rows that tell the mean and deviation of a variable


def experiments(network: Network, targets: Iterable[object], rows: int | Sequence[int], seed: int = 0) -> Data:
    """Sample rows of several experiments, one after the other, with a record of what was set.

    A discrete variable that is set has each of its states with the same probability, regardless of its parents. A
    continuous one is normal, with about the mean and the standard deviation that it has without interventions.

    Args:
        network: The network to sample from.
        targets: What each experiment sets: a variable, several, or None for observation only.
        rows: The number of rows of each experiment, or one number for each.
        seed: Seed of the random numbers. The same seed gives the same result.

    See also:
        `Network.intervene`, docs/interventions.md
    """
    Instance(Network, "a network, such as vd.networks.load('sachs')")("network", network)
    sets = [_checked(network, each) for each in targets]
    if not sets:
        raise InputError("targets: give at least one experiment; None means observation only")
    counts = [rows] * len(sets) if isinstance(rows, int | np.integer) else list(rows)
    if len(counts) != len(sets):
        raise InputError(f"rows: {len(counts)} numbers for {len(sets)} experiments: give one for each, or one for all")
    counts = [_ROWS("rows", count) for count in counts]
    seeds = np.random.SeedSequence(SEED("seed", seed)).generate_state(len(sets), np.uint64).tolist()
    parts = [_set(network, own).sample(n, s) for own, n, s in zip(sets, counts, seeds, strict=True)]
    columns = [_joined([part.columns[i] for part in parts]) for i in range(len(network.names))]
    return Data(columns, targets=Targets(sets, np.repeat(np.arange(len(sets)), counts)))


def _checked(network: Network, given: object) -> TargetSet:
    names = names_in(given)
    for name in names:
        if name not in network.cpds:
            raise InputError(f"targets: the network has no variable {name!r}: {suggest(name, network.names)}")
    return names


def _set(network: Network, names: TargetSet) -> Network:
    """The network without the arcs into these variables, which have a distribution of their own."""
    cpds = dict(network.cpds)
    for name in names:
        if name in network.states:
            r = len(network.states[name])
            cpds[name] = Table((), np.full(r, 1 / r))
        else:
            observed = network.sample(_FOR_MOMENTS, 0).column(name)
            cpds[name] = LinearGaussian((), float(observed.mean()), np.zeros(0), float(observed.std()))
    return Network(cpds, network.states)


def _joined(columns: Sequence[Column]) -> Column:
    values = np.concatenate([column.values for column in columns])
    first = columns[0]
    if first.kind == "discrete":
        return Column.discrete(first.name, values, first.states, first.reason)
    return Column.continuous(first.name, values, first.reason)
