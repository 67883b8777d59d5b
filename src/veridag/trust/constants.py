"""Columns with one observed value, which have no arcs in what is learned from the whole table."""

from __future__ import annotations

from veridag.data import Data
from veridag.data.columns import listed
from veridag.graph.knowledge import Knowledge
from veridag.search.base import KNOWLEDGE


def isolating_constants(data: Data, knowledge: Knowledge | None = None) -> Knowledge | None:
    """What is known, and that constant columns have no arcs; one that is in a required arc is left as it is.

    They say nothing about others. A score may prefer arcs to or from them all the same: declared states that are not
    observed count in it, so that a constant parent changes the prior of its child's parameters.
    """
    knowledge = KNOWLEDGE("knowledge", knowledge)
    required = {name for arc in (() if knowledge is None else knowledge.required) for name in arc}
    alone = [name for name in data.constants if name not in required]
    if not alone:
        return knowledge
    return Knowledge(isolated=alone) if knowledge is None else knowledge | Knowledge(isolated=alone)


def constants_note(data: Data, knowledge: Knowledge | None = None) -> tuple[str, ...]:
    """The sentence on those columns for the notes of a result; none if there are none."""
    known = isolating_constants(data, knowledge)
    alone = [] if known is None else [name for name in data.constants if name in set(known.isolated)]
    return (f"constant, so without arcs: {listed(alone)}",) if alone else ()
