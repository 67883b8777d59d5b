"""Which directions are known, and which are assumed."""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd
from veridag.report.directions import Directions

#: A category and two measurements in a row: the class has no direction, and the arrows start at the category.
FOUND = vd.PDAG.from_arcs([], [("d", "x"), ("x", "y")], names=["d", "x", "y"])
DRAWN = vd.PDAG.from_arcs([("d", "x"), ("x", "y")], [], names=["d", "x", "y"])


@pytest.fixture(scope="module")
def mixed() -> vd.Data:
    rng = np.random.default_rng(1)
    columns = {"d": list("abab"), "x": rng.normal(size=4).tolist(), "y": rng.normal(size=4).tolist()}
    return vd.Data.of(columns)


def test_what_follows_from_an_assumed_direction_is_assumed_too(mixed):
    directions = Directions.on(mixed, None, True, FOUND, DRAWN)
    assert [directions.way(a, b, 0.99) for a, b in DRAWN.arcs] == ["assumed", "assumed"]
    assert directions.possible_cause("d", "x") == directions.possible_cause("x", "d") == ("x", "d")
    assert directions.possible_cause("x", "y") is None
    found = Directions.on(mixed, None, True, DRAWN, DRAWN)
    assert [found.way(a, b, 0.99) for a, b in DRAWN.arcs] == ["assumed", "safe"]


def test_nothing_is_assumed_where_both_directions_were_possible(mixed):
    directions = Directions.on(mixed, None, False, DRAWN, DRAWN)
    assert [directions.way(a, b, 0.99) for a, b in DRAWN.arcs] == ["safe", "safe"]
    assert directions.possible_cause("d", "x") is None


@pytest.mark.parametrize(
    "known",
    [
        vd.Knowledge(required=[("d", "x")]),
        vd.Knowledge(forbidden=[("x", "d")]),
        vd.Knowledge(tiers=[["d"], ["x", "y"]]),
    ],
)
def test_a_direction_that_what_is_known_leaves_is_not_assumed(mixed, known):
    directions = Directions.on(mixed, known, True, DRAWN, DRAWN)
    assert directions.way("d", "x", 0.1) == "known"
    assert directions.possible_cause("d", "x") is None
    assert directions.way("x", "y", 0.6) == "likely"


def test_a_link_without_a_direction_is_open(mixed):
    directions = Directions.on(mixed, None, True, FOUND, FOUND)
    assert directions.way("x", "y", 0.99, directed=False) == directions.way("d", "x", 0.99, directed=False) == "open"
