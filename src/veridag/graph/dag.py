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
    """A directed acyclic graph: the structure of a Bayesian network.

    Attributes:
        names: The variables, in column order.
        adjacency: A boolean matrix: ``adjacency[i, j]`` means i -> j.

    See also:
        `DAG.from_arcs`, `PDAG`, `read_graph`, docs/causal.md
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self._order) < len(self.names):
            cycle = self._named(find_cycle(self.adjacency))
            raise InvalidGraph(f"the arcs form a cycle: {' -> '.join(cycle)}", cycle)

    @classmethod
    def from_arcs(cls, arcs: Iterable[Arc], names: Sequence[str] | None = None) -> Self:
        """Make a DAG from its arcs ``(from, to)``. Without `names`, the variables are in order of appearance."""
        return cls(*matrix_from_pairs(arcs, [], names))

    @classmethod
    def from_modelstring(cls, text: str) -> Self:
        """Make a DAG from ``[A][B|A][C|A:B]``, the notation of R bnlearn. The variables keep that order."""
        names, arcs = notation.read_modelstring(text)
        return cls.from_arcs(arcs, names)

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Make a DAG from the DOT language of Graphviz. Attributes other than directions are ignored."""
        names, arcs, edges, undetermined = notation.read_dot(text)
        if edges or undetermined:
            raise InputError(f"the DOT graph has the undirected edge {(edges + undetermined)[0]}: read it as a PDAG")
        return cls.from_arcs(arcs, names)

    def to_modelstring(self) -> str:
        """The DAG as ``[A][B|A][C|A:B]``, in column order."""
        return notation.write_modelstring({name: self.parents(name) for name in self.names})

    @cached_property
    def _order(self) -> list[int]:
        return topological_order(self.adjacency)

    def topological_order(self) -> tuple[str, ...]:
        """The variables with parents before children. Among the possible orders, the first by column."""
        return self._named(self._order)

    def ancestors(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path to this one, or to any of several. These are not included."""
        return self._reached(name, self.adjacency.T)

    def descendants(self, name: str | Iterable[str]) -> tuple[str, ...]:
        """The variables with a directed path from this one, or from any of several. These are not included."""
        return self._reached(name, self.adjacency)

    def _reached(self, name: str | Iterable[str], step: Matrix) -> tuple[str, ...]:
        start = self.indices(name)
        return self._named(sorted(closure(start, step) - start))

    def moral(self) -> PDAG:
        """The moral graph: parents of a common child are joined, and directions are dropped."""
        a = self.adjacency.astype(np.float32)
        married = (a @ a.T) > 0
        np.fill_diagonal(married, False)
        return PDAG(self.names, married | self._adjacent)

    def markov_blanket(self, name: str) -> tuple[str, ...]:
        """The parents, the children and the children's other parents of a variable.

        Given these, the variable is independent of all others.
        """
        i = self.index(name)
        blanket = self._adjacent[i] | self.adjacency[:, self.adjacency[i]].any(axis=1)
        blanket[i] = False
        return self._named(np.flatnonzero(blanket))

    def d_separated(self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()) -> bool:
        """Whether `given` blocks every path between x and y (Pearl 1988). Both can be several variables."""
        xs, ys, zs = self.indices(x), self.indices(y), self.indices(given)
        shared = (xs & ys) | (xs & zs) | (ys & zs)
        if shared:
            raise InputError(
                f"x, y and given must not share variables, but {self.names[min(shared)]!r} is in two of them"
            )
        return not (active_reach(self.adjacency, xs, zs) & ys)

    def cpdag(self) -> PDAG:
        """The CPDAG of the Markov equivalence class (Chickering 1995)."""
        return PDAG(self.names, _core.cpdag(self.adjacency))

    def interventional_cpdag(self, targets: Iterable[str | Iterable[str]]) -> PDAG:
        """The class of DAGs that observations and these interventions together do not distinguish from this one.

        It is the interventional equivalence class of Hauser and Buhlmann (2012, theorem 10): the CPDAG, in which arcs
        with exactly one end in some target are directed as here, closed under Meek's rules. This assumes that there are
        rows without interventions, or at least that no variable is in all targets.

        Args:
            targets: The variables that were set in each experiment: one variable or several. Without targets, the
                result is `cpdag()`.

        See also:
            docs/interventions.md
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
        """Whether both DAGs imply the same conditional independences."""
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
        r"""Find adjustment sets $Z$: $p(y \mid do(x)) = \sum_z p(y \mid x, z)\, p(z)$.

        Args:
            x: The cause, one variable or several.
            y: The outcome, one variable or several.
            kind: "minimal" are the sets without a superfluous member, and "all" are all valid sets; both use the
                adjustment criterion (Shpitser et al. 2010, Perkovic et al. 2018), which is complete. "backdoor" are the
                minimal sets of Pearl's (1993) back-door criterion, for one x.
            observed: The variables that can be used; the others are latent. All if None.
            most: More sets than this are an error.

        Returns:
            The sets, small ones first, then by columns; empty if there are none.

        See also:
            `DAG.optimal_adjustment`, `effect`, docs/causal.md
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

        It is optimal among all valid sets for linear models, and for discrete ones too (Rotnitzky and Smucler 2020), if
        all variables are observed.

        Returns:
            The set. None if y is not a descendant of x, so that the effect is zero and needs no adjustment; or if no
            set is valid, which happens only with several x.

        See also:
            `DAG.adjustment_sets`, docs/causal.md
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
        """Whether adjusting for `given` identifies the effect of x on y. `adjustment_sets` describes the criteria."""
        criterion = OneOf(("general", "backdoor"))("criterion", criterion)
        asked = Question.of(self, x, y, single_x=criterion == "backdoor")
        test = is_back_door_set if criterion == "backdoor" else is_adjustment_set
        return test(self.adjacency, asked, asked.check(self, "given", given))

    def instruments(
        self, x: str, y: str, *, observed: Iterable[str] | None = None, most: int = MOST
    ) -> list[Instrument]:
        r"""Find the instruments for the effect of x on y in a linear model, each with variables to condition on.

        With an instrument $z$ and its set $w$, $\mathrm{cov}(z, y \mid w) / \mathrm{cov}(z, x \mid w)$ is the total
        effect. The criterion is that of Henckel, Buttenschoen and Maathuis (2024): $z$ and $w$ contain no descendant of
        a variable on a directed path from x to y; $z$ and x are d-connected given $w$; and $w$ d-separates $z$ and y
        once the first arcs of these paths are removed. For each $z$, every minimal $w$ of the last condition is listed.

        Args:
            x: The cause.
            y: The outcome.
            observed: The variables that can be used; all if None.
            most: More sets than this are an error.

        See also:
            `DAG.front_door`, docs/causal.md
        """
        asked = Question.of(self, x, y, observed, single_x=True, single_y=True)
        found = conditional_instruments(self.adjacency, asked, most)
        pairs = [(z, tuple(sorted(w))) for z, w in found]
        pairs.sort(key=lambda pair: (pair[0], len(pair[1]), pair[1]))
        return [Instrument(self.names[z], self._named(w)) for z, w in pairs]

    def front_door(
        self, x: str, y: str, *, observed: Iterable[str] | None = None, most: int = MOST
    ) -> list[tuple[str, ...]]:
        """Find the minimal sets that satisfy the front-door criterion (Pearl 1995).

        Args:
            x: The cause.
            y: The outcome.
            observed: The variables that can be used; all if None.
            most: More sets than this are an error.

        Returns:
            The sets, small ones first, then by columns. Without a directed path from x to y, only the empty set.
        """
        asked = Question.of(self, x, y, observed, single_x=True, single_y=True)
        found = at_most(most, minimal_front_door_sets(self.adjacency, asked), "minimal front-door sets")
        return [self._named(m) for m in found]

    def is_front_door(self, x: str, y: str, through: str | Iterable[str]) -> bool:
        """Whether variables satisfy the front-door criterion (Pearl 1995) for the effect of x on y.

        They intercept every directed path from x to y, no back-door path from x to them is open, and x blocks every
        back-door path from them to y.
        """
        asked = Question.of(self, x, y, single_x=True, single_y=True)
        return is_front_door_set(self.adjacency, asked, asked.check(self, "through", through))

    def nparams(self, arities: Mapping[str, int | None]) -> int:
        """The number of free parameters: the sum of $q_i (r_i - 1)$, or $q_i (m_i + 2)$ for continuous variables.

        $q_i$ is the number of configurations of the discrete parents, and $m_i$ the number of continuous parents.

        Args:
            arities: The number of states $r_i$ of each discrete variable, and None for a continuous one.
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
