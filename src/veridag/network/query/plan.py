"""In which order continuous variables are eliminated, found by the scopes of their regressions alone.

The numbers do not belong here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from math import prod
from typing import NamedTuple, Protocol

from veridag.network.network import Network

from .elimination import refuse_large


class Turn(NamedTuple):
    """Turn the arc from u to v round; if u is `gone` it has no other children and is not asked for."""

    u: str
    v: str
    gone: bool


class Observe(NamedTuple):
    """The variable is observed and has no parents left: take the density of its value."""

    v: str


class Drop(NamedTuple):
    """The variable has no children and is not asked for."""

    v: str


Step = Turn | Observe | Drop


class Scoped(Protocol):
    """What a regression depends on."""

    @property
    def scope(self) -> tuple[str, ...]:
        """The discrete variables."""

    @property
    def slopes(self) -> Mapping[str, object]:
        """The continuous parents."""


def plan(
    network: Network, regressions: Mapping[str, Scoped], observed: AbstractSet[str], targets: AbstractSet[str]
) -> list[Step]:
    """The steps that leave the targets alone; raises `TooLarge` if a regression on the way is too large.

    An observed variable takes leave of its parents, the last of them first, so that no cycle arises; what it has then
    is a likelihood. A variable that is neither observed nor a target is barren once it has no children: the arcs to
    them are turned round to get there, the first child first, next for that variable whose elimination makes the
    smallest regressions. The regressions come with parents before children, and observed variables have no children.
    """
    return list(_Structure(network, regressions, observed, targets).steps())


class _Structure:
    """The discrete variables and the parents of each regression."""

    def __init__(
        self, network: Network, regressions: Mapping[str, Scoped], observed: AbstractSet[str], targets: AbstractSet[str]
    ) -> None:
        self.network, self.observed, self.targets = network, observed, targets
        self.scope = {v: frozenset(own.scope) for v, own in regressions.items()}
        self.parents = {v: frozenset(own.slopes) for v, own in regressions.items()}
        self.order = list(regressions)  # parents before children, after every step

    def steps(self) -> Iterator[Step]:
        for v in [v for v in self.order if v in self.observed]:
            while self.parents[v]:
                yield self._turn(max(self.parents[v], key=self.order.index), v)
            self._remove(v)
            yield Observe(v)
            yield from self._drop_barren()
        while hidden := [u for u in self.order if u not in self.targets]:
            u = min(hidden, key=self._cost)
            for v in self._children(u):
                yield self._turn(u, v)
            yield from self._drop_barren()

    def _children(self, u: str) -> list[str]:
        return [v for v in self.order if u in self.parents[v]]

    def _entries(self, v: str) -> int:
        return prod(len(self.network.states[d]) for d in self.scope[v]) * (len(self.parents[v]) + 2)

    def _turn(self, u: str, v: str) -> Turn:
        gone = u not in self.targets and self._children(u) == [v]
        around = (self.parents[u] | self.parents[v]) - {u}
        self.scope[u] = self.scope[v] = self.scope[u] | self.scope[v]
        self.parents[v] = around
        if gone:
            self._remove(u)
        elif v in self.observed:  # its value takes its place
            self.parents[u] = around
        else:
            self.parents[u] = around | {v}
            self.order.remove(u)
            self.order.insert(self.order.index(v) + 1, u)
        refuse_large(self.network, self.scope[v], max(self._entries(w) for w in ((v,) if gone else (u, v))))
        return Turn(u, v, gone)

    def _remove(self, v: str) -> None:
        self.order.remove(v)
        del self.scope[v], self.parents[v]

    def _drop_barren(self) -> Iterator[Drop]:
        for v in reversed(self.order.copy()):
            if v not in self.targets and v not in self.observed and not self._children(v):
                self._remove(v)
                yield Drop(v)

    def _cost(self, u: str) -> int:
        """The entries of the regressions that the children of u have when it is eliminated."""
        scope, parents, cost = self.scope[u], self.parents[u] | {u}, 0
        for v in self._children(u):
            scope, parents = scope | self.scope[v], parents | self.parents[v]
            cost += prod(len(self.network.states[d]) for d in scope) * (len(parents) + 1)
            parents |= {v}
        return cost
