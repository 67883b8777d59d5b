"""Conditional instruments: a variable that moves y through x alone, once others are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from veridag.graph.matrices import Matrix

from .paths import forbidden_nodes, without_causal_paths
from .question import Question, within
from .separators import is_separator, minimal_separators


class Instrument(NamedTuple):
    """An instrument and the variables to condition on.

    Attributes:
        instrument: The instrument.
        given: The variables to condition on.

    See also:
        `DAG.instruments`, docs/causal.md
    """

    instrument: str
    given: tuple[str, ...]


def conditional_instruments(a: Matrix, asked: Question, most: int) -> list[tuple[int, frozenset[int]]]:
    """Instruments z with sets w, for the total effect of x on y in a linear model.

    By Henckel, Buttenschoen and Maathuis (2024) cov(z, y | w) / cov(z, x | w) is the total effect if

    1. neither z nor w has x or a descendant of a variable on a directed path from x to y,
    2. z and x are not d-separated by w, and
    3. z and y are d-separated by w once the first arc of every directed path from x to y is removed.

    Given for each z are the minimal sets w of condition 3 for which condition 2 holds. They lie among the ancestors of
    z and y, so that the instruments are ancestral (van der Zander, Textor and Liśkiewicz 2015). More than `most` sets
    of condition 3 are an error.
    """
    tried = within(most, _candidates(a, asked), "conditioning sets for instruments")
    return [(z, w) for z, w in tried if not is_separator(a, {z}, asked.x, w)]


def _candidates(a: Matrix, asked: Question) -> Iterator[tuple[int, frozenset[int]]]:
    """Instruments z with all their minimal sets w of condition 3.

    The set nearest to y leaves most paths from z open. If it separates z from x, so do the others.
    """
    usable = asked.usable - forbidden_nodes(a, asked.x, asked.y)
    cut = without_causal_paths(a, asked.x, asked.y)
    for z in sorted(usable):
        nearest = next(minimal_separators(cut, asked.y, {z}, usable - {z}), None)
        if nearest is not None and not is_separator(a, {z}, asked.x, nearest):
            yield from ((z, w) for w in minimal_separators(cut, {z}, asked.y, usable - {z}))
