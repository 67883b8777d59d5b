"""`JunctionTree`: all marginals of a discrete network at once, for one row of evidence or for many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from veridag import _core
from veridag.checks import JOBS, PROGRESS, SEED
from veridag.errors import InputError, speaks_flags, suggest
from veridag.network.network import Network
from veridag.progress import Progress

from . import elimination
from .elimination import TooLarge

Floats = NDArray[np.float64]
States = NDArray[np.int32]

#: The tables of one tree have in all so many times the entries of the largest table that inference makes; if there are
#: many, only one of them is in memory at a time.
MAX_TABLES = 16


class ExpectedCounts(NamedTuple):
    """The expected counts that EM needs from the rows.

    Attributes:
        counts: The expected counts of every family, parents first.
        log_probabilities: log P(row) of each row.
    """

    counts: dict[str, Floats]
    log_probabilities: Floats


class Completed(NamedTuple):
    """Rows without missing values, and a log probability for each.

    Attributes:
        states: The rows, as numbers of states.
        log_probabilities: The log probabilities.
    """

    states: States
    log_probabilities: Floats


class JunctionTree:
    r"""The junction tree of a discrete network, which computes all marginals in two passes.

    The moral graph is triangulated by the best of several greedy orders (Kjaerulff 1990). Its cliques C, joined by the
    separators S that they share, form a tree (Lauritzen and Spiegelhalter 1988). After messages to the root and back
    (Jensen et al. 1990),

    $$
    P(x | e) = \prod_C P(x_C | e) / \prod_S P(x_S | e)
    $$

    and every family is in a clique. Observed variables are removed from the tables first, so rows with much evidence
    are cheap. Messages are scaled, and log P(e) is the sum of the logarithms of the scales, so it does not underflow.
    Impossible evidence has log P(e) = -inf.

    Methods for many rows take an array of numbers of states, with a column for each variable of `network.names` and -1
    for missing values. Equal rows share the work, and the number of `jobs` changes no result. The tree depends only on
    the structure; `with_parameters` returns one for other parameters of the same structure.

    Args:
        network: The network, all discrete.
        together: Sets of variables that get a clique which contains them, so that you can ask for their joint
            distribution.
        thorough: Try all orders; False tries fewer, which is faster and can give larger cliques.

    See also:
        `Network.query`, `Network.marginals`, docs/inference.md
    """

    def __init__(self, network: Network, together: Iterable[Sequence[str]] = (), *, thorough: bool = True) -> None:
        if network.kind != "discrete":
            raise InputError(f"network: a junction tree needs discrete variables only; this network is {network.kind}")
        self.network = network
        self._at = {v: i for i, v in enumerate(network.names)}
        self._core = _core.JunctionTree(
            [len(network.states[v]) for v in network.names],
            [[self._at[p] for p in network.cpds[v].parents] for v in network.names],
            [[self._at[v] for v in scope] for scope in self._checked_scopes(together)],
            thorough,
        )
        self._tables = _normalised(network)
        self._engine = _core.MarginalEngine(self._core, self._tables)
        self._ends = np.cumsum([len(network.states[v]) for v in network.names]).tolist()

    def with_parameters(self, network: Network) -> JunctionTree:
        """The same tree for a network of the same structure and states with other tables."""
        ours = self.network
        if network.names != ours.names or network.states != ours.states or _parents(network) != _parents(ours):
            raise InputError(
                "network: its variables, states or parents differ from those of the tree: make a new JunctionTree"
            )
        made = JunctionTree.__new__(JunctionTree)
        made.network, made._at, made._core = network, self._at, self._core
        made._tables = _normalised(network)
        made._engine, made._ends = _core.MarginalEngine(made._core, made._tables), self._ends
        return made

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The variables of each clique."""
        return tuple(tuple(self.network.names[v] for v in clique) for clique in self._core.cliques)

    @property
    def parents(self) -> tuple[int, ...]:
        """The number of the clique that each is joined to, on the way to the root of its tree; -1 for roots."""
        return tuple(self._core.parents)

    @property
    def separators(self) -> tuple[tuple[str, ...], ...]:
        """What each clique shares with the one it is joined to; empty for those that stand for themselves."""
        cliques = self._core.cliques
        pairs = zip(cliques, self._core.parents, strict=True)
        return tuple(tuple(self.network.names[v] for v in clique if p >= 0 and v in cliques[p]) for clique, p in pairs)

    @property
    def entries(self) -> int:
        """The entries of the tables over all cliques: what a pass without evidence costs."""
        sizes = [len(self.network.states[v]) for v in self.network.names]
        return sum(prod(sizes[v] for v in clique) for clique in self._core.cliques)

    def entries_given(self, observed: Sequence[str]) -> float:
        """The entries that are left if these variables are observed."""
        known = {*observed, *(v for v in self.network.names if len(self.network.states[v]) == 1)}
        return self._core.entries_given([self._at[v] for v in known])

    def covers(self, names: Sequence[str]) -> bool:
        """Whether a clique holds all of these variables."""
        return self._core.covering([self._at[v] for v in names]) >= 0

    # ---- one row of evidence

    def log_probability(self, evidence: Mapping[str, str]) -> float:
        """log P(evidence), the natural logarithm; minus infinity if it is impossible."""
        return float(self.log_probabilities(self.row(evidence))[0])

    def marginals(self, evidence: Mapping[str, str] | None = None) -> dict[str, Floats]:
        """P(variable | evidence) of every variable; those observed have probability one of their state.

        Messages that the evidence of the call before leaves as they are, are not sent again. The numbers are the same.
        """
        known = evidence or {}
        with self._naming_sizes():
            flat, log_p = self._engine.marginals(self.row(known)[0], _limits())
        self._refuse_impossible(known, log_p)
        starts = [0, *self._ends]
        return {v: flat[start:end] for v, start, end in zip(self.network.names, starts, self._ends, strict=False)}

    def families(self, evidence: Mapping[str, str] | None = None) -> dict[str, Floats]:
        """P(parents, child | evidence) of every family, with an axis for each parent and the child's own last."""
        return self._given(evidence, {v: (*self.network.cpds[v].parents, v) for v in self.network.names})

    def _given(self, evidence: Mapping[str, str] | None, scopes: Mapping[str, tuple[str, ...]]) -> dict[str, Floats]:
        known = evidence or {}
        tables, log_p = self.posteriors(self.row(known), list(scopes.values()))
        self._refuse_impossible(known, log_p[0])
        return {v: table[0] for v, table in zip(scopes, tables, strict=True)}

    def _refuse_impossible(self, evidence: Mapping[str, str], log_p: float) -> None:
        if log_p == -np.inf:
            given = ", ".join(f"{v} = {state}" for v, state in evidence.items())
            raise InputError(f"evidence: {given} has probability zero under the network: change the evidence")

    def row(self, evidence: Mapping[str, str]) -> States:
        """Evidence by names as an array of one row."""
        states = np.full((1, len(self.network.names)), -1, np.int32)
        for v, state in evidence.items():
            if v not in self._at:
                raise InputError(f"evidence: the network has no variable {v!r}: {suggest(v, self.network.names)}")
            if state not in self.network.states[v]:
                known = self.network.states[v]
                raise InputError(f"evidence: {v!r} has no state {state!r}: {suggest(str(state), known)}")
            states[0, self._at[v]] = self.network.states[v].index(state)
        return states

    # ---- many rows

    def log_probabilities(self, rows: ArrayLike, *, jobs: int = 1, progress: Progress | None = None) -> Floats:
        """log P(what the row has) of each row."""
        states = self._checked(rows)
        with self._naming_sizes():
            return self._core.log_probabilities(
                self._tables, states, _limits(), JOBS("jobs", jobs), _callback(progress, len(states))
            )

    def expected_counts(
        self, rows: ArrayLike, weights: ArrayLike | None = None, *, jobs: int = 1, progress: Progress | None = None
    ) -> ExpectedCounts:
        """The expected counts of all families: sum over rows of weight * P(child, parents | what the row has).

        This is the E-step of EM. Rows of probability zero count nothing.
        """
        states = self._checked(rows)
        w = None if weights is None else np.ascontiguousarray(weights, np.float64)
        if w is not None and w.shape != (len(states),):
            raise InputError(
                f"weights: give one weight for each of the {len(states)} rows, not an array of shape {w.shape}"
            )
        if w is not None and not (np.isfinite(w) & (w >= 0)).all():
            raise InputError("weights: they must be finite and not negative")
        with self._naming_sizes():
            flat, log_p = self._core.expected_counts(
                self._tables, states, w, _limits(), JOBS("jobs", jobs), _callback(progress, len(states))
            )
        shapes = {v: self.network.table(v).probabilities.shape for v in self.network.names}
        ends = np.cumsum([prod(shape) for shape in shapes.values()])
        parts = np.split(flat, ends[:-1])
        return ExpectedCounts({v: x.reshape(shapes[v]) for v, x in zip(shapes, parts, strict=True)}, log_p)

    def posteriors(
        self,
        rows: ArrayLike,
        scopes: Sequence[str | Sequence[str]],
        *,
        jobs: int = 1,
        progress: Progress | None = None,
    ) -> tuple[list[Floats], Floats]:
        """P(scope | what the row has) for each scope, and log P(row).

        A scope is a variable or several, of which a clique holds those that are not observed, as it does with families.
        An array has the rows first, then an axis for each variable. Rows of probability zero have zeros.
        """
        states = self._checked(rows)
        wanted = self._checked_scopes(scopes)
        self._check_covered(wanted, states)
        numbers = [[self._at[v] for v in scope] for scope in wanted]
        with self._naming_sizes():
            flat, log_p = self._core.posteriors(
                self._tables, states, numbers, _limits(), JOBS("jobs", jobs), _callback(progress, len(states))
            )
        shapes = [tuple(len(self.network.states[v]) for v in scope) for scope in wanted]
        ends = np.cumsum([prod(shape) for shape in shapes])
        parts = np.split(flat, ends[:-1], axis=1) if shapes else []
        return [x.reshape(len(states), *shape) for x, shape in zip(parts, shapes, strict=True)], log_p

    def _checked_scopes(self, scopes: Iterable[str | Sequence[str]]) -> list[tuple[str, ...]]:
        wanted = [(scope,) if isinstance(scope, str) else tuple(scope) for scope in scopes]
        for scope in wanted:
            for v in scope:
                if v not in self._at:
                    raise InputError(f"scopes: the network has no variable {v!r}: {suggest(v, self.network.names)}")
            if not scope or len(set(scope)) < len(scope):
                raise InputError(f"scopes: give one or more variables, each once, not {scope}")
        return wanted

    def _check_covered(self, scopes: Sequence[tuple[str, ...]], states: States) -> None:
        for scope in scopes:
            if self.covers(scope):
                continue
            missing = states[:, [self._at[v] for v in scope]] < 0
            for pattern in np.unique(missing, axis=0):
                free = [v for v, is_free in zip(scope, pattern, strict=True) if is_free]
                if not self.covers([v for v in free if len(self.network.states[v]) > 1]):
                    raise InputError(
                        f"scopes: no clique contains all of {tuple(free)}: name them in JunctionTree(network, "
                        "together=), or use Network.query"
                    )

    def most_probable(self, rows: ArrayLike, *, jobs: int = 1, progress: Progress | None = None) -> Completed:
        """Each row with its most probable completion, and log P of the completed row (Dawid 1992).

        Of completions that are equally probable the same is chosen each time. Rows of probability zero keep -1.
        """
        states = self._checked(rows)
        with self._naming_sizes():
            return Completed(
                *self._core.most_probable(
                    self._tables, states, _limits(), JOBS("jobs", jobs), _callback(progress, len(states))
                )
            )

    def sample(self, rows: ArrayLike, seed: int, *, jobs: int = 1, progress: Progress | None = None) -> Completed:
        """Each row with what it lacks drawn given what it has, and log P of what it has.

        Cliques are drawn from the root on, each given what it shares with its parent: the draws are independent and
        exact. The same seed gives the same rows, and the first n rows do not depend on those after them. Rows of
        probability zero keep -1.
        """
        states = self._checked(rows)
        with self._naming_sizes():
            return Completed(
                *self._core.sample(
                    self._tables,
                    states,
                    SEED("seed", seed),
                    _limits(),
                    JOBS("jobs", jobs),
                    _callback(progress, len(states)),
                )
            )

    def _checked(self, rows: ArrayLike) -> States:
        given = np.asarray(rows)
        names = self.network.names
        if given.ndim != 2 or given.shape[1] != len(names) or not np.issubdtype(given.dtype, np.integer):
            raise InputError(
                f"rows: an array of integers with a column for each of the {len(names)} variables is needed, "
                f"not one of {given.dtype} and shape {given.shape}"
            )
        arities = np.array([len(self.network.states[v]) for v in names])
        wrong = np.argwhere((given < -1) | (given >= arities))
        if len(wrong):
            i, v = wrong[0]
            raise InputError(
                f"rows: row {i} has {given[i, v]} for {names[v]!r}, which has the states 0 to {arities[v] - 1}; -1 "
                "means a missing value"
            )
        return np.ascontiguousarray(given, np.int32)

    @contextmanager
    def _naming_sizes(self) -> Iterator[None]:
        try:
            yield
        except OverflowError as error:
            _, entries, numbers = error.args
            scope = tuple(self.network.names[v] for v in numbers)
            largest = prod(len(self.network.states[v]) for v in scope)
            some = ", ".join(scope[:6]) + (f" and {len(scope) - 6} more" if len(scope) > 6 else "")
            raise TooLarge(
                f"network: its junction tree needs tables of {entries:.3g} entries in all, the largest of "
                f"{float(largest):.3g} ({elimination.in_bytes(largest)}) over the {len(scope)} variables {some}; the "
                f"limits are {_limits()[1]:.3g} and {_limits()[0]:.3g}: give more evidence, ask {_for_few()}, "
                f"or {elimination.by_sampling()}",
                scope,
                largest,
            ) from None

    def __repr__(self) -> str:
        cliques = self._core.cliques
        return (
            f"<JunctionTree: {len(cliques)} cliques of at most {max(map(len, cliques))} variables, "
            f"{float(self.entries):.6g} entries>"
        )


def _limits() -> tuple[float, float]:
    """The entries that the largest table and all of them may have."""
    return float(elimination.MAX_ENTRIES), float(MAX_TABLES * elimination.MAX_ENTRIES)


def _normalised(network: Network) -> list[Floats]:
    """The tables with rows that sum to one, since published ones are rounded; flat."""
    tables = [network.table(v).probabilities for v in network.names]
    return [np.ascontiguousarray(p / p.sum(axis=-1, keepdims=True)).reshape(-1) for p in tables]


def _parents(network: Network) -> list[tuple[str, ...]]:
    return [network.cpds[v].parents for v in network.names]


def _callback(progress: Progress | None, rows: int) -> Callable[[int, float, float], object] | None:
    """The callback as the core calls it, with the rows done."""
    PROGRESS("progress", progress)
    if progress is None:
        return None
    return lambda done, best, bound: progress("inference", done, rows, {})


def _for_few() -> str:
    """The remedy that asks for less, as the caller would write it."""
    return "for a few variables" if speaks_flags() else "with Network.query for a few variables"
