"""Arcs that a criterion cannot judge: from measurements to categories, and between a variable and its indicator."""

from __future__ import annotations

from itertools import product

from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge


def without_own_indicators(knowledge: Knowledge, data: Data) -> tuple[Knowledge, tuple[str, ...]]:
    """What is known, and that no arc joins a variable and the column that says where it is missing; with a note.

    Wherever the variable is observed, its indicator is constant: no data can tell of such an arc, and a score of the
    available rows would treat the constant as a perfect fit.
    """
    pairs = [(name, about) for name, about in data.indicators.items() if about in data.names]
    if not pairs:
        return knowledge, ()
    forbidden = [arc for name, about in pairs for arc in ((name, about), (about, name))]
    for u, v in knowledge.required:
        if (u, v) in forbidden:
            raise InputError(
                f"required: the arc {u} -> {v} joins a variable and the column that shows where it is missing, which "
                "no data can support: remove it"
            )
    note = "no arc joins a variable and the column that shows where it is missing: the data cannot support it"
    return knowledge | Knowledge(forbidden=forbidden), (note,)


def with_directions(knowledge: Knowledge, data: Data, criterion: str) -> Knowledge:
    """What is known, and that no arc leads from a continuous to a discrete variable of mixed data.

    `criterion` is the score or test that asks for it, for messages.
    """
    discrete = [name for name in data.names if data.kinds[name] == "discrete"]
    continuous = [name for name in data.names if data.kinds[name] == "continuous"]
    if not discrete or not continuous:
        return knowledge
    for u, v in knowledge.required:
        if data.kinds.get(u) == "continuous" and data.kinds.get(v) == "discrete":
            raise InputError(
                f"required: the arc {u} -> {v} leads from a continuous to a discrete variable, which {criterion} does "
                "not allow: use DegenerateGaussian, or discretize the data"
            )
    if not knowledge.tiers:
        return knowledge | Knowledge(tiers=[discrete, continuous])
    return knowledge | Knowledge(forbidden=product(continuous, discrete))


def torn_apart(knowledge: Knowledge, data: Data, criterion: str) -> tuple[str, ...]:
    """A note on pairs that cannot be joined, since tiers put the measurement before the category, if there are any."""
    tier = {name: k for k, names in enumerate(knowledge.tiers) for name in names}
    pairs = [
        (u, v)
        for u, v in product(tier, repeat=2)
        if tier[u] < tier[v] and (data.kinds.get(u), data.kinds.get(v)) == ("continuous", "discrete")
    ]
    if not pairs:
        return ()
    u, v = pairs[0]
    return (
        f"the tiers put {u!r} before {v!r}, and {criterion} allows no arcs from continuous to discrete variables, so "
        f"{'they are' if len(pairs) == 1 else f'{len(pairs)} such pairs are'} not joined: use DegenerateGaussian",
    )
