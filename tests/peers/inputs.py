"""Random graphs, networks and tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

import veridag as vd

from .comparing import Random


def seed(random: Random) -> int:
    return int(random.integers(2**31))


def dag(random: Random, least: int = 2, most: int = 8) -> vd.DAG:
    """A DAG on variables a, b, ..., in random order and from sparse to dense."""
    n = int(random.integers(least, most + 1))
    a = np.triu(random.random((n, n)) < random.uniform(0.1, 0.9), 1)
    order = random.permutation(n)
    return vd.DAG([chr(97 + i) for i in range(n)], a[np.ix_(order, order)])


def pair(random: Random, names: Sequence[str]) -> tuple[str, str]:
    x, y = random.choice(list(names), 2, replace=False).tolist()
    return x, y


def subset(random: Random, names: Sequence[str]) -> list[str]:
    return [name for name in names if random.random() < random.choice([0.1, 0.3, 0.6])]


def network(random: Random, most: int = 7, states: tuple[int, int] = (2, 4), alpha: float = 0.5) -> vd.Network:
    """A discrete network, some of whose probabilities are small."""
    return vd.simulate.random_network(dag(random, 2, most), states=states, alpha=alpha, seed=seed(random))


def table(random: Random, rows: tuple[int, int] = (20, 400), states: tuple[int, int] = (2, 4)) -> pd.DataFrame:
    """Rows of a network, all of whose columns vary: peers know of no state that does not occur."""
    while True:
        frame = network(random, 6, states, 1.0).sample(int(random.integers(*rows)), seed=seed(random)).to_pandas()
        if (frame.nunique() > 1).all():
            return frame.astype(str)


def measurements(random: Random, rows: tuple[int, int] = (20, 400)) -> pd.DataFrame:
    """Rows of a Gaussian network."""
    made = vd.simulate.random_gaussian_network(dag(random, 3, 7), intercepts=(-5.0, 5.0), seed=seed(random))
    return made.sample(int(random.integers(*rows)), seed=seed(random)).to_pandas()


def family(random: Random, names: Sequence[str], most: int = 3) -> tuple[str, list[str]]:
    """A child and some parents."""
    child, *parents = random.permutation(list(names))[: int(random.integers(1, most + 2))].tolist()
    return child, parents


def configurations(frame: pd.DataFrame, parents: Sequence[str]) -> tuple[int, int]:
    """How many configurations of the parents there are, and how many of them occur."""
    all_of_them = int(np.prod([frame[p].nunique() for p in parents], dtype=np.int64))
    return all_of_them, len(frame[list(parents)].drop_duplicates()) if parents else 1
