"""`DAG`: the structure of a Bayesian network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Self

import numpy as np

from veridag import _core
from veridag.checks import Integer
from veridag.errors import InputError

from . import text as notation
from .base import Graph, InvalidGraph
from .matrices import Arc, Matrix, active_reach, closure, find_cycle, matrix_from_pairs, topological_order
from .pdag import PDAG


@dataclass(frozen=True, eq=False, repr=False)
class DAG(Graph):
    """A directed acyclic graph: the structure of a Bayesian network."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self._order) < len(self.names):
            cycle = self._named(find_cycle(self.adjacency))
            raise InvalidGraph(f"the arcs form a cycle: {' -> '.join(cycle)}", cycle)

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], names: Sequence[str] | None = None) -> Self:
        """A graph from its arcs ``(from, to)``. Without `names`, the variables come in order of appearance."""
        return cls(*matrix_from_pairs(arcs, [], names))

    @classmethod
    def from_modelstring(cls, text: str) -> Self:
        """From ``[A][B|A][C|A:B]``, the notation of R bnlearn; the variables keep the order of their factors."""
        names, arcs = notation.read_modelstring(text)
        return cls.from_arcs(arcs, names)

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """From Graphviz' language; attributes other than directions are ignored."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        if edges or undetermined:
            raise InputError(f"the DOT graph has the undirected edge {(edges + undetermined)[0]}: read it as a PDAG")
        return cls.from_arcs(arcs, names)

    def to_modelstring(self) -> str:
        """``[A][B|A][C|A:B]``, in column order."""
        return notation.write_modelstring({name: self.parents(name) for name in self.names})

    @cached_property
    def _order(self) -> list[int]:
        return topological_order(self.adjacency)

    def topological_order(self) -> tuple[str, ...]:
        """The variables with parents before children; among the possible orders the first by column."""
        return self._named(self._order)

    def ancestors(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path to this one, or to any of several, themselves not included."""
        return self._reached(name, self.adjacency.T)

    def descendants(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path from this one, or from any of several, themselves not included."""
        return self._reached(name, self.adjacency)

    def _reached(self, name: str | Iterable[str], step: Matrix) -> tuple[str, ...]:
        start = self._indices(name)
        return self._named(sorted(closure(start, step) - start))

    def _indices(self, names: str | Iterable[str]) -> set[int]:
        return {self.index(name) for name in ([names] if isinstance(names, str) else names)}

    def moral(self) -> PDAG:
        """The moral graph: parents of a common child are joined, and directions dropped."""
        a = self.adjacency.astype(np.float32)
        married = (a @ a.T) > 0
        np.fill_diagonal(married, False)
        return PDAG(self.names, married | self._adjacent)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """Parents, children and the children's other parents: given these, the variable is independent of the rest."""
        i = self.index(name)
        blanket = self._adjacent[i] | self.adjacency[:, self.adjacency[i]].any(axis=1)
        blanket[i] = False
        return self._named(np.flatnonzero(blanket))

    def d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Whether every path between x and y is blocked by `given` (Pearl 1988); x and y may be several variables."""
        xs, ys, zs = self._indices(x), self._indices(y), self._indices(given)
        shared = (xs & ys) | (xs & zs) | (ys & zs)
        if shared:
            raise InputError(
                f"x, y and given must not share variables, but {self.names[min(shared)]!r} is in two of them"
            )
        return not (active_reach(self.adjacency, xs, zs) & ys)

    def cpdag(self) -> PDAG:
        """The completed PDAG of the Markov equivalence class (Chickering 1995)."""
        return PDAG(self.names, _core.cpdag(self.adjacency))

    def interventional_cpdag(self, targets: Iterable[str | Iterable[str]]) -> PDAG:
        """The class of DAGs that cannot be told from this one by observations and these interventions together.

        Each of `targets` is a set of variables that were set in one experiment, or one variable. The class is that of
        Hauser and Buhlmann (2012, theorem 10): the CPDAG, in which the arcs with exactly one end in some target are
        directed as here, closed under Meek's rules. It holds that there are rows without interventions, or at least
        that no variable is in all targets. Without targets it is `cpdag()`.
        """
        sets = list(targets)
        if not sets:
            return self.cpdag()
        found, split = self.cpdag().adjacency.copy(), np.zeros_like(self.adjacency)
        for target in sets:
            inside = np.zeros(len(self.names), dtype=bool)
            inside[list(self._indices(target))] = True
            split |= inside[:, None] != inside[None, :]
        found[(split & self.adjacency).T] = False
        return PDAG(self.names, found).meek()

    def is_equivalent(self, other: DAG) -> bool:
        """Whether both graphs say the same about conditional independence."""
        return self.cpdag() == other.cpdag()

    def nparams(self, arities: Mapping[str, int | None]) -> int:
        """Free parameters of a network: the sum over variables of q_i (r_i - 1), or q_i (m_i + 2) for continuous ones.

        `arities` has the number of states r_i of each discrete variable, and None for a continuous one. q_i is the
        number of configurations of the discrete parents, and m_i that of the continuous parents.
        """
        r = [_arity(arities, name) for name in self.names]
        total = 0
        for i, own in enumerate(r):
            parents = [r[j] for j in np.flatnonzero(self.adjacency[:, i])]
            discrete = [states for states in parents if states is not None]
            if own is not None and len(discrete) < len(parents):
                raise InputError(
                    f"the discrete variable {self.names[i]!r} has a continuous parent, for which no parameters are "
                    f"defined: turn the arc round, or discretize the parent"
                )
            total += prod(discrete) * (len(parents) - len(discrete) + 2 if own is None else own - 1)
        return total


def _arity(arities: Mapping[str, int | None], name: str) -> int | None:
    if name not in arities:
        raise InputError(f"arities: variable {name!r} is missing")
    own = arities[name]
    return None if own is None else Integer(1)(f"arities[{name!r}]", own)
