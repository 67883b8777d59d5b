"""Data with missing values, made from complete data: to see what missing values cost a learner."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Number, OneOf
from veridag.data import Column, Data
from veridag.data.columns import frozen
from veridag.errors import InputError

from .draw import Random, generator

Mechanism = Literal["mcar", "mar"]

#: If values are missing at random, this share of the variables has none missing, and decides about the others.
ALWAYS_OBSERVED = 1 / 3
#: The most that a value of the deciding variable multiplies the chance by; on average it is 1.
RATIO = 1.8


def remove_values(data: Data, share: float, *, mechanism: Mechanism = "mcar", seed: int = 0) -> Data:
    """Remove a share of the values: missing completely at random, or at random (Rubin 1976).

    Every column keeps at least one value.

    Args:
        data: The complete table, as a `Data`.
        share: The share of values to remove.
        mechanism: "mcar": each value is missing with probability `share`, regardless of all values. "mar": a third of
            the variables are always observed. Each of the others is missing more often in rows in which one of these,
            chosen at random, has a value from one half of its own distribution: up to nine times as often as in the
            other rows, such that on average `share` of all values are missing.
        seed: Seed of the random numbers. The same seed gives the same missing values.

    See also:
        docs/incomplete.md, docs/simulate.md
    """
    share = Number(least=0, below=1, example=0.1)("share", share)
    OneOf(get_args(Mechanism))("mechanism", mechanism)
    data.require_complete("remove_values")
    random = generator(seed)
    if mechanism == "mcar":
        chances: dict[str, float | NDArray[np.float64]] = dict.fromkeys(data.names, share)
    else:
        chances = _at_random(data, share, random)
    columns = []
    for column in data.columns:
        gone = random.random(data.nrows) < chances[column.name]
        if gone.all() and data.nrows:
            gone[int(random.integers(data.nrows))] = False
        columns.append(replace(column, observed=frozen(~gone)))
    return Data(columns, data.weights, data.group, data.groups, targets=data.targets)


def _at_random(data: Data, share: float, random: Random) -> dict[str, float | NDArray[np.float64]]:
    """The chance of each value to be missing, by the variables that are always observed."""
    if len(data.names) < 2:
        raise InputError("mechanism='mar' needs a second variable that the missing values depend on: use 'mcar'")
    shuffled = [data.names[i] for i in random.permutation(len(data.names))]
    complete = shuffled[: max(1, round(ALWAYS_OBSERVED * len(shuffled)))]
    rate = share * len(shuffled) / (len(shuffled) - len(complete))
    if rate >= 1:
        raise InputError(
            f"share={share!r} is too large for mechanism='mar', which keeps a third of the variables complete: lower it"
        )
    chances: dict[str, float | NDArray[np.float64]] = dict.fromkeys(complete, 0.0)
    for name in shuffled[len(complete) :]:
        upper = _half(data.columns[data.names.index(complete[int(random.integers(len(complete)))])], random)
        part = float(upper.mean())
        ratio = min(RATIO, 0.98 / max(rate, 1e-9), 1 / part) if part else 1.0
        rest = (1 - part * ratio) / (1 - part) if part < 1 else 1.0
        chances[name] = rate * np.where(upper, ratio, rest)
    return chances


def _half(column: Column, random: Random) -> NDArray[np.bool_]:
    """The rows with values from one half of the distribution: above the median, or in states that are about half."""
    if column.kind == "continuous":
        return np.asarray(column.values > np.median(column.values))
    chosen: list[int] = []
    total = 0.0
    for state in random.permutation(len(column.states)):
        part = float((column.values == state).mean())
        if total + part <= 0.5 or not chosen:
            chosen.append(int(state))
            total += part
    return np.isin(column.values, chosen)
