"""Random networks: a DAG with random parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from veridag.checks import Number, is_integer, is_number
from veridag.errors import InputError
from veridag.graph import DAG
from veridag.network import LinearGaussian, Network, Table

from .draw import Random, generator

Range = tuple[float, float]

#: The most probabilities in a random table: 2^28 are 2 GiB.
MAX_ENTRIES = 2**28


def random_network(
    dag: DAG,
    *,
    states: int | tuple[int, int] | Mapping[str, Sequence[str]] = 2,
    alpha: float = 1.0,
    seed: int = 0,
    name: str = "",
) -> Network:
    """A discrete network: every distribution is drawn from a Dirichlet with all parameters `alpha`.

    ``Pi_ij ~ Dirichlet(alpha, ..., alpha)`` for every variable i and configuration j of its parents: alpha = 1 is
    uniform over distributions, less is nearer to deterministic, more is nearer to even. `states` is their number, a
    range (low, high) from which every variable's number is drawn evenly, or the names of the states by variable.
    """
    random = generator(seed)
    alpha = Number(above=0)("alpha", alpha)
    named = _state_names(dag, states, random)
    tables = {}
    for v in dag.names:
        parents = dag.parents(v)
        shape = [len(named[p]) for p in parents]
        entries = math.prod(shape) * len(named[v])
        if entries > MAX_ENTRIES:
            raise InputError(
                f"dag: the table of {v!r} with {len(parents)} parents needs {entries} numbers; the limit is"
                f" {MAX_ENTRIES}: give a DAG with a smaller max_indegree, or fewer states"
            )
        tables[v] = Table(parents, random.dirichlet(np.full(len(named[v]), alpha), size=shape))
    return Network(tables, named, name=name)


def random_gaussian_network(
    dag: DAG,
    *,
    coefficients: Range = (0.5, 1.5),
    intercepts: Range = (0.0, 0.0),
    sds: Range = (0.5, 1.5),
    seed: int = 0,
    name: str = "",
) -> Network:
    """A Gaussian network: X_i = intercept + sum of coefficient * parent + noise, all numbers drawn evenly from ranges.

    `coefficients` is the range of their size; the sign is + or -, each with probability 1/2, so that no arc is weak
    unless the range says so. `sds` are the standard deviations of the noise.
    """
    random = generator(seed)
    ranges = {"coefficients": coefficients, "intercepts": intercepts, "sds": sds}
    checked = {key: _checked_range(key, value, None if key == "intercepts" else 0.0) for key, value in ranges.items()}
    cpds = {}
    for v in dag.names:
        parents = dag.parents(v)
        sizes = random.uniform(*checked["coefficients"], size=len(parents))
        signs = random.choice([-1.0, 1.0], size=len(parents))
        cpds[v] = LinearGaussian(
            parents, random.uniform(*checked["intercepts"]), sizes * signs, random.uniform(*checked["sds"])
        )
    return Network(cpds, name=name)


def _state_names(
    dag: DAG, states: int | tuple[int, int] | Mapping[str, Sequence[str]], random: Random
) -> dict[str, tuple[str, ...]]:
    if isinstance(states, Mapping):
        for v in dag.names:
            if v not in states:
                raise InputError(f"states: the states of {v!r} are missing")
        return {v: tuple(own) for v, own in states.items()}  # Network checks them
    bounds = states if isinstance(states, tuple) else (states, states)
    if len(bounds) != 2 or not all(map(is_integer, bounds)) or not 1 <= bounds[0] <= bounds[1] <= 65535:
        raise InputError(
            f"states={states!r}: give a number of states between 1 and 65 535, a range (low, high),"
            " or the names of the states of every variable"
        )
    numbers = random.integers(bounds[0], bounds[1], size=len(dag.names), endpoint=True)
    return {v: tuple(f"s{k + 1}" for k in range(r)) for v, r in zip(dag.names, numbers.tolist(), strict=True)}


def _checked_range(name: str, value: object, least: float | None) -> Range:
    numbers = value if isinstance(value, tuple) and len(value) == 2 else ()
    if (
        not numbers
        or not all(is_number(b) and math.isfinite(b) for b in numbers)
        or numbers[0] > numbers[1]
        or (least is not None and numbers[0] < least)
    ):
        above = "" if least is None else f", {least:g} or more"
        raise InputError(f"{name}={value!r}: give a range (low, high) of finite numbers{above}")
    return float(numbers[0]), float(numbers[1])
