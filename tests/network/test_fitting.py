from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag import DAG, Data, InputError
from veridag.data import Column
from veridag.network import regression

ALARM = vd.networks.load("alarm")


def table(seed: int, rows: int, names: str = "abc", weighted: bool = False) -> Data:
    """Random rows of variables with 2, 3 and 4 states, of which the last is never seen."""
    rng = np.random.default_rng(seed)
    columns = [
        Column.discrete(v, rng.integers(0, 1 + i, rows).astype(np.uint8), [f"{v}{k}" for k in range(2 + i)])
        for i, v in enumerate(names)
    ]
    return Data(columns, rng.integers(0, 4, rows) if weighted else None)


def naive_mean(data: Data, child: str, parents: tuple[str, ...], ess: float) -> np.ndarray:
    """(n_ijk + alpha) / (n_ij + r alpha), row by row of the data."""
    shape = [len(data.states[v]) for v in (*parents, child)]
    n = np.zeros(shape)
    weights = np.ones(data.nrows, int) if data.weights is None else data.weights
    for row in range(data.nrows):
        n[tuple(int(data.column(v)[row]) for v in (*parents, child))] += weights[row]
    r, alpha = shape[-1], ess / np.prod(shape)
    p = np.zeros(shape)
    for cell in product(*map(range, shape)):
        total = n[cell[:-1]].sum() + r * alpha
        p[cell] = (n[cell] + alpha) / total if total else 1 / r
    return p


@given(st.integers(0, 10**6), st.integers(1, 60), st.sampled_from([0, 0.5, 1, 10]), st.booleans())
def test_the_posterior_mean_is_that_of_the_definition(seed, rows, ess, weighted):
    data = table(seed, rows, weighted=weighted)
    dag = DAG.from_arcs([("a", "c"), ("b", "c")], names=["c", "a", "b"])
    if data.n == 0:
        with pytest.raises(InputError, match="no rows"):
            vd.fit(dag, data, ess)
        return
    network = vd.fit(dag, data, ess)
    assert network.names == dag.names
    assert network.dag == dag
    for v in dag.names:
        assert network.states[v] == data.states[v]
        expected = naive_mean(data, v, network.table(v).parents, ess)
        np.testing.assert_allclose(network.table(v).probabilities, expected, rtol=1e-12)


def test_maximum_likelihood_reaches_the_likelihood_score():
    data = ALARM.sample(700, seed=3)
    assert vd.fit(ALARM.dag, data, ess=0).log_likelihood(data) == pytest.approx(
        vd.score(ALARM.dag, data, vd.LogLik()), rel=1e-12
    )
    gaussian = vd.networks.load("ecoli70")
    rows = gaussian.sample(300, seed=3)
    assert vd.fit(gaussian.dag, rows).log_likelihood(rows) == pytest.approx(
        vd.score(gaussian.dag, rows, vd.LogLik()), rel=1e-10
    )


def test_the_parameters_come_close_to_those_that_made_the_data():
    network = vd.networks.load("asia")
    fitted = vd.fit(network.dag, network.sample(200_000, seed=8))
    for v in ("smoke", "lung", "bronc", "xray"):
        np.testing.assert_allclose(fitted.table(v).probabilities, network.table(v).probabilities, atol=0.02)


def test_unobserved_configurations_are_uniform_or_an_error():
    data = Data([Column.discrete(v, np.array([0, 0, 1], np.uint8), ["no", "yes", "maybe"]) for v in "ab"])
    dag = DAG.from_arcs([("a", "b")])
    rows = vd.fit(dag, data, ess=0).table("b").probabilities
    assert rows.tolist() == [[1, 0, 0], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]]
    with pytest.raises(InputError, match=r"no row has a = maybe, so 'b'"):
        vd.fit(dag, data, ess=0, unobserved="error")
    vd.fit(dag, data, ess=1, unobserved="error")


def log_posterior(p: np.ndarray, n: np.ndarray, alpha: float) -> float:
    return float(((n + alpha - 1) * np.log(p)).sum())


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3), st.floats(3.1, 30))
def test_the_mode_is_the_highest_point_of_the_posterior(counts, ess):
    codes = np.repeat(np.arange(3), counts).astype(np.uint8)
    if not codes.size:
        return
    data = Data([Column.discrete("x", codes, ["0", "1", "2"])])
    mode = vd.fit(DAG.empty(["x"]), data, ess, method="map").table("x").probabilities
    n = np.array(counts)
    for near in np.random.default_rng(0).dirichlet(np.ones(3), 50):
        for step in (0.01, 0.5):
            other = (1 - step) * mode + step * near
            assert log_posterior(mode, n, ess / 3) >= log_posterior(other, n, ess / 3) - 1e-9


def test_the_mode_is_zero_where_the_density_has_no_bound():
    data = Data([Column.discrete("x", np.array([0, 0, 0, 1, 1], np.uint8), ["0", "1", "2", "3"])])
    mode = vd.fit(DAG.empty(["x"]), data, ess=2, method="map").table("x").probabilities
    assert mode == pytest.approx(np.array([2.5, 1.5, 0, 0]) / 4)
    assert vd.fit(DAG.empty(["x"]), data, ess=8, method="map").table("x").probabilities == pytest.approx(
        np.array([4, 3, 1, 1]) / 9
    )


def test_a_huge_table_is_refused_with_its_size_and_name():
    names = [f"x{i}" for i in range(30)]
    data = Data([Column.discrete(v, np.array([0, 1], np.uint8), [str(k) for k in range(10)]) for v in names])
    dag = DAG.from_arcs([(v, "x29") for v in names[:-1]], names)
    with pytest.raises(InputError, match=r"1e\+30 probabilities.*'x29', whose 29 parents"):
        vd.fit(dag, data)


def test_many_tables_are_refused_that_are_too_large_together():
    names = [f"x{i}" for i in range(40)]
    data = Data([Column.discrete(v, np.array([0, 1], np.uint8), [str(k) for k in range(10)]) for v in names])
    arcs = [(names[j], names[i]) for i in range(7, 40) for j in range(i - 6, i)]
    with pytest.raises(InputError, match=r"the tables need 3\.3e\+08"):
        vd.fit(DAG.from_arcs(arcs, names), data)


# ---- Gaussian


def rows(seed: int, n: int, weights: bool = False) -> Data:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(5, 2, n), rng.normal(-1, 0.1, n)
    columns = {"a": a, "b": b, "c": 1 + 2 * a - 30 * b + rng.normal(0, 0.5, n)}
    return Data([Column.continuous(v, x) for v, x in columns.items()], rng.integers(0, 3, n) if weights else None)


@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_parameters_are_those_of_least_squares(weighted):
    data = rows(1, 80, weighted)
    w = np.ones(80, int) if data.weights is None else data.weights
    x = np.column_stack([np.ones(80), data.column("b"), data.column("a")]).repeat(w, axis=0)
    y = data.column("c").repeat(w)
    slopes = np.linalg.solve(x.T @ x, x.T @ y)
    cpd = vd.fit(DAG.from_arcs([("b", "c"), ("a", "c")]), data).gaussian("c")
    assert cpd.parents == ("b", "a")
    assert [cpd.intercept, *cpd.coefficients] == pytest.approx(slopes, rel=1e-9)
    assert cpd.sd == pytest.approx(np.sqrt(((y - x @ slopes) ** 2).mean()), rel=1e-9)
    alone = vd.fit(DAG.empty(["c"]), data).gaussian("c")
    assert (alone.intercept, alone.sd) == pytest.approx((y.mean(), y.std()))


def test_large_offsets_and_small_scales_do_no_harm():
    data = rows(2, 500)
    moved = Data(
        [
            Column.continuous("a", data.column("a") * 1e-6 + 1e3),
            Column.continuous("b", data.column("b")),
            Column.continuous("c", data.column("c")),
        ]
    )
    dag = DAG.from_arcs([("a", "c"), ("b", "c")])
    plain, shifted = vd.fit(dag, data).gaussian("c"), vd.fit(dag, moved).gaussian("c")
    assert shifted.coefficients[0] * 1e-6 == pytest.approx(plain.coefficients[0], rel=1e-5)
    assert shifted.sd == pytest.approx(plain.sd, rel=1e-6)


def test_parents_that_depend_on_each_other_give_the_same_fit():
    data = rows(3, 200)
    twin = Data([*data.columns, Column.continuous("d", 3 - 2 * data.column("a")), Column.continuous("e", np.ones(200))])
    plain = vd.fit(DAG.from_arcs([("a", "c"), ("b", "c")]), data)
    cpd = regression.fit_regression(twin, "c", ("a", "b", "d", "e")).cpd
    assert cpd.sd == pytest.approx(plain.gaussian("c").sd, rel=1e-9)
    assert cpd.coefficients[3] == 0
    assert cpd.coefficients[0] - 2 * cpd.coefficients[2] == pytest.approx(plain.gaussian("c").coefficients[0], rel=1e-9)


def test_a_variable_without_a_density_is_an_error():
    data = rows(4, 50)
    constant = Data([data.columns[0], Column.continuous("k", np.full(50, 0.1))])
    with pytest.raises(InputError, match="'k' is constant"):
        vd.fit(DAG.empty("ak"), constant)
    line = Data([data.columns[0], Column.continuous("k", 0.1 + 3 * data.column("a"))])
    with pytest.raises(InputError, match="'k' is a linear function of its 1 parents in these 50 rows"):
        vd.fit(DAG.from_arcs([("a", "k")]), line)
    with pytest.raises(InputError, match="linear function"):
        vd.fit(DAG.from_arcs([("a", "c"), ("b", "c")]), data.rows(slice(3)))


# ---- what is refused


def test_a_data_frame_will_do_and_other_columns_are_not_looked_at():
    frame = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["x", "y", "y", "y"] * 10, "z": ["p", "q"] * 20})
    network = vd.fit(DAG.from_arcs([("a", "b")]), frame, ess=0)
    assert network.table("b").probabilities.tolist() == [[0.5, 0.5], [0, 1]]
    mixed = Data([*Data.from_frame(frame).columns, Column.continuous("w", np.linspace(0, 1, 40))])
    assert vd.fit(network.dag, mixed, ess=0) == network


def test_groups_are_refused_with_the_remedy():
    data = Data(
        [Column.discrete("a", np.array([0, 1], np.uint8), ["0", "1"])], None, np.array([0, 1], np.uint8), ["g", "h"]
    )
    with pytest.raises(InputError, match="2 groups"):
        vd.fit(DAG.empty("a"), data)
    assert vd.fit(DAG.empty("a"), Data(data.columns, data.weights), ess=0).table("a").probabilities.tolist() == [
        0.5,
        0.5,
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ess": -1}, "ess=-1 must be"),
        ({"ess": float("nan")}, "ess=nan must be"),
        ({"ess": "1"}, "ess='1' must be"),
        ({"method": "mode"}, "method='mode' must be"),
        ({"method": "map", "ess": 0}, "needs a prior"),
        ({"unobserved": "zero"}, "unobserved='zero' must be"),
        ({"dag": DAG.empty(["a", "q"])}, "no column 'q'"),
        ({"dag": DAG.empty("ab").cpdag()}, "a DAG is needed, not a PDAG"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        vd.fit(**{"dag": DAG.empty("ab"), "data": table(0, 5)} | arguments)


def test_learn_network_learns_and_fits():
    data = vd.networks.load("asia").sample(1000, seed=2)
    network = vd.learn_network(data, vd.HillClimbing(vd.BDeu()), ess=2)
    assert network == vd.fit(vd.HillClimbing(vd.BDeu()).learn(data).dag, data, 2)
    assert vd.learn_network(data) == vd.fit(vd.learn(data).dag, data)
    with pytest.raises(InputError, match="algorithm='tabu' must be"):
        vd.learn_network(data, "tabu")
