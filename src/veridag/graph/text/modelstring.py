"""The modelstring ``[A][B|A]``, the notation of R bnlearn."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from veridag.checks import TEXT
from veridag.errors import InputError

_FACTOR = re.compile(r"\s*\[([^\[\]|]+)(?:\|([^\[\]|]*))?\]\s*")


def write_modelstring(parents: Mapping[str, Sequence[str]]) -> str:
    """``[A][B|A:C]``: one factor a variable, in the order of the mapping, so that the column order survives."""
    for name in parents:
        if not name.strip() or name != name.strip() or set(name) & set("[]|:"):
            raise InputError(
                f"the name {name!r} cannot be written as a modelstring: names there cannot be blank, start or end "
                "with a space, or contain any of [ ] | : — rename the variable, or use DOT or an adjacency matrix"
            )
    return "".join(f"[{name}|{':'.join(given)}]" if given else f"[{name}]" for name, given in parents.items())


def read_modelstring(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The variables, in the order of their factors, and the arcs."""
    TEXT("text", text)
    names: list[str] = []
    arcs: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        factor = _FACTOR.match(text, position)
        if factor is None:
            raise InputError(
                f"the modelstring cannot be read from character {position + 1} on: {text[position:][:30]!r}"
            )
        name = factor[1].strip()
        if name in names:
            raise InputError(f"the modelstring has two factors for {name!r}")
        names.append(name)
        given = [p.strip() for p in factor[2].split(":")] if factor[2] is not None else []
        if "" in given:
            raise InputError(f"the modelstring has an empty parent of {name!r} in {factor[0].strip()!r}")
        if len(set(given)) < len(given):
            twice = next(parent for parent in given if given.count(parent) > 1)
            raise InputError(f"the modelstring has the parent {twice!r} of {name!r} twice: keep one")
        arcs.extend((parent, name) for parent in given)
        position = factor.end()
    for parent, child in arcs:
        if parent not in names:
            raise InputError(
                f"the modelstring gives {child!r} the parent {parent!r}, which has no factor: add [{parent}]"
            )
    return names, arcs
