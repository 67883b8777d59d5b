""" "What if" as a reader uses it, in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import veridag as vd

pytestmark = pytest.mark.slow

ASIA = vd.networks.load("asia")
LEARNERS = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu())}


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """Opens the page of a report, with a list of what it complains of."""
    folder = tmp_path_factory.mktemp("what-if")
    pages = []

    def open_page(report: vd.Report, **settings):
        path = report.write(folder / f"{len(pages)}.html")
        page = browser.new_page(**settings)
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path.as_uri())
        pages.append(page)
        return page, complaints

    yield open_page
    for page in pages:
        page.close()


@pytest.fixture(scope="module")
def small() -> vd.Report:
    return vd.make_report(ASIA.sample(400, seed=1), LEARNERS, sizes=[100], repeats=2)


def card(page, name: str):
    return page.locator(f"#what-if-cards .card[aria-label='{name}']")


def state(page, name: str, label: str):
    return card(page, name).locator(".state").filter(has=page.locator(f".label:text-is('{label}')"))


def shown(page, name: str) -> list[float]:
    """The shares that a card shows, in points; those too small to write are 0."""
    texts = card(page, name).locator(".state .number").all_inner_texts()
    return [float(re.search(r"[\d.]+", text).group()) for text in texts]


def order(page) -> list[str]:
    return page.locator("#what-if-cards .card:visible").evaluate_all("all => all.map(x => x.ariaLabel)")


def test_chosen_states_move_the_marginals_of_all_variables(opened, small):
    page, complaints = opened(small)
    network = small.network
    for v in network.names:
        assert shown(page, v) == pytest.approx(100 * network.query([v]).probabilities, abs=0.11)
    evidence = {"dysp": "yes", "smoke": "no"}
    for v, label in evidence.items():
        state(page, v, label).click()
    moved = {}
    for v in network.names:
        if v in evidence:
            continue
        answer = network.query([v], evidence).probabilities
        assert shown(page, v) == pytest.approx(100 * answer, abs=0.11)
        moved[v] = np.abs(answer - network.query([v]).probabilities).sum() / 2
    ranked = sorted(moved, key=moved.__getitem__, reverse=True)
    assert order(page)[:4] == ["dysp", "smoke", *ranked[:2]]
    said = page.locator("#what-if-said").inner_text()
    assert re.search(rf"Moved most: {ranked[0]} \(", said)
    for v in ranked[:3]:  # of each, the state that rose most
        gains = network.query([v], evidence).probabilities - network.query([v]).probabilities
        assert f"{v} ({network.states[v][gains.argmax()]} from " in said
    share = 100 * np.exp(vd.JunctionTree(network).log_probability(evidence))
    assert float(re.search(r"expects this in ([\d.]+) %", said).group(1)) == pytest.approx(share, abs=0.051)
    assert f"about {share * 4:.0f} of 400 rows" in said
    page.locator("#what-if-clear").click()
    for v in network.names:
        assert shown(page, v) == pytest.approx(100 * network.query([v]).probabilities, abs=0.11)
    assert order(page) == list(network.names)
    assert page.locator("#what-if-said").inner_text().startswith("Nothing is chosen")
    assert complaints == []


def test_the_keyboard_chooses_and_takes_back(opened, small):
    page, _ = opened(small)
    button = state(page, "xray", "yes")
    button.focus()
    page.keyboard.press("Space")
    assert button.get_attribute("aria-pressed") == "true"
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"  # it went along
    assert button.get_attribute("aria-label").startswith("xray is yes: chosen")
    assert re.search(
        r"lung is yes: .* %, .* % before any choice", state(page, "lung", "yes").get_attribute("aria-label")
    )
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    page.keyboard.press("Enter")
    chip = page.locator("#what-if-chosen button")
    assert chip.get_attribute("aria-label") == "take back xray = yes"
    chip.focus()
    page.keyboard.press("Enter")
    assert page.locator("#what-if-chosen button").count() == 0
    assert page.evaluate("document.activeElement.id") == "what-if-find"
    assert page.locator("#what-if-said").get_attribute("aria-live") == "polite"


def test_another_state_of_the_same_variable_takes_the_place_of_the_first(opened, small):
    page, _ = opened(small)
    state(page, "bronc", "yes").click()
    state(page, "bronc", "no").click()
    assert page.locator("#what-if-chosen button").all_inner_texts() == ["bronc = no ×"]
    assert shown(page, "bronc") == [0, 100]


def test_impossible_evidence_is_told(opened, small):
    """ASIA itself has zeros: with tuberculosis, one of the two diseases is certain."""
    page, complaints = opened(replace(small, network=ASIA))
    state(page, "tub", "yes").click()
    state(page, "either", "no").click()
    assert "probability of zero" in page.locator("#what-if-said").inner_text()
    assert set(card(page, "lung").locator(".number").all_inner_texts()) == {"–"}
    page.locator("#what-if-chosen button").first.click()
    expected = 100 * ASIA.query(["lung"], {"either": "no"}).probabilities
    assert shown(page, "lung") == pytest.approx(expected, abs=0.11)
    assert complaints == []


def test_seventy_variables_are_found_and_the_most_moved_come_first(opened):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (200, 72))
    for i in range(9, 72):
        codes[:, i] = codes[:, i - 9] ^ (rng.random(200) < 0.05)
    data = vd.Data.from_numpy(codes, [f"variable {i}" for i in range(72)])
    made = vd.make_report(data, LEARNERS, sizes=[100], repeats=1)
    page, complaints = opened(made, viewport={"width": 800, "height": 900})
    assert len(order(page)) == 24
    page.locator("#what-if-more").click()
    assert len(order(page)) == 72
    page.locator("#what-if-more").click()
    page.locator("#what-if-find").fill("IABLE 70")
    assert order(page) == ["variable 70"]
    page.locator("#what-if-find").fill("nothing of that name")
    assert order(page) == []
    assert page.locator("#what-if-none").is_visible()
    page.locator("#what-if-find").fill("70")
    card(page, "variable 70").locator(".state").first.click()
    label = made.network.states["variable 70"][0]
    moved = {
        v: np.abs(
            made.network.query([v], {"variable 70": label}).probabilities - made.network.query([v]).probabilities
        )[0]
        for v in made.network.names
        if v != "variable 70"
    }
    assert order(page)[:3] == ["variable 70", *sorted(moved, key=moved.__getitem__, reverse=True)[:2]]
    page.locator("#what-if-sorted").uncheck()
    assert order(page)[:3] == ["variable 70", "variable 0", "variable 1"]
    heights = page.locator("#what-if-cards .state:visible").evaluate_all("all => all.map(x => x.offsetHeight)")
    assert min(heights) >= 20
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert complaints == []


def test_known_values_move_means_and_deviations(opened):
    network = vd.networks.load("ecoli70")
    gaussian = {"bic": vd.HillClimbing(score=vd.BIC()), "bge": vd.HillClimbing(score=vd.BGe())}
    made = vd.make_report(network.sample(200, seed=1), gaussian, sizes=[100], repeats=1)
    page, complaints = opened(made)
    field = card(page, "asnA").locator("input")
    field.fill("1.5")
    field.press("Enter")
    answer = made.network.query(["lacY"], {"asnA": 1.5})
    page.locator("#what-if-find").fill("lacY")
    text = card(page, "lacY").locator("p").first.inner_text()
    mean, sd = map(float, re.fullmatch(r"mean ([-\d.]+), standard deviation ([\d.]+)", text).groups())
    assert (mean, sd) == pytest.approx((answer.mean[0], answer.sd[0]), rel=1e-3)
    page.locator("#what-if-find").fill("")
    field.fill("100")
    field.press("Enter")
    assert "100 is far from the usual values of asnA" in page.locator("#what-if-said").inner_text()
    field.fill("")
    field.press("Enter")
    assert page.locator("#what-if-chosen button").count() == 0
    assert complaints == []


def test_measurements_follow_the_states_of_a_mixed_network(opened, small):
    """D chooses the mean of x, and x is a parent of y; nothing can be typed."""
    cpds = {
        "D": vd.Table((), [0.25, 0.75]),
        "x": vd.ConditionalGaussian(("D",), (), [0, 4], np.zeros((2, 0)), [1, 1]),
        "y": vd.LinearGaussian(("x",), 1, [2], 1),
    }
    truth = vd.Network(cpds, {"D": ["no", "yes"]})
    learner = vd.HillClimbing(score=vd.BIC())
    made = vd.make_report(truth.sample(300, seed=1), {"one": learner, "two": learner}, sizes=[100], repeats=1)
    page, complaints = opened(replace(made, network=truth))
    assert card(page, "x").locator("p").first.inner_text() == "mean 3, standard deviation 2"
    state(page, "D", "no").click()
    assert card(page, "x").locator("p").first.inner_text() == "mean 0, standard deviation 1"
    assert card(page, "y").locator("p").first.inner_text() == "mean 1, standard deviation 2.236"
    assert card(page, "x").locator("h3 .soft").inner_text() == "moved by 1.5 standard deviations"
    assert page.locator("#what-if-cards input").count() == 0
    assert complaints == []


def test_without_scripts_the_page_names_the_command(opened, small):
    page, _ = opened(small, java_script_enabled=False)
    assert page.locator(".what-if .unscripted").is_visible()
    assert "veridag query network.bif" in page.locator(".what-if .unscripted").inner_text()
    assert not page.locator(".what-if .tools").is_visible()


def test_hostile_states_show_as_text(opened):
    codes = np.arange(200)[:, None] % 2 ^ (np.random.default_rng(1).random((200, 3)) < 0.1)
    labels = ["<img src=x onerror=window.broken=1>", "</script><b>"]
    names = ["<b>one</b>", "two'\"", "three"]
    data = vd.Data([vd.data.Column.discrete(v, codes[:, i], labels) for i, v in enumerate(names)])
    page, complaints = opened(vd.make_report(data, LEARNERS, sizes=[100], repeats=1))
    page.locator("#what-if-cards .state").first.click()
    assert page.locator("#what-if b, #what-if img, #what_if b, #what_if img").count() == 0
    assert page.evaluate("window.broken") is None
    assert page.locator("#what-if-chosen button").inner_text() == f"{names[0]} = {labels[0]} ×"
    assert complaints == []
