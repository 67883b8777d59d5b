"""Starting runs and what can be done about them, over HTTP; workers do not start here."""

from __future__ import annotations

import pytest

import veridag as vd
from app.queued import finished
from veridag.app.runs import Runs
from veridag.data.settings import TableSettings


@pytest.fixture(autouse=True)
def idle(monkeypatch) -> None:
    """Nobody does the runs, and none that a test claims is taken for one whose worker is gone."""
    monkeypatch.setattr("veridag.app.queue.Queue._step", lambda self: False)


@pytest.fixture
def address(client, asia) -> str:
    """Where the runs of a project are."""
    return f"/api/projects/{asia.id}/runs"


def test_a_run_is_queued_as_asked_and_listed(client, address):
    made = client.post(address, json={"mode": "report", "minutes": 5})
    assert made.status_code == 201
    (run,) = client.get(address).json()["runs"]
    assert run == made.json()
    assert {key: run[key] for key in ("number", "status", "mode", "minutes", "kept", "changed", "known")} == {
        "number": 1, "status": "queued", "mode": "report", "minutes": 5, "kept": False, "changed": False, "known": None,
    }  # fmt: skip


def test_a_run_has_its_own_table_settings_and_knowledge(client, address, asia):
    asia.keep_knowledge(vd.Knowledge(required=[("smoke", "lung")], forbidden=[("asia", "no such column")]))
    client.post(address, json={})
    asia.keep_settings(TableSettings(strict=False, drop=("asia",)))
    with Runs(asia.folder) as runs:
        run, folder = runs.get(1), runs.folder(1)
    assert run.asked.knowledge == vd.Knowledge(required=[("smoke", "lung")])  # of variables that are there
    assert (folder / "table.csv").read_bytes() == asia.table.read_bytes()
    assert TableSettings.beside(folder / "table.csv")[1].drop == ()
    assert client.get(address).json()["runs"][0]["changed"]


@pytest.mark.parametrize(
    "wrong", [{"mode": "guess"}, {"minutes": -1}, {"minutes": "long"}, {"seed": "x"}, {"table": "../x"}, {"title": "x"}]
)
def test_what_cannot_be_asked_for_is_refused_with_words(client, address, wrong):
    refused = client.post(address, json=wrong)
    assert refused.status_code == 400
    assert next(iter(wrong)) in refused.json()["error"]
    assert client.get(address).json()["runs"] == []


def test_a_table_that_cannot_be_read_is_not_run(client, make, monkeypatch):
    project = make("")
    refused = client.post(f"/api/projects/{project.id}/runs", json={})
    assert refused.status_code == 409
    assert "first step" in refused.json()["error"]


def test_a_run_that_waits_can_be_cancelled_done_again_and_deleted(client, address):
    client.post(address, json={})
    assert client.post(f"{address}/1/cancel", json={}).json()["status"] == "cancelled"
    assert client.post(f"{address}/1/again", json={}).json()["status"] == "queued"
    client.post(f"{address}/1/cancel", json={})
    assert client.delete(f"{address}/1").status_code == 200
    assert client.get(address).json()["runs"] == []


def test_a_run_at_work_is_asked_to_stop_and_not_deleted(client, address, asia):
    client.post(address, json={})
    with Runs(asia.folder) as runs:
        runs.claim(1)
        assert client.post(f"{address}/1/cancel", json={}).json()["stopping"]
        assert runs.get(1).stop == 1
        assert client.delete(f"{address}/1").status_code == 409
        assert client.post(f"{address}/1/again", json={}).status_code == 409


def test_a_run_with_a_result_is_not_done_again(client, address, asia):
    number = finished(asia)
    assert client.post(f"{address}/{number}/again", json={}).status_code == 409


@pytest.mark.parametrize("path", ["7/cancel", "7/again"])
def test_a_run_that_is_not_there_is_404(client, address, path):
    assert client.post(f"{address}/{path}", json={}).status_code == 404
    assert client.delete(f"{address}/7").status_code == 404


def test_a_project_that_is_deleted_ends_its_runs(client, address, asia):
    client.post(address, json={})
    with Runs(asia.folder) as runs:
        runs.claim(1)
        assert client.delete(f"/api/projects/{asia.id}").status_code == 200
        assert runs.tell(1, "search", 0, None, None) == 2  # the worker, which has the file open, ends at once


def test_a_run_says_what_it_was_asked_otherwise_than_the_run_before(client, address, asia):
    def changes() -> list[str] | None:
        return client.get(address).json()["runs"][0]["changes"]

    client.post(address, json={"mode": "report", "minutes": 1})
    assert changes() is None
    client.post(address, json={"mode": "report", "minutes": 1})
    assert changes() == []
    client.post(address, json={"mode": "report", "minutes": 5, "seed": 3})
    assert changes() == ["within 5 minutes, before within 1 minute", "seed 3, before 0"]
    asia.keep_knowledge(vd.Knowledge(required=[("smoke", "lung")], tiers=[["asia"], ["tub"]]))
    asia.keep_settings(TableSettings(strict=False, drop=("xray",)))
    client.post(address, json={"mode": "learn", "seed": 3})
    assert changes() == [
        "quick look, before learn and assess",
        "xray is left out",
        "smoke → lung must be there",
        "tiers asia before tub",
    ]
    asia.keep_knowledge(vd.Knowledge(forbidden=[("smoke", "lung")]))
    asia.keep_settings(TableSettings(strict=False, states={"tub": ["yes", "no"]}))
    client.post(address, json={"mode": "learn", "seed": 3})
    assert changes() == [
        "xray is used again",
        "other states of tub",
        "no longer: smoke → lung must be there",
        "smoke → lung cannot be there",
        "no tiers any more",
    ]
    assert [run["before"] for run in client.get(address).json()["runs"]] == [4, 3, 2, 1, None]
