"""Features that are a product over families: arcs that are there or not, and all parents of some variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from veridag.errors import InputError, suggest

Arcs = Iterable[tuple[str, str]]


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
            raise InputError(f"parents: give a list of the parents of {child!r}, [{own!r}], not one text")
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
            raise InputError(f"{argument}: {arc!r} is no arc: give a list of pairs (from, to), such as [('A', 'B')]")
        u, v = (_checked(name, argument, known) for name in arc)
        if u == v:
            raise InputError(f"{argument}: the arc {u} -> {v} leads from a variable to itself: leave it out")
        found.append((u, v))
    return found


def _checked(name: str, argument: str, known: Mapping[str, int]) -> str:
    if name not in known:
        raise InputError(f"{argument}: there is no variable {name!r}: {suggest(name, known)}")
    return name
