from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import veridag as vd
from veridag import Data, InputError, LinearGaussian, Network, Table, _core


@pytest.fixture
def sprinkler() -> Network:
    return Network(
        {
            "wet": Table(("rain", "sprinkler"), [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]]),
            "rain": Table((), [0.8, 0.2]),
            "sprinkler": Table(("rain",), [[0.6, 0.4], [0.99, 0.01]]),
        },
        {"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["dry", "wet"]},
        name="sprinkler",
    )


@pytest.fixture
def linear() -> Network:
    return Network(
        {
            "c": LinearGaussian(("a", "b"), 1.0, [2.0, -0.5], 0.1),
            "a": LinearGaussian((), 5.0, [], 2.0),
            "b": LinearGaussian(("a",), 0.0, [1.5], 1.0),
        }
    )


def joint(network: Network) -> dict[tuple[str, ...], float]:
    """Every configuration with its probability, multiplied out."""
    result = {}
    for states in product(*(network.states[v] for v in network.names)):
        at = dict(zip(network.names, states, strict=True))
        p = 1.0
        for v in network.names:
            table = network.table(v)
            cell = tuple(network.states[u].index(at[u]) for u in (*table.parents, v))
            p *= float(table.probabilities[cell])
        result[states] = p
    return result


# ---- what a network is


def test_a_network_knows_its_structure(sprinkler):
    assert sprinkler.names == ("wet", "rain", "sprinkler")
    assert set(sprinkler.dag.arcs) == {("rain", "wet"), ("sprinkler", "wet"), ("rain", "sprinkler")}
    assert sprinkler.nparams == 4 + 1 + 2
    assert not sprinkler.is_gaussian
    assert repr(sprinkler) == "<Network 'sprinkler': discrete, 3 variables, 3 arcs, 7 parameters>"


def test_a_gaussian_network_has_two_parameters_a_variable_and_one_an_arc(linear):
    assert linear.is_gaussian
    assert linear.nparams == 2 * 3 + 3


def test_networks_are_equal_when_every_number_is(sprinkler):
    again = pickle.loads(pickle.dumps(sprinkler))
    assert again == sprinkler
    assert hash(again) == hash(sprinkler)
    assert again.name == "sprinkler"
    other = dict(sprinkler.cpds)
    other["rain"] = Table((), [0.8, np.nextafter(0.2, 1)])
    assert Network(other, sprinkler.states) != sprinkler


def test_a_network_cannot_be_changed(sprinkler):
    with pytest.raises(ValueError, match="read-only"):
        sprinkler.table("rain").probabilities[0] = 0.5
    with pytest.raises(TypeError):
        sprinkler.cpds["rain"] = Table((), [0.5, 0.5])


AB = {"a": ["0", "1"], "b": ["0", "1"]}


@pytest.mark.parametrize(
    ("cpds", "states", "message"),
    [
        ({"a": Table(("b",), [[1, 0], [0, 1]])}, {"a": ["0", "1"]}, "parent 'b', which the network does not have"),
        ({"a": Table((), [0.5, 0.5])}, {}, "states of 'a' are missing"),
        ({"a": Table((), [0.5, 0.5])}, {"a": ["x", "x"]}, "different strings"),
        ({"a": Table((), [0.5, 0.5])}, {"a": "yn"}, "'a' needs a list of strings, one for each state, not 'yn'"),
        ({"a": Table((), [0.5, 0.5])}, {"a": 2}, "'a' needs a list of strings, one for each state, not 2"),
        ({"a": Table((), [0.5, 0.5])}, "a", "states: give each variable its own, .*not 'a'"),
        ({"a": Table((), [0.5, 0.5])}, {"a": ["x", "y"], "c": ["z"]}, "'c' is not a variable"),
        ({"a": Table((), [0.5, 0.5])}, {"a": ["x", "y", "z"]}, r"shape \(2,\).*need \(3,\)"),
        ({"a": Table((), [0.5, 0.6])}, {"a": ["x", "y"]}, "sum to 1.1 instead of 1"),
        ({"a": Table((), [1.5, -0.5])}, {"a": ["x", "y"]}, "negative"),
        ({"a": Table((), [np.nan, 1])}, {"a": ["x", "y"]}, "not a number"),
        (
            {"a": Table((), [0.5, 0.5]), "b": Table(("a",), [[1, 0], [0.5, 0.3]])},
            AB,
            "'b' given a = 1 sum to 0.8",
        ),
        (
            {"a": Table(("b",), [[1, 0], [0, 1]]), "b": Table(("a",), [[1, 0], [0, 1]])},
            AB,
            "not acyclic: ",
        ),
        ({"a": Table((), [0.5, 0.5]), "b": LinearGaussian((), 0, [], 1)}, AB, "'b' is continuous and has no states"),
        ({"a": "table"}, AB, "give it a Table"),
        ({"a": LinearGaussian((), 0, [], 1)}, {"a": ["x"]}, "no states"),
        ({"a": LinearGaussian((), 0, [1.0], 1)}, None, "0 parents but coefficients"),
        ({"a": LinearGaussian((), 0, [], -1)}, None, "not negative"),
        ({"a": LinearGaussian((), np.inf, [], 1)}, None, "finite"),
        ({"a": Table(("b", "b"), [1]), "b": Table((), [0.5, 0.5])}, AB, "parent twice"),
    ],
)
def test_parameters_that_make_no_network_are_named(cpds, states, message):
    with pytest.raises(InputError, match=message):
        Network(cpds, states)


def test_asking_for_the_wrong_thing_is_named(sprinkler, linear):
    with pytest.raises(InputError, match="did you mean 'rain'"):
        sprinkler.table("rian")
    with pytest.raises(InputError, match="has no regression"):
        sprinkler.gaussian("rain")
    with pytest.raises(InputError, match="no probability table"):
        linear.table("a")


# ---- sampling


def test_sampled_frequencies_are_the_joint_probabilities(sprinkler):
    n = 200_000
    frame = sprinkler.sample(n, seed=7).to_polars()
    counts = {row[:-1]: row[-1] for row in frame.group_by(frame.columns).len().rows()}
    for states, p in joint(sprinkler).items():
        observed = counts.get(states, 0) / n
        assert abs(observed - p) < 5 * np.sqrt(p * (1 - p) / n) + 1e-12, states
        assert (p > 0) or (observed == 0)


def test_gaussian_samples_have_the_moments_of_the_network(linear):
    x = np.column_stack([linear.sample(400_000, seed=3).column(v) for v in ("a", "b", "c")])
    # a ~ N(5, 4), b = 1.5 a + e1, c = 1 + 2 a - 0.5 b + e2 / 10, multiplied out by hand
    mean = np.array([5.0, 7.5, 1 + 10 - 3.75])
    cov = np.array([[4, 6, 8 - 3], [6, 10, 12 - 5], [5, 7, 4 * 4 - 2 * 6 + 0.25 * 10 + 0.01]])
    np.testing.assert_allclose(x.mean(axis=0), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(x.T), cov, rtol=0.02)


def test_normal_deviates_look_normal(linear):
    z = (linear.sample(300_000, seed=11).column("a") - 5) / 2
    assert abs(np.mean(z**3)) < 0.03
    assert abs(np.mean(z**4) - 3) < 0.06
    assert abs(np.mean(np.abs(z) > 1.959964) - 0.05) < 0.002


@pytest.mark.parametrize("name", ["alarm", "ecoli70"])
def test_the_same_seed_gives_the_same_rows_whatever_the_threads(name):
    network = vd.networks.load(name)
    rows = network.sample(20_000, seed=1)
    assert network.sample(20_000, seed=1, jobs=3) == rows
    assert network.sample(5_000, seed=1) == rows.rows(np.arange(5_000))
    assert network.sample(20_000, seed=2) != rows


def test_rows_are_those_of_earlier_versions():
    """A seed that stands in a paper goes on giving its rows."""
    asia = vd.networks.load("asia").sample(10, seed=1)
    assert asia.column("smoke").tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0, 1]
    assert asia.column("dysp").tolist() == [0, 0, 1, 1, 0, 0, 0, 0, 0, 0]
    ecoli = vd.networks.load("ecoli70").sample(2, seed=1)
    assert ecoli.column("aceB").tolist() == [-0.10063708876491984, -1.5567257781659454]
    assert ecoli.column("atpG").tolist() == [-2.676905556567963, -2.685934820965973]


def test_without_a_seed_rows_differ(sprinkler):
    assert sprinkler.sample(1000) != sprinkler.sample(1000)


def test_a_sample_declares_states_that_never_occur():
    network = Network({"x": Table((), [0.0, 1.0, 0.0])}, {"x": ["never", "always", "nor this"]})
    data = network.sample(100, seed=1)
    assert data.states["x"] == ("never", "always", "nor this")
    assert set(data.column("x")) == {1}


def test_variables_of_many_states_are_sampled():
    states = [f"s{i}" for i in range(1000)]
    child = np.eye(1000)[np.arange(1000)[::-1]]
    network = Network({"x": Table((), np.full(1000, 0.001)), "y": Table(("x",), child)}, {"x": states, "y": states})
    data = network.sample(10_000, seed=5)
    assert data.column("x").dtype == np.uint16
    np.testing.assert_array_equal(data.column("y"), 999 - data.column("x"))
    assert len(set(data.column("x"))) > 990


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": -1}, "^n=-1 must be an integer"),
        ({"n": 1.5}, "^n=1.5 must be an integer"),
        ({"n": "x"}, "^n='x' must be an integer"),
        ({"n": None}, "^n=None must be an integer"),
        ({"n": True}, "^n=True must be an integer"),
        ({"n": np.inf}, "^n=inf must be an integer"),
        ({"n": 2**64}, "^n=18446744073709551616 must be an integer"),
        ({"n": 5, "seed": "x"}, "^seed='x' must be an integer"),
        ({"n": 5, "seed": [1]}, r"^seed=\[1\] must be an integer"),
        ({"n": 5, "jobs": None}, "^jobs=None must be an integer"),
        ({"n": 5, "jobs": 2**40}, "^jobs=1099511627776 must be an integer"),
        ({"n": 5, "seed": -3}, "^seed=-3 must be an integer"),
        ({"n": 5, "seed": 2**64}, "seed"),
        ({"n": 5, "jobs": 0}, "^jobs=0 must be an integer"),
    ],
)
def test_a_sample_that_cannot_be_is_named(sprinkler, arguments, message):
    with pytest.raises(InputError, match=message):
        sprinkler.sample(**arguments)


def test_integers_of_any_numeric_type_say_how_many_rows(sprinkler):
    rows = sprinkler.sample(100, seed=1)
    for n in (1e2, np.int32(100), np.float32(100)):
        assert sprinkler.sample(n, seed=np.uint64(1), jobs=np.int8(2)) == rows


@pytest.mark.parametrize("kind", ["sprinkler", "linear"])
def test_the_arrays_of_a_sample_are_read_only_and_not_copied(request, monkeypatch, kind):
    made = []

    def spy(sample):
        def recorded(*arguments):
            made.extend(sample(*arguments))
            return made

        return recorded

    monkeypatch.setattr(_core, "sample_network", spy(_core.sample_network))
    data = request.getfixturevalue(kind).sample(10, seed=1)
    for v, array in zip(data.names, made, strict=True):
        assert not array.flags.writeable
        assert np.shares_memory(data.column(v), array)


def test_an_empty_sample_has_the_variables(sprinkler):
    assert sprinkler.sample(0, seed=1).names == sprinkler.names
    assert sprinkler.sample(0, seed=1).n == 0


# ---- log-likelihood


def test_log_likelihood_is_the_sum_of_log_joint_probabilities(sprinkler):
    data = sprinkler.sample(500, seed=2)
    table = joint(sprinkler)
    expected = [np.log(table[row]) for row in data.to_polars().rows()]
    np.testing.assert_allclose(sprinkler.log_likelihood(data, by_row=True), expected, rtol=1e-12)
    assert sprinkler.log_likelihood(data) == pytest.approx(sum(expected), rel=1e-12)


def test_gaussian_log_likelihood_is_the_multivariate_normal_density(linear):
    data = linear.sample(50, seed=2)
    x = np.column_stack([data.column(v) for v in ("a", "b", "c")])
    mean = np.array([5.0, 7.5, 7.25])
    cov = np.array([[4, 6, 5], [6, 10, 7], [5, 7, 6.51]])
    d = x - mean
    expected = -0.5 * (np.sum(d @ np.linalg.inv(cov) * d, axis=1) + 3 * np.log(2 * np.pi) + np.log(np.linalg.det(cov)))
    np.testing.assert_allclose(linear.log_likelihood(data, by_row=True), expected, rtol=1e-6)


def test_log_likelihood_matches_states_by_name_and_columns_in_any_order(sprinkler):
    data = sprinkler.sample(200, seed=4)
    frame = data.to_pandas()
    shuffled = Data.from_frame(
        frame[["sprinkler", "wet", "rain"]].assign(extra="x" * 1).assign(extra=["a", "b"] * 100),
        states={"wet": ["wet", "dry"], "rain": ["yes", "no"], "sprinkler": ["on", "off", "broken"]},
    )
    np.testing.assert_allclose(
        sprinkler.log_likelihood(shuffled, by_row=True), sprinkler.log_likelihood(data, by_row=True), rtol=1e-12
    )


def test_an_impossible_row_has_minus_infinity(sprinkler):
    frame = pd.DataFrame({"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["wet", "dry"]})
    data = Data.from_frame(frame, states=dict(sprinkler.states))
    rows = sprinkler.log_likelihood(data, by_row=True)
    assert rows[0] == -np.inf
    assert np.isfinite(rows[1])
    assert sprinkler.log_likelihood(data) == -np.inf


def test_weights_count_as_repeated_rows_in_the_log_likelihood(sprinkler):
    frame = sprinkler.sample(20, seed=4).to_pandas()
    weights = np.arange(20) % 4
    weighted = Data.from_frame(frame, weights=weights)
    repeated = Data.from_frame(frame.loc[np.repeat(frame.index, weights)].reset_index(drop=True))
    assert sprinkler.log_likelihood(weighted) == pytest.approx(sprinkler.log_likelihood(repeated), rel=1e-12)


def test_data_that_does_not_fit_the_network_is_named(sprinkler, linear):
    frame = pd.DataFrame({"rain": ["no", "yes"], "sprinkler": ["off", "on"], "wet": ["moist", "wet"]})
    with pytest.raises(InputError, match="state 'moist', which the network does not have"):
        sprinkler.log_likelihood(Data.from_frame(frame))
    with pytest.raises(InputError, match="no column 'wet'"):
        sprinkler.log_likelihood(Data.from_frame(frame[["rain", "sprinkler"]]))
    numbers = Data.from_numpy(np.random.default_rng(0).normal(size=(9, 3)), ["rain", "sprinkler", "wet"])
    with pytest.raises(InputError, match="is continuous, but the network's variable is discrete"):
        sprinkler.log_likelihood(numbers)


@given(st.integers(1, 4), st.integers(0, 2**32))
def test_a_random_network_gives_finite_likelihood_to_its_own_sample(r, seed):
    rng = np.random.default_rng(seed)
    states = {v: [f"{v}{k}" for k in range(r)] for v in "xyz"}
    cpds = {
        "x": Table((), rng.dirichlet(np.ones(r))),
        "y": Table(("x",), rng.dirichlet(np.ones(r), r)),
        "z": Table(("y", "x"), rng.dirichlet(np.ones(r), (r, r))),
    }
    network = Network(cpds, states)
    assert np.isfinite(network.log_likelihood(network.sample(50, seed=seed)))
    total = sum(joint(network).values())
    assert total == pytest.approx(1)


def test_log_likelihood_reads_frames_with_the_states_of_the_network():
    asia = vd.networks.load("asia")
    data = asia.sample(30, seed=1)
    frame = data.to_pandas()
    assert asia.log_likelihood(frame) == asia.log_likelihood(data)
    gaps = frame.astype(object)
    gaps.loc[2, "lung"] = None
    gaps["xray"] = None
    row = frame.loc[2].drop(["lung", "xray"]).to_dict()
    joint = asia.query(list(row)).probabilities
    at = tuple(list(asia.states[v]).index(x) for v, x in row.items())
    assert np.isclose(asia.log_likelihood(gaps, by_row=True)[2], np.log(joint[at]))
    with pytest.raises(InputError, match="the data has no column 'lung', which the network needs"):
        asia.log_likelihood(frame.drop(columns="lung"))
    with pytest.raises(InputError, match="data: give a Data or a data frame"):
        asia.log_likelihood(frame.values)
