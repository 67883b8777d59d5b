"""One variable predicted from the rest of each row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.errors import InputError, suggest
from veridag.network.likelihood import FamilyRegressions
from veridag.network.matching import check_columns
from veridag.network.parameters import Table
from veridag.network.query import PredictedValues
from veridag.progress import Progress

from .rows import log_mean, log_rows, pieces, with_column, with_gaps

if TYPE_CHECKING:
    from .average import NetworkAverage

Floats = NDArray[np.float64]


def predict(
    average: NetworkAverage, data: Data, target: str, given: Iterable[str] | None, progress: Progress | None
) -> Floats | PredictedValues:
    """The distribution of the target in each row."""
    data.require_observational(
        "the prediction of an average", "predict rows that were only observed, data.not_set(data.targets.names)"
    )
    known = _checked(average, data, target, given)
    rows = with_gaps(average, data, known)
    if target in average.states:
        return _of_states(average, rows, target, progress)
    return _of_values(average, rows, target, progress)


def _checked(average: NetworkAverage, data: Data, target: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """The columns that the target is predicted from."""
    if isinstance(given, str):
        raise InputError(f"given={given!r}: give a list of names, [{given!r}], not a string")
    if target not in average.names:
        raise InputError(f"target: there is no variable {target!r}: {suggest(target, average.names)}")
    known = tuple(v for v in average.names if v != target) if given is None else tuple(given)
    for name in known:
        if name not in average.names:
            raise InputError(f"given: there is no variable {name!r}: {suggest(name, average.names)}")
        if name == target:
            raise InputError(f"given: {name!r} is the target: leave it out")
        if given is None and name not in data.kinds:
            raise InputError(
                f"data: there is no column {name!r}: add it, or name the columns to predict {target!r} from in given="
            )
    check_columns(known, average.states, data)
    return known


def _of_states(average: NetworkAverage, data: Data, target: str, progress: Progress | None) -> Floats:
    """P(k | rest) is in proportion to the mean over networks of P(k, rest), for each state k."""
    states = average.states[target]
    found = np.empty((data.nrows, len(states)))
    for at, piece in pieces(average, data, progress):
        for k in range(len(states)):
            column = Column.discrete(target, np.full(piece.nrows, k, np.uint16), states)
            found[at, k] = log_mean(average, log_rows(average, with_column(piece, column)))
    largest = found.max(axis=1, keepdims=True)
    if (largest == -np.inf).any():
        raise _impossible(int((largest[:, 0] == -np.inf).argmax()), target)
    joint = np.exp(found - largest)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True))


def _of_values(average: NetworkAverage, data: Data, target: str, progress: Progress | None) -> PredictedValues:
    """Rows without other gaps all at once, the others one by one."""
    mean, sd = np.empty(data.nrows), np.empty(data.nrows)
    complete = np.ones(data.nrows, bool)
    for c in data.columns:
        if c.name != target and c.observed is not None:
            complete &= c.observed
    if not _has_densities(average, target):
        complete[:] = False
    whole = np.flatnonzero(complete)
    centre = float(np.mean(average.data.column(target)[average.data.observed(target)]))
    rows = data.rows(whole)
    for at, piece in pieces(average, rows, progress):
        mean[whole[at]], sd[whole[at]] = _given_the_rest(average, piece, target, centre)
    columns = [c for c in data.columns if c.name != target]
    for i, row in enumerate(np.flatnonzero(~complete).tolist()):
        if progress is not None:
            progress("rows with missing values", i, int((~complete).sum()), {})
        evidence: dict[str, str | float] = {
            c.name: c.states[c.values[row]] if c.kind == "discrete" else float(c.values[row])
            for c in columns
            if c.observed is None or c.observed[row]
        }
        answer = average.query(target, evidence)
        mean[row], sd[row] = answer.mean[0], answer.sd[0]  # type: ignore[union-attr] # the target is continuous
    return PredictedValues(mean, sd)


def _has_densities(average: NetworkAverage, target: str) -> bool:
    """Whether no regression with the target has a standard deviation of zero."""
    for v in range(len(average.names)):
        for dag in average.families(v)[0].tolist():
            cpd = average.cpd(dag, v)
            if isinstance(cpd, Table) or (average.names[v] != target and target not in cpd.parents):
                continue
            if not (np.asarray(cpd.sd if hasattr(cpd, "sd") else cpd.sds) > 0).all():
                return False
    return True


def _given_the_rest(average: NetworkAverage, data: Data, target: str, centre: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the target x, where all else is observed.

    A standardised residual of a family that holds x is r + g (x - c), with r that at the centre c. So in each network
    x is normal with the precision a = sum of g^2 and the mean c + b / a, where b = - sum of g r, and the evidence has
    log P(c, evidence) + b^2 / 2a + log(2 pi / a) / 2.
    """
    there = with_column(data, Column.continuous(target, np.full(data.nrows, centre)))
    log_w = log_rows(average, there)
    a, b = np.zeros(log_w.shape), np.zeros(log_w.shape)
    for v, name in enumerate(average.names):
        dags, own = average.families(v)
        terms = np.zeros((2, len(dags), data.nrows))
        for i, dag in enumerate(dags.tolist()):
            cpd = average.cpd(dag, v)
            if isinstance(cpd, Table) or (name != target and target not in cpd.parents):
                continue
            regressions = FamilyRegressions(cpd, average.states, there)
            residual, sd = regressions.residual(name)
            g = (np.ones(()) if name == target else -regressions.coefficient(target)) / sd
            terms[0, i], terms[1, i] = g**2, -g * residual / sd
        if terms.any():
            a += terms[0, own]
            b += terms[1, own]
    log_w += 0.5 * b**2 / a + 0.5 * np.log(2 * np.pi / a)
    largest = log_w.max(axis=0)
    if (largest == -np.inf).any():
        raise _impossible(int((largest == -np.inf).argmax()), target)
    w = average.shares[:, None] * np.exp(log_w - largest)
    w /= w.sum(axis=0)
    means = b / a
    mean = (w * means).sum(axis=0)
    variance = (w * (1 / a + (means - mean) ** 2)).sum(axis=0)
    return centre + mean, np.sqrt(variance)


def _impossible(row: int, target: str) -> InputError:
    return InputError(
        f"data: row {row}, counted from 0, has probability zero under all networks, so {target!r} has no distribution "
        "there: leave it out with data.rows()"
    )
