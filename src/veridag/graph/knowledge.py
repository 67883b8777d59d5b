"""What is known before the data is seen: arcs that must or must not be there, an order in time, few parents.

One `Knowledge` serves every algorithm. It speaks of variables by name and holds no data; `bind` turns it into matrices
for the variables of a table.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, suggest

from .graphs import DAG, PDAG, Arc, InvalidGraph, Matrix, check_names

#: One number for all variables, or a mapping name -> number, in which None stands for all that are not named.
Limits = int | Mapping[str, int] | Mapping[str | None, int] | Iterable[tuple[str | None, int]]

_LIMIT_RULE = "give a whole number, 0 or more, for all variables, or a mapping name -> number"
# A name in quotes may hold what looks like a comment; a # inside a name, as in item#1, starts none.
_QUOTED_OR_COMMENT = re.compile(r'((?:^|,)\s*"(?:[^"]|"")*")|(?<!\S)#.*')


@dataclass(frozen=True)
class Knowledge:
    """What a graph must obey: ``Knowledge(required=[("A", "B")], tiers=[["A"], ["B", "C"]], max_indegree=3)``.

    - `required`: arcs (from, to) that are in the graph.
    - `forbidden`: arcs (from, to) that are not; with both directions forbidden, two variables are not joined.
    - `tiers`: groups of variables, earlier ones first. No arc leads from a later tier to an earlier one; arcs inside a
      tier are free, and so are all arcs of a variable that is in no tier.
    - `max_indegree`: the most parents of a variable, one number for all or a mapping name -> number. Variables that the
      mapping does not name have the limit under the key None, or no limit.

    Arcs are kept as sorted tuples, each tier as a sorted tuple of names, a mapping as a sorted tuple of pairs: the same
    knowledge is equal however it was written. Contradictions raise `InputError`, so some DAG always obeys: the one
    that has the required arcs alone.
    """

    required: Iterable[Arc] = ()
    forbidden: Iterable[Arc] = ()
    tiers: Iterable[Iterable[str]] = ()
    max_indegree: Limits | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "required", _checked_arcs("required", self.required))
        object.__setattr__(self, "forbidden", _checked_arcs("forbidden", self.forbidden))
        object.__setattr__(self, "tiers", _checked_tiers(self.tiers))
        object.__setattr__(self, "max_indegree", _checked_limits(self.max_indegree))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        for u, v in self._required:
            if (u, v) in self._forbidden:
                raise InputError(f"required, forbidden: the arc {u} -> {v} is in both: take it out of one of them")
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
                    f"required, max_indegree: {child!r} has {parents} required parents ({among}) but may have {limit} "
                    "at most: raise the limit or drop an arc"
                )

    # ---- in

    @classmethod
    def read_tiers(cls, path: str | Path) -> Self:
        """Tiers from a text file: a line is a tier, the earliest first, its names separated by commas.

        Blank lines are passed over, and so is what follows a ``#`` that starts a line or comes after a space. A name
        with a comma stands in double quotes. Spaces around names do not count.
        """
        tiers: list[list[str]] = []
        line_of: dict[str, int] = {}
        for number, line in enumerate(_load(Path(path)).split("\n"), start=1):
            names = _names_of(_QUOTED_OR_COMMENT.sub(r"\1", line), f"{path}, line {number}")
            for name in names:
                if name in line_of:
                    raise InputError(
                        f"{path}, line {number}: {name!r} is in line {line_of[name]} already: a variable has one tier"
                    )
                line_of[name] = number
            tiers += [names] if names else []
        if not tiers:
            raise InputError(f"{path}: there is no tier in it: write one a line, its names separated by commas")
        return cls(tiers=tiers)

    def merge(self, other: Knowledge) -> Knowledge:
        """What both say together: a DAG obeys it exactly if it obeys both. Also written ``self | other``.

        Two different lists of tiers cannot be one list in general; they become the forbidden arcs that they stand for.
        It is an error if they put two variables in opposite orders.
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

    def bind(self, names: Sequence[str]) -> BoundKnowledge:
        """The same as matrices over these variables; raises `InputError` if a variable spoken of is not among them."""
        checked = check_names(names)
        at = {name: i for i, name in enumerate(checked)}
        self._require_known(at)
        n = len(checked)
        required, forbidden = np.zeros((n, n), bool), np.eye(n, dtype=bool)
        for matrix, arcs in ((required, self._required), (forbidden, self._forbidden)):
            for u, v in arcs:
                matrix[at[u], at[v]] = True
        tier = np.array([self._tier_of.get(name, 0) for name in checked], dtype=np.int64)
        forbidden |= (tier[:, None] > tier[None, :]) & (tier[None, :] > 0)
        most = max(n - 1, 0)
        limits = [self._limit(name) for name in checked]
        max_indegree = np.array([most if k is None else min(k, most) for k in limits], dtype=np.int64)
        return BoundKnowledge(checked, required, forbidden, max_indegree)

    def violations(self, graph: DAG) -> list[str]:
        """What in the graph breaks the knowledge, a sentence for each arc or variable; empty if it obeys."""
        if not isinstance(graph, DAG):
            raise InputError(f"graph: violations are those of a DAG, not of {graph!r}: use orient, or an extension")
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
        """Whether the graph obeys; see `violations`."""
        return not self.violations(graph)

    def orient(self, pdag: PDAG) -> PDAG:
        """The graph with every edge directed whose direction follows from the knowledge.

        An edge becomes an arc if the arc is required or its reverse is forbidden; then Meek's (1995) four rules are
        applied. For a graph that some DAG extends (see `PDAG.why_invalid`), the arcs of the result are those that all
        the extensions which have the required arcs and none of the forbidden share; if there is no such extension,
        `InvalidGraph` names an arc that is compelled against the knowledge. A graph without extensions is directed by
        the same steps, as far as they go. `max_indegree` directs no edge, but compelled parents above it are an error.
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
            f"knowledge: no DAG of this class obeys: with {blame} the arc {u} -> {v} is compelled, but it "
            f"{self._objection(u, v)}",
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
        return (u, v) in self._forbidden or self._goes_back(u, v)

    def _objection(self, u: str, v: str) -> str:
        """What the arc u -> v does wrong, to follow its name in a sentence; empty if it may be there."""
        if (u, v) in self._forbidden:
            return "is forbidden"
        if self._goes_back(u, v):
            return f"goes back from tier {self._tier_of[u]} to tier {self._tier_of[v]}"
        return "is the reverse of a required one" if (v, u) in self._required else ""

    def _require_known(self, names: Iterable[str]) -> None:
        known = dict.fromkeys(names)
        spoken_of = {
            "required": [name for arc in self._required for name in arc],
            "forbidden": [name for arc in self._forbidden for name in arc],
            "tiers": list(self._tier_of),
            "max_indegree": [name for name in self._limits if name is not None],
        }
        for argument, mentioned in spoken_of.items():
            for name in mentioned:
                if name not in known:
                    raise InputError(f"{argument}: there is no variable {name!r}: {suggest(name, known)}")


@dataclass(frozen=True, eq=False)
class BoundKnowledge:
    """Knowledge about the variables `names`, in that order; the arrays cannot be written to.

    ``required[i, j]`` and ``forbidden[i, j]`` speak of the arc i -> j; `forbidden` holds what the tiers forbid and the
    diagonal, and not the reverse of a required arc, which acyclicity rules out. ``max_indegree[j]`` is the most parents
    of j, len(names) - 1 if there is no limit.
    """

    names: tuple[str, ...]
    required: Matrix
    forbidden: Matrix
    max_indegree: NDArray[np.int64]

    def __post_init__(self) -> None:
        for array in (self.required, self.forbidden, self.max_indegree):
            array.flags.writeable = False


def parse_arc(text: str) -> Arc:
    """``A:B`` or ``A->B`` as ``("A", "B")``; the second form is for names with a colon. Spaces around do not count."""
    sign = "->" if "->" in text else ":"
    ends = [end.strip() for end in text.split(sign)]
    if len(ends) != 2 or not all(ends):
        raise InputError(f"arc {text!r}: write it as FROM:TO, or as FROM->TO if a name has a colon")
    return ends[0], ends[1]


def _checked_arcs(argument: str, arcs: object) -> tuple[Arc, ...]:
    if isinstance(arcs, str | Mapping) or not isinstance(arcs, Iterable):
        raise InputError(f"{argument}={arcs!r}: give a list of arcs, each a pair (from, to)")
    checked = set()
    for arc in arcs:
        if not isinstance(arc, tuple | list) or len(arc) != 2:
            raise InputError(f"{argument}: {arc!r} is no arc: give pairs (from, to), as in {argument}=[('A', 'B')]")
        u, v = (_checked_name(f"{argument}: {arc!r}", name) for name in arc)
        if u == v:
            raise InputError(f"{argument}: {arc!r} leads from {u!r} to itself, which no DAG allows: remove it")
        checked.add((u, v))
    return tuple(sorted(checked))


def _checked_tiers(tiers: object) -> tuple[tuple[str, ...], ...]:
    if isinstance(tiers, str | Mapping | Set) or not isinstance(tiers, Iterable):  # a set has no order
        raise InputError(f"tiers={tiers!r}: give a list of tiers, each a list of names, the earliest first")
    checked: list[tuple[str, ...]] = []
    tier_of: dict[str, int] = {}
    for k, tier in enumerate(tiers, start=1):
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise InputError(f"tiers: tier {k} is {tier!r}: a tier is a list of names, as in tiers=[['A'], ['B', 'C']]")
        names = [_checked_name(f"tiers: tier {k}", name) for name in tier]
        if not names:
            raise InputError(f"tiers: tier {k} is empty: remove it")
        for name in names:
            if name in tier_of:
                where = f"tier {k} twice" if tier_of[name] == k else f"tier {tier_of[name]} and in tier {k}"
                raise InputError(f"tiers: {name!r} is in {where}: keep it once")
            tier_of[name] = k
        checked.append(tuple(sorted(names)))
    return tuple(checked)


def _checked_limits(limits: object) -> int | tuple[tuple[str | None, int], ...] | None:
    if limits is None:
        return None
    if isinstance(limits, str) or not isinstance(limits, Iterable):
        return _checked_limit("max_indegree", limits)
    checked: dict[str | None, int] = {}
    for item in limits.items() if isinstance(limits, Mapping) else limits:
        if not isinstance(item, tuple | list) or len(item) != 2:
            raise InputError(f"max_indegree: {item!r} is not of the form name: number: {_LIMIT_RULE}")
        name = None if item[0] is None else _checked_name("max_indegree", item[0])
        if name in checked:
            raise InputError(f"max_indegree: {name!r} is given more than once: keep one number for it")
        checked[name] = _checked_limit(f"max_indegree: {name!r}", item[1])
    if not checked:
        return None
    if list(checked) == [None]:
        return checked[None]
    return tuple(sorted(checked.items(), key=lambda item: (item[0] is not None, item[0] or "")))


def _checked_limit(argument: str, value: object) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or int(value) < 0:
        raise InputError(f"{argument}={value!r}: {_LIMIT_RULE}")
    return int(value)


def _checked_name(argument: str, name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"{argument}: {name!r} is not a name; give the non-empty text that a variable is called")
    return str(name)  # a numpy string has a repr that cannot be typed back in


def _directed(graph: PDAG, arcs: Iterable[tuple[int, int]]) -> PDAG:
    """The graph with these of its edges directed, closed under Meek's rules."""
    a = graph.adjacency.copy()
    for i, j in arcs:
        a[j, i] = False
    return PDAG(graph.names, a).meek()


def _load(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        beside = [p.name for p in path.parent.iterdir()] if path.parent.is_dir() else []
        raise InputError(f"{path}: no such file; {suggest(path.name, beside)}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}, line {line}: the text is not in UTF-8: save it so") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _names_of(line: str, where: str) -> list[str]:
    """The names between the commas; none of a blank line."""
    if not line.strip():
        return []
    try:
        names = [name.strip() for name in next(csv.reader([line.strip()], skipinitialspace=True, strict=True))]
    except csv.Error:
        raise InputError(f"{where}: the quotes do not match: put the whole name in double quotes") from None
    if not all(names):
        raise InputError(f"{where}: a name is missing before or after a comma: add it or remove the comma")
    return names
