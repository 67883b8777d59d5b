"""Front-door sets m: p(y | do(x)) is the sum over m of p(m | x) times the sum over x' of p(y | x', m) p(x')."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import numpy as np

from veridag.graph.matrices import Matrix, active_reach, closure

from .paths import causal_nodes, without_arcs_from
from .question import Question
from .separators import is_separator


def is_front_door_set(a: Matrix, asked: Question, through: AbstractSet[int]) -> bool:
    """Pearl's (1995) front-door criterion, for sets as in Jeong, Tian and Bareinboim (2022).

    `through` meets every directed path from x to y; no path into x leads to it without being blocked; and once the
    arcs out of it are removed, x separates it from y.
    """
    return (
        _meets_all_paths(a, asked, through)
        and is_separator(without_arcs_from(a, asked.x), asked.x, through, set())
        and is_separator(without_arcs_from(a, through), through, asked.y, asked.x)
    )


def minimal_front_door_sets(a: Matrix, asked: Question) -> Iterator[frozenset[int]]:
    """The front-door sets of usable variables that have no proper subset that is one, each once.

    One is found among the usable variables. Every other lacks one of its members, so it is found among the rest. All
    are ancestors of y: what is not meets no path to y, and blocks none either.
    """
    nodes = sorted(closure({*asked.x, *asked.y}, a.T))
    part = Question(*(frozenset(i for i, v in enumerate(nodes) if v in which) for which in asked))
    for found in _minimal(a[np.ix_(nodes, nodes)], part):
        yield frozenset(nodes[i] for i in found)


def _minimal(a: Matrix, asked: Question) -> Iterator[frozenset[int]]:
    seen: set[frozenset[int]] = set()
    tried: set[frozenset[int]] = set()
    waiting = [asked.usable]
    while waiting:
        largest = _largest(a, asked, waiting.pop())
        if largest is None or largest in tried:
            continue
        tried.add(largest)
        found = _reduced(a, asked, largest)
        if found not in seen:
            seen.add(found)
            yield found
        waiting += [largest - {v} for v in sorted(found)]


def _reduced(a: Matrix, asked: Question, through: frozenset[int]) -> frozenset[int]:
    """A minimal front-door set within one."""
    for v in sorted(through):
        smaller = _largest(a, asked, through - {v})
        through = through if smaller is None else smaller
    return through


def _largest(a: Matrix, asked: Question, usable: AbstractSet[int]) -> frozenset[int] | None:
    """The front-door set of usable variables that holds all others, None if there is none.

    A variable with an open path to y, given x and without the arcs out of the others, has one without fewer arcs too.
    """
    through = usable - active_reach(without_arcs_from(a, asked.x), set(asked.x), set())
    while reached := through & active_reach(without_arcs_from(a, through), set(asked.y), set(asked.x)):
        through = through - reached
    return frozenset(through) if _meets_all_paths(a, asked, through) else None


def _meets_all_paths(a: Matrix, asked: Question, through: AbstractSet[int]) -> bool:
    cut = without_arcs_from(a, through)
    return not causal_nodes(cut, asked.x, asked.y)
