"""DAGs by a Markov chain that is uniform over them in the long run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from veridag import _core
from veridag.checks import SEED, Integer, Optional
from veridag.graph import DAG

from .size import exact_arcs, variable_names


def chain_dag(
    variables: int | Sequence[str], *, arcs: int | None = None, steps: int | None = None, seed: int = 0
) -> DAG:
    """Draw a DAG by a Markov chain whose distribution becomes uniform over all DAGs.

    The chain of Melançon et al. (2001) adds and removes arcs. Here it also reverses them (Melançon and Philippe 2004)
    and, if their number is fixed, moves them. It starts from a random order. `uniform_dag` is exact and faster, except
    for large numbers of variables.

    Args:
        variables: The names of the variables, or their number.
        arcs: Draw from the DAGs with exactly this many arcs; from all if None.
        steps: Number of steps of the chain; `default_steps` if None.
        seed: Seed of the random numbers. The same seed gives the same result.

    See also:
        `uniform_dag`, docs/simulate.md
    """
    names = variable_names(variables)
    n = len(names)
    number = exact_arcs(arcs, n, max(n - 1, 0))
    given: int | None = Optional(Integer(0, 2**63 - 1))("steps", steps)
    moves = default_steps(n, number) if given is None else given
    return DAG(names, _core.chain_dag(n, -1 if number is None else number, moves, SEED("seed", seed)))


def default_steps(n: int, arcs: int | None = None) -> int:
    """How many steps `chain_dag` makes: 10 n^2 ln(n + 1), or 10 (arcs + n) ln(n + 1) where the number of arcs is fixed.

    With 40 variables a tenth of this already gives the means of `uniform_dag` for the number of arcs, the share of
    v-structures, the longest path and the numbers of sources and sinks, within errors of one part in two hundred.
    """
    return math.ceil(10 * (n * n if arcs is None else arcs + n) * math.log(n + 1))
