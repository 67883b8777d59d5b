"""What is learned by tests comes from the data alone: not from names, nor from the order of columns, rows or states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data

Learner = Callable[[vd.G2], vd.PCStable]
LEARNERS: dict[str, Learner] = {
    "pc-stable": vd.PCStable,
    "grow-shrink": vd.GrowShrink,
    "inter-iamb": vd.InterIAMB,
    "mmpc": vd.MMPC,
    "si-hiton-pc": vd.SIHitonPC,
    "hpc": vd.HPC,
    "mmhc": vd.MMHC,
    "rsmax2": lambda test: vd.RSMAX2(vd.SIHitonPC(test), vd.HillClimbing()),
    "h2pc": vd.H2PC,
}


def copies() -> Data:
    """Columns that are the same but for their states' names and order: all their tests tie."""
    data = vd.networks.load("asia").sample(300, seed=5)
    columns = list(data.columns)
    for name in ("lung", "smoke"):
        codes = 1 - data.column(name)
        columns.append(Column.discrete(f"not-{name}", codes, data.states[name][::-1]))
    return Data(columns)


def collinear() -> Data:
    """Continuous columns of which some are linear functions of others: infinite evidence."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(120, 5)) @ (np.eye(5) + np.triu(rng.normal(size=(5, 5)), 1))
    columns = [*x.T, 2 * x[:, 0] + 1, x[:, 1] - x[:, 2]]
    return Data([Column.continuous(f"v{i}", column) for i, column in enumerate(columns)])


#: Each with the tests to go by. With many rows p-values underflow, and only logarithms tell dependences apart.
TABLES: dict[str, tuple[Callable[[], Data], tuple[vd.G2, ...]]] = {
    "alarm": (
        lambda: vd.networks.load("alarm").sample(700, seed=2),
        (vd.G2(df="observed"), vd.G2(), vd.ScoreTest(vd.BIC())),
    ),
    "sachs": (lambda: vd.networks.load("sachs").sample(8000, seed=1), (vd.G2(df="observed"), vd.X2())),
    "insurance": (lambda: vd.networks.load("insurance").sample(150, seed=3), (vd.X2(df="observed"),)),
    "copies": (copies, (vd.G2(df="observed"),)),
    "ecoli70": (lambda: vd.networks.load("ecoli70").sample(120, seed=1), (vd.StudentT(),)),
    "collinear": (collinear, (vd.FisherZ(),)),
}
CASES = [(name, test) for name, (_, tests) in TABLES.items() for test in tests]


@cache
def table(name: str) -> Data:
    return TABLES[name][0]()


@cache
def learned(learner: str, name: str, test: vd.G2) -> vd.Result:
    return LEARNERS[learner](test).learn(table(name))


def of_shuffled_columns(data: Data) -> Data:
    return data.select(np.random.default_rng(1).permutation(data.names).tolist())


def of_shuffled_rows(data: Data) -> Data:
    return data.rows(np.random.default_rng(5).permutation(data.nrows))


def of_shuffled_states(data: Data) -> Data:
    rng, columns = np.random.default_rng(3), []
    for column in data.columns:
        if column.kind == "continuous":
            columns.append(column)
            continue
        place = rng.permutation(len(column.states))
        states = [f"s{code}" for code in np.argsort(place)]
        columns.append(Column.discrete(column.name, place[column.values].astype(column.values.dtype), states))
    return Data(columns)


@pytest.mark.medium
@pytest.mark.parametrize(("name", "test"), CASES, ids=str)
@pytest.mark.parametrize("learner", LEARNERS)
def test_order_of_columns_rows_and_states_changes_nothing(learner, name, test):
    first = learned(learner, name, test)
    for change in (of_shuffled_columns, of_shuffled_rows, of_shuffled_states):
        other = LEARNERS[learner](test).learn(change(table(name)))
        assert other.graph == first.graph
        assert (other.calls, other.overruled, other.notes) == (first.calls, first.overruled, first.notes)
        assert other.valid == first.valid
        assert not first.valid or other.dag == first.dag


@pytest.mark.medium
@pytest.mark.parametrize(("name", "test"), [case for case in CASES if case[0] not in ("copies", "collinear")], ids=str)
@pytest.mark.parametrize("learner", LEARNERS)
def test_names_change_nothing(learner, name, test):
    """Only columns that the data cannot tell apart are left to their names: copies, or v0 and 2 v0 + 1."""
    data, first = table(name), learned(learner, name, test)
    order = np.random.default_rng(9).permutation(len(data.names))
    names = {v: f"x{order[i]:03d}" for i, v in enumerate(data.names)}
    other = LEARNERS[learner](test).learn(Data([replace(c, name=names[c.name]) for c in data.columns]))
    as_renamed = lambda graph: type(graph)([names[v] for v in graph.names], graph.adjacency)  # noqa: E731
    assert other.graph == as_renamed(first.graph)
    assert other.calls == first.calls
    assert {frozenset(c) for c in other.overruled} == {frozenset(names[v] for v in c) for c in first.overruled}
    assert not first.valid or other.dag == as_renamed(first.dag)


@pytest.mark.parametrize("method", [vd.GrowShrink, vd.InterIAMB, vd.MMPC, vd.SIHitonPC, vd.HPC])
def test_names_do_not_change_one_variables_surroundings(method):
    data = vd.networks.load("child").sample(300, seed=4)
    names = {v: f"x{len(data.names) - i:03d}" for i, v in enumerate(sorted(data.names))}
    other = Data([replace(c, name=names[c.name]) for c in data.columns])
    for v in ("Disease", "LungParench", "Sick"):
        for find in (vd.neighbours, vd.markov_blanket):
            assert find(other, names[v], method()) == tuple(names[u] for u in find(data, v, method()))
