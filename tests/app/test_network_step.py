"""What a run found, as parts of the page, and two runs held against each other."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from html import unescape

import pytest

import veridag as vd
from app.queued import add_run, finish, finished
from naive.pages import with_chances
from veridag.app.asked import Asked
from veridag.app.comparison import Chance, compare
from veridag.app.results import PARTS
from veridag.report.lines import lines_of

LEARNERS = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu())}


@pytest.fixture(scope="module")
def report() -> vd.Report:
    data = vd.networks.load("asia").sample(300, seed=1)
    return vd.make_report(data, LEARNERS, sizes=[100], repeats=2, title="asia.csv")


def drawn(html: str) -> dict:
    return json.loads(unescape(re.search(r'id="network-data">(.*?)</script>', html, re.S).group(1)))


@pytest.mark.medium
def test_a_report_is_shown_with_the_parts_of_the_page(client, asia, report):
    number = add_run(asia.folder, Asked("asia.csv", "table.csv")).number
    kept = finish(asia.folder, report, number)
    assert kept.graph == report.graph
    assert kept.network == report.network
    assert set(kept.facts["parts"]) == set(PARTS) - {"groups"}
    html = client.get(f"/project/{asia.id}/runs/{number}/network").text
    assert 'id="graph"' in html
    assert "How sure each link is" in html
    told = drawn(html)
    assert told["names"] == list(report.data.names)
    assert len(told["links"]) >= len(report.graph.skeleton().edges)
    assert all(link["chance"] for link in told["links"])
    picture = (kept.folder / "graph.svg").read_text()
    assert picture.count('class="arc ') == len(report.graph.arcs)
    assert picture.count('class="edge ') == len(report.graph.edges)
    lines = [line for line in lines_of(report) if line.standing != "beyond"]
    drawings = sorted(re.findall(r'class="((?:arc|edge) [^"]*)"', picture))
    assert drawings == sorted(f"{'arc' if line.directed else 'edge'} {line.classes}" for line in lines)


def test_a_quick_run_is_shown_without_chances(client, asia):
    number = finished(asia)
    html = client.get(f"/project/{asia.id}/runs/{number}/network").text
    assert "nothing here says how sure a link is" in " ".join(html.split())
    assert "show the surest links" not in html
    assert {link["chance"] for link in drawn(html)["links"]} == {""}


def test_a_run_without_a_result_has_nothing_to_show(client, asia, monkeypatch):
    monkeypatch.setattr("veridag.app.queue.Queue._begin", lambda self, folder, number: None)
    client.post(f"/api/projects/{asia.id}/runs", json={})
    for path in ("network", "what-if", "report", "files/graph.json"):
        assert client.get(f"/project/{asia.id}/runs/1/{path}").status_code == 404
    assert client.get(f"/project/{asia.id}/runs/99/network").status_code == 404


def test_changes_between_two_graphs_are_told_apart():
    names = ["A", "B", "C", "D"]
    before = vd.PDAG.from_arcs([("A", "B"), ("B", "C")], [("C", "D")], names=names)
    now = vd.PDAG.from_arcs([("B", "A"), ("B", "C"), ("C", "D")], [("A", "D")], names=names)
    found = compare(before, now, {}, {frozenset("AD"): Chance(0.8)})
    said = {frozenset((one.now or one.before).key): (one.kind, one.word) for one in found.links}
    assert said == {
        frozenset("AB"): ("turned", "turned"),
        frozenset("CD"): ("turned", "now directed"),
        frozenset("AD"): ("new", "new"),
        frozenset("BC"): ("same", "same"),
    }
    assert found.links[-1].kind == "same"  # without chances of both, what differs comes first
    assert [one.chance_now for one in found.of("new")] == [Chance(0.8)]
    back = compare(now, before, {}, {})
    assert {one.word for one in back.links} == {"turned", "now open", "gone", "same"}


def test_the_largest_changes_of_chances_come_first():
    graph = vd.DAG.from_arcs([("A", "B"), ("B", "C"), ("C", "D")])
    before = {
        frozenset("AB"): Chance(0.95, 0.62, "likely"),
        frozenset("BC"): Chance(0.9, 0.9),
        frozenset("CD"): Chance(0.5),
    }
    now = {frozenset("AB"): Chance(0.94, 0.99, "safe"), frozenset("BC"): Chance(0.8, 0.9)}
    found = compare(graph, graph, before, now)
    assert [(str(one.now), one.moved, one.turned) for one in found.links] == [
        ("C → D", -50, 0),
        ("A → B", -1, 37),
        ("B → C", -10, 0),
    ]
    assert compare(graph, graph, now, now).links[0].size == 0


def test_variables_of_one_run_alone_are_named():
    found = compare(vd.DAG.empty(["A", "B"]), vd.DAG.empty(["B", "C"]), {}, {})
    assert (found.only_before, found.only_now, found.links) == (["A"], ["C"], [])


def test_two_runs_side_by_side(client, asia):
    first = finished(asia)
    second = finished(asia, vd.Knowledge(forbidden=[("either", "xray"), ("xray", "either")]))
    html = client.get(f"/project/{asia.id}/runs/{second}/compare?with={first}").text
    assert html.count("<svg") >= 2
    assert "Both runs have the same settings, columns, knowledge and seed" in html
    assert 'class="change gone"' in html
    assert "All" in client.get(f"/project/{asia.id}/runs/{second}/compare?with={second}").text


@pytest.mark.medium
def test_two_reports_side_by_side_have_both_chances_and_what_was_asked(client, asia, report):
    first = add_run(asia.folder, Asked("asia.csv", "table.csv")).number
    second = add_run(asia.folder, Asked("asia.csv", "table.csv", seed=7, required=(("smoke", "lung"),))).number
    a, b = report.graph.arcs[0]
    chances = with_chances(report, {(a, b): (0.62, 0.2, 0.18)}), with_chances(report, {(a, b): (0.32, 0.03, 0.05)})
    kept = [finish(asia.folder, each, number) for each, number in zip(chances, (first, second), strict=True)]
    assert kept[0].chances[frozenset((a, b))] == Chance(pytest.approx(1.0), pytest.approx(0.62), "likely")
    html = client.get(f"/project/{asia.id}/runs/{second}/compare?with={first}").text
    text = " ".join(re.sub("<[^>]*>", " ", html).split())
    assert "seed 7, before 0 smoke → lung must be there" in text
    assert f"same {a} → {b} 100 % 62 % {a} → {b} 40 % 80 % −60 +18" in unescape(text)
    assert text.index("−60") < text.index("same", text.index("−60"))  # the largest change comes first


@pytest.mark.parametrize("other", ["99", "x", "", "1; DROP TABLE runs"])
def test_a_comparison_with_nothing_is_404(client, asia, other):
    number = finished(asia)
    assert client.get(f"/project/{asia.id}/runs/{number}/compare", params={"with": other}).status_code == 404


EVIL = "<img src=x onerror=alert(1)>"


def test_hostile_names_come_out_as_text_everywhere(client, make):
    rows = "\n".join(f"{'ab'[i % 2]}{EVIL},{'xy'[i % 2]},{'uv'[i % 3 == 0]}" for i in range(60))
    project = make(f'"{EVIL}","</script><b>","{{{{ 7*7 }}}}"\n{rows}\n', name=f"{EVIL}.csv")
    first, second = finished(project), finished(project)
    base = f"/project/{project.id}/runs/{second}"
    for path in ("network", "what-if", f"compare?with={first}"):
        html = client.get(f"{base}/{path}").text
        assert "<img" not in html
        assert "</script><b>" not in html
        assert "49" not in re.findall(r">\s*(\d+)\s*<", html)
    effect = client.post(f"/api{base.replace('/project/', '/projects/')}/effect", json={"x": EVIL, "y": "</script><b>"})
    assert "<img" not in effect.json().get("html", "")


@pytest.mark.parametrize(
    ("known", "forward", "backward", "none"),
    [
        (None, None, None, None),
        (vd.Knowledge(tiers=[["smoke"], ["lung"]]), None, "Your tiers put smoke before lung.", None),
        (vd.Knowledge(tiers=[["smoke", "lung"]]), None, None, None),
        (vd.Knowledge(tiers=[["lung"]]), None, None, None),
        (vd.Knowledge(required=[("smoke", "lung")]), "You have said so already.", None, None),
        (vd.Knowledge(forbidden=[("smoke", "lung")]), None, None, None),
        (vd.Knowledge(forbidden=[("smoke", "lung"), ("lung", "smoke")]), None, None, "You have said so already."),
        (
            vd.Knowledge(required=[("smoke", "either"), ("either", "lung")]),
            None,
            "The links that must be there would go round in a circle: ",
            None,
        ),
    ],
)
def test_decisions_that_what_is_known_rules_out_have_the_reason(client, asia, known, forward, backward, none):
    if known is not None:
        asia.keep_knowledge(known)
    found = client.get(f"/api/projects/{asia.id}/decisions", params={"from": "smoke", "to": "lung"}).json()
    assert (found["forward"], found["none"]) == (forward, none)
    assert found["backward"] == backward or found["backward"].startswith(backward)


def test_a_run_that_was_stopped_says_so_and_leads_to_the_last_complete_one(client, asia):
    complete, stopped = finished(asia), finished(asia)
    address = f"/project/{asia.id}/runs"
    assert "was stopped before its end" not in client.get(f"{address}/{stopped}/network").text
    with closing(sqlite3.connect(asia.folder / "runs.sqlite")) as runs, runs:
        runs.execute("UPDATE runs SET status = 'cancelled' WHERE number = ?", (stopped,))
    html = client.get(f"{address}/{stopped}/network").text
    assert f"Run {stopped} was stopped before its end." in html
    assert f'data-show="{complete}"' in html
    assert "was stopped before its end" not in client.get(f"{address}/{complete}/network").text


@pytest.mark.medium
def test_the_page_asks_whether_a_measurement_may_be_a_cause(client, projects, tmp_path):
    vd.networks.load("clinic").sample(300, seed=1).write(tmp_path / "clinic.csv")
    with (tmp_path / "clinic.csv").open("rb") as file:
        project = projects.create("clinic.csv", file)
    kinds, first = project.data().kinds, finished(project)
    html = client.get(f"/project/{project.id}/runs/{first}/network").text
    graph = vd.read_graph(project.folder / "runs" / str(first) / "graph.json")
    back = [(b, a) for a, b in graph.arcs if kinds[a] != kinds[b]]
    assert back
    assert sorted(re.findall(r'data-cause="(\w+)" data-effect="(\w+)"', html)) == sorted(back)
    assert {(cause, effect) for cause, effect in back if f"May {cause} be a cause of {effect}?" in html} == {*back}
    assert "grey head: the direction is assumed" in html
    ways = {(link["from"], link["to"]): link["way"] for link in drawn(html)["links"]}
    assert sum(way == "assumed" for way in ways.values()) == len(back)
    known = finished(project, vd.Knowledge(required=[back[0]]))
    html = client.get(f"/project/{project.id}/runs/{known}/network").text
    assert "data-cause" not in html  # its score draws arrows in both directions
