"""The size of a random DAG as it is given: variables, the most parents, and how many arcs they allow."""

from __future__ import annotations

from collections.abc import Sequence

from veridag.checks import MAX_INDEGREE, Integer, Optional, is_integer
from veridag.errors import InputError
from veridag.graph import check_names, default_names


def variable_names(variables: int | Sequence[str]) -> tuple[str, ...]:
    """The names given, or X1, X2, ... for a number of variables."""
    if isinstance(variables, Sequence):
        if not isinstance(variables, str):
            return check_names(variables)
    elif is_integer(variables) and variables >= 0:
        return default_names(int(variables))
    raise InputError(f"variables={variables!r}: give a list of names, or a number of variables as an integer")


def most_parents(max_indegree: int | None, n: int) -> int:
    """The most parents that a variable among n can have."""
    given: int | None = MAX_INDEGREE("max_indegree", max_indegree)
    return max(n - 1, 0) if given is None else min(given, max(n - 1, 0))


def most_arcs(n: int, d: int) -> int:
    """The most arcs of a DAG on n variables with at most d parents each."""
    return sum(min(t, d) for t in range(n))


def exact_arcs(arcs: int | None, n: int, d: int) -> int | None:
    """The number of arcs, if a DAG on n variables with at most d parents each can have it; None for any."""
    given: int | None = Optional(Integer(0))("arcs", arcs)
    if given is not None:
        refuse_arcs("arcs", given, given, n, d)
    return given


def refuse_arcs(argument: str, value: object, arcs: float, n: int, d: int) -> None:
    """Raise if there are more arcs than a DAG on n variables with at most d parents each can have."""
    if arcs > most_arcs(n, d):
        bound = "" if d >= n - 1 else f" with at most {d} parents each"
        raise InputError(
            f"{argument}={value!r}: {n} variables{bound} can have at most {most_arcs(n, d)} arcs: lower it"
        )
