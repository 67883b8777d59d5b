"""Networks of discrete and continuous variables: what they are, samples, likelihood, fitting, display."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from naive import mixed_networks as naive
from veridag import DAG, ConditionalGaussian, Data, InputError, LinearGaussian, Network, Table
from veridag.data import Column
from veridag.network.reference import compact

# Reading a table of both kinds may come with a warning, which is not what these tests are about.
pytestmark = pytest.mark.filterwarnings("ignore:mixed data")

SEX = {"sex": ["f", "m"], "sport": ["no", "yes"]}


def heights(**changed: object) -> Network:
    cpds = {
        "weight": ConditionalGaussian(
            ("sport", "sex"),
            ("height",),
            [[-40, -50], [-45, -55]],
            [[[0.6], [0.75]], [[0.6], [0.75]]],
            [[8, 9], [5, 6]],
        ),
        "sex": Table((), [0.5, 0.5]),
        "sport": Table(("sex",), [[0.6, 0.4], [0.5, 0.5]]),
        "height": ConditionalGaussian(("sex",), (), [165, 178], [[], []], [6, 7]),
        "shoe": LinearGaussian(("height",), -10, [0.3], 1),
    }
    return Network({**cpds, **changed}, SEX, name="people")


# ---- what a mixed network is


def test_a_mixed_network_knows_its_kind_structure_and_size():
    network = heights()
    assert (network.kind, network.is_gaussian) == ("mixed", False)
    assert set(network.dag.parents("weight")) == {"sport", "sex", "height"}
    assert network.cpds["weight"].parents == ("sport", "sex", "height")
    assert network.nparams == 1 + 2 + 2 * 2 + 4 * 3 + 3
    assert repr(network) == "<Network 'people': 2 discrete and 3 continuous variables, 6 arcs, 22 parameters>"
    assert vd.networks.load("asia").kind == "discrete"
    assert vd.networks.load("ecoli70").kind == "gaussian"


@pytest.mark.parametrize(
    ("arcs", "expected"),  # of variables with 2, 3, 3 and 2 states and four continuous ones, by R bnlearn
    [
        ("DB CV CX AW VU WU", 28),
        ("AV DX AX VW XW AU CU VU", 40),
        ("AC BD AD AW CW CV DV WX", 42),
        ("CB CD BD BU AU DW AW UX XV", 44),
        ("BC CD AW AV WV AX VU", 29),
    ],
)
def test_numbers_of_parameters_agree_with_an_independent_program(arcs, expected):
    rng = np.random.default_rng(1)
    arity = {"A": 2, "B": 3, "C": 3, "D": 2}
    codes = [Column.discrete(v, rng.integers(0, r, 90), [f"s{k}" for k in range(r)]) for v, r in arity.items()]
    data = Data([*codes, *(Column.continuous(v, rng.normal(size=90)) for v in "UVWX")])
    dag = DAG.from_arcs([tuple(arc) for arc in arcs.split()], data.names)
    assert vd.nparams(dag, data) == expected
    assert vd.fit(dag, data).nparams == expected
    assert vd.nparams(dag.cpdag(), data) == expected


def test_equal_networks_are_those_with_the_same_numbers():
    network = heights()
    again = pickle.loads(pickle.dumps(network))
    assert again == network
    assert hash(again.cpds["weight"]) == hash(network.cpds["weight"])
    own = network.cpds["height"]
    assert own != ConditionalGaussian(("sex",), (), [165, np.nextafter(178, 0)], own.coefficients, own.sds)
    assert own != ConditionalGaussian(("sport",), (), own.intercepts, own.coefficients, own.sds)
    with pytest.raises(ValueError, match="read-only"):
        own.intercepts[0] = 1
    assert compact.read(compact.write(network), "here") == network


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"sport": Table(("height",), [0.5, 0.5])},
            "'sport' is discrete and has the continuous parent 'height', .* reverse the arc",
        ),
        ({"shoe": LinearGaussian(("sex",), 0, [1], 1)}, "its parent 'sex' is discrete: give it a ConditionalGaussian"),
        ({"shoe": ConditionalGaussian((), ("height",), 0, [1], 1)}, "'shoe' has no discrete parents"),
        (
            {"shoe": ConditionalGaussian(("sex", "height"), (), [0, 0], [[], []], [1, 1])},
            "'height' is continuous: list it among the continuous ones",
        ),
        (
            {"shoe": ConditionalGaussian(("sex",), ("sport",), [0, 0], [[1], [1]], [1, 1])},
            "'sport' is discrete: list it among the discrete ones",
        ),
        (
            {"shoe": ConditionalGaussian(("sex",), (), [0], [[]], [1])},
            r"intercepts of 'shoe' have shape \(1,\).*\(2,\)",
        ),
        (
            {"shoe": ConditionalGaussian(("sex",), ("height",), [0, 0], [0, 0], [1, 1])},
            r"coefficients of 'shoe' .* need \(2, 1\)",
        ),
        (
            {"shoe": ConditionalGaussian(("sex",), (), [0, 0], [[], []], [1, -1])},
            "'shoe' given sex = m: .* not negative, but the sds have -1.0",
        ),
        ({"shoe": ConditionalGaussian(("sex",), (), [np.nan, 0], [[], []], [1, 1])}, "'shoe' given sex = f: .*finite"),
    ],
)
def test_parameters_that_make_no_network_are_named(changed, message):
    with pytest.raises(InputError, match=message):
        heights(**changed)


def test_a_family_is_asked_for_by_its_kind():
    network = heights()
    assert network.conditional_gaussian("shoe").coefficients.tolist() == [0.3]
    with pytest.raises(InputError, match="several regressions"):
        network.gaussian("height")
    with pytest.raises(InputError, match="is continuous and has no probability table"):
        network.cpt("height")
    with pytest.raises(InputError, match="is discrete and has no regression"):
        network.regressions("sex")


def test_families_are_shown_with_a_row_for_each_configuration():
    shown = heights().regressions("weight")
    assert repr(shown).splitlines() == [
        "P(weight | sport, sex, height)",
        "sport  sex  mean of weight     sd",
        "no     f    -40 + 0.6 height   8",
        "no     m    -50 + 0.75 height  9",
        "yes    f    -45 + 0.6 height   5",
        "yes    m    -55 + 0.75 height  6",
    ]
    assert shown.to_pandas().loc[("yes", "m")].to_dict() == {"intercept": -55, "height": 0.75, "sd": 6}
    page = heights()._repr_html_()
    assert "-55 + 0.75 height</td><td>6</td>" in page
    assert "P(sport | sex)" in page
    assert "-10 + 0.3 height" in page


# ---- samples and their likelihood


def test_a_variable_without_noise_follows_the_regression_that_its_discrete_parents_choose():
    weight = heights().conditional_gaussian("weight")
    exact = ConditionalGaussian(
        weight.discrete, weight.continuous, weight.intercepts, weight.coefficients, np.zeros((2, 2))
    )
    network = heights(weight=exact)
    data = network.sample(9000, seed=4, jobs=2)
    assert data.names == network.names
    assert data.states["sport"] == ("no", "yes")
    cell = data.column("sport"), data.column("sex")
    expected = weight.intercepts[cell] + weight.coefficients[..., 0][cell] * data.column("height")
    np.testing.assert_array_equal(data.column("weight"), expected)
    assert data == network.sample(9000, seed=4)
    assert network.sample(5000, seed=4) == data.rows(np.arange(5000))
    assert np.isfinite(network.log_likelihood(data))
    other = Data([c if c.name != "weight" else Column.continuous("weight", c.values + 1) for c in data.columns])
    assert network.log_likelihood(other) == -np.inf


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_the_likelihood_is_that_of_the_joint_density(seed, n):
    network = naive.random_network(seed, n)
    data = network.sample(5, seed=seed)
    frame = data.to_pandas()
    order = [v for v in network.dag.topological_order() if v not in network.states]
    expected = []
    for _, row in frame.iterrows():
        _, p, mean, cov = next(
            part for part in naive.components(network) if all(row[v] == state for v, state in part[0].items())
        )
        d = np.array([row[x] - mean[x] for x in order], dtype=float)
        logdet = np.linalg.slogdet(cov)[1] if order else 0.0
        square = d @ np.linalg.solve(cov, d) if order else 0.0
        expected.append(np.log(p) - 0.5 * (square + logdet + len(order) * np.log(2 * np.pi)))
    np.testing.assert_allclose(network.log_likelihood(data, by_row=True), expected, rtol=1e-8)


def test_the_likelihood_matches_states_by_name():
    network = heights()
    frame = network.sample(50, seed=1).to_pandas()
    turned = Data.from_frame(frame[list(frame.columns)[::-1]], states={"sex": ["m", "f"], "sport": ["?", "yes", "no"]})
    expected = network.log_likelihood(Data.from_frame(frame, states=SEX), by_row=True)
    np.testing.assert_allclose(network.log_likelihood(turned, by_row=True), expected, rtol=1e-12)
    with pytest.raises(InputError, match="column 'sex' is continuous, but the network's variable is discrete"):
        network.log_likelihood(Data.from_frame(frame.assign(sex=np.linspace(0, 1, 50))))


# ---- fitting


def people(n: int, seed: int = 1) -> Data:
    return heights().sample(n, seed=seed)


def test_regressions_are_those_of_the_rows_with_each_configuration():
    data = people(200)
    dag = heights().dag
    network = vd.fit(dag, data, ess=0)
    found = network.conditional_gaussian("weight")
    frame = data.to_pandas()
    for sport, sex in [("no", "f"), ("yes", "m")]:
        part = frame[(frame.sport == sport) & (frame.sex == sex)]
        x = np.column_stack([np.ones(len(part)), part.height])
        slopes, (squares,), *_ = np.linalg.lstsq(x, part.weight, rcond=None)
        cell = tuple(SEX[v].index(state) for v, state in (("sport", sport), ("sex", sex)) for v in [v])
        cell = cell if found.discrete == ("sport", "sex") else cell[::-1]
        assert found.intercepts[cell] == pytest.approx(slopes[0], rel=1e-8)
        assert found.coefficients[cell] == pytest.approx(slopes[1:], rel=1e-8)
        assert found.sds[cell] == pytest.approx(np.sqrt(squares / len(part)), rel=1e-8)
    assert network.table("sport").probabilities == pytest.approx(
        pd.crosstab(frame.sex, frame.sport, normalize="index")[["no", "yes"]].to_numpy()
    )
    assert network.gaussian("shoe") == vd.fit(DAG.from_arcs([("height", "shoe")]), data).gaussian("shoe")


def test_nothing_is_more_likely_than_the_fit_with_maximum_likelihood():
    data = people(60)
    best = vd.fit(heights().dag, data, ess=0)
    own = best.conditional_gaussian("height")
    for change in (0.01, -0.01):
        for what in ("intercepts", "sds"):
            numbers = {"intercepts": own.intercepts, "sds": own.sds} | {what: getattr(own, what) + change}
            changed = ConditionalGaussian(own.discrete, own.continuous, coefficients=own.coefficients, **numbers)
            other = Network({**dict(best.cpds), "height": changed}, best.states)
            assert other.log_likelihood(data) < best.log_likelihood(data)


def test_weights_count_as_repeated_rows():
    frame = people(40).to_pandas()
    weights = np.arange(40) % 4
    weighted = vd.fit(heights().dag, Data.from_frame(frame, weights=weights, states=SEX))
    repeated = Data.from_frame(frame.loc[np.repeat(frame.index, weights)].reset_index(drop=True), states=SEX)
    other = vd.fit(heights().dag, repeated)
    for v in ("weight", "height"):
        np.testing.assert_allclose(weighted.conditional_gaussian(v).rows, other.conditional_gaussian(v).rows, rtol=1e-9)


def sparse() -> Data:
    """Configuration c of g has two rows, d none, and e three without variance."""
    g = np.array([0] * 10 + [1] * 10 + [2] * 2 + [4] * 3)
    x = np.random.default_rng(3).normal(size=25)
    y = np.where(g == 4, 1.0, x + np.random.default_rng(4).normal(size=25))
    columns = [Column.discrete("g", g, list("abcde")), Column.continuous("x", x), Column.continuous("y", y)]
    return Data(columns)


def test_a_configuration_without_a_regression_of_its_own_takes_that_of_all_rows():
    data = sparse()
    dag = DAG.from_arcs([("g", "y"), ("x", "y")])
    rows = vd.fit(dag, data).conditional_gaussian("y").rows
    pooled = ConditionalGaussian.of(vd.fit(DAG.from_arcs([("x", "y")]), data).gaussian("y")).rows[0]
    for k, borrowed in enumerate([False, False, True, True, True]):
        assert np.array_equal(rows[k], pooled) == borrowed
    with pytest.raises(InputError, match="the 2 rows with g = c are not enough for a regression of 'y', which needs 3"):
        vd.fit(dag, data, unobserved="error")


def test_data_that_cannot_be_fitted_is_named():
    data = people(30)
    with pytest.raises(InputError, match=r"the arc height -> sex leads from a continuous to a discrete .* reverse it"):
        vd.fit(DAG.from_arcs([("height", "sex")]), data)
    with pytest.raises(InputError, match="'sex' has a continuous parent"):
        vd.nparams(DAG.from_arcs([("height", "sex")]), data)
    constant = Data([data.columns[1], Column.continuous("x", np.ones(30))])
    with pytest.raises(InputError, match="'x' is constant"):
        vd.fit(DAG.from_arcs([("sex", "x")]), constant)


def test_groups_are_fitted_separately_or_pooled():
    frame = people(120).to_pandas().assign(town=["x", "y", "z"] * 40)
    data = Data.from_frame(frame, group="town", states=SEX)
    dag = heights().dag
    separate = vd.fit(dag, data, method="separate")
    for town, part in data.by_group().items():
        assert separate[town] == vd.fit(dag, part)
    pooled = vd.fit(dag, data, method="pooled")
    assert pooled["x"] == pooled["z"] == vd.fit(dag, Data(data.columns))
    assert pooled.log_likelihood(data) < separate.log_likelihood(data)
    with pytest.raises(InputError, match="method='hierarchical' is for discrete data"):
        vd.fit(dag, data, method="hierarchical")
