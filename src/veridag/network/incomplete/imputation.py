"""`impute`: rows with missing values made complete, by what a network says about what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from veridag.checks import JOBS, PROGRESS, SEED, Instance, Integer, Optional
from veridag.data import Column, Data
from veridag.data.columns import code_type, listed
from veridag.data.reading.rules import MISSING_STATE
from veridag.errors import InputError, setting
from veridag.network.matching import Rows, States
from veridag.network.network import Network
from veridag.network.parameters import Floats
from veridag.network.query import JunctionTree
from veridag.progress import Progress

from .component import Component, Numbers, components
from .configurations import naming_gaps
from .gaussian import GaussianGaps, has_densities
from .observed import complete_families
from .parts import Mask, barren

Positions = NDArray[np.intp]


@overload
def impute(
    network: Network,
    data: Data | Any,
    *,
    draws: None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Data: ...
@overload
def impute(
    network: Network, data: Data | Any, *, draws: int, seed: int = 0, jobs: int = 1, progress: Progress | None = None
) -> tuple[Data, ...]: ...
def impute(
    network: Network,
    data: Data | Any,
    *,
    draws: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Data | tuple[Data, ...]:
    r"""Fill in missing values with a network: with the most probable values, or several times at random.

    Without `draws`, the missing values of a row become the most probable completion given its observed values. With
    $x_o$ observed and $x_m$ missing, this is ``argmax P(x_m | x_o)`` in a discrete network, for all missing values of a
    row together (Dawid 1992), and the conditional mean $E[x_m | x_o]$ in a Gaussian one. In a mixed network with
    discrete d and continuous y, it is the most probable configuration, ``argmax P(d_m | d_o, y_o)``, and then
    $E[y_m | d, y_o]$. Such data understates the variation of the values: use it for a first look, or for a method that
    needs complete data.

    With `draws`, the missing values of a row are drawn together from $P(x_m | x_o)$: multiple imputation (Rubin 1987).
    Results computed from each table differ by as much as the missing values leave open. Draws are independent and
    exact, and m draws are the first m of more. A row of weight w is drawn once and counts w times.

    The parameters are treated as known (improper multiple imputation), so Rubin's variance is too small. `fit`
    estimates them from data with missing values. States are matched by name. Columns that are not in the network stay
    as they are, and must be complete. A variable with a state "missing", as ``missing="state"`` makes it, is not filled
    in: its missing values become that state. In a mixed network, missing discrete variables that depend on each other
    given the row are enumerated, up to 4096 configurations, and otherwise answered by a junction tree.

    Args:
        network: The network.
        data: The table: a `Data` or a data frame.
        draws: How many tables to draw; the most probable values, once, if None.
        seed: Seed of the random numbers. The same seed gives the same tables with any number of jobs.
        jobs: Number of threads.
        progress: Progress callback, see `ProgressBar`.

    Returns:
        The completed table, or a tuple of tables with `draws`.

    Raises:
        InputError: If a row has probability zero.
        TooLarge: If the junction tree does not fit into memory.

    See also:
        `fit`, docs/incomplete.md
    """
    Instance(Network, "a network, such as vd.fit(dag, data)")("network", network)
    draws = Optional(Integer(1))("draws", draws)
    seed, jobs = SEED("seed", seed), JOBS("jobs", jobs)
    PROGRESS("progress", progress)
    data = _with_missing_state(network, Data.of(data))
    rows = Rows(network, data)
    _refuse_other_gaps(network, data)
    if not rows.missing.any():
        return data if draws is None else (data,) * draws
    data.require_observational("impute", "leave rows out with data.complete_cases()")
    method = _discrete if network.kind == "discrete" else _gaussian if has_densities(network) else _with_continuous
    completed = method(rows, draws, seed, jobs, progress)
    if draws is None:
        return _filled(rows, *next(completed), "filled in with the most probable values")
    notes = (f"drawn, imputation {j} of {draws} (seed {seed})" for j in range(1, draws + 1))
    return tuple(_filled(rows, *own, note) for own, note in zip(completed, notes, strict=True))


def _with_missing_state(network: Network, data: Data) -> Data:
    """The data with gaps of variables that have a state "missing" in the network as that state."""
    made: dict[str, Column] = {}
    for c in data.columns:
        if c.observed is not None and c.kind == "discrete" and MISSING_STATE in network.states.get(c.name, ()):
            labels = c.states if MISSING_STATE in c.states else (*c.states, MISSING_STATE)
            codes = np.where(c.observed, c.values, labels.index(MISSING_STATE)).astype(code_type(len(labels)))
            made[c.name] = replace(c, values=codes, states=labels, observed=None)
    if not made:
        return data
    note = f"missing values are the state {MISSING_STATE!r} of the network: {listed(made)}"
    columns = [made.get(c.name, c) for c in data.columns]
    return replace(data, columns=columns, notes=(*data.notes, note))


def _refuse_other_gaps(network: Network, data: Data) -> None:
    for c in data.columns:
        if c.observed is not None and c.name not in network.cpds:
            raise InputError(
                f"data: column {c.name!r} has missing values and is not a variable of the network: leave it out with "
                f"{setting('drop', c.name)}, or give the network that variable"
            )


Completed = Iterator[tuple[States, Floats]]


def _discrete(rows: Rows, draws: int | None, seed: int, jobs: int, progress: Progress | None) -> Completed:
    tree = JunctionTree(rows.network)
    which = np.flatnonzero(rows.missing.any(axis=1))
    given = rows.states[which]
    # The seeds of m draws are the first m of more.
    seeds = [None] if draws is None else np.random.SeedSequence(seed).generate_state(draws, np.uint64).tolist()
    for own in seeds:
        with naming_gaps():
            found = (
                tree.most_probable(given, jobs=jobs, progress=progress)
                if own is None
                else tree.sample(given, own, jobs=jobs, progress=progress)
            )
        _refuse_impossible(rows, which, found.log_probabilities)
        states = rows.states.copy()
        states[which] = found.states
        yield states, rows.values


def _gaussian(rows: Rows, draws: int | None, seed: int, jobs: int, progress: Progress | None) -> Completed:
    gaps = GaussianGaps(rows)
    found = gaps.complete(rows.network)
    for draw in range(draws or 1):
        values, random = found.values.copy(), None
        if draws is not None:
            random = _Random(seed, draw, *rows.missing.shape)
            for which, variables, root in found.solved:
                where = which[:, None], variables
                values[where] += np.einsum("nuv,nv->nu", root, random.normal[where])
        _forward(rows, gaps.barren, rows.states, values, random)
        if progress is not None:
            progress("imputation", draw + 1, draws or 1, {})
        yield rows.states, values


def _with_continuous(rows: Rows, draws: int | None, seed: int, jobs: int, progress: Progress | None) -> Completed:
    network, numbers = rows.network, Numbers(rows.network)
    # A barren discrete variable is part of the most probable configuration, so only continuous ones are left out then.
    later = barren(network, rows.missing, ("continuous",) if draws is None else ("discrete", "continuous"))
    gaps = np.flatnonzero(rows.missing.any(axis=1))
    _refuse_impossible(rows, gaps, complete_families(rows, numbers)[gaps])
    made = [(rows.states.copy(), rows.values.copy()) for _ in range(draws or 1)]
    random: list[_Random | None] = (
        [None] if draws is None else [_Random(seed, j, *rows.missing.shape) for j in range(draws)]
    )
    parts = components(rows, later)
    for done, part in enumerate(parts):
        _complete(rows, part, numbers, made, random)
        if progress is not None:
            progress("imputation", done + 1, len(parts), {})
    for (states, values), own in zip(made, random, strict=True):
        _forward(rows, later, states, values, own)
        yield states, values


class _Random:
    """The random numbers of one imputation: those of a row depend on the seed and its number alone."""

    def __init__(self, seed: int, draw: int, n: int, p: int) -> None:
        self.uniform = np.random.default_rng((seed, draw, 0)).random((n, p))
        self.normal = np.random.default_rng((seed, draw, 1)).standard_normal((n, p))


def _complete(
    rows: Rows, part: Component, numbers: Numbers, made: list[tuple[States, Floats]], random: list[_Random | None]
) -> None:
    """Fill in one set of linked variables, in all imputations."""
    at, which = rows.at, part.rows
    posterior, normals = part.posterior(numbers)
    _refuse_impossible(rows, which, posterior.log_probability)
    for (states, values), own in zip(made, random, strict=True):
        chosen = np.zeros((len(which), 0), np.int32)
        if part.discrete:
            columns = [at[v] for v in part.discrete]
            chosen = posterior.most_probable() if own is None else posterior.draw(own.uniform[which, columns[0]])
            states[which[:, None], columns] = chosen
        for block, normal in zip(part.blocks, normals, strict=True):
            if not block.hidden:
                continue
            number = np.zeros(len(which), np.intp)
            for v in block.scope:
                number = number * len(rows.network.states[v]) + chosen[:, part.discrete.index(v)]
            columns = [at[v] for v in block.hidden]
            found = _row_by_row(normal.mean, number)
            if own is not None:
                root = _row_by_row(normal.root, number)
                found = found + np.einsum("...uv,...v->...u", root, own.normal[which[:, None], columns])
            values[which[:, None], columns] = found


def _row_by_row(array: Floats, number: Positions) -> Floats:
    """What belongs to each row and its configuration; an axis of length one stands for all."""
    row = np.arange(len(number)) if array.shape[0] > 1 else 0
    return np.asarray(array[row, number if array.shape[1] > 1 else 0])


def _forward(rows: Rows, later: Mask, states: States, values: Floats, random: _Random | None) -> None:
    """Fill in barren variables, each from its distribution given its parents, which come first."""
    network, at = rows.network, rows.at
    for v in network.dag.topological_order():
        which = np.flatnonzero(later[:, at[v]])
        if not which.size:
            continue
        if v in network.states:
            assert random is not None  # otherwise it is part of a configuration
            p = network.table(v).probabilities
            own = p[tuple(states[which, at[u]] for u in network.cpds[v].parents)]
            sums = np.cumsum(np.broadcast_to(own, (len(which), p.shape[-1])), axis=1)
            below = (sums <= random.uniform[which, at[v], None] * sums[:, -1:]).sum(axis=1)
            states[which, at[v]] = np.minimum(below, p.shape[-1] - 1)
            continue
        cpd = network.conditional_gaussian(v)
        cell = tuple(states[which, at[u]] for u in cpd.discrete)
        given = values[which][:, [at[u] for u in cpd.continuous]]
        values[which, at[v]] = cpd.intercepts[cell] + (cpd.coefficients[cell] * given).sum(axis=-1)
        if random is not None:
            values[which, at[v]] += cpd.sds[cell] * random.normal[which, at[v]]


def _refuse_impossible(rows: Rows, which: Positions, log_probabilities: Floats) -> None:
    wrong = np.flatnonzero(log_probabilities == -np.inf)
    if wrong.size:
        raise rows.impossible(int(which[wrong[0]]))


def _filled(rows: Rows, states: States, values: Floats, how: str) -> Data:
    """The data with complete columns, and a note on how they were filled in."""
    made: dict[str, Column] = {}
    for i, c in enumerate(rows.columns):
        if c.observed is None:
            continue
        if c.kind == "continuous":
            made[c.name] = replace(c, values=values[:, i], observed=None)
            continue
        known = rows.network.states[c.name]
        labels = (*c.states, *(state for state in known if state not in c.states))
        number = np.array([labels.index(state) for state in known])
        codes = np.where(c.observed, c.values, number[states[:, i]]).astype(code_type(len(labels)))
        made[c.name] = replace(c, values=codes, states=labels, observed=None)
    data = rows.data
    note = f"{int(rows.missing.sum())} missing values in {int(rows.missing.any(axis=1).sum())} rows {how}"
    columns = [made.get(c.name, c) for c in data.columns]
    return replace(data, columns=columns, notes=(*data.notes, note))
