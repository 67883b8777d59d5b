"""How many parameters a network with a given structure has."""

from __future__ import annotations

from collections.abc import Mapping

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG
from veridag.graph.knowledge import Knowledge

from ._comparison import require


def nparams(graph: DAG | PDAG, data: Data) -> int:
    """Count the free parameters of a network with this structure over the variables of the data.

    A discrete variable has $q_i (r_i - 1)$ parameters, where $r_i$ is the number of its declared states, observed or
    not, and $q_i$ the number of configurations of its discrete parents. A continuous variable with $m_i$ continuous
    parents has $q_i (m_i + 2)$: for each configuration an intercept, a standard deviation and the slopes.

    All DAGs of an equivalence class have the same number, so a PDAG is counted by one DAG that extends it. For mixed
    data, this is a DAG in which no arc leads from a continuous to a discrete variable.

    Args:
        graph: The structure: a DAG or a PDAG.
        data: The table, as a `Data`: it has the kinds and states of the variables.

    See also:
        `arc_count`, docs/metrics.md
    """
    require("graph", graph, DAG, PDAG)
    if not isinstance(data, Data):
        raise InputError(f"data: a Data is needed, not a {type(data).__name__}: make one with Data.from_frame")
    unknown = sorted(set(graph.names) - set(data.names))
    if unknown:
        raise InputError(f"graph: the data has no column {unknown[0]!r}: give the graph the data's names")
    arities = {v: data.arities.get(v) for v in graph.names}
    dag = _extension(graph, arities) if isinstance(graph, PDAG) else graph
    return dag.nparams(arities)


def _extension(graph: PDAG, arities: Mapping[str, int | None]) -> DAG:
    tiers = [[v for v in graph.names if (arities[v] is None) == continuous] for continuous in (False, True)]
    return (Knowledge(tiers=tiers).orient(graph) if all(tiers) else graph).extension()
