"""The missing discrete variables of a component: the probability of their configurations in each row.

It is a product of factors, each over a few of the variables: rows of tables, and the densities of blocks of continuous
variables. Few configurations are enumerated, in all rows at once; many go through a junction tree, row by row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from veridag import _core
from veridag.network.parameters import Floats
from veridag.network.query import elimination
from veridag.network.query.elimination import TooLarge

States = NDArray[np.int32]

#: More configurations of linked missing variables than these are not enumerated.
MAX_CONFIGURATIONS = 2**12

#: In a junction tree, a factor that is not zero is at least this share of its maximum, so that none underflows.
LEAST = 1e-300


class Factor(NamedTuple):
    """A function of the variables in `scope`: its logarithm, rows x configurations; one row may stand for all."""

    scope: tuple[str, ...]
    log: Floats


class Configurations(Protocol):
    """What is known of the missing discrete variables of each row."""

    log_probability: Floats

    def marginal(self, scope: Sequence[str]) -> Floats:
        """P(scope | row), rows x configurations, of variables that a factor holds."""

    def most_probable(self) -> States:
        """The most probable states, rows x variables."""

    def draw(self, uniform: Floats) -> States:
        """States drawn from the posterior, rows x variables; a number from 0 to 1 for each row decides."""


class Enumerated:
    """All configurations, in all rows at once; of equally probable ones, the first is the most probable."""

    def __init__(self, names: Sequence[str], arities: Sequence[int], factors: Sequence[Factor], rows: int) -> None:
        self.names, self.arities = tuple(names), tuple(arities)
        joint = np.zeros((rows, *self.arities))
        for factor in factors:
            shape = [r if v in factor.scope else 1 for v, r in zip(self.names, self.arities, strict=True)]
            joint = joint + factor.log.reshape(-1, *shape)
        flat = joint.reshape(rows, -1)
        highest = flat.max(axis=1, keepdims=True)
        weights = np.exp(flat - np.where(highest == -np.inf, 0.0, highest))
        total = weights.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            self.log_probability = (highest + np.log(total))[:, 0]
        self._log, self.probabilities = flat, weights / np.where(total == 0, 1.0, total)

    def marginal(self, scope: Sequence[str]) -> Floats:
        """P(scope | row), rows x configurations."""
        others = tuple(i + 1 for i, v in enumerate(self.names) if v not in scope)
        cells = self.probabilities.reshape(-1, *self.arities)
        return np.asarray(cells.sum(axis=others).reshape(len(cells), -1))

    def most_probable(self) -> States:
        """The states of the most probable configuration."""
        return self._states(self._log.argmax(axis=1))

    def draw(self, uniform: Floats) -> States:
        """States drawn from the posterior."""
        sums = np.cumsum(self.probabilities, axis=1)
        below = (sums <= uniform[:, None] * sums[:, -1:]).sum(axis=1)
        return self._states(np.minimum(below, sums.shape[1] - 1))

    def _states(self, number: NDArray[np.intp]) -> States:
        return np.stack(np.unravel_index(number, self.arities), axis=1).astype(np.int32)


class ByTree:
    """A junction tree of the factors, for each row with its own numbers.

    Each factor is the table of a further variable that is observed, with its scope as parents; the variables
    themselves are uniform, which the logarithm of the probability makes up for.
    """

    def __init__(self, names: Sequence[str], arities: Sequence[int], factors: Sequence[Factor], rows: int) -> None:
        self.names, self.factors, self.rows = tuple(names), factors, rows
        self._sizes = (*arities, *(2 for _ in factors))
        self._at = {v: i for i, v in enumerate(names)}
        parents = [*([] for _ in names), *([self._at[v] for v in f.scope] for f in factors)]
        self._tree = _core.JunctionTree(list(self._sizes), parents, [], True)
        self._evidence = np.array([[-1] * len(names) + [1] * len(factors)], np.int32)
        self._uniform = [np.full(r, 1 / r) for r in arities]
        self._limits = float(elimination.MAX_ENTRIES), 16.0 * elimination.MAX_ENTRIES
        scopes = list(dict.fromkeys(f.scope for f in factors))
        numbers = [[self._at[v] for v in scope] for scope in scopes]
        widths = [prod(arities[i] for i in scope) for scope in numbers]
        found = np.zeros((rows, sum(widths)))
        self.log_probability = np.full(rows, -np.inf)
        for i in range(rows):
            tables, scale = self._tables(i)
            if tables is None:
                continue
            try:
                flat, log_p = self._tree.posteriors(tables, self._evidence, numbers, self._limits, 1, None)
            except OverflowError as error:
                raise self._too_large(error) from None
            found[i], self.log_probability[i] = flat[0], log_p[0] + scale
        self._marginals = dict(zip(scopes, np.split(found, np.cumsum(widths)[:-1], axis=1), strict=True))

    def _tables(self, row: int) -> tuple[list[Floats] | None, float]:
        """The tables of all variables in a row, and the logarithm of what they are too small by."""
        tables, scale = list(self._uniform), float(sum(np.log(len(p)) for p in self._uniform))
        for f in self.factors:
            own = f.log[row if len(f.log) > 1 else 0]
            highest = own.max()
            if highest == -np.inf:
                return None, -np.inf
            p = np.where(own == -np.inf, 0.0, np.maximum(np.exp(own - highest), LEAST))
            tables.append(np.stack([1.0 - p, p], axis=-1).reshape(-1))
            scale += float(highest)
        return tables, scale

    def marginal(self, scope: Sequence[str]) -> Floats:
        """P(scope | row), rows x configurations."""
        return self._marginals[tuple(scope)]

    def most_probable(self) -> States:
        """The states of the most probable configuration."""
        found = np.full((self.rows, len(self.names)), -1, np.int32)
        for i in range(self.rows):
            tables, _ = self._tables(i)
            if tables is not None:
                found[i] = self._tree.most_probable(tables, self._evidence, self._limits, 1, None)[0][
                    0, : len(self.names)
                ]
        return found

    def draw(self, uniform: Floats) -> States:
        """States drawn from the posterior."""
        found = np.full((self.rows, len(self.names)), -1, np.int32)
        for i, u in enumerate(uniform):
            tables, _ = self._tables(i)
            if tables is not None:
                seed = int(u * 2**53)
                found[i] = self._tree.sample(tables, self._evidence, seed, self._limits, 1, None)[0][
                    0, : len(self.names)
                ]
        return found

    def _too_large(self, error: OverflowError) -> TooLarge:
        _, entries, numbers = error.args
        scope = tuple(self.names[i] for i in numbers if i < len(self.names))
        return too_large(scope, int(entries))


def too_large(scope: tuple[str, ...], entries: int, limit: int | None = None) -> TooLarge:
    """The error for a row that lacks so many variables at a time that the exact answer is too large."""
    some = ", ".join(scope[:6]) + (f" and {len(scope) - 6} more" if len(scope) > 6 else "")
    most = limit or elimination.MAX_ENTRIES
    return TooLarge(
        f"data: a row has no values of {some}, and their distribution needs tables that are too large, one of "
        f"{float(entries):.3g} entries; the limit is {float(most):.3g}: leave out rows with so many missing values "
        "with data.rows(), or give the variables fewer parents",
        scope,
        entries,
    )


@contextmanager
def naming_gaps() -> Iterator[None]:
    """Within, a junction tree that is too large is explained by what the rows lack."""
    try:
        yield
    except TooLarge as error:
        raise too_large(error.variables, error.entries) from None
