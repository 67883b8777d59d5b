"""`predict`: which way each row is answered, and the answers put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.checks import JOBS, PROGRESS
from veridag.data import Data
from veridag.errors import InputError, setting, suggest
from veridag.network.ancestral import ancestral_part
from veridag.network.frames import coded_frame, column_names, with_all_columns
from veridag.network.incomplete.configurations import naming_gaps
from veridag.network.matching import Rows, States, check_columns, state_map
from veridag.network.network import Network
from veridag.network.parameters import Floats
from veridag.network.query import JunctionTree, TooLarge, posterior
from veridag.progress import Progress

from . import blanket, linked_rows
from .regimes import regimes
from .result import Prediction
from .ruled_out import refuse_ruled_out

#: Rows that are answered at a time where they are not answered in the core.
PIECE = 2**16


def predict(
    network: Network,
    data: Data | Any,
    target: str,
    given: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Prediction:
    """The distribution of the target in each row, given what else the row has.

    `Network.predict` is this function, and says more.
    """
    jobs = JOBS("jobs", jobs)
    PROGRESS("progress", progress)
    known = _checked_names(network, target, given)
    coded = _coded(network, data, known, given is None)
    rows = with_all_columns(network, coded, known)
    parts = regimes(network, rows, coded.targets, target)
    if target in network.states:
        found = np.empty((rows.nrows, len(network.states[target])))
        for own, at in parts:
            found[at] = _of_states(own, rows if len(parts) == 1 else rows.rows(at), target, at, jobs, progress)
        return Prediction.of_states(target, tuple(network.states[target]), found)
    mean, sd = np.empty(rows.nrows), np.empty(rows.nrows)
    for own, which in parts:
        for at, piece in _pieces(rows, which, progress):
            refuse_ruled_out(own, piece, target, _naming(target, at))
            mean[at], sd[at] = linked_rows.of_numbers(Rows(own, piece), target, _naming(target, at))
    return Prediction.of_numbers(target, mean, sd)


def _checked_names(network: Network, target: str, given: Iterable[str] | None) -> tuple[str, ...]:
    """The columns that the target is predicted from."""
    if isinstance(given, str):
        raise InputError(f"given={given!r}: give a list of names, [{given!r}], not a string")
    if target not in network.names:
        raise InputError(f"target: the network has no variable {target!r}: {suggest(str(target), network.names)}")
    if given is None:
        return tuple(v for v in network.names if v != target)
    known = tuple(given)
    for name in known:
        if name not in network.names:
            raise InputError(f"given: the network has no variable {name!r}: {suggest(name, network.names)}")
        if name == target:
            raise InputError(f"given: {name!r} is the target: leave it out")
    return known


def _coded(network: Network, data: Data | Any, known: Collection[str], is_default: bool) -> Data:
    """The columns that the target is predicted from; those of a data frame have the network's kinds and states."""
    if not isinstance(data, Data):
        _require_columns(known, column_names(data), is_default)
        return coded_frame(network, data, known)
    _require_columns(known, data.kinds, is_default)
    check_columns(known, network.states, data)
    for c in data.columns:
        if c.name in known and c.kind == "discrete":
            state_map(network.states, c)  # refuses states that the network lacks, wherever they are
    return data


def _require_columns(known: Collection[str], present: Collection[str], is_default: bool) -> None:
    for name in known:
        if name not in present:
            remedy = f"add it, or name with {setting('given')} the columns to predict from"
            raise InputError(f"data: there is no column {name!r}: {remedy if is_default else suggest(name, present)}")


def _of_states(
    network: Network, data: Data, target: str, numbers: NDArray[np.intp], jobs: int, progress: Progress | None
) -> Floats:
    """Rows that have all of the blanket from its tables, the others by what links the target with other gaps.

    An error names a row by its number among all rows, `numbers`.
    """
    refuse_ruled_out(network, data, target, _naming(target, numbers))
    n, states = data.nrows, len(network.states[target])
    complete = np.zeros(n, bool)
    found, log_p = np.zeros((n, states)), np.zeros(n)
    if blanket.has_tables_only(network, target):
        complete[:] = True
        columns = {c.name: c.observed for c in data.columns}
        for v in blanket.blanket(network, target):
            if (seen := columns[v]) is not None:
                complete &= seen
        if complete.any():
            parts = blanket.factors(network, target, data)
            found, log_p = blanket.posteriors(parts, states, n, jobs, _callback(progress, n))
    rest = np.flatnonzero(~complete)
    if rest.size:
        log_p[rest] = 0.0
        if network.kind == "discrete":
            found[rest], log_p[rest] = _by_tree(network, data.rows(rest), target, jobs, progress)
        else:
            for at, piece in _pieces(data, rest, progress):
                found[at] = linked_rows.of_states(Rows(network, piece), target, _naming(target, numbers[at]))
    if (log_p == -np.inf).any():
        raise impossible(int(numbers[(log_p == -np.inf).argmax()]), target)
    return found


def _by_tree(network: Network, data: Data, target: str, jobs: int, progress: Progress | None) -> tuple[Floats, Floats]:
    """P(target | row) and log P(row) of a discrete network, without variables that no row says anything about."""
    seen = [c.name for c in data.columns if c.observed is None or c.observed.any()]
    part = ancestral_part(network, (target, *seen))
    states = Rows(part, data).states
    try:
        (found,), log_p = JunctionTree(part).posteriors(states, [target], jobs=jobs, progress=progress)
    except TooLarge:
        with naming_gaps():
            return _one_by_one(part, states, target, progress)
    return found, log_p


def _one_by_one(network: Network, states: States, target: str, progress: Progress | None) -> tuple[Floats, Floats]:
    """The same where the tree is too large: each different row by itself, with what matters to the target alone."""
    rows, which = np.unique(states, axis=0, return_inverse=True)
    found, log_p = np.zeros((len(rows), len(network.states[target]))), np.zeros(len(rows))
    for i, row in enumerate(rows):
        if progress is not None:
            progress("prediction", i, len(rows), {})
        try:
            found[i] = posterior(
                network, [target], {v: k for v, k in zip(network.names, row.tolist(), strict=True) if k >= 0}
            )
        except TooLarge:
            raise
        except InputError:  # the row is impossible
            log_p[i] = -np.inf
    return found[which.reshape(-1)], log_p[which.reshape(-1)]


def _pieces(data: Data, which: NDArray[np.intp], progress: Progress | None) -> Iterable[tuple[NDArray[np.intp], Data]]:
    """These rows in pieces that fit into memory."""
    for start in range(0, len(which), PIECE):
        if progress is not None:
            progress("prediction", start, len(which), {})
        at = which[start : start + PIECE]
        yield at, data.rows(at)


def _callback(progress: Progress | None, rows: int) -> Callable[[int, float, float], object] | None:
    """The callback as the core calls it, with the rows done."""
    return None if progress is None else lambda done, best, bound: progress("prediction", done, rows, {})


def _naming(target: str, at: NDArray[np.intp]) -> Callable[[int], InputError]:
    """The error for a row of a piece, by the row's number in the data."""
    return lambda row: impossible(int(at[row]), target)


def impossible(row: int, target: str) -> InputError:
    """The error for a row of probability zero."""
    return InputError(
        f"data: row {row}, counted from 0, has probability zero under the network, so {target!r} has no distribution "
        "there: leave it out with data.rows(), or fit the network with a prior"
    )
