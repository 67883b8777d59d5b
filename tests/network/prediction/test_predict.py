"""Predictions of one variable, against every configuration of all others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import veridag as vd
from naive import inference, mixed_networks
from naive.missing import with_gaps
from veridag import InputError, LinearGaussian, Network, Table
from veridag.data import Column, Data
from veridag.network.incomplete import component
from veridag.network.prediction import blanket
from veridag.network.query import JunctionTree, TooLarge, discrete

SHARES = [0.0, 0.2, 0.6]


def evidence_of(data: Data, row: int, target: str) -> dict[str, str | float]:
    return {
        c.name: c.states[c.values[row]] if c.kind == "discrete" else float(c.values[row])
        for c in data.columns
        if c.name != target and (c.observed is None or c.observed[row])
    }


def gapped(network: Network, seed: int, rows: int = 25) -> Data:
    data, share = network.sample(rows, seed=seed), SHARES[seed % 3]
    return with_gaps(data, share, seed) if share else data


@pytest.mark.parametrize("seed", [0, 1, 2, 3, *(pytest.param(seed, marks=pytest.mark.medium) for seed in range(4, 12))])
def test_states_are_as_probable_as_all_configurations_say(seed):
    network = inference.random_network(seed, 6, zeros=0.1 * (seed % 2))
    data = gapped(network, seed)
    for target in network.names:
        found = network.predict(data, target)
        assert found.states == tuple(network.states[target])
        for i in range(data.nrows):
            expected = inference.conditional(network, [target], evidence_of(data, i, target))
            np.testing.assert_allclose(found.probabilities[i], list(expected.values()), atol=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, *(pytest.param(seed, marks=pytest.mark.medium) for seed in range(4, 16))])
def test_mixed_networks_are_predicted_as_a_joint_normal_for_each_configuration_says(seed):
    network = mixed_networks.random_network(seed, 6, 0.6)
    data = gapped(network, seed, 12)
    for target in network.names:
        found = network.predict(data, target)
        for i in range(data.nrows):
            evidence = evidence_of(data, i, target)
            if target in network.states:
                table, _, _ = mixed_networks.posterior(network, [target], [], evidence)
                np.testing.assert_allclose(found.probabilities[i], table, atol=1e-9)
            else:
                _, mean, covariance = mixed_networks.posterior(network, [], [target], evidence)
                np.testing.assert_allclose(found.mean[i], mean[0], rtol=1e-8, atol=1e-9)
                np.testing.assert_allclose(found.sd[i] ** 2, covariance[0, 0], rtol=1e-8, atol=1e-9)


def test_many_linked_gaps_are_answered_by_a_tree_and_say_the_same(monkeypatch):
    network = mixed_networks.random_network(5, 7, 0.7)
    data = with_gaps(network.sample(20, seed=2), 0.7, 2)
    expected = {v: network.predict(data, v) for v in network.names}
    monkeypatch.setattr(component, "MAX_CONFIGURATIONS", 0)
    for v, before in expected.items():
        found = network.predict(data, v)
        np.testing.assert_allclose(found.probabilities, before.probabilities, atol=1e-12)
        np.testing.assert_allclose(found.mean, before.mean, atol=1e-9)
        np.testing.assert_allclose(found.sd, before.sd, atol=1e-9)


def test_rows_are_answered_one_by_one_where_the_tree_is_too_large(monkeypatch):
    network = inference.random_network(7, 6)
    data = with_gaps(network.sample(40, seed=7), 0.5, 7)
    expected = {v: network.predict(data, v).probabilities for v in network.names}

    def refuse(*_: object, **__: object) -> None:
        raise TooLarge("too large", (), 1)

    monkeypatch.setattr(JunctionTree, "posteriors", refuse)
    monkeypatch.setattr(discrete, "FEW_VARIABLES", 0)  # queries eliminate variables
    for v, before in expected.items():
        np.testing.assert_allclose(network.predict(data, v).probabilities, before, atol=1e-12)
    asia = vd.networks.load("asia")
    with pytest.raises(InputError, match="row 1, counted from 0, has probability zero"):
        asia.predict({"lung": ["no", "yes"], "either": ["no", "no"]}, "smoke", given=["lung", "either"])


def test_variables_that_no_row_says_anything_about_are_left_out():
    """The tree of all of LINK is too large, but two parents and a child need no tree of it."""
    link = vd.networks.load("link")
    child = next(v for v in link.names if len(link.cpds[v].parents) == 2)
    target, _ = link.cpds[child].parents
    found = link.predict({child: [link.states[child][0], None]}, target, given=[child])
    np.testing.assert_allclose(found.probabilities[0], link.query(target, {child: link.states[child][0]}).probabilities)
    np.testing.assert_allclose(found.probabilities[1], link.query(target).probabilities)


def test_a_standard_deviation_of_zero_is_no_obstacle():
    exact = Network(
        {"x": LinearGaussian((), 1.0, [], 2.0), "y": LinearGaussian(("x",), 3.0, [2.0], 0.0)},
    )
    found = exact.predict({"y": [5.0, 9.0]}, "x")
    np.testing.assert_allclose(found.mean, [1.0, 3.0])
    np.testing.assert_allclose(found.sd, [0.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_the_core_and_numpy_find_the_same_from_a_blanket(seed):
    network = inference.random_network(seed, 9, zeros=0.2, density=0.7)
    other = inference.random_network(seed + 100, 9, density=0.7)
    rng = np.random.default_rng(seed)
    states = {v: tuple(rng.permutation(network.states[v])) for v in network.names}  # the data orders them otherwise
    data = Data(
        [Column.discrete(v, rng.integers(0, len(states[v]), 5000).astype(np.uint8), states[v]) for v in other.names]
    )
    for target in network.names:
        parts, k = blanket.factors(network, target, data), len(network.states[target])
        p, total = blanket.posteriors_by_numpy(parts, k, data.nrows)
        for jobs in (1, 3):
            found, log_total = blanket.posteriors(parts, k, data.nrows, jobs)
            np.testing.assert_allclose(found, p, rtol=1e-12, atol=1e-300)
            np.testing.assert_allclose(log_total, total, rtol=1e-12, atol=1e-13)


def test_the_number_of_jobs_does_not_matter():
    network = vd.networks.load("alarm")
    data = with_gaps(network.sample(5000, seed=4), 0.02, 4)
    one, three = (network.predict(data, "LVFAILURE", jobs=jobs).probabilities for jobs in (1, 3))
    assert np.array_equal(one, three)


def test_much_evidence_does_not_underflow():
    children = {f"c{i}": Table(("t",), [[1e-4, 1 - 1e-4], [2e-4, 1 - 2e-4]]) for i in range(200)}
    network = Network({"t": Table((), [0.5, 0.5]), **children}, {v: ["a", "b"] for v in ("t", *children)})
    found = network.predict({v: ["a"] for v in children}, "t")
    np.testing.assert_allclose(found.probabilities[0], [1 / (1 + 2.0**200), 1.0], rtol=1e-9)


def test_the_first_of_equally_probable_states_is_predicted():
    network = Network({"t": Table((), [0.3, 0.35, 0.35])}, {"t": ["a", "b", "c"]})
    assert network.predict(network.sample(2, seed=0), "t").values.tolist() == ["b", "b"]


def asia_frame(rows: int = 6) -> pd.DataFrame:
    return vd.networks.load("asia").sample(rows, seed=3).to_pandas()


def test_frames_of_any_kind_are_read_with_the_states_of_the_network():
    network = vd.networks.load("asia")
    frame = asia_frame()
    expected = network.predict(network.sample(6, seed=3), "lung").probabilities
    for table in (frame, pl.from_pandas(frame), frame.to_dict("list"), frame.drop(columns="lung").assign(other=1)):
        np.testing.assert_array_equal(network.predict(table, "lung").probabilities, expected)
    with_hole = frame.assign(either=[None, *frame["either"][1:]])
    found = network.predict(with_hole, "lung").probabilities
    assert found[0, 0] != expected[0, 0]
    np.testing.assert_allclose(found[1:], expected[1:])


def test_given_names_the_columns_to_predict_from():
    network = vd.networks.load("asia")
    frame = asia_frame()
    expected = [network.query("lung", {"smoke": s}).probabilities for s in frame["smoke"]]
    np.testing.assert_allclose(network.predict(frame, "lung", given=["smoke"]).probabilities, expected)
    alone = network.predict(frame[["smoke"]], "lung", given=["smoke"])
    np.testing.assert_allclose(alone.probabilities, expected)
    nothing = network.predict(frame, "lung", given=[])
    np.testing.assert_allclose(nothing.probabilities, np.tile(network.query("lung").probabilities, (6, 1)))


def test_one_row_of_a_frame_may_lack_values():
    network = vd.networks.load("asia")
    row = {v: [None] for v in network.names} | {"smoke": ["yes"], "xray": ["no"]}
    expected = network.query("lung", {"smoke": "yes", "xray": "no"}).probabilities
    for table in (
        row,
        pd.DataFrame(row),
        pd.DataFrame(row, dtype="string"),
        pl.DataFrame(row),
        pl.DataFrame(row).to_arrow(),
    ):
        np.testing.assert_allclose(network.predict(table, "lung").probabilities[0], expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "lungs"}, "did you mean 'lung'"),
        ({"target": "lung", "given": ["smoke", "lung"]}, "'lung' is the target"),
        ({"target": "lung", "given": "smoke"}, r"\['smoke'\]"),
        ({"target": "lung", "given": ["smok"]}, "did you mean 'smoke'"),
        ({"target": "lung", "jobs": 0}, "jobs=0"),
    ],
)
def test_wrong_arguments_name_the_remedy(arguments, message):
    network = vd.networks.load("asia")
    with pytest.raises(InputError, match=message):
        network.predict(network.sample(3, seed=1), **arguments)


def test_tables_that_do_not_fit_the_network_are_refused():
    network = vd.networks.load("asia")
    with pytest.raises(InputError, match=r"no column 'smoke'.*given="):
        network.predict(asia_frame().drop(columns="smoke"), "lung")
    with pytest.raises(InputError, match="maybe"):
        network.predict(asia_frame().assign(dysp="maybe"), "asia")
    with pytest.raises(InputError, match="maybe"):
        network.predict(Data.from_frame(asia_frame(2000).assign(dysp=["maybe"] + ["yes"] * 1999)), "asia")


def test_a_row_of_probability_zero_is_named():
    network = vd.networks.load("asia")
    frame = asia_frame().assign(lung="yes", tub="no", either="yes")
    frame.loc[4, "either"] = "no"  # either is the logical or of both
    with pytest.raises(InputError, match="row 4, counted from 0, has probability zero"):
        network.predict(frame, "tub")
    frame.loc[1, "dysp"] = None
    with pytest.raises(InputError, match="row 4"):
        network.predict(frame, "smoke", given=["lung", "tub", "either"])


def test_a_prediction_shows_itself_as_a_table():
    network = vd.networks.load("asia")
    found = network.predict(asia_frame(3), "lung")
    frame = found.to_pandas()
    assert list(frame) == ["predicted lung", "P(lung = yes)", "P(lung = no)"]
    assert frame["predicted lung"].tolist() == found.values.tolist()
    assert "Prediction of lung in 3 rows" in repr(found)
    assert "<table" in found._repr_html_()
    assert len(found) == 3
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0, 0] = 1


def test_progress_is_told_and_an_interrupt_stops_it(ctrl_c):
    network = vd.networks.load("asia")
    data = network.sample(200_000, seed=1)
    seen = []
    network.predict(data, "lung", progress=lambda what, done, total, extra: seen.append((what, done, total)))
    assert seen[0] == ("prediction", 0, 200_000)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        network.predict(data, "lung", progress=stop)


def set_network(discrete: bool) -> Network:
    """A chain x -> y -> z with x -> z."""
    if discrete:
        two = ("a", "b")
        tables = {
            "x": Table((), np.array([0.3, 0.7])),
            "y": Table(("x",), np.array([[0.9, 0.1], [0.0, 1.0]])),
            "z": Table(("x", "y"), np.array([[[0.2, 0.8], [0.6, 0.4]], [[0.5, 0.5], [0.1, 0.9]]])),
        }
        return Network(tables, dict.fromkeys("xyz", two))
    equations = {
        "x": LinearGaussian((), 1.0, np.zeros(0), 1.0),
        "y": LinearGaussian(("x",), 0.5, np.array([2.0]), 0.5),
        "z": LinearGaussian(("x", "y"), 0.0, np.array([1.0, -1.0]), 1.5),
    }
    return Network(equations)


@pytest.mark.parametrize("discrete", [True, False])
def test_a_variable_that_was_set_is_no_evidence_about_its_parents(discrete):
    network = set_network(discrete)
    data = vd.simulate.experiments(network, [None, "y", ("y", "z")], rows=60, seed=1)
    found = network.predict(data, "x")
    for i, names in enumerate(data.targets):
        row = evidence_of(data, i, "x")
        do = {v: row.pop(v) for v in names}
        answer = network.query("x", row, do=do)
        if discrete:
            np.testing.assert_allclose(found.probabilities[i], answer.probabilities, atol=1e-12)
        else:
            np.testing.assert_allclose((found.mean[i], found.sd[i]), (answer.mean[0], answer.sd[0]), atol=1e-12)


def test_rows_in_which_the_target_was_set_are_refused_with_the_remedy():
    network = set_network(True)
    data = vd.simulate.experiments(network, [None, "y"], rows=40, seed=1)
    first = int(data.targets.is_set(["y"]).argmax())
    with pytest.raises(InputError, match=rf"'y' was set in \d+ rows, the first of them row {first}.*is_set\(\['y'\]\)"):
        network.predict(data, "y")
    assert len(network.predict(data.rows(~data.targets.is_set(["y"])), "y")) == 40


def test_what_was_set_to_an_unknown_value_is_refused():
    network = set_network(True)
    data = vd.simulate.experiments(network, [None, "y"], rows=40, seed=1)
    with pytest.raises(InputError, match=r"'y' was set in row .* not among the columns to predict from"):
        network.predict(data, "x", ["z"])


@pytest.mark.parametrize("target", ["dysp", "smoke", "tub", "asia", "bronc"])
@pytest.mark.parametrize("gap", [None, "xray", "bronc", "smoke"])
def test_a_contradiction_in_a_row_is_found_whatever_the_target_and_other_gaps(target, gap):
    asia = vd.networks.load("asia")
    frame = asia.sample(5, seed=3).to_pandas().astype(object)
    frame.loc[3, ["lung", "tub", "either"]] = ["yes", "no", "no"]
    if gap is not None:
        frame.loc[3, gap] = None
    with pytest.raises(InputError, match="row 3, counted from 0, has probability zero"):
        asia.predict(frame, target)


def test_an_array_has_no_names_to_predict_from():
    asia = vd.networks.load("asia")
    with pytest.raises(InputError, match=r"data: give a Data or a data frame with column names.*not ndarray"):
        asia.predict(asia.sample(5, seed=3).to_pandas().values, "lung")
