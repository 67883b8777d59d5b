"""Features of a structure: arcs that are there or not, all parents of some variables, pairs and paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from veridag.errors import InputError, suggest

Arcs = Iterable[tuple[str, str]]

#: What is to be there: arcs as a list of pairs, one pair, or a text such as "A -> B", "A -- B" or "A ~> B".
Present = Arcs | tuple[str, str] | str


class Relation(NamedTuple):
    """How two variables are related: by an arc ``->``, by an arc in either direction ``--``, or by a path ``~>``."""

    source: str
    kind: Literal["->", "--", "~>"]
    target: str


def relation_of(present: Any, names: Sequence[str]) -> Relation | None:
    """The relation that a text or a pair means; None for a list of arcs."""
    if isinstance(present, tuple) and len(present) == 2 and all(isinstance(name, str) for name in present):
        return _checked_relation(Relation(present[0], "->", present[1]), names)
    if not isinstance(present, str):
        if not isinstance(present, Iterable):
            raise _no_feature(present)
        return None
    kinds: tuple[Literal["->", "--", "~>"], ...] = ("->", "--", "~>")
    for kind in kinds:
        a, found, b = (part.strip() for part in present.partition(f" {kind} "))
        if found:
            return _checked_relation(Relation(a, kind, b), names)
    raise _no_feature(present)


def _no_feature(present: object) -> InputError:
    return InputError(
        f"present={present!r} must be arcs such as [('A', 'B')] or ('A', 'B'), or a string such as 'A -> B', 'A -- B' "
        "or 'A ~> B'"
    )


def _checked_relation(relation: Relation, names: Sequence[str]) -> Relation:
    known = {name: i for i, name in enumerate(names)}
    _checked_arcs("present", [(relation.source, relation.target)], known)
    return relation


def parent_rules(
    names: Sequence[str],
    order: Sequence[int],
    present: Arcs,
    absent: Arcs,
    parents: Mapping[str, Iterable[str]] | None,
) -> tuple[list[int], list[int]]:
    """For each variable of the core, the parents that it must have, and those that it must not: sets as bits.

    `order` has the position in `names` of each variable of the core.
    """
    at = {names[position]: v for v, position in enumerate(order)}
    everything = (1 << len(names)) - 1
    wanted, unwanted = [0] * len(names), [0] * len(names)
    for rules, argument, arcs in ((wanted, "present", present), (unwanted, "absent", absent)):
        for source, target in _checked_arcs(argument, arcs, at):
            rules[at[target]] |= 1 << at[source]
    for child, own in (parents or {}).items():
        v = at[_checked(child, "parents", at)]
        if isinstance(own, str):
            raise InputError(f"parents: give a list of the parents of {child!r}, [{own!r}], not a string")
        chosen = 0
        for name in own:
            chosen |= 1 << at[_checked(name, "parents", at)]
        if chosen >> v & 1:
            raise InputError(f"parents: {child!r} is its own parent: leave it out")
        wanted[v] |= chosen
        unwanted[v] |= everything & ~chosen & ~(1 << v)
    return wanted, unwanted


def _checked_arcs(argument: str, arcs: Arcs, known: Mapping[str, int]) -> list[tuple[str, str]]:
    found = []
    for arc in arcs:
        if isinstance(arc, str) or len(tuple(arc)) != 2:
            raise InputError(
                f"{argument}: {arc!r} is not an arc: give a list of pairs (from, to), such as [('A', 'B')]"
            )
        u, v = (_checked(name, argument, known) for name in arc)
        if u == v:
            raise InputError(f"{argument}: the arc {u} -> {v} leads from a variable to itself: leave it out")
        found.append((u, v))
    return found


def _checked(name: str, argument: str, known: Mapping[str, int]) -> str:
    if name not in known:
        raise InputError(f"{argument}: there is no variable {name!r}: {suggest(name, known)}")
    return name
