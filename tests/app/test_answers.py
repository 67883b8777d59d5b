"""What if and effects, over HTTP."""

from __future__ import annotations

import json
import re
from html import unescape

import numpy as np
import pytest

import veridag as vd
from app.queued import finished
from veridag.app import answers_step, results
from veridag.errors import speaking_page
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
    with speaking_page():
        expected = estimator(data, kept.graph, "either", "dysp").sentence
        assert asked.json()["sentence"].startswith(f"{expected} This takes the links of the network")
    assert "<table" in asked.json()["html"]


#: Words of programmers, and of the library's own interfaces.
CODE = re.compile(r"do\(|\bDAGs?\b|P\(|--\w|\bgraph\b|=\'|\bNone\b|slope|parents")


@pytest.fixture
def clinic(projects, tmp_path):
    """A mixed table."""
    vd.networks.load("clinic").sample(300, seed=1).write(tmp_path / "clinic.csv")
    with (tmp_path / "clinic.csv").open("rb") as file:
        return projects.create("clinic.csv", file)


@pytest.mark.medium
def test_effects_are_told_without_words_of_programmers(client, clinic, monkeypatch):
    monkeypatch.setattr(answers_step, "REPEATS", 5)
    number = finished(clinic)
    names = results.Kept(clinic.folder / "runs" / str(number)).graph.names
    told = [
        client.post(f"/api/projects/{clinic.id}/runs/{number}/effect", json={"x": x, "y": y}).json()
        for x, y in zip(names, (*names[1:], names[0]), strict=True)
    ]
    texts = [answer.get("html") or answer["error"] for answer in told]
    assert len(texts) > 5
    assert {answer["no_path"] for answer in told} == {True, False}
    assert [found for text in texts for found in CODE.findall(text)] == []


def test_without_a_path_there_is_no_estimate_but_how_sure_that_is(client, asia, monkeypatch):
    monkeypatch.setattr(answers_step, "NETWORKS", 5)
    names = vd.networks.load("asia").names
    asia.keep_knowledge(vd.Knowledge(tiers=[["smoke"], [name for name in names if name != "smoke"]]))
    number = finished(asia, asia.knowledge())
    path, question = f"/api/projects/{asia.id}/runs/{number}/effect", {"x": "lung", "y": "smoke"}
    asked = client.post(path, json=question).json()
    assert asked["sentence"] == (
        "In the network shown, no directed path leads from lung to smoke, so it implies no effect of lung on smoke."
    )
    assert "<table" not in asked["html"]
    assert "0 to 0" not in asked["html"]
    sure = client.post(path, json={**question, "how_sure": True}).json()["sentence"]
    assert "5 networks were learned again" in sure
    assert "such a path leads from lung to smoke in none of them" in sure  # what is known rules it out


def test_how_sure_it_is_that_there_is_no_path_is_the_share_of_networks_with_one(asia, monkeypatch):
    monkeypatch.setattr(answers_step, "NETWORKS", 8)
    data = asia.data()
    share = vd.averaged_effect(data, "smoke", "lung", repeats=8).any_effect
    assert 0.01 < share < 1
    assert f"in about {100 * share:.0f} % of them" in answers_step.how_sure(data, None, "smoke", "lung")
    monkeypatch.setattr(answers_step, "MOST_SECONDS", -1.0)
    assert "takes too long" in answers_step.how_sure(data, None, "smoke", "lung")


def test_a_category_that_depends_on_a_measurement_is_named_with_a_remedy(client, clinic):
    kinds = clinic.data().kinds
    measurement = next(name for name, kind in kinds.items() if kind == "continuous")
    category = next(name for name, kind in kinds.items() if kind == "discrete")
    number = finished(clinic, vd.Knowledge(required=[(measurement, category)]))
    page = f"/project/{clinic.id}/runs/{number}/what-if"
    html = client.get(page).text
    assert f"<b>{measurement} → {category}</b>" in html
    assert "no parameters" not in html
    cut = re.search(r'data-measurements="([^"]*)" data-bins="([^"]*)"', html)
    measurements, bins = json.loads(unescape(cut[1])), cut[2]
    assert measurement in measurements
    change = {"discretize": dict.fromkeys(measurements, bins)}
    assert client.post(f"/api/projects/{clinic.id}/table", json={"change": change}).status_code == 200
    again = finished(clinic, vd.Knowledge(required=[(measurement, category)]))
    assert "what-if-cut" not in client.get(page.replace(f"/runs/{number}/", f"/runs/{again}/")).text


def test_names_of_measurements_stay_text_in_the_remedy(client, make):
    name = "\"'><script>x</script>"
    rows = "".join(f"{i * 37 % 211 / 7},{'ny'[i * 37 % 211 > 100]}\n" for i in range(300))
    project = make(f'"{name.replace(chr(34), chr(34) * 2)}",b\n{rows}')
    number = finished(project, vd.Knowledge(required=[(name, "b")]))
    html = client.get(f"/project/{project.id}/runs/{number}/what-if").text
    assert "<script>x" not in html
    assert json.loads(unescape(re.search(r'data-measurements="([^"]*)"', html)[1])) == [name]


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


def test_effects_do_not_rest_on_directions_that_the_score_imposes():
    data = vd.networks.load("clinic").sample(60, seed=1)
    names = ("smoking", "lung", "sex")
    graph = vd.DAG.from_arcs([("smoking", "lung"), ("sex", "smoking")], names=names)
    opened = answers_step.without_assumed(graph, data.select(names), None)
    assert opened.arcs == ()
    assert {*map(frozenset, opened.edges)} == {frozenset(("smoking", "lung")), frozenset(("sex", "smoking"))}
    known = vd.Knowledge(tiers=[["smoking"], ["lung"]])
    assert ("smoking", "lung") in answers_step.without_assumed(graph, data.select(names), known).arcs
    discrete = data.select(("smoking", "sex"))
    assert answers_step.without_assumed(graph, discrete, None) is graph
