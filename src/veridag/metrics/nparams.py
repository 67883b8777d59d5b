"""How many parameters a network with a given structure has."""

from __future__ import annotations

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph import DAG, PDAG

from ._comparison import require


def nparams(graph: DAG | PDAG, data: Data) -> int:
    """The free parameters of a network with this structure over the variables of the data.

    Discrete: the sum of (r_i - 1) q_i over declared states, observed or not. Gaussian: 2 N + |A| (intercepts,
    standard deviations, slopes). The same for all DAGs of a class, so a PDAG is counted by one DAG that extends it.
    """
    require("graph", graph, DAG, PDAG)
    if not isinstance(data, Data):
        raise InputError(f"data: a Data is needed, not a {type(data).__name__}: make one with Data.from_frame")
    unknown = sorted(set(graph.names) - set(data.names))
    if unknown:
        raise InputError(f"graph: the data have no column {unknown[0]!r}: give the graph the data's names")
    dag = graph.extension() if isinstance(graph, PDAG) else graph
    if data.select(graph.names).require_one_kind() == "continuous":
        return 2 * len(dag.names) + len(dag.arcs)
    return dag.nparams(data.arities)
