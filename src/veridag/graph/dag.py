"""`DAG`: the structure of a Bayesian network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Literal, Self

import numpy as np

from veridag import _core
from veridag.checks import Integer, OneOf
from veridag.errors import InputError

from . import text as notation
from .base import Graph, InvalidGraph
from .causal import (
    MOST,
    Instrument,
    Question,
    adjustment_sets,
    at_most,
    back_door_sets,
    conditional_instruments,
    is_adjustment_set,
    is_back_door_set,
    is_front_door_set,
    minimal_adjustment_sets,
    minimal_front_door_sets,
    optimal_adjustment,
)
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
        start = self.indices(name)
        return self._named(sorted(closure(start, step) - start))

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
        xs, ys, zs = self.indices(x), self.indices(y), self.indices(given)
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
            inside[list(self.indices(target))] = True
            split |= inside[:, None] != inside[None, :]
        found[(split & self.adjacency).T] = False
        return PDAG(self.names, found).meek()

    def is_equivalent(self, other: DAG) -> bool:
        """Whether both graphs say the same about conditional independence."""
        return self.cpdag() == other.cpdag()

    def adjustment_sets(
        self,
        x: str | Iterable[str],
        y: str | Iterable[str],
        kind: Literal["minimal", "all", "backdoor"] = "minimal",
        *,
        observed: Iterable[str] | None = None,
        most: int = MOST,
    ) -> list[tuple[str, ...]]:
        """The sets z with p(y | do(x)) = sum over z of p(y | x, z) p(z), the small ones first, then by columns.

        "minimal" are the sets without a superfluous member, and "all" every valid one; both go by the adjustment
        criterion (Shpitser et al. 2010, Perkovic et al. 2018), which misses none. "backdoor" are the minimal sets of
        Pearl's (1993) back-door criterion, for one x. The list is empty if there is none. With `observed`, only these
        variables may be used; the others count as latent. More than `most` sets are an error.
        """
        ways = {
            "minimal": (minimal_adjustment_sets, "minimal adjustment sets"),
            "all": (adjustment_sets, "adjustment sets"),
            "backdoor": (back_door_sets, "minimal back-door sets"),
        }
        find, what = ways[OneOf(tuple(ways))("kind", kind)]
        asked = Question.of(self, x, y, observed, single_x=kind == "backdoor")
        return [self._named(z) for z in at_most(most, find(self.adjacency, asked), what)]

    def optimal_adjustment(self, x: str | Iterable[str], y: str | Iterable[str]) -> tuple[str, ...] | None:
        """The adjustment set with the smallest asymptotic variance (Henckel, Perkovic and Maathuis 2022).

        It is best among all valid sets for linear models, and for discrete ones as well (Rotnitzky and Smucler 2020),
        if all variables are observed. None if y is not a descendant of x, so that the effect is zero and nothing needs
        to be adjusted for; or if no set is valid, which happens only with several x.
        """
        found = optimal_adjustment(self.adjacency, Question.of(self, x, y))
        return None if found is None else self._named(found)

    def is_valid_adjustment(
        self,
        x: str | Iterable[str],
        y: str | Iterable[str],
        given: str | Iterable[str] = (),
        criterion: Literal["general", "backdoor"] = "general",
    ) -> bool:
        """Whether adjusting for `given` yields the effect of x on y; see `adjustment_sets` for the criteria."""
        criterion = OneOf(("general", "backdoor"))("criterion", criterion)
        asked = Question.of(self, x, y, single_x=criterion == "backdoor")
        test = is_back_door_set if criterion == "backdoor" else is_adjustment_set
        return test(self.adjacency, asked, asked.check(self, "given", given))

    def instruments(
        self, x: str, y: str, *, observed: Iterable[str] | None = None, most: int = MOST
    ) -> list[Instrument]:
        """The instruments for the effect of x on y in a linear model, each with variables to condition on.

        With an instrument z and its set w, cov(z, y | w) / cov(z, x | w) is the total effect. The criterion is that of
        Henckel, Buttenschoen and Maathuis (2024): z and w have no descendant of a variable on a directed path from x to
        y, z and x are d-connected given w, and z and y are d-separated by w once the first arcs of these paths are
        removed. For each z, every minimal w of the last condition is listed. With `observed`, only these variables
        may be used. More than `most` such sets are an error.
        """
        asked = Question.of(self, x, y, observed, single_x=True, single_y=True)
        found = conditional_instruments(self.adjacency, asked, most)
        pairs = [(z, tuple(sorted(w))) for z, w in found]
        pairs.sort(key=lambda pair: (pair[0], len(pair[1]), pair[1]))
        return [Instrument(self.names[z], self._named(w)) for z, w in pairs]

    def front_door(
        self, x: str, y: str, *, observed: Iterable[str] | None = None, most: int = MOST
    ) -> list[tuple[str, ...]]:
        """The minimal sets that meet the front-door criterion (Pearl 1995), the small ones first, then by columns.

        Without a directed path from x to y, the empty set is the only one. With `observed`, only these variables may
        be used.
        """
        asked = Question.of(self, x, y, observed, single_x=True, single_y=True)
        found = at_most(most, minimal_front_door_sets(self.adjacency, asked), "minimal front-door sets")
        return [self._named(m) for m in found]

    def is_front_door(self, x: str, y: str, through: str | Iterable[str]) -> bool:
        """Whether variables meet the front-door criterion (Pearl 1995) for the effect of x on y.

        They intercept every directed path from x to y, no back-door path from x to them is open, and x blocks every
        back-door path from them to y.
        """
        asked = Question.of(self, x, y, single_x=True, single_y=True)
        return is_front_door_set(self.adjacency, asked, asked.check(self, "through", through))

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
                    "defined: reverse the arc, or discretize the parent"
                )
            total += prod(discrete) * (len(parents) - len(discrete) + 2 if own is None else own - 1)
        return total


def _arity(arities: Mapping[str, int | None], name: str) -> int | None:
    if name not in arities:
        raise InputError(f"arities: variable {name!r} is missing")
    own = arities[name]
    return None if own is None else Integer(1)(f"arities[{name!r}]", own)
