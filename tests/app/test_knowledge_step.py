"""What is known: kept whole, checked as one, and not overwritten by another window."""

from __future__ import annotations

import pytest

import veridag as vd
from veridag.app.knowledge_step import usable


@pytest.fixture
def known(client):
    """Asks what is known in a project, or says it anew on top of what is there."""

    def ask(project, status=200, **said):
        path = f"/api/projects/{project.id}/knowledge"
        now = client.get(path).json()
        if not said:
            return now
        answer = client.put(path, json={**now, **said})
        assert answer.status_code == status, answer.text
        return answer.json()

    return ask


def test_nothing_is_known_at_first_and_all_variables_can_be_named(asia, known):
    view = known(asia)
    assert (view["tiers"], view["required"], view["forbidden"], view["absent"]) == ([], [], [], [])
    assert view["variables"] == list(vd.networks.load("asia").names)
    assert usable(asia) is None


def test_measurements_are_named_where_there_are_categories_beside_them(client, make, known):
    rows = [f"{i * 37 % 211 / 7},{i * 29 % 211 / 3},{'xy'[i % 2]}\n" for i in range(100)]
    project = make("a,b,c\n" + "".join(rows))
    assert known(project)["measurements"] == ["a", "b"]
    for change, expected in (
        ({"discretize": {"a": "quantile(2)"}}, ["b"]),
        ({"discretize": {"b": "blanket"}}, []),  # bins that are found while learning
        ({"discretize": {"a": None, "b": None}, "drop": {"c": True}}, []),  # no categories
    ):
        assert client.post(f"/api/projects/{project.id}/table", json={"change": change}).status_code == 200
        assert known(project)["measurements"] == expected


def test_what_is_said_is_kept(asia, known):
    view = known(
        asia, tiers=[["smoke"], ["lung", "bronc"]], required=[["smoke", "lung"]], forbidden=[["asia", "smoke"]]
    )
    assert view["tiers"] == [["smoke"], ["bronc", "lung"]]
    assert known(asia) == view
    expected = vd.Knowledge(
        tiers=[["smoke"], ["lung", "bronc"]], required=[("smoke", "lung")], forbidden=[("asia", "smoke")]
    )
    assert asia.knowledge() == usable(asia) == expected
    known(asia, tiers=[], required=[], forbidden=[])
    assert asia.knowledge() is None


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (
            {"required": [["smoke", "lung"]], "forbidden": [["smoke", "lung"]]},
            "The link smoke → lung both must and cannot be there: remove one",
        ),
        (
            {"required": [["lung", "smoke"]], "tiers": [["smoke"], ["lung"]]},
            "The link lung → smoke, which must be there, goes back from tier 2 to tier 1: remove it or move a variable",
        ),
        (
            {"required": [["smoke", "lung"], ["lung", "smoke"]]},
            "The links that must be there go round in a circle: lung → smoke → lung: remove one",
        ),
        ({"required": [["smoke", "smoke"]]}, None),
        ({"required": [["smoke"]]}, None),
        ({"required": "smoke"}, None),
        ({"tiers": [["smoke"], ["smoke"]]}, None),
        ({"tiers": [[1]]}, None),
        ({"tiers": {"smoke": 1}}, None),
        ({"forbidden": [["smoke", None]]}, None),
        ({"forbidden": 7}, None),
    ],
)
def test_a_contradiction_is_refused_and_not_kept(asia, known, said, error):
    known(asia, required=[["asia", "tub"]])
    before = asia.knowledge_text()
    answer = known(asia, 400, **said)
    assert answer["error"] == error or (error is None and answer["error"])
    assert asia.knowledge_text() == before


def test_another_window_is_not_overwritten(asia, client):
    path = f"/api/projects/{asia.id}/knowledge"
    mine, theirs = client.get(path).json(), client.get(path).json()
    assert client.put(path, json={**theirs, "required": [["asia", "tub"]]}).status_code == 200
    answer = client.put(path, json={**mine, "forbidden": [["smoke", "asia"]]})
    assert answer.status_code == 409
    assert answer.json()["error"] == "This was changed in another window: what is there now is shown."
    assert asia.knowledge() == vd.Knowledge(required=[("asia", "tub")])
    assert client.put(path, json={"required": []}).status_code == 409


def test_a_change_of_the_table_does_not_stand_in_the_way(asia, client):
    path = f"/api/projects/{asia.id}/knowledge"
    mine = client.get(path).json()
    client.post(f"/api/projects/{asia.id}/table", json={"change": {"drop": {"xray": True}}})
    assert client.put(path, json={**mine, "required": [["asia", "tub"]]}).status_code == 200


def test_what_is_known_of_columns_that_are_left_out_is_kept_but_not_used(asia, known, client):
    known(
        asia,
        tiers=[["asia"], ["xray"]],
        required=[["smoke", "lung"], ["lung", "xray"]],
        forbidden=[["xray", "dysp"]],
    )
    client.post(f"/api/projects/{asia.id}/table", json={"change": {"drop": {"xray": True}}})
    assert known(asia)["absent"] == ["xray"]
    assert usable(asia) == vd.Knowledge(tiers=[["asia"]], required=[("smoke", "lung")])
    client.post(f"/api/projects/{asia.id}/table", json={"change": {"drop": {"xray": False}}})
    assert known(asia)["absent"] == []
    assert usable(asia) == asia.knowledge()


def test_knowledge_about_nothing_that_is_there_is_none(asia, known, client):
    known(asia, required=[["lung", "xray"]])
    client.post(f"/api/projects/{asia.id}/table", json={"change": {"drop": {"xray": True}}})
    assert usable(asia) is None
