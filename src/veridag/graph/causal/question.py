"""What is asked about an effect, checked: causes, outcomes, and the variables that may be used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from veridag.checks import Integer
from veridag.errors import InputError

if TYPE_CHECKING:
    from veridag.graph.base import Graph

Found = TypeVar("Found")

#: How many sets are listed unless the caller asks for more.
MOST = 1000


class Question(NamedTuple):
    """The effect of the variables x on the variables y; `usable` are the other observed variables."""

    x: frozenset[int]
    y: frozenset[int]
    usable: frozenset[int]

    @classmethod
    def of(
        cls,
        graph: Graph,
        x: str | Iterable[str],
        y: str | Iterable[str],
        observed: Iterable[str] | None = None,
        *,
        single_x: bool = False,
        single_y: bool = False,
    ) -> Question:
        """The numbers of the variables; raises `InputError` if one is unknown, or both cause and outcome.

        With `single_x` or `single_y`, that must be one variable.
        """
        xs, ys = (_several(graph, argument, names) for argument, names in (("x", x), ("y", y)))
        if xs & ys:
            raise InputError(f"x and y: {graph.names[min(xs & ys)]!r} is in both: leave it out of one of them")
        for argument, several, single in (("x", xs, single_x), ("y", ys, single_y)):
            if single and len(several) > 1:
                raise InputError(f"{argument}: this criterion takes one variable, not {len(several)}: name one")
        seen = range(len(graph.names)) if observed is None else graph.indices(observed)
        return cls(frozenset(xs), frozenset(ys), frozenset(seen) - xs - ys)

    def check(self, graph: Graph, argument: str, names: str | Iterable[str]) -> frozenset[int]:
        """The numbers of further variables, none of which may be x or y."""
        found = frozenset(graph.indices(names))
        shared = found & (self.x | self.y)
        if shared:
            raise InputError(f"{argument}: {graph.names[min(shared)]!r} is also in x or y: leave it out of {argument}")
        return found


def _several(graph: Graph, argument: str, names: str | Iterable[str]) -> set[int]:
    found = graph.indices(names)
    if not found:
        raise InputError(f"{argument}: name at least one variable")
    return found


def within(most: int, found: Iterator[Found], what: str) -> list[Found]:
    """All sets found; raises `InputError` if that is more than `most`."""
    most = Integer(1)("most", most)
    listed = list(islice(found, most + 1))
    if len(listed) > most:
        raise InputError(
            f"most={most}: there are more than {most} {what}: raise most=, or name the variables to use with observed="
        )
    return listed


def at_most(most: int, found: Iterator[frozenset[int]], what: str) -> list[tuple[int, ...]]:
    """The sets, the small ones first and then by columns; raises `InputError` if there are more than `most`."""
    return sorted((tuple(sorted(one)) for one in within(most, found, what)), key=lambda one: (len(one), one))
