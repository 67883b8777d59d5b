"""What to adjust for, in a DAG and in every DAG of a class."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from veridag import _core
from veridag.errors import InputError
from veridag.graph import DAG, PDAG, NotAmenable
from veridag.graph.causal.paths import causal_nodes, forbidden_nodes
from veridag.graph.matrices import Matrix, closure
from veridag.graph.members.counting import closed_matrix, count_members
from veridag.graph.members.orienting import orientations_at

Strategy = Literal["optimal", "parents"]
Set = frozenset[int]


@dataclass(frozen=True, eq=False)
class Member:
    """The DAGs of a class in which x has the same parents: what to adjust for in all of them.

    `adjustment` is None if x has no effect on y in them, since no directed path leads from x to y. `graph` has the
    directions that they share, `dag` is one of them, and `dags` is how many there are.
    """

    parents: tuple[str, ...]
    adjustment: tuple[str, ...] | None
    graph: Matrix
    dag: Matrix
    dags: int


def optimal_set(a: Matrix, x: int, y: int) -> Set | None:
    """O = pa(cn) without forb, whose estimates have the least variance (Henckel, Perkovic and Maathuis 2022).

    cn are the variables on directed paths from x to y but x, and forb are their descendants, and x. None if there is
    no such path.
    """
    on_paths = causal_nodes(a, {x}, {y})
    if y not in on_paths:
        return None
    parents = set(np.flatnonzero(a[:, sorted(on_paths)].any(axis=1)).tolist())
    return frozenset(parents - forbidden_nodes(a, {x}, {y}))


def parent_set(a: Matrix, x: int, y: int) -> Set | None:
    """The parents of x, which block every path into x (Pearl 1995); None if y is one of them."""
    parents = frozenset(np.flatnonzero(a[:, x]).tolist())
    return None if y in parents else parents


RULES: dict[str, Callable[[Matrix, int, int], Set | None]] = {"optimal": optimal_set, "parents": parent_set}


def members_at(graph: DAG | PDAG, x: str, y: str, strategy: Strategy) -> list[Member]:
    """The DAGs that a graph stands for, by the parents of x, without listing them.

    All DAGs in which x has the same parents have the same effect of x on y, and the same optimal set (Witte, Henckel,
    Maathuis and Didelez 2020), so that one of them is enough.
    """
    i, j = graph.index(x), graph.index(y)
    if isinstance(graph, DAG):
        return [_member(graph, i, j, graph.adjacency, strategy, 1)]
    closed = closed_matrix(graph, "graph")
    found = orientations_at(closed, i, x)
    return [_member(graph, i, j, one.graph, strategy, count_members(one.graph)) for one in found]


def _member(graph: DAG | PDAG, x: int, y: int, a: Matrix, strategy: Strategy, dags: int) -> Member:
    dag = _core.extend(a)[0]
    chosen = RULES[strategy](dag, x, y)
    parents = np.flatnonzero(dag[:, x]).tolist()
    return Member(_named(graph, parents), None if chosen is None else _named(graph, chosen), a, dag, dags)


def _named(graph: DAG | PDAG, which: Iterable[int]) -> tuple[str, ...]:
    return tuple(sorted(graph.names[i] for i in which))


def disturbing(
    graph: DAG | PDAG, members: Iterable[Member], x: str, y: str, used: Iterable[str], targets: Iterable[str]
) -> tuple[str, ...]:
    """The variables among `targets` that must not be set in a row if the effect is estimated from it.

    These are the ancestors of y and of what is `used` (the adjustment set, and what is given) by paths that do not pass
    through x. Setting one changes P(y | do(x)) or the distribution of what is adjusted for. Setting x itself changes
    neither: with the experiment as a further cause of x alone, every adjustment set stays valid. The same holds for
    causes of y by x alone, if nothing that is used is an effect of x. In a class it is what may be an ancestor, and a
    variable that the graph does not have is one.
    """
    targets, names = set(targets), sorted(used)
    found = {v for v in targets if v not in graph.names}
    i = graph.index(x)
    for member in members:
        a = member.graph.copy()
        if not any(graph.index(v) in closure({i}, member.graph) for v in names):
            a[:, i] = False
        found |= {graph.names[k] for k in closure({graph.index(v) for v in (y, *names)}, a.T)}
    return tuple(sorted((found & targets) - {x}))


def identified_set(
    graph: DAG | PDAG, x: str, y: str, adjustment: str | Iterable[str], given: Iterable[str] = ()
) -> tuple[str, ...] | None:
    """What to adjust for in a graph that tells the effect; None if there is no directed path from x to y.

    Raises `InputError` if the DAGs of the class differ in it, or if a set that is named is not valid.
    """
    strategy: Strategy = "parents" if adjustment == "parents" else "optimal"
    members = members_at(graph, x, y, strategy)
    _check_given(graph, members, x, given)
    if not isinstance(adjustment, str):
        return _named_set(graph, x, y, adjustment, given)
    if adjustment not in RULES:
        raise InputError(
            f"adjustment={adjustment!r} must be 'optimal', 'parents' or a list of names, such as [{adjustment!r}]"
        )
    # Without a path there is nothing to estimate, whatever the parents are.
    chosen = {m.adjustment if optimal_set(m.dag, graph.index(x), graph.index(y)) is not None else None for m in members}
    if len(chosen) > 1:
        undirected = ", ".join(f"{a} - {b}" for a, b in graph.edges if x in (a, b))
        raise InputError(
            f"graph: the effect of {x!r} on {y!r} depends on directions that it leaves open ({undirected}): "
            f"possible_effects(data, graph, {x!r}, {y!r}) shows what the effect can be"
        )
    return chosen.pop()


def observed_set(
    graph: DAG | PDAG, x: str, y: str, optimal: tuple[str, ...], given: Iterable[str], columns: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The optimal set, or the smallest valid one if there are no columns for it, with a note; else `InputError`."""
    lacking = [name for name in optimal if name not in columns]
    if not lacking:
        return optimal, ()
    missing = f"the data has no column {', '.join(map(repr, lacking))}"
    fixed = set(given)
    try:
        sets = graph.adjustment_sets(x, y, observed=[name for name in graph.names if name in columns])
    except NotAmenable:
        sets = []
    for names in sets:
        if graph.is_valid_adjustment(x, y, {*names, *fixed}):
            return names, (f"adjusts for {', '.join(names) or 'nothing'}, not for {', '.join(optimal)}: {missing}",)
    raise InputError(
        f"adjustment: {missing}, and no set of the columns that there are is valid in this graph: add "
        f"{'it' if len(lacking) == 1 else 'them'} to the data"
    )


def _check_given(graph: DAG | PDAG, members: list[Member], x: str, given: Iterable[str]) -> None:
    for member in members:
        below = closure({graph.index(x)}, member.dag)
        for name in given:
            if graph.index(name) in below:
                maybe = "may be" if len(members) > 1 else "is"
                raise InputError(
                    f"given: {name!r} {maybe} an effect of {x!r} itself, so that its value is not known before {x!r} "
                    "is set: leave it out"
                )


def _named_set(graph: DAG | PDAG, x: str, y: str, adjustment: Iterable[str], given: Iterable[str]) -> tuple[str, ...]:
    names = tuple(sorted(set(adjustment)))
    for name in names:
        graph.index(name)
        if name in (x, y):
            raise InputError(f"adjustment: {name!r} is x or y, and cannot be adjusted for: leave it out")
    if not graph.is_valid_adjustment(x, y, {*names, *given}):
        known = {member.adjustment for member in members_at(graph, x, y, "optimal")}
        remedy = "adjustment='optimal' finds one" if len(known) == 1 else "possible_effects shows what it can be"
        shown = ", ".join(names) or "nothing"
        raise InputError(f"adjustment: to adjust for {shown} is not valid in this graph: {remedy}")
    return names
