"""The order of variables that ties are broken by."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column, Data
from veridag.data.ordering import STRONGEST, order_by_data


def mutual_information(x: np.ndarray, y: np.ndarray) -> float:
    joint = np.zeros((x.max() + 1, y.max() + 1))
    np.add.at(joint, (x, y), 1.0 / len(x))
    expected = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / expected[seen])).sum())


def test_variables_come_by_their_strongest_associations():
    data = vd.networks.load("alarm").sample(500, seed=2)
    codes = [data.column(name) for name in data.names]
    profiles = {
        name: sorted(-mutual_information(codes[i], codes[j]) for j in range(len(codes)) if j != i)
        for i, name in enumerate(data.names)
    }
    ordered = order_by_data(data)
    assert sorted(ordered) == sorted(data.names)
    for a, b in pairwise(ordered):
        first = next((i for i in range(STRONGEST) if abs(profiles[a][i] - profiles[b][i]) > 1e-12), None)
        assert first is None or profiles[a][first] < profiles[b][first]


def test_continuous_variables_come_by_their_strongest_correlations():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6))
    data = Data([Column.continuous(f"v{i}", x[:, i]) for i in range(6)])
    squared = np.corrcoef(x.T) ** 2 - 2 * np.eye(6)
    ordered = order_by_data(data)
    assert ordered == sorted(data.names, key=lambda name: (-np.sort(-squared[int(name[1:])])).tolist(), reverse=True)
    scaled = Data([Column.continuous(f"v{i}", 10.0 ** (5 * i) * x[:, i] + i) for i in range(6)])
    assert order_by_data(scaled) == ordered


@pytest.mark.parametrize("network", ["alarm", "mildew", "ecoli70"])
def test_names_states_rows_and_columns_do_not_matter(network):
    data = vd.networks.load(network).sample(200, seed=3)
    rng = np.random.default_rng(4)
    columns = list(data.columns)
    rng.shuffle(columns)
    if data.kind == "discrete":
        for i, column in enumerate(columns):
            place = rng.permutation(len(column.states)).astype(column.values.dtype)
            columns[i] = Column.discrete(column.name, place[column.values], [f"s{k}" for k in range(len(place))])
    shuffled = Data(columns).rows(rng.permutation(200))
    assert order_by_data(shuffled) == order_by_data(data)


def test_weights_count_as_rows():
    data = vd.networks.load("asia").sample(60, seed=1)
    weights = np.arange(60) % 3
    repeated = data.rows(np.repeat(np.arange(60), weights))
    assert order_by_data(Data(data.columns, weights)) == order_by_data(repeated)


@pytest.mark.parametrize("n", [0, 1])
def test_tables_without_anything_to_go_by_keep_the_order_of_names(n):
    for column in (Column.discrete("b", np.zeros(n, np.uint8), ["x", "y"]), Column.continuous("b", np.zeros(n))):
        from dataclasses import replace

        data = Data([column, replace(column, name="a")])
        assert order_by_data(data) == ["a", "b"]


def test_the_ordered_data_is_made_once():
    data = vd.networks.load("child").sample(50, seed=1)
    ordered = data.in_data_order()
    assert ordered is data.in_data_order() is ordered.in_data_order()
    assert list(ordered.names) == order_by_data(data)
