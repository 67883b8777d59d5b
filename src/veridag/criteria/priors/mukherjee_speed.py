"""A prior from arcs that are expected to be there, and arcs that are not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from veridag.checks import Number, checked
from veridag.errors import InputError, suggest
from veridag.graph import Arc

from .base import Prior, PriorTerms


def _check_arcs(name: str, value: object) -> tuple[Arc, ...]:
    """A sorted tuple of (from, to), each once."""
    form = f'{name} must be a list of arcs, such as {name}=[("A", "B")]'
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{form}: it is {value!r}")
    found = set()
    for arc in value:
        if isinstance(arc, str) or not isinstance(arc, Sequence) or len(arc) != 2:
            raise InputError(f"{form}: {arc!r} is no arc")
        u, v = arc
        if not (isinstance(u, str) and isinstance(v, str)) or u == v:
            raise InputError(f"{name}: {(u, v)!r} is no arc: give the names of two different variables, (from, to)")
        found.add((u, v))
    return tuple(sorted(found))


@dataclass(frozen=True)
class MukherjeeSpeed(Prior):
    r"""A prior that rewards expected arcs and penalises unexpected ones (Mukherjee and Speed 2008).

    With $E$ the arcs of the graph, $E^+$ the `positive` and $E^-$ the `negative` arcs, and $\lambda$ the `strength`,

    $$
    P(G) \propto \exp\left(\lambda \left(|E \cap E^+| - |E \cap E^-|\right)\right)
    $$

    This is the concordance function for arcs in the paper. For arcs between classes of variables, list all of them.
    Equivalent DAGs may have different probabilities. `log` leaves out the constant: log of the empty graph is 0.

    See also:
        `CasteloSiebes`, `Knowledge`, docs/priors/index.md
    """

    positive: Iterable[Arc] = field(default=(), metadata=checked(_check_arcs))
    negative: Iterable[Arc] = field(default=(), metadata=checked(_check_arcs))
    strength: float = field(default=1.0, metadata=checked(Number(least=0)))

    def __post_init__(self) -> None:
        super().__post_init__()
        both = sorted(set(self.positive) & set(self.negative))
        if both:
            raise InputError(f"the arc {both[0]!r} is in positive and in negative: take it out of one of them")

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        """Nothing for the indegree; plus or minus the strength for an arc that is listed."""
        del rows
        at = {name: i for i, name in enumerate(names)}
        arc = np.zeros((len(names), len(names)))
        for argument, arcs, gain in (("positive", self.positive, 1.0), ("negative", self.negative, -1.0)):
            for u, v in arcs:
                for name in (u, v):
                    if name not in at:
                        raise InputError(f"{argument}: there is no variable {name!r}: {suggest(name, names)}")
                arc[at[u], at[v]] = gain * self.strength
        return PriorTerms(np.broadcast_to(np.zeros(len(names)), arc.shape), arc)
