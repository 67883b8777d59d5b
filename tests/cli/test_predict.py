"""The commands predict, explain and most-probable, and uncertain evidence of query."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import veridag as vd


def test_predictions_are_written_as_a_table(call, asia_csv, tmp_path):
    out = tmp_path / "predicted.csv"
    code, printed, said = call("predict", "asia", asia_csv, "bronc", "-o", out)
    assert (code, printed) == (0, "")
    assert "400 rows" in said
    network = vd.networks.load("asia")
    expected = network.predict(network.sample(400, seed=1), "bronc")
    found = pl.read_csv(out)
    assert found.columns == ["predicted bronc", "P(bronc = yes)", "P(bronc = no)"]
    assert found["predicted bronc"].to_list() == expected.values.tolist()
    np.testing.assert_allclose(found.select(found.columns[1:]).to_numpy(), expected.probabilities)


def test_the_target_need_not_be_a_column_and_values_may_be_missing(call, tmp_path):
    table = tmp_path / "some.csv"
    table.write_text("smoke,xray,other\nyes,,1\nno,yes,2\n")
    code, printed, _ = call("predict", "asia", table, "lung", "--given", "smoke,xray")
    assert code == 0
    network = vd.networks.load("asia")
    rows = [line.split(",") for line in printed.splitlines()[1:]]
    expected = [
        network.query("lung", {"smoke": "yes"})["yes"],
        network.query("lung", {"smoke": "no", "xray": "yes"})["yes"],
    ]
    np.testing.assert_allclose([float(row[1]) for row in rows], expected)


def test_evaluation_prints_scores_and_no_table(call, asia_csv):
    network = vd.networks.load("asia")
    expected = vd.evaluate_prediction(network, network.sample(400, seed=1), "bronc")
    code, printed, _ = call("predict", "asia", asia_csv, "bronc", "--evaluate", "--json")
    found = json.loads(printed)
    assert code == 0
    assert {key: found[key] for key in expected.to_dict()} == pytest.approx(expected.to_dict())
    assert found["confusion"] == expected.confusion.tolist()
    code, printed, said = call("predict", "asia", asia_csv, "bronc", "--evaluate")
    assert f"{float(expected.log_loss):.6g}" in printed
    assert "400 observations" in said


def test_a_continuous_target_has_mean_and_deviation(call, tmp_path):
    network = vd.random_gaussian_network(vd.random_dag(4, arcs=5, seed=1), seed=2)
    network.write(tmp_path / "net.json")
    network.sample(30, seed=3).write(tmp_path / "rows.csv")
    target = network.names[1]
    code, printed, _ = call("predict", tmp_path / "net.json", tmp_path / "rows.csv", target)
    assert code == 0
    assert printed.splitlines()[0] == f"predicted {target},sd of {target}"
    code, printed, _ = call("predict", tmp_path / "net.json", tmp_path / "rows.csv", target, "--evaluate", "--json")
    assert code == 0
    assert json.loads(printed)["rmse"] > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bronch",), "did you mean 'bronc'"),
        (("bronc", "--given", "smoke,bronc"), "--given: 'bronc' is the target"),
        (("bronc", "--given", "smok"), "did you mean 'smoke'"),
        (("bronc", "--json"), "--json"),
        (("bronc", "--evaluate", "--json", "-o", "-"), "--json and -o -"),
        (("bronc", "-o", "predicted.pdf"), "must end in"),
        (("bronc", "--missing", "drop"), "--missing drop"),
    ],
)
def test_mistakes_are_one_line(call, asia_csv, words, message):
    code, printed, said = call("predict", "asia", asia_csv, *words)
    assert (code, printed) == (2, "")
    assert message in said
    assert len(said.strip().splitlines()) == 1


def test_a_failed_prediction_leaves_no_file(call, tmp_path):
    table, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    table.write_text("lung,tub,either\nyes,no,no\n")
    code, _, said = call("predict", "asia", table, "smoke", "--given", "lung,tub,either", "-o", out)
    assert code == 2
    assert "row 0, counted from 0, has probability zero" in said
    assert not out.exists()


def test_an_explanation_is_printed_and_drawn(call, tmp_path):
    figure = tmp_path / "why.svg"
    words = ("explain", "asia", "lung", "-e", "xray=yes", "-e", "smoke=yes", "--figure", figure)
    code, printed, _ = call(*words)
    assert code == 0
    found = vd.networks.load("asia").explain("lung", {"xray": "yes", "smoke": "yes"})
    assert found.sentence in printed
    assert figure.read_text().lstrip().startswith("<?xml")
    code, printed, _ = call(*words[:-2], "--state", "no", "--json")
    facts = json.loads(printed)
    assert facts["state"] == "no"
    assert np.isclose(facts["posterior"], 1 - found.posterior)
    assert [own["name"] for own in facts["findings"]] == ["xray", "smoke"]


def test_what_cannot_be_explained_is_refused(call, tmp_path):
    code, _, said = call("explain", "asia", "lung")
    assert code == 2
    assert "-e NAME=STATE" in said
    code, _, said = call("explain", "asia", "lung", "-e", "smoke=yes", "--state", "maybe")
    assert code == 2
    assert "no state 'maybe'" in said
    code, _, said = call("explain", "asia", "lung", "-e", "smoke=yes", "--figure", tmp_path / "why.pdf")
    assert code == 2
    assert ".svg or .png" in said


def test_the_most_probable_values_of_all_and_of_some(call):
    network = vd.networks.load("asia")
    code, printed, _ = call("most-probable", "asia", "-e", "dysp=yes", "--json")
    assert code == 0
    assert json.loads(printed)["values"] == network.most_probable({"dysp": "yes"}).values
    code, printed, _ = call("most-probable", "asia", "lung", "bronc", "-e", "dysp=yes")
    assert code == 0
    assert printed.strip() == repr(network.map(["lung", "bronc"], {"dysp": "yes"}))


def test_uncertain_evidence_of_a_query(call):
    code, printed, _ = call("query", "asia", "lung", "--likelihood", "xray=yes:0.8,no:0.2", "--json")
    assert code == 0
    expected = vd.networks.load("asia").query("lung", likelihood={"xray": {"yes": 0.8, "no": 0.2}})
    assert np.isclose(json.loads(printed)["distribution"][0]["probability"], expected["yes"])
    for wrong in (["xray"], ["xray=yes"], ["xray=yes:a,no:1"], ["xray=yes:1,no:1", "--likelihood", "xray=yes:1,no:2"]):
        code, _, said = call("query", "asia", "lung", "--likelihood", *wrong)
        assert code == 2
        assert "--likelihood" in said


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        ("xray=0.8", "--likelihood takes a number for each state, as in xray=yes:0.8,no:0.2, not 'xray=0.8'"),
        ("xray=yes:0.8", "the state 'no' of 'xray' has no number: give one for each, --likelihood xray=yes:0.8,no:0.2"),
    ],
)
def test_an_incomplete_likelihood_shows_the_form(call, likelihood, message):
    code, _, said = call("query", "asia", "lung", "--likelihood", likelihood)
    assert code == 2
    assert message in " ".join(said.split())
