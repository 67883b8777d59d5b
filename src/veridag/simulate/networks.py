"""Random networks: a DAG with random parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Number, is_integer, is_number
from veridag.errors import InputError, suggest
from veridag.graph import DAG
from veridag.network import CPD, ConditionalGaussian, LinearGaussian, Network, Table

from .draw import Random, generator

Floats = NDArray[np.float64]
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
    """Draw the parameters of a discrete network: every distribution comes from a Dirichlet distribution.

    For every variable i and configuration j of its parents, ``Pi_ij ~ Dirichlet(alpha, ..., alpha)``.

    Args:
        dag: The structure.
        states: The number of states of each variable, a range (low, high) to draw it from, or the names of the states
            by variable.
        alpha: The parameter of the Dirichlet distribution. 1 is uniform over distributions, smaller values are closer
            to deterministic, larger ones closer to uniform probabilities.
        seed: Seed of the random numbers. The same seed gives the same result.
        name: The name of the network.

    See also:
        `random_dag`, `Network.sample`, docs/simulate.md
    """
    random = generator(seed)
    alpha = Number(above=0)("alpha", alpha)
    named = _state_names(dag.names, states, random)
    return Network({v: _random_table(dag, v, named, alpha, random) for v in dag.names}, named, name=name)


def random_gaussian_network(
    dag: DAG,
    *,
    coefficients: Range = (0.5, 1.5),
    intercepts: Range = (0.0, 0.0),
    sds: Range = (0.5, 1.5),
    seed: int = 0,
    name: str = "",
) -> Network:
    """Draw the parameters of a Gaussian network uniformly from ranges.

    Each variable is X_i = intercept + sum of coefficient * parent + noise.

    Args:
        dag: The structure.
        coefficients: Range of the absolute values of the coefficients. The sign is + or - with probability 1/2, so an
            arc is weak only if the range contains small values.
        intercepts: Range of the intercepts.
        sds: Range of the standard deviations of the noise.
        seed: Seed of the random numbers. The same seed gives the same result.
        name: The name of the network.

    See also:
        `random_dag`, `random_mixed_network`, docs/simulate.md
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


def random_mixed_network(
    dag: DAG,
    *,
    continuous: float | Iterable[str] = 0.5,
    states: int | tuple[int, int] | Mapping[str, Sequence[str]] = 2,
    alpha: float = 1.0,
    strength: float = 1.0,
    shifts: Range = (0.5, 1.5),
    coefficients: Range = (0.5, 1.5),
    sds: Range = (0.5, 1.5),
    seed: int = 0,
    name: str = "",
) -> Network:
    r"""Draw a network of discrete and continuous variables with conditional Gaussian families (Lauritzen 1992).

    Given the states d of its discrete parents and the values y of the continuous ones, a continuous variable is normal
    with mean $a_d + b_d \cdot y$ and standard deviation $s_d$, each drawn uniformly from a range:

    - $s_d$ from `sds`, for each d.
    - $a_d$ is a sum over the discrete parents. The states of each parent are put in a random order, and from one state
      to the next the mean grows by an amount from `shifts`. Any two states differ by at least the lower end of the
      range.
    - The absolute values of $b_d$ from `coefficients`, for each d. The sign is + or - for each parent and the same for
      all d, so that no effect cancels in the mean over d.

    With the defaults, as in `random_gaussian_network`, effects are between a third and three standard deviations of the
    noise.

    Args:
        dag: The structure.
        continuous: The share of continuous variables, or their names. No arc can lead from a continuous to a discrete
            variable: a share takes the last variables of a random topological order, which works for any DAG; names
            with such an arc are refused.
        states, alpha: As in `random_network`.
        strength: Factor of all shifts and coefficients. 0.5 is half as strong; with 0, arcs to continuous variables do
            not change the mean.
        shifts: Range of the shifts of the mean between states.
        coefficients: Range of the absolute values of the coefficients.
        sds: Range of the standard deviations of the noise.
        seed: Seed of the random numbers. The same seed gives the same result.
        name: The name of the network.

    See also:
        `random_network`, `random_gaussian_network`, docs/simulate.md
    """
    random = generator(seed)
    alpha, strength = Number(above=0)("alpha", alpha), Number(least=0)("strength", strength)
    ranges = {"shifts": shifts, "coefficients": coefficients, "sds": sds}
    checked = {key: _checked_range(key, value, 0.0) for key, value in ranges.items()}
    chosen = _continuous_names(dag, continuous, random)
    named = _state_names([v for v in dag.names if v not in chosen], states, random)
    both = next((v for v in named if v in chosen), None)
    if both is not None:
        raise InputError(f"states: {both!r} is continuous and has no states; leave it out")
    cpds: dict[str, CPD] = {}
    for v in dag.names:
        if v in named:
            cpds[v] = _random_table(dag, v, named, alpha, random)
            continue
        discrete = tuple(p for p in dag.parents(v) if p in named)
        others = tuple(p for p in dag.parents(v) if p not in named)
        shape = [len(named[p]) for p in discrete]
        _refuse_large(dag, v, math.prod(shape) * (len(others) + 2))
        intercepts = strength * _random_shifts(shape, checked["shifts"], random)
        signs = random.choice([-1.0, 1.0], size=len(others))
        slopes = strength * signs * random.uniform(*checked["coefficients"], size=(*shape, len(others)))
        noise = random.uniform(*checked["sds"], size=shape)
        cpds[v] = (
            ConditionalGaussian(discrete, others, intercepts, slopes, noise)
            if discrete
            else LinearGaussian(others, 0.0, slopes, float(noise))
        )
    return Network(cpds, named, name=name)


def _random_table(dag: DAG, variable: str, states: Mapping[str, Sequence[str]], alpha: float, random: Random) -> Table:
    parents = dag.parents(variable)
    shape = [len(states[p]) for p in parents]
    _refuse_large(dag, variable, math.prod(shape) * len(states[variable]))
    return Table(parents, random.dirichlet(np.full(len(states[variable]), alpha), size=shape))


def _refuse_large(dag: DAG, variable: str, entries: int) -> None:
    if entries > MAX_ENTRIES:
        raise InputError(
            f"dag: the table of {variable!r} with {len(dag.parents(variable))} parents needs {entries} numbers; the "
            f"limit is {MAX_ENTRIES}: give a DAG with a smaller max_indegree, or fewer states"
        )


def _random_shifts(shape: Sequence[int], steps: Range, random: Random) -> Floats:
    """The sum of an effect for each parent, whose states are steps apart in a random order; their middle is zero."""
    total = np.zeros(shape)
    for axis, r in enumerate(shape):
        levels = np.concatenate([[0.0], np.cumsum(random.uniform(*steps, size=r - 1))])
        effect = random.permutation(levels - levels.mean())
        total += effect.reshape([r if k == axis else 1 for k in range(len(shape))])
    return total


def _continuous_names(dag: DAG, continuous: object, random: Random) -> set[str]:
    if is_number(continuous):
        share = Number(least=0, most=1)("continuous", continuous)
        return set(_random_order(dag, random)[round((1 - share) * len(dag.names)) :])
    if isinstance(continuous, str) or not isinstance(continuous, Iterable):
        raise InputError(f"continuous={continuous!r}: give a share between 0 and 1, or the names of the variables")
    chosen = list(continuous)
    for v in chosen:
        if v not in dag.names:
            raise InputError(f"continuous: {v!r} is not a variable of the DAG: {suggest(str(v), dag.names)}")
    for parent, child in dag.arcs:
        if parent in chosen and child not in chosen:
            raise InputError(
                f"continuous: the arc {parent} -> {child} would lead from a continuous to a discrete variable, which "
                f"a network cannot have: name {child!r} too, or give a share, such as continuous=0.5"
            )
    return set(chosen)


def _random_order(dag: DAG, random: Random) -> list[str]:
    """The variables with parents before children, the next one always drawn evenly from those that may come next."""
    missing = {v: len(dag.parents(v)) for v in dag.names}
    ready, order = [v for v in dag.names if not missing[v]], []
    while ready:
        order.append(ready.pop(int(random.integers(len(ready)))))
        for child in dag.children(order[-1]):
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    return order


def _state_names(
    names: Sequence[str], states: int | tuple[int, int] | Mapping[str, Sequence[str]], random: Random
) -> dict[str, tuple[str, ...]]:
    if isinstance(states, Mapping):
        for v in names:
            if v not in states:
                raise InputError(f"states: the states of {v!r} are missing")
        return {v: tuple(own) for v, own in states.items()}  # Network checks them
    bounds = states if isinstance(states, tuple) else (states, states)
    if len(bounds) != 2 or not all(map(is_integer, bounds)) or not 1 <= bounds[0] <= bounds[1] <= 65535:
        raise InputError(
            f"states={states!r}: give a number of states between 1 and 65 535, a range (low, high),"
            " or the names of the states of every variable"
        )
    numbers = random.integers(bounds[0], bounds[1], size=len(names), endpoint=True)
    return {v: tuple(f"s{k + 1}" for k in range(r)) for v, r in zip(names, numbers.tolist(), strict=True)}


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
