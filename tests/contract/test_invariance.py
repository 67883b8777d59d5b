"""What is learned comes from the data alone: not from names, nor from the order of columns, rows or states."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import veridag as vd
from learners import ALGORITHMS, CONSTRAINT_BASED
from strategies.mixed import mixed_data
from veridag.data import Column, Data


def discrete() -> Data:
    return (
        vd.networks.load("child")
        .sample(400, seed=6)
        .select(
            [
                "BirthAsphyxia",
                "Disease",
                "LungParench",
                "Age",
                "Sick",
                "LVH",
                "LVHreport",
                "DuctFlow",
                "CO2",
                "CO2Report",
            ]
        )
    )


def weighted() -> Data:
    data = vd.networks.load("asia").sample(120, seed=4)
    return Data(data.columns, np.random.default_rng(2).integers(1, 9, 120))


def continuous() -> Data:
    return (
        vd.networks.load("ecoli70")
        .sample(150, seed=1)
        .select(["asnA", "atpD", "b1191", "cspG", "dnaK", "eutG", "fixC", "icdA", "lacA", "lacY"])
    )


def mixed() -> Data:
    return mixed_data(11, 120, kinds="cddcdcc")


BY_DATA = ALGORITHMS
BY_TESTS = CONSTRAINT_BASED
TABLES = {"discrete": discrete, "weighted": weighted, "continuous": continuous, "mixed": mixed}


@cache
def table(name: str) -> Data:
    return TABLES[name]()


def other_names(data: Data) -> dict[str, str]:
    """Names that sort in another order."""
    order = np.random.default_rng(9).permutation(len(data.names))
    return {name: f"x{order[i]:03d}" for i, name in enumerate(data.names)}


def renamed(data: Data, names: dict[str, str]) -> Data:
    return Data([replace(column, name=names[column.name]) for column in data.columns], data.weights)


def with_other_states(data: Data) -> Data:
    rng = np.random.default_rng(3)
    columns = []
    for column in data.columns:
        if column.kind == "continuous":
            columns.append(column)
            continue
        place = rng.permutation(len(column.states))
        states = [""] * len(place)
        for code, new in enumerate(place):
            states[new] = f"s{rng.integers(1000)}-{column.states[code]}"
        columns.append(Column.discrete(column.name, place[column.values].astype(column.values.dtype), states))
    return Data(columns, data.weights)


def of_shuffled_columns(data: Data) -> Data:
    return data.select(np.random.default_rng(1).permutation(data.names).tolist())


def of_shuffled_rows(data: Data) -> Data:
    return data.rows(np.random.default_rng(5).permutation(data.nrows))


@cache
def learned(learner: str, name: str) -> vd.Result:
    return BY_DATA[learner].learn(table(name), seed=3)


@pytest.mark.parametrize("change", [with_other_states, of_shuffled_columns, of_shuffled_rows])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", BY_DATA)
def test_the_way_the_table_is_written_down_changes_nothing(learner, name, change):
    first, other = learned(learner, name), BY_DATA[learner].learn(change(table(name)), seed=3)
    assert other.graph == first.graph
    assert other.valid == first.valid
    assert not first.valid or other.dag == first.dag
    assert other.calls == first.calls


@pytest.mark.parametrize("change", [with_other_states, of_shuffled_columns, of_shuffled_rows])
@pytest.mark.parametrize("learner", BY_TESTS)
def test_the_way_a_mixed_table_is_written_down_changes_nothing_in_what_tests_find(learner, change):
    first, other = (BY_TESTS[learner].learn(data) for data in (table("mixed"), change(table("mixed"))))
    assert (other.graph, other.valid, other.calls) == (first.graph, first.valid, first.calls)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("learner", BY_DATA)
def test_names_change_nothing(learner, name):
    first, names = learned(learner, name), other_names(table(name))
    other = BY_DATA[learner].learn(renamed(table(name), names), seed=3)

    def as_renamed(graph: vd.DAG | vd.PDAG) -> vd.DAG | vd.PDAG:
        return type(graph).from_adjacency(graph.adjacency, [names[v] for v in graph.names])

    assert other.graph == as_renamed(first.graph)
    assert not first.valid or other.dag == as_renamed(first.dag)
    assert other.calls == first.calls
