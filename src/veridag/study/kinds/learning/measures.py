"""What a study of learners can measure, each measure a function that gives columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from veridag.data import Data
from veridag.metrics import arc_count, confusion, phd, scaled_shd, shd, shd_parts, sid
from veridag.network import Network
from veridag.search.result import Result
from veridag.study.kind import Row

from .prediction import log_likelihood


@dataclass(frozen=True)
class Case:
    """What was learned, from what, and the truth; `test` are rows that the learner has not seen."""

    truth: Network
    result: Result
    data: Data
    test: Data | None


def measure(case: Case, wanted: Iterable[str]) -> Row:
    """One row: the measures that are wanted, and how the search went."""
    row: Row = {}
    for name in wanted:
        row |= MEASURES[name](case)
    result = case.result
    return row | {
        "score": result.score,
        "calls": result.calls,
        "valid": result.valid,
        "optimal": result.optimal,
        "seconds_learning": result.seconds,
    }


def _shd(case: Case) -> Row:
    return {"shd": shd(case.truth.dag, case.result.graph)}


def _scaled_shd(case: Case) -> Row:
    return {"scaled_shd": scaled_shd(case.truth.dag, case.result.graph)}


def _errors(case: Case) -> Row:
    parts = shd_parts(case.truth.dag, case.result.graph)
    return {"missing": parts.missing, "spurious": parts.spurious, "misoriented": parts.misoriented}


def _phd(case: Case) -> Row:
    return {"phd": phd(case.truth.dag.cpdag(), case.result.graph)}


def _sid(case: Case) -> Row:
    """Of the DAG that was learned; none of a graph that no DAG extends."""
    return {"sid": sid(case.truth.dag, case.result.dag) if case.result.valid else None}


def _confusion(case: Case) -> Row:
    """Of the arcs and undirected edges of the classes."""
    counts = confusion(case.truth.dag.cpdag(), case.result.graph).arcs
    return {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "f1": counts.f1}


def _arcs(case: Case) -> Row:
    arcs = arc_count(case.result.graph)
    return {"arcs": arcs, "arc_ratio": arcs / arc_count(case.truth.dag)}


def _calls_published(case: Case) -> Row:
    """As R bnlearn counts them."""
    return {"calls_published": case.result.calls_published}


def _loglik(case: Case) -> Row:
    """Of a test row on average, with the parameters' posterior means for an imaginary sample size of 1."""
    assert case.test is not None
    if not case.result.valid:
        return {"loglik": None}
    return {"loglik": log_likelihood(case.result.dag, case.data, case.test, ess=1.0) / case.test.n}


MEASURES: dict[str, Callable[[Case], Row]] = {
    "shd": _shd,
    "scaled-shd": _scaled_shd,
    "errors": _errors,
    "phd": _phd,
    "sid": _sid,
    "confusion": _confusion,
    "arcs": _arcs,
    "calls-published": _calls_published,
    "loglik": _loglik,
}

#: The columns of those measures whose name is not that of their column.
_COLUMNS = {
    "scaled-shd": ("scaled_shd",),
    "errors": ("missing", "spurious", "misoriented"),
    "confusion": ("tp", "fp", "fn", "f1"),
    "arcs": ("arcs", "arc_ratio"),
    "calls-published": ("calls_published",),
}


def columns(wanted: Iterable[str]) -> tuple[str, ...]:
    """The columns of a row with these measures."""
    own = [column for name in wanted for column in _COLUMNS.get(name, (name,))]
    return (*own, "score", "calls", "valid", "optimal", "seconds_learning")


NEEDS_TEST_SET = ("loglik",)

#: What figures call columns, where that is another word.
NAMES = {
    "n": "number of rows",
    "relative": "rows per parameter, n/|Θ|",
    "shd": "SHD",
    "scaled_shd": "SHD / |A|",
    "arc_ratio": "arcs / |A|",
    "loglik": "log-likelihood of a test row",
    "sid": "SID",
    "missing": "missing edges",
    "spurious": "spurious edges",
    "misoriented": "misoriented edges",
}
