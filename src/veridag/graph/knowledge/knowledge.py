"""`Knowledge`: the value, its use on graphs, and its binding to variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Self

import numpy as np

from veridag.display import paragraph
from veridag.errors import InputError, suggest
from veridag.graph.base import InvalidGraph
from veridag.graph.dag import DAG
from veridag.graph.matrices import Arc, Matrix
from veridag.graph.names import check_names
from veridag.graph.pdag import PDAG

from .bound import BoundKnowledge
from .parsing import checked_arcs, checked_limits, checked_names, checked_tiers, read_tiers

#: One number for all variables, or a mapping name -> number, in which None stands for all that are not named.
Limits = int | Mapping[str, int] | Mapping[str | None, int] | Iterable[tuple[str | None, int]]


@dataclass(frozen=True)
class Knowledge:
    """Background knowledge that a graph must satisfy.

    For example ``Knowledge(required=[("A", "B")], tiers=[["A"], ["B", "C"]], max_indegree=3)``. Arcs, tiers and limits
    are stored in sorted order, so the same knowledge is equal however it is written. Contradictions raise `InputError`.
    So some DAG always satisfies it: the one with the required arcs alone.

    Args:
        required: Arcs (from, to) that must be in the graph.
        forbidden: Arcs (from, to) that must not be. If both directions are forbidden, the variables are not joined.
        tiers: Groups of variables, earlier ones first. No arc leads from a later tier to an earlier one. Arcs within a
            tier and arcs of a variable in no tier are free.
        max_indegree: Most parents of a variable: one number for all, or a mapping name -> number. Variables that the
            mapping does not name have the limit under the key None, or no limit.
        isolated: Variables without any arc.

    See also:
        `learn`, `Knowledge.read_tiers`, docs/knowledge.md
    """

    required: Iterable[Arc] = ()
    forbidden: Iterable[Arc] = ()
    tiers: Iterable[Iterable[str]] = ()
    max_indegree: Limits | None = None
    isolated: Iterable[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", checked_arcs("required", self.required))
        object.__setattr__(self, "forbidden", checked_arcs("forbidden", self.forbidden))
        object.__setattr__(self, "tiers", checked_tiers(self.tiers))
        object.__setattr__(self, "max_indegree", checked_limits(self.max_indegree))
        object.__setattr__(self, "isolated", checked_names("isolated", self.isolated))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        for u, v in self._required:
            if (u, v) in self._forbidden:
                raise InputError(f"required, forbidden: the arc {u} -> {v} is in both: take it out of one of them")
            if alone := self._isolated & {u, v}:
                raise InputError(
                    f"required, isolated: the arc {u} -> {v} is required, but {min(alone)!r} is isolated: remove it "
                    "from one of them"
                )
            if self._goes_back(u, v):
                raise InputError(
                    f"required, tiers: the required arc {u} -> {v} {self._objection(u, v)}: drop it or move a variable"
                )
        try:
            DAG.from_arcs(self._required)
        except InvalidGraph as error:
            cycle = " -> ".join(error.witness)
            raise InputError(f"required: the arcs form a cycle, so no DAG has them all: {cycle}: drop one") from None
        for child, parents in sorted(Counter(v for _, v in self._required).items()):
            limit = self._limit(child)
            if limit is not None and parents > limit:
                among = ", ".join(u for u, v in self._required if v == child)
                raise InputError(
                    f"required, max_indegree: {child!r} has {parents} required parents ({among}) but can have at most "
                    f"{limit}: raise the limit or drop an arc"
                )

    # ---- in

    @classmethod
    def read_tiers(cls, path: str | Path) -> Self:
        """Read tiers from a text file: one tier per line, earliest first, with names separated by commas.

        Blank lines are ignored, and so are comments that start with ``#`` at the start of a line or after a space. A
        name with a comma is in double quotes. Spaces around names are ignored.
        """
        return cls(tiers=read_tiers(Path(path)))

    def merge(self, other: Knowledge) -> Knowledge:
        """Combine with other knowledge: a DAG satisfies the result if it satisfies both. Also written ``self | other``.

        Two different lists of tiers become the forbidden arcs that they imply. It is an error if they put two variables
        in opposite orders.
        """
        forbidden = (*self._forbidden, *other._forbidden)
        tiers = self._tiers or other._tiers
        if self._tiers and other._tiers and self._tiers != other._tiers:
            mine, theirs = self._backward_arcs(), other._backward_arcs()
            opposed = set(mine) & {(v, u) for u, v in theirs}
            if opposed:
                u, v = min(opposed)
                raise InputError(
                    f"tiers: {v!r} comes before {u!r} in one and after it in the other: correct one of them"
                )
            forbidden, tiers = (*forbidden, *mine, *theirs), ()
        return Knowledge(
            required=(*self._required, *other._required),
            forbidden=forbidden,
            tiers=tiers,
            max_indegree=self._smaller_limits(other),
            isolated=self._isolated | other._isolated,
        )

    def __or__(self, other: Knowledge) -> Knowledge:
        return self.merge(other) if isinstance(other, Knowledge) else NotImplemented

    def _backward_arcs(self) -> list[Arc]:
        return [(u, v) for u, v in product(self._tier_of, repeat=2) if self._goes_back(u, v)]

    def _smaller_limits(self, other: Knowledge) -> Limits | None:
        smaller = {}
        for name in (None, *self._limits, *other._limits):
            given = [limit for limit in (self._limit(name), other._limit(name)) if limit is not None]
            if given:
                smaller[name] = min(given)
        return smaller or None

    # ---- use

    def describe(self) -> str:
        """The knowledge in words."""
        parts = [
            f"{what} {', '.join(f'{u} -> {v}' for u, v in arcs)}"
            for what, arcs in (("required", self._required), ("forbidden", tuple(self._forbidden)))
            if arcs
        ]
        if self._tiers:
            parts.append(f"tiers {' before '.join(', '.join(tier) for tier in self._tiers)}")
        parts += [f"at most {k} parents of {name or 'a variable'}" for name, k in self._limits.items()]
        if self._isolated:
            parts.append(f"without arcs {', '.join(sorted(self._isolated))}")
        return "; ".join(parts) or "nothing"

    def __str__(self) -> str:
        return self.describe()

    def _repr_html_(self) -> str:
        return paragraph(f"Knowledge: {self.describe()}")

    def bind(self, names: Sequence[str]) -> BoundKnowledge:
        """The knowledge as matrices over these variables. Raises `InputError` if it names another variable."""
        checked = check_names(names)
        at = {name: i for i, name in enumerate(checked)}
        self._require_known(at)
        n = len(checked)
        required, forbidden = np.zeros((n, n), bool), np.eye(n, dtype=bool)
        for matrix, arcs in ((required, self._required), (forbidden, self._forbidden)):
            for u, v in arcs:
                matrix[at[u], at[v]] = True
        if self._tiers:
            tier = np.array([self._tier_of.get(name, 0) for name in checked], dtype=np.int64)
            forbidden |= (tier[:, None] > tier[None, :]) & (tier[None, :] > 0)
        alone = [at[name] for name in self._isolated]
        forbidden[alone, :] = forbidden[:, alone] = True
        most = max(n - 1, 0)
        limits = [self._limit(name) for name in checked]
        max_indegree = np.array([most if k is None else min(k, most) for k in limits], dtype=np.int64)
        return BoundKnowledge(checked, required, forbidden, max_indegree)

    def violations(self, graph: DAG) -> list[str]:
        """What in the graph violates the knowledge: a sentence for each arc or variable. Empty if nothing does."""
        if not isinstance(graph, DAG):
            raise InputError(f"graph: violations are checked for a DAG, not for {graph!r}: use orient, or an extension")
        if self == _NOTHING:
            return []
        self._require_known(graph.names)
        arcs = set(graph.arcs)
        found = []
        for u, v in self._required:
            if (u, v) not in arcs:
                instead = f": the graph has {v} -> {u}" if (v, u) in arcs else ""
                found.append(f"the required arc {u} -> {v} is missing{instead}")
        found += [f"the arc {u} -> {v} {self._objection(u, v)}" for u, v in sorted(arcs) if self._is_forbidden(u, v)]
        for name in sorted(graph.names):
            parents, limit = graph.parents(name), self._limit(name)
            if limit is not None and len(parents) > limit:
                found.append(f"{name} has {len(parents)} parents ({', '.join(sorted(parents))}), more than {limit}")
        return found

    def allows(self, graph: DAG) -> bool:
        """Whether the graph satisfies the knowledge. See also `violations`."""
        return not self.violations(graph)

    def orient(self, pdag: PDAG) -> PDAG:
        """Direct every edge of a graph whose direction follows from the knowledge.

        An edge becomes an arc if the arc is required or its reverse is forbidden; then Meek's (1995) four rules are
        applied. If some DAG extends the graph (see `PDAG.why_invalid`), the arcs of the result are those that all
        extensions have in common which have the required arcs and none of the forbidden ones. A graph without
        extensions is directed by the same steps as far as possible. `max_indegree` directs no edge, but more compelled
        parents than that are an error.

        Raises:
            InvalidGraph: If no such extension exists. It names an arc that is compelled against the knowledge.
        """
        if not isinstance(pdag, PDAG):
            raise InputError(f"pdag: only the edges of a PDAG can be directed, not those of {pdag!r}")
        bound = self.bind(pdag.names)
        closed = pdag.meek()
        self._refuse_arcs(closed, bound)
        wanted = closed.adjacency & closed.adjacency.T & (bound.required | bound.forbidden.T)
        oriented = _directed(closed, [(int(i), int(j)) for i, j in np.argwhere(wanted)])
        if pdag.why_invalid() is None:
            same = oriented.v_structures() == pdag.v_structures()
            if not same or oriented.why_invalid() is not None:
                raise self._conflict(closed, wanted)
        for name in sorted(oriented.names):
            parents, limit = oriented.parents(name), self._limit(name)
            if limit is not None and len(parents) > limit:
                raise InvalidGraph(
                    f"knowledge: {name} has {len(parents)} compelled parents ({', '.join(sorted(parents))}), more than "
                    f"its max_indegree of {limit}: raise it",
                    (name, *parents),
                )
        return oriented

    def _refuse_arcs(self, closed: PDAG, bound: BoundKnowledge) -> None:
        """Raise for a pair that is against the knowledge by itself, whatever happens to the others."""
        joined = closed.adjacency | closed.adjacency.T
        for i, j in np.argwhere(bound.required & ~joined):
            u, v = closed.names[i], closed.names[j]
            raise InvalidGraph(f"knowledge: {u} -> {v} is required, but the graph does not join them", (u, v))
        for u, v in closed.arcs:
            objection = self._objection(u, v)
            if objection:
                raise InvalidGraph(f"knowledge: the arc {u} -> {v} is compelled, but it {objection}", (u, v))
        for u, v in closed.edges:
            if self._is_forbidden(u, v) and self._is_forbidden(v, u):
                raise InvalidGraph(
                    f"knowledge: the graph joins {u} and {v}, but {u} -> {v} {self._objection(u, v)}, and {v} -> {u} "
                    f"{self._objection(v, u)}",
                    (u, v),
                )

    def _conflict(self, closed: PDAG, wanted: Matrix) -> InvalidGraph:
        """The first arc that cannot be had after those before it, and which of those are to blame.

        In a graph that is closed under the rules each edge can be directed either way (Meek 1995, theorem 4), so taking
        the arcs one at a time must meet one whose reverse has become an arc.
        """
        pairs = sorted(np.argwhere(wanted).tolist(), key=lambda pair: tuple(closed.names[i] for i in pair))
        taken: list[tuple[int, int]] = []
        for i, j in pairs:
            if not _directed(closed, taken).adjacency[i, j]:
                break
            taken.append((i, j))
        for pair in tuple(taken):
            fewer = [other for other in taken if other != pair]
            if not _directed(closed, fewer).adjacency[i, j]:
                taken = fewer
        u, v = closed.names[j], closed.names[i]
        blame = ", ".join(f"{closed.names[a]} -> {closed.names[b]}" for a, b in taken)
        return InvalidGraph(
            f"knowledge: no DAG of this equivalence class satisfies it: with {blame} the arc {u} -> {v} is compelled, "
            f"but it {self._objection(u, v)}",
            (u, v),
        )

    # ---- looking things up

    @property
    def _required(self) -> tuple[Arc, ...]:
        assert isinstance(self.required, tuple)  # set by __post_init__, like the next
        return self.required

    @cached_property
    def _forbidden(self) -> dict[Arc, None]:
        return dict.fromkeys(self.forbidden)

    @cached_property
    def _isolated(self) -> frozenset[str]:
        return frozenset(self.isolated)

    @property
    def _tiers(self) -> tuple[tuple[str, ...], ...]:
        assert isinstance(self.tiers, tuple)
        return self.tiers

    @cached_property
    def _tier_of(self) -> dict[str, int]:
        """From 1, as in messages."""
        return {name: k for k, tier in enumerate(self._tiers, start=1) for name in tier}

    @cached_property
    def _limits(self) -> dict[str | None, int]:
        if self.max_indegree is None:
            return {}
        if isinstance(self.max_indegree, int):
            return {None: self.max_indegree}
        assert isinstance(self.max_indegree, tuple)
        return dict(self.max_indegree)

    def _limit(self, name: str | None) -> int | None:
        return self._limits.get(name, self._limits.get(None))

    def _goes_back(self, u: str, v: str) -> bool:
        return u in self._tier_of and v in self._tier_of and self._tier_of[u] > self._tier_of[v]

    def _is_forbidden(self, u: str, v: str) -> bool:
        return (u, v) in self._forbidden or self._goes_back(u, v) or u in self._isolated or v in self._isolated

    def _objection(self, u: str, v: str) -> str:
        """What the arc u -> v does wrong, to follow its name in a sentence; empty if it may be there."""
        if (u, v) in self._forbidden:
            return "is forbidden"
        if self._goes_back(u, v):
            return f"goes back from tier {self._tier_of[u]} to tier {self._tier_of[v]}"
        for name in (u, v):
            if name in self._isolated:
                return f"joins {name!r}, which is isolated"
        return "is the reverse of a required one" if (v, u) in self._required else ""

    def _require_known(self, names: Iterable[str]) -> None:
        known = dict.fromkeys(names)
        mentioned_in = {
            "required": [name for arc in self._required for name in arc],
            "forbidden": [name for arc in self._forbidden for name in arc],
            "tiers": list(self._tier_of),
            "max_indegree": [name for name in self._limits if name is not None],
            "isolated": sorted(self._isolated),
        }
        for argument, mentioned in mentioned_in.items():
            for name in mentioned:
                if name not in known:
                    raise InputError(f"{argument}: there is no variable {name!r}: {suggest(name, known)}")


def _directed(graph: PDAG, arcs: Iterable[tuple[int, int]]) -> PDAG:
    """The graph with these of its edges directed, closed under Meek's rules."""
    a = graph.adjacency.copy()
    for i, j in arcs:
        a[j, i] = False
    return PDAG(graph.names, a).meek()


_NOTHING = Knowledge()
