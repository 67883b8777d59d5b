"""A set of linked missing variables in many rows at once: the distribution of those variables in each row.

Given the missing discrete variables, the missing continuous ones are normal. They fall into blocks that no family
links, and each block depends on few discrete variables, its scope. Given a configuration of the scope and the row, the
density of the block's families is `exp(-1/2 sum_i e_i^2 / s_i^2) / prod_i (sqrt(2 pi) s_i)`, where the residual
`e_i = c_i - L_i y` is linear in the missing values y. So y is normal with the precision K = sum_i L_i L_i' / s_i^2 and
the mean K^-1 sum_i L_i c_i / s_i^2 (Lauritzen 1992 calls this the canonical form).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError
from veridag.network.matching import Rows
from veridag.network.network import Network
from veridag.network.parameters import Floats

from .configurations import MAX_CONFIGURATIONS, ByTree, Configurations, Enumerated, Factor, too_large
from .gaussian import LOG_2PI, inverse_root
from .parts import Linked, linked

Index = NDArray[np.intp]

#: The entries of the arrays that are worked on at a time.
MAX_PIECE = 2**21

#: The most entries that the distribution of linked continuous variables may have in one row.
MAX_BLOCK = 2**23


class Numbers:
    """The parameters of a network as arrays over the configurations of discrete variables, flat, the last fastest."""

    def __init__(self, network: Network) -> None:
        self.log_tables: dict[str, Floats] = {}
        self.regressions: dict[str, tuple[Floats, Floats, Floats]] = {}
        for v in network.names:
            if v in network.states:
                p = network.table(v).probabilities
                with np.errstate(divide="ignore"):
                    self.log_tables[v] = np.log(p / p.sum(axis=-1, keepdims=True)).reshape(-1)
            else:
                rows = network.conditional_gaussian(v).rows
                self.regressions[v] = rows[:, 0], rows[:, 1:-1], rows[:, -1]


@dataclass(frozen=True, eq=False)
class Cells:
    """Where the rows and the configurations of some missing variables lie in a flat array: `base` + `offset`.

    `base` comes from what a row has, and has one entry if that does not matter; so has `offset`.
    """

    base: Index
    offset: Index

    @classmethod
    def of(cls, rows: Rows, which: Index, scope: Sequence[str], missing: Sequence[str]) -> Cells:
        """The cells of the discrete variables `scope`, of which those in `missing` have all configurations."""
        arity = {v: len(rows.network.states[v]) for v in (*scope, *missing)}
        base, offset, stride = np.zeros(1, np.intp), np.zeros([arity[v] for v in missing], np.intp), 1
        depends = False
        for v in reversed(scope):
            if v in missing:
                axis = missing.index(v)
                shape = [arity[v] if k == axis else 1 for k in range(len(missing))]
                offset += stride * np.arange(arity[v]).reshape(shape)
                depends = True
            else:
                base = base + stride * rows.states[which, rows.at[v]]
            stride *= arity[v]
        return cls(base.astype(np.intp), offset.reshape(-1) if depends else np.zeros(1, np.intp))

    @property
    def numbers(self) -> Index:
        """The numbers of the cells, rows x configurations; an axis of length one stands for all."""
        return self.base[:, None] + self.offset


class Normal(NamedTuple):
    """The missing values of a block in rows x configurations of its scope.

    `log_density` is that of the block's families with the missing values integrated out; `root` times its transpose is
    the covariance.
    """

    log_density: Floats
    mean: Floats
    root: Floats


class Block:
    """Missing continuous variables `hidden` that are linked, perhaps none, with the families that hold them."""

    def __init__(self, rows: Rows, which: Index, families: Sequence[str], hidden: Sequence[str]) -> None:
        network = rows.network
        self.families, self.hidden, self.rows = tuple(families), tuple(hidden), which
        parents = {x: rows.regressions[x] for x in families}
        gone = {v for x in families for v in parents[x].discrete if (rows.states[which[:1], rows.at[v]] < 0).any()}
        self.scope = tuple(v for v in network.names if v in gone)
        self.size = prod(len(network.states[v]) for v in self.scope)
        if self.size * (len(hidden) + 1) ** 2 > MAX_BLOCK:
            raise too_large(self.scope, self.size * (len(hidden) + 1) ** 2, MAX_BLOCK)
        self.members = {x: (*parents[x].continuous, x) for x in families}
        self.cells = {x: Cells.of(rows, which, parents[x].discrete, self.scope) for x in families}
        self.values = {v: rows.values[which, rows.at[v]] for x in families for v in self.members[x] if v not in hidden}

    def normal(self, numbers: Numbers) -> Normal:
        """The distribution of the missing values with these parameters."""
        k = len(self.hidden)
        terms = [self._term(x, numbers) for x in self.families]
        if not k:
            return Normal(sum((_log_normal(c, s) for c, _, s in terms), np.zeros((1, 1))), np.zeros(0), np.zeros(0))
        precision, shift = np.zeros((1, 1, k, k)), np.zeros((1, 1, k))
        for c, loading, s in terms:
            scaled = loading / s[..., None]
            precision = precision + scaled[..., :, None] * scaled[..., None, :]
            shift = shift + scaled * (c / s)[..., None]
        root, log_root = inverse_root(precision)
        mean = (root @ (np.swapaxes(root, -2, -1) @ shift[..., None]))[..., 0]
        density = log_root + 0.5 * k * LOG_2PI
        for c, loading, s in terms:
            density = density + _log_normal(c - (loading * mean).sum(axis=-1), s)
        return Normal(density, mean, root)

    def _term(self, x: str, numbers: Numbers) -> tuple[Floats, Floats, Floats]:
        """c, L and s of a family: its residual is c - L y, its standard deviation s."""
        cells = self.cells[x].numbers
        a, b, s = (array[cells] for array in numbers.regressions[x])
        if (s == 0).any():
            raise InputError(
                f"network: {x!r} has a standard deviation of 0, and it or a parent is missing in the data: it has no "
                "density there: give it a standard deviation above 0"
            )
        c, loading = -a, np.zeros((*a.shape, len(self.hidden)))
        for j, v in enumerate(self.members[x]):
            slope = -1.0 if v == x else b[..., j]
            if v in self.hidden:
                loading[..., self.hidden.index(v)] = slope
            else:
                c = c - slope * self.values[v][:, None]
        return c, loading, s

    def moments(self, x: str, normal: Normal) -> tuple[list[Floats], Floats]:
        """The means of a family's continuous parents and of x itself, and their covariances given the row."""
        members = self.members[x]
        means = [
            normal.mean[..., self.hidden.index(v)] if v in self.hidden else self.values[v][:, None] for v in members
        ]
        at = [j for j, v in enumerate(members) if v in self.hidden]
        covariance = np.zeros((*normal.root.shape[:-2], len(members), len(members)))
        if at:
            root = normal.root[..., [self.hidden.index(members[j]) for j in at], :]
            covariance[..., np.array(at)[:, None], at] = root @ np.swapaxes(root, -2, -1)
        return means, covariance


def _log_normal(residual: Floats, s: Floats) -> Floats:
    return np.asarray(-0.5 * (LOG_2PI + (residual / s) ** 2) - np.log(s))


class Component:
    """A set of linked missing variables in some rows, prepared for any parameters."""

    def __init__(self, rows: Rows, part: Linked) -> None:
        network = rows.network
        self.network, self.rows = network, part.rows
        self.discrete = tuple(v for v in part.variables if v in network.states)
        self.continuous = tuple(v for v in part.variables if v not in network.states)
        self.arities = tuple(len(network.states[v]) for v in self.discrete)
        self.size = prod(self.arities)
        self.tables = tuple(v for v in part.families if v in network.states)
        families = {v: (*network.cpds[v].parents, v) for v in self.tables}
        self.scopes = {v: tuple(u for u in self.discrete if u in families[v]) for v in self.tables}
        self.cells = {v: Cells.of(rows, part.rows, families[v], self.scopes[v]) for v in self.tables}
        self.blocks = [Block(rows, part.rows, *one) for one in self._blocks(rows, part)]

    @property
    def entries(self) -> int:
        """The size of the largest array that a row needs."""
        blocks = [block.size * (len(block.hidden) + 1) ** 2 for block in self.blocks]
        return max(self.size if self.size <= MAX_CONFIGURATIONS else 1, *blocks, 1)

    def _blocks(self, rows: Rows, part: Linked) -> list[tuple[list[str], list[str]]]:
        """The continuous families, in the groups that missing continuous variables link, with those variables."""
        found: list[tuple[list[str], list[str]]] = []
        hidden = set(self.continuous)
        for x in part.families:
            if x in self.network.states:
                continue
            own = {v for v in (x, *rows.regressions[x].continuous) if v in hidden}
            near = [one for one in found if own & set(one[1])]
            families = [f for one in near for f in one[0]] + [x]
            names = own | {v for one in near for v in one[1]}
            found = [one for one in found if one not in near]
            found.append((families, [v for v in self.continuous if v in names]))
        return found

    def posterior(self, numbers: Numbers) -> tuple[Configurations, list[Normal]]:
        """The configurations of the missing discrete variables, and the blocks of continuous ones given those."""
        normals = [block.normal(numbers) for block in self.blocks]
        factors = [Factor(self.scopes[v], numbers.log_tables[v][self.cells[v].numbers]) for v in self.tables]
        for block, normal in zip(self.blocks, normals, strict=True):
            shape = len(normal.log_density), block.size
            factors.append(Factor(block.scope, np.broadcast_to(normal.log_density, shape)))
        method = Enumerated if self.size <= MAX_CONFIGURATIONS else ByTree
        return method(self.discrete, self.arities, factors, len(self.rows)), normals


def components(rows: Rows, without: NDArray[np.bool_], member: str | None = None) -> list[Component]:
    """The sets of linked missing variables in all rows, in pieces that fit into memory; without the barren ones.

    Only those sets that hold the `member`, if one is given.
    """
    found = []
    for part in linked(rows.network, rows.missing, without):
        if member is not None and member not in part.variables:
            continue
        first = Component(rows, part)
        step = max(1, MAX_PIECE // first.entries)
        if step >= len(part.rows):
            found.append(first)
            continue
        pieces = [part.rows[k : k + step] for k in range(0, len(part.rows), step)]
        found += [Component(rows, part._replace(rows=piece)) for piece in pieces]
    return found
