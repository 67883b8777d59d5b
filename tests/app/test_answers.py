"""What if and effects, over HTTP."""

from __future__ import annotations

import json

import numpy as np
import pytest

import veridag as vd
from app.queued import finished
from veridag.app import answers_step, results
from veridag.report import compiling


@pytest.fixture
def large(monkeypatch):
    """Every network is too large for the page."""
    monkeypatch.setattr(compiling, "MOST_ENTRIES", 1)


def test_a_small_network_is_asked_in_the_page(client, asia):
    number = finished(asia)
    html = client.get(f"/project/{asia.id}/runs/{number}/what-if").text
    assert 'id="what-if-data"' in html
    assert 'id="what-if-asked"' not in html
    assert 'id="effect-form"' in html


def test_a_large_network_is_asked_of_the_server_with_the_same_answers(client, asia, large):
    number = finished(asia)
    html = client.get(f"/project/{asia.id}/runs/{number}/what-if").text
    assert 'id="what-if-asked"' in html
    assert 'id="what-if-cards"' in html
    with_evidence = client.post(f"/api/projects/{asia.id}/runs/{number}/marginals", json={"evidence": {"smoke": "yes"}})
    answer = with_evidence.json()["answer"]
    network = results.Kept(asia.folder / "runs" / str(number)).network
    expected = network.marginals({"smoke": "yes"})
    for name, shares in zip(network.names, answer["marginals"], strict=True):
        np.testing.assert_allclose(shares, expected.probabilities(name))
    assert answer["log"] == pytest.approx(np.log(network.marginals().probabilities("smoke")[1]))


@pytest.mark.slow
def test_a_large_network_of_numbers_is_asked_of_the_server(client, projects, tmp_path, large):
    path = tmp_path / "numbers.csv"
    vd.networks.load("ecoli70").sample(200, seed=1).write(path)
    with path.open("rb") as file:
        project = projects.create("numbers.csv", file)
    number = finished(project)
    network = results.Kept(project.folder / "runs" / str(number)).network
    name = network.names[0]
    found = client.post(f"/api/projects/{project.id}/runs/{number}/marginals", json={"evidence": {name: 1.5}}).json()
    expected = network.marginals({name: 1.5})
    np.testing.assert_allclose(found["answer"]["means"], [expected[v].mean for v in network.names])
    np.testing.assert_allclose(found["answer"]["sds"], [expected[v].sd for v in network.names])


@pytest.mark.parametrize("evidence", [{"no such": "yes"}, {"smoke": "maybe"}, {"smoke": ["yes"]}, "smoke", None])
def test_evidence_that_means_nothing_is_refused_with_words(client, asia, evidence):
    number = finished(asia)
    refused = client.post(f"/api/projects/{asia.id}/runs/{number}/marginals", json={"evidence": evidence})
    assert refused.status_code == 400
    assert refused.json()["error"]


def test_impossible_evidence_has_no_answer():
    data = vd.Data.from_frame({"A": ["a", "a", "b", "b"], "B": ["x", "x", "y", "y"]})
    fitted = vd.fit(vd.DAG.from_arcs([("A", "B")]), data, ess=0)
    tree = answers_step.JunctionTree(fitted)
    assert answers_step.marginals_given(tree, {"A": "a", "B": "y"}) is None
    assert answers_step.marginals_given(tree, {"A": "a"})["marginals"] == [[1.0, 0.0], [1.0, 0.0]]


def test_an_effect_is_what_the_library_says(client, asia):
    number = finished(asia)
    kept = results.Kept(asia.folder / "runs" / str(number))
    asked = client.post(f"/api/projects/{asia.id}/runs/{number}/effect", json={"x": "either", "y": "dysp"})
    assert asked.status_code == 200
    data = vd.read(asia.folder / "runs" / str(number) / "table.csv", strict=False)
    estimator = vd.possible_effects if kept.graph.obstacles("either", "dysp") else vd.effect
    assert asked.json()["sentence"] == estimator(data, kept.graph, "either", "dysp").sentence
    assert "<table" in asked.json()["html"]


def test_an_effect_stops_with_what_there_is_when_its_time_is_over(client, asia, monkeypatch):
    monkeypatch.setattr(answers_step, "MOST_SECONDS", -1.0)
    number = finished(asia)
    asked = client.post(f"/api/projects/{asia.id}/runs/{number}/effect", json={"x": "either", "y": "dysp"})
    assert asked.status_code == 200
    assert "dysp" in asked.json()["sentence"]


@pytest.mark.parametrize(
    "question",
    [{"x": "smoke", "y": "smoke"}, {"x": "smoke"}, {"x": "smoke", "y": "no such"}, {"x": ["smoke"], "y": "lung"}],
)
def test_an_effect_that_cannot_be_asked_for_is_refused_with_words(client, asia, question):
    number = finished(asia)
    refused = client.post(f"/api/projects/{asia.id}/runs/{number}/effect", json=question)
    assert refused.status_code == 400
    assert refused.json()["error"]


def test_what_the_page_knows_of_a_large_network_is_its_names_and_states(client, asia, large):
    number = finished(asia)
    html = client.get(f"/project/{asia.id}/runs/{number}/what-if").text
    told = json.loads(html.split('id="what-if-asked">')[1].split("</script>")[0])
    assert told["names"][0] == "asia"
    assert told["labels"][0] == ["no", "yes"]
