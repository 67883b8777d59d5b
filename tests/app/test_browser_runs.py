"""From learning to the export in a real browser: runs, cancel, kill and resume, the network, what if, downloads."""

from __future__ import annotations

import csv
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import veridag as vd
from app.queued import wait_for
from veridag.app.alive import is_held
from veridag.app.project import Project
from veridag.app.runs import Runs

pytestmark = pytest.mark.slow

#: Milliseconds for what a worker does; the machine may be busy.
LONG = 300_000


@pytest.fixture
def alarm_csv(tmp_path: Path) -> Path:
    """A table that takes minutes to assess."""
    vd.networks.load("alarm").sample(5000, seed=1).write(tmp_path / "alarm.csv")
    return tmp_path / "alarm.csv"


@pytest.fixture
def mixed_csv(tmp_path: Path, clinic_rows: tuple[list[str], list[list[str]]]) -> Path:
    """Categories and measurements, of which a tenth is missing."""
    head, rows = clinic_rows
    with (tmp_path / "mixed.csv").open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return tmp_path / "mixed.csv"


@pytest.fixture
def numbers_csv(tmp_path: Path) -> Path:
    vd.networks.load("ecoli70").sample(200, seed=1).write(tmp_path / "numbers.csv")
    return tmp_path / "numbers.csv"


def learn(page: Any, *, quick: bool) -> None:
    page.set_default_timeout(LONG)
    page.get_by_role("radio", name="Quick look" if quick else "Learn and assess").check(force=True)
    page.get_by_role("button", name="Start learning").click()


def shown(page: Any, number: int = 1) -> None:
    """Until a run has ended and all steps show it."""
    page.locator(f".run.shown[data-run='{number}']").wait_for()
    page.locator("#network-view svg").first.wait_for()
    page.locator("#export-view", has_text=f"run {number}").wait_for()


def downloaded(page: Any, name: str) -> bytes:
    with page.expect_download() as download:
        page.locator("#export-view").get_by_role("link", name=name, exact=True).click()
    return Path(download.value.path()).read_bytes()


@pytest.mark.parametrize("table", ["asia_csv", "mixed_csv", "numbers_csv"])
def test_a_table_goes_from_the_drop_to_the_export(dropped, request, table, tmp_path):
    path = request.getfixturevalue(table)
    page = dropped(path)
    learn(page, quick=True)
    shown(page)
    (tmp_path / "graph.json").write_bytes(downloaded(page, "graph.json"))
    names = vd.read_graph(tmp_path / "graph.json").names
    drawn = page.locator("#graph .node").evaluate_all("all => all.map(node => node.dataset.name)")
    assert sorted(drawn) == sorted(names)
    assert downloaded(page, "graph.png").startswith(b"\x89PNG")
    assert b"<svg" in downloaded(page, "graph.svg")
    assert downloaded(page, "repeat.zip").startswith(b"PK")
    assert page.locator("#export-view pre").first.inner_text().startswith(f"veridag learn {path.name}")
    assert page.locator("#what-if-cards .card").count() > 0


def test_learning_and_assessing_shows_chances_and_makes_a_report(dropped, asia_csv):
    page = dropped(asia_csv)
    learn(page, quick=False)
    bar = page.locator("#runs progress")
    bar.wait_for()
    assert page.get_by_role("button", name="Cancel: run 1").is_visible()
    shown(page)
    page.locator("#network-view details", has_text="How sure each link is").locator("summary").click()
    assert page.locator("#part-links td.number").first.is_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Open the report in a new tab").click()
    report = opened.value
    report.locator("html.scripted").wait_for()
    assert report.title().startswith("asia.csv")
    assert report.evaluate("origin") == "null"  # it cannot reach our server


def test_a_run_can_be_cancelled_and_the_next_one_begins(dropped, alarm_csv):
    page = dropped(alarm_csv)
    learn(page, quick=False)
    learn(page, quick=True)
    second = page.locator(".run[data-run='2']")
    second.get_by_text("waits for its turn").wait_for()
    page.get_by_role("button", name="Cancel: run 1").click()
    page.locator(".run[data-run='1']").get_by_text(re.compile("cancelled|stopped after")).wait_for()
    second.get_by_text("done in").wait_for()


def test_a_run_that_was_stopped_does_not_take_the_place_of_a_complete_one(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    learn(page, quick=True)
    shown(page, 1)

    def stopped(route: Any) -> None:
        """The second run as if somebody had cancelled it when it had something."""
        answer = route.fetch()
        told = answer.json()
        for run in told.get("runs", ()):
            if (run["number"], run["status"]) == (2, "done"):
                run["status"] = "cancelled"
        route.fulfill(response=answer, json=told)

    page.route("**/api/projects/*/runs", stopped)
    learn(page, quick=True)
    second = page.locator(".run[data-run='2']")
    second.get_by_text("stopped after").wait_for()
    assert page.locator(".run.shown").get_attribute("data-run") == "1"
    (project,) = (tmp_path / "projects").iterdir()
    with closing(sqlite3.connect(project / "runs.sqlite")) as runs, runs:
        runs.execute("UPDATE runs SET status = 'cancelled' WHERE number = 2")
    page.goto(page.url.split("?")[0])  # names no run
    page.locator(".run.shown[data-run='1']").wait_for()
    page.get_by_role("button", name="Show: run 2").click()
    page.get_by_text("Run 2 was stopped before its end.").wait_for()
    page.get_by_role("button", name="Show run 1, the last complete one").click()
    page.locator(".run.shown[data-run='1']").wait_for()


def test_a_question_about_an_assumed_direction_leads_to_what_is_known(dropped, mixed_csv):
    page = dropped(mixed_csv)
    learn(page, quick=True)
    shown(page)
    asked = page.locator("#network-view [data-cause]").first
    cause, effect = asked.get_attribute("data-cause"), asked.get_attribute("data-effect")
    asked.click()
    page.get_by_text(f"put {cause} into an earlier tier than {effect}").wait_for()
    assert page.locator("#knowledge .variable[aria-pressed=true]").all_text_contents() == [cause]
    line = page.locator(f"#graph .arc[data-from='{effect}'][data-to='{cause}']")
    line.dispatch_event("click")
    assert page.locator("#details").get_by_role("button", name=f"May {cause} be a cause of {effect}?").is_visible()


def test_a_decision_that_the_tiers_rule_out_cannot_be_made(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    (folder,) = (tmp_path / "projects").iterdir()
    names = Project(folder).data().names
    Project(folder).keep_knowledge(vd.Knowledge(tiers=[["smoke"], [name for name in names if name != "smoke"]]))
    learn(page, quick=True)
    shown(page)
    page.locator("#graph .arc[data-from='smoke']").first.dispatch_event("click")
    decide = page.locator("#details .decide")
    decide.get_by_text(re.compile("Your tiers put smoke before")).wait_for()
    assert decide.get_by_role("button", name=re.compile("^It must be .* → smoke$")).is_disabled()
    assert decide.get_by_role("button", name=re.compile("^It must be smoke → ")).is_enabled()


class Server:
    """A server in a process of its own that can be killed; the folder stays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> str:
        words = [sys.executable, "-m", "veridag.cli", "app", "--no-browser", "--folder", str(self.folder)]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        return re.search(r"http://\S+", self.process.stderr.readline())[0]

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path / "projects")
    yield made
    for project in made.folder.iterdir():
        with Runs(project) as runs:
            for run in runs.all():
                runs.ask_to_stop(run.number)
                runs.ask_to_stop(run.number)
                wait_for(lambda run=run, runs=runs: not is_held(runs.folder(run.number)))
    made.kill()


def test_a_killed_server_and_a_killed_worker_lose_nothing(browser, server, alarm_csv):
    page = browser.new_page()
    page.goto(server.start())
    page.locator("#file").set_input_files(alarm_csv)
    page.wait_for_url("**/project/*")
    project = page.url.split("/project/")[1][:12]
    for step in ("table", "knowledge"):  # what they show moves the steps below
        page.locator(f"#{step}-view[aria-busy=false]").wait_for()
    learn(page, quick=False)
    learn(page, quick=True)
    page.locator(".run[data-run='1'] progress").wait_for()
    folder = server.folder / project
    wait_for(lambda: is_held(folder / "runs" / "1"))
    server.kill()
    assert is_held(folder / "runs" / "1")  # the work goes on

    address = server.start()
    page.goto(address)
    page.goto(f"{address.split('?')[0]}project/{project}")
    page.locator(".run[data-run='1'] progress").wait_for()
    page.get_by_role("button", name="Cancel: run 1").click()
    page.locator(".run[data-run='2']").get_by_text("done in").wait_for()
    page.locator(".run[data-run='1']").get_by_role("button", name="Run again").click()
    page.locator(".run[data-run='1'] progress").wait_for()
    worker = wait_for(lambda: worker_of(folder))
    os.kill(worker, signal.SIGKILL)
    page.locator(".run[data-run='1']").get_by_text("was interrupted").wait_for()
    assert "SIGKILL" in page.locator(".run[data-run='1'] .problem").inner_text()
    page.close()


def worker_of(folder: Path) -> int | None:
    """The process that does the first run of a project; our own, by its command."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"veridag.app.worker" in words and str(folder).encode() in words:
            return int(path.parent.name)
    return None


def test_a_link_is_forbidden_in_the_drawing_and_the_next_run_lacks_it(dropped, asia_csv):
    page = dropped(asia_csv)
    learn(page, quick=True)
    shown(page)
    page.locator("#graph .node[data-name='either']").focus()
    page.keyboard.press("Enter")  # all of it by keyboard: a variable, one of its links, the decision
    button = page.locator("#details").get_by_role("button", name=re.compile("—|→")).first
    pair = re.split(" [—→] ", button.inner_text())
    button.press("Enter")
    page.get_by_role("button", name="There is no such link").press("Enter")
    page.locator("#knowledge-view .arcs.forbidden", has_text=pair[0]).wait_for()
    page.locator("#network-changed").wait_for()
    page.locator("#details").get_by_role("button", name="Learn again").click()
    shown(page, 2)
    pairs = page.locator("#graph .arc, #graph .edge").evaluate_all(
        "all => all.map(x => [x.dataset.from, x.dataset.to])"
    )
    assert sorted(pair) not in [sorted(other) for other in pairs]
    assert page.locator("#network-changed").is_hidden()
    page.get_by_label("side by side with").select_option("1")
    page.locator("#network-compared .change.gone").first.wait_for()
    assert page.locator("#network-compared svg").count() == 2


def test_choosing_a_state_moves_the_others_as_the_library_says(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    learn(page, quick=True)
    shown(page)
    path = tmp_path / "network.json"
    path.write_bytes(downloaded(page, "network.json"))
    expected = vd.read_network(path).marginals({"either": "yes"}).probabilities("xray")
    page.locator("#what-if-cards .card[aria-label='either'] .state").nth(1).click()
    share = page.locator("#what-if-cards .card[aria-label='xray'] .state .number").nth(1).inner_text()
    assert float(share.split()[0]) == pytest.approx(100 * expected[1], abs=0.06)


def test_an_effect_is_answered_or_refused_in_words(dropped, asia_csv):
    page = dropped(asia_csv)
    learn(page, quick=True)
    shown(page)
    page.get_by_label("If I change").select_option("smoke")
    page.get_by_label("what happens to").select_option("dysp")
    page.get_by_role("button", name="Estimate the effect").click()
    page.locator("#effect-answer", has_text="dysp").wait_for()
    page.get_by_label("what happens to").select_option("smoke")
    page.get_by_role("button", name="Estimate the effect").click()
    page.locator("#effect-answer .problem", has_text="different").wait_for()


def test_the_back_button_leads_to_the_run_before_and_two_tabs_show_two_runs(dropped, asia_csv):
    page = dropped(asia_csv)
    for number in (1, 2):
        learn(page, quick=True)
        shown(page, number)
    page.get_by_role("button", name="Show: run 1").click()
    shown(page, 1)
    assert "run=1" in page.url
    other = page.context.new_page()
    other.goto(page.url.replace("run=1", "run=2"))
    shown(other, 2)
    page.go_back()
    shown(page, 2)
    page.go_forward()
    shown(page, 1)
    shown(other, 2)


def test_hostile_names_stay_text_in_every_step(dropped, tmp_path):
    names = ["<script>window.broken=1</script>", "q'\"&amp;", "</script><b>", "{{7*7}}"]
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (200, 4))
    codes[:, 1] = codes[:, 0] ^ (rng.random(200) < 0.1)
    codes[:, 2] = codes[:, 1] ^ (rng.random(200) < 0.1)
    states = ["<img src=x onerror=window.broken=1>", "</td><b>"]
    with (tmp_path / "evil.csv").open("w", newline="") as file:
        csv.writer(file).writerows([names, *([states[code] for code in row] for row in codes)])
    page = dropped(tmp_path / "evil.csv")
    for number in (1, 2):
        learn(page, quick=True)
        shown(page, number)
    page.locator("#graph .node").first.dispatch_event("click")
    page.locator("#what-if-cards .state").first.click()
    page.get_by_label("side by side with").select_option("1")
    page.locator("#network-compared svg").first.wait_for()
    page.get_by_role("button", name="Estimate the effect").click()
    page.locator("#effect-answer p").first.wait_for()
    assert page.evaluate("window.broken") is None
    assert page.locator("#main b, #main img").count() == 0
    assert page.locator("#what-if-cards .card").evaluate_all("all => all.map(x => x.ariaLabel)").count(names[0]) == 1


def test_measurements_are_cut_where_nothing_can_be_computed_otherwise(dropped, mixed_csv):
    page = dropped(mixed_csv)
    page.evaluate(
        """async id => {
            const path = `/api/projects/${id}/knowledge`, known = await (await fetch(path)).json();
            const body = JSON.stringify({...known, required: [["bmi", "smoking"]]});
            await fetch(path, {method: "PUT", headers: {"Content-Type": "application/json"}, body});
        }""",
        page.url.split("/project/")[1][:12],
    )
    learn(page, quick=True)
    shown(page)
    assert "bmi → smoking" in page.locator("#what-if").inner_text()
    page.locator("#what-if-cut button").click()
    shown(page, 2)
    page.locator("#what-if-cards").wait_for()
    assert page.get_by_label("Use bmi as", exact=True).input_value() == "discrete"


def test_an_effect_without_a_path_says_how_sure_that_is(dropped, asia_csv):
    page = dropped(asia_csv)
    learn(page, quick=True)
    shown(page)
    first, second = page.locator("#effect-form select").all()
    first.select_option("xray")
    second.select_option("asia")
    page.get_by_role("button", name="Estimate the effect").click()
    answer = page.locator("#effect-answer")
    answer.get_by_text("networks were learned again").wait_for()
    assert "no directed path leads from xray to asia" in answer.inner_text()
    assert answer.locator("table").count() == 0
    with page.expect_download() as download:
        page.locator("#export-view").get_by_role("link", name="graph.png", exact=True).click()
    assert download.value.suggested_filename == "asia-1-graph.png"
