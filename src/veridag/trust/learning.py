"""`learn_network`: structure and parameters in one call."""

from __future__ import annotations

from typing import Any

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.search import Algorithm, Tabu


def learn_network(
    data: Data | Any,
    algorithm: Algorithm | None = None,
    ess: float = 1.0,
    *,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    jobs: int = 1,
) -> Network:
    """Learn a structure with the algorithm, tabu search if None, and `fit` its parameters to the same data.

    The data is a `Data` or any data frame. `ess` is the imaginary sample size of the parameters alone; that of a score
    is part of the algorithm.
    """
    table = data if isinstance(data, Data) else Data.from_frame(data)
    learner = Tabu() if algorithm is None else check_algorithm(algorithm)
    return fit(learner.learn(table, knowledge, seed, jobs=jobs).dag, table, ess)


def check_algorithm(algorithm: object) -> Algorithm:
    """The algorithm, if it is one."""
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"algorithm={algorithm!r} must be an algorithm, such as Tabu()")
    return algorithm
