"""What a study of mixed data measures of one learned graph."""

from __future__ import annotations

from math import isfinite

from veridag.criteria.directions import with_directions
from veridag.data import Data
from veridag.graph import DAG, PDAG, InvalidGraph
from veridag.graph.knowledge import Knowledge
from veridag.metrics import log_loss, shd_parts
from veridag.network.fitting import fit
from veridag.search import Algorithm
from veridag.search.result import Result
from veridag.study.kind import Row


def directions(learner: Algorithm, data: Data, known: Knowledge | None) -> Knowledge:
    """What the learner knows about directions, and what its criterion implies about them on this data."""
    told, criterion = known or Knowledge(), learner.criterion
    if criterion is None or criterion.both_directions:
        return told
    return told | with_directions(Knowledge(), data, type(criterion).__name__)


def measure(truth: DAG, result: Result, known: Knowledge, data: Data, test: Data | None) -> Row:
    """One row.

    `known` are the `directions` that the learner had with the data; `data` are its rows before they were discretized,
    from which parameters are estimated for `gain`, and `test` fresh ones.
    """
    parts = shd_parts(truth, result.graph)
    right, wrong = _compared(truth, _directed(result, known))
    return {
        "arcs": parts.arcs,
        "shd": parts.total,
        "found": parts.arcs - parts.missing,
        "false": parts.spurious,
        "right": right,
        "wrong": wrong,
        "gain": None if test is None else _gain(result, data, test),
        "valid": result.valid,
        "calls": result.calls,
        "seconds_learning": result.seconds,
    }


def _directed(result: Result, known: Knowledge) -> DAG | PDAG:
    """The graph of the class with the directions that are known, which searches over DAGs do not give."""
    return result.graph if isinstance(result.graph, PDAG) else known.orient(result.graph.cpdag())


def _compared(truth: DAG, graph: DAG | PDAG) -> tuple[int, int]:
    """How many arcs of the graph have the direction of the truth, and how many the opposite one."""
    true = set(truth.arcs)
    return sum(arc in true for arc in graph.arcs), sum((v, u) in true for u, v in graph.arcs)


def _gain(result: Result, data: Data, test: Data) -> float | None:
    """By how much the log loss on a test row falls below that of the empty graph, with parameters from the data.

    None if no DAG of the class has parameters on mixed data, or if a standard deviation of zero makes the loss
    infinite.
    """
    if not result.valid:
        return None
    try:
        member = with_directions(Knowledge(), data, "a network").orient(result.cpdag).extension()
    except InvalidGraph:
        return None
    empty = DAG.from_arcs((), member.names)
    before, after = (float(log_loss(fit(dag, data), test)) for dag in (empty, member))
    return before - after if isfinite(before - after) else None
