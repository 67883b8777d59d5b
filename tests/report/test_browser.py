"""The page in a real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from veridag.report.lines import lines_of

pytestmark = pytest.mark.slow


HOSTILE = ["<script>window.broken=1</script>", "quote'\"&", "\U0001f600", "y" * 300]


def hostile() -> vd.Data:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (400, len(HOSTILE)))
    codes[:, 1] = codes[:, 0] ^ (rng.random(400) < 0.1)
    codes[:, 2] = codes[:, 1] ^ (rng.random(400) < 0.1)
    states = ["<img src=x onerror=window.broken=1>", "</script><b>"]
    return vd.Data([vd.data.Column.discrete(name, codes[:, i], states) for i, name in enumerate(HOSTILE)])


def related() -> vd.Data:
    """Two groups of rows; in the second A and B have nothing to do with each other."""
    rng = np.random.default_rng(2)
    group = np.repeat([0, 1], 400)
    a = rng.integers(0, 2, 800)
    b = np.where((group == 0) & (rng.random(800) < 0.9), a, rng.integers(0, 2, 800))
    c = np.where(rng.random(800) < 0.9, b, rng.integers(0, 2, 800))
    columns = [vd.data.Column.discrete(name, x, ["no", "yes"]) for name, x in (("A", a), ("B", b), ("C", c))]
    return vd.Data(columns, None, group, ("here", "there"))


def reports() -> dict[str, vd.Report]:
    discrete = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu())}
    gaussian = {"bic": vd.HillClimbing(score=vd.BIC()), "bge": vd.HillClimbing(score=vd.BGe())}
    bhd = vd.HillClimbing(score=vd.BHD())
    small = {"sizes": [100], "repeats": 2}
    asia, ecoli = vd.networks.load("asia"), vd.networks.load("ecoli70")
    return {
        "discrete": vd.make_report(vd.networks.load("child").sample(400, seed=1), discrete, **small),
        "gaussian": vd.make_report(ecoli.sample(300, seed=1), gaussian, **small),
        "truth": vd.make_report(asia.sample(400, seed=1), discrete, truth=asia.dag, **small),
        "hostile": vd.make_report(hostile(), discrete, **small),
        "groups": vd.make_report(related(), {"bhd": bhd, "bhd, fair": replace(bhd, prior=vd.Fair())}, **small),
    }


@pytest.fixture(scope="module")
def pages(browser, tmp_path_factory):
    """Each page open, with what it complained of and asked for."""
    folder = tmp_path_factory.mktemp("pages")
    opened = {}
    for name, made in reports().items():
        path = made.write(folder / f"{name}.html")
        page = browser.new_page()
        complaints: list[str] = []
        asked: list[str] = []
        page.on(
            "console", lambda message, kept=complaints: kept.append(message.text) if message.type == "error" else None
        )
        page.on("pageerror", lambda error, kept=complaints: kept.append(str(error)))
        page.on("request", lambda request, kept=asked: kept.append(request.url))
        page.goto(path.as_uri())
        opened[name] = (page, made, complaints, asked, path)
    return opened


KINDS = ["discrete", "gaussian", "truth", "hostile", "groups"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_opens_without_errors_and_asks_for_nothing(pages, kind):
    page, _, complaints, asked, path = pages[kind]
    assert complaints == []
    assert asked == [path.as_uri()]
    assert page.locator("#graph svg").is_visible()
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("attack", ["script", "handler", "address", "request"])
def test_the_policy_stops_what_is_not_of_the_page(pages, browser, attack):
    page = browser.new_page()
    page.goto(pages["truth"][4].as_uri())
    page.evaluate(
        """attack => {
            const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set));
            if (attack === "script") add("script", {textContent: "window.broken = 1"});
            if (attack === "handler") add("div", {innerHTML: "<svg onload='window.broken = 1'></svg>"});
            if (attack === "address") add("a", {href: "javascript:window.broken = 1", id: "bad"});
            if (attack === "request") fetch("http://localhost:9/").catch(error => { window.refused = String(error); });
        }""",
        attack,
    )
    if attack == "address":
        page.evaluate("document.getElementById('bad').click()")
    page.wait_for_timeout(100)
    assert page.evaluate("window.broken") is None
    page.close()


def test_files_can_still_be_taken_away(pages):
    page, made, complaints, _, _ = pages["truth"]
    with page.expect_download() as started:
        page.locator("a[download='graph.json']").evaluate("link => link.click()")
    assert Path(started.value.path()).read_text("utf-8") == made.graph.to_json()
    assert complaints == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_click_on_a_variable_shows_its_distribution(pages, kind):
    page, made, complaints, _, _ = pages[kind]
    name = made.data.names[0]
    page.locator("#graph .node").first.click()
    panel = page.locator("#details")
    assert panel.locator("h3").inner_text() == name
    links = sum(name in line.pair for line in lines_of(made))
    assert panel.locator("button:not(.close)").count() == links
    if made.data.kind == "discrete":
        head = panel.locator("th").all_inner_texts()
        assert head == [*made.network.table(name).parents, *made.network.states[name]]
        first = float(panel.locator("tbody tr").first.locator("td.number").first.inner_text().lstrip("<>"))
        assert first == pytest.approx(made.network.table(name).probabilities.ravel()[0], abs=1e-2)
    else:
        assert "standard deviation" in panel.inner_text()
    assert complaints == []


def test_the_keyboard_reaches_variables_and_moves_the_picture(pages):
    page, _, _, _, _ = pages["truth"]
    graph = page.locator("#graph")
    before = graph.locator("svg").get_attribute("viewBox")
    graph.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("+")
    after = graph.locator("svg").get_attribute("viewBox")
    assert after != before
    page.keyboard.press("0")
    assert [float(x) for x in graph.locator("svg").get_attribute("viewBox").split()] == [
        float(x) for x in before.split()
    ]
    graph.locator(".node").nth(2).focus()
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == graph.locator(".node").nth(2).get_attribute("data-name")


def test_buttons_magnify_and_a_drag_moves(pages):
    page, _, _, _, _ = pages["discrete"]
    svg = page.locator("#graph svg")
    page.keyboard.press("Escape")  # a panel would be in the way
    page.locator("#zoom-fit").click()
    whole = svg.get_attribute("viewBox")
    page.locator("#zoom-in").click()
    near = [float(x) for x in svg.get_attribute("viewBox").split()]
    assert near[2] == pytest.approx(float(whole.split()[2]) / 1.25, rel=1e-3)
    page.evaluate("document.getElementById('graph').scrollIntoView()")
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 230, steps=4)
    page.mouse.up()
    assert float(svg.get_attribute("viewBox").split()[0]) < near[0]


def visible(page) -> set[frozenset[str]]:
    """The pairs whose lines are seen, and not faded."""
    lines = page.locator("#graph [data-from]:not(.away)")
    shown = lines.evaluate_all(
        "all => all.filter(x => getComputedStyle(x).display !== 'none').map(x => [x.dataset.from, x.dataset.to])"
    )
    return set(map(frozenset, shown))


def test_the_slider_leaves_the_surest_links(pages):
    page, made, _, _, _ = pages["gaussian"]
    lines = lines_of(made)
    page.locator("#zoom-fit").click()
    page.keyboard.press("Escape")
    for most in (2, min(len(lines), 60)):
        page.locator("#most-links").fill(str(most))
        assert visible(page) == {frozenset(line.pair) for line in lines[:most]}
        assert page.locator("#most-links-value").inner_text().startswith(f"{most} of {len(lines)}, down to ")


def test_a_chosen_variable_shows_its_neighbours_alone(pages):
    page, made, _, _, _ = pages["gaussian"]
    lines = lines_of(made)
    name = lines[-1].first
    page.locator("#most-links").fill("1")
    page.locator("#find-variable").fill(name)
    page.keyboard.press("Enter")
    assert visible(page) == {frozenset(line.pair) for line in lines if name in line.pair}
    near = {name, *(other for line in lines if name in line.pair for other in line.pair)}
    nodes = page.locator("#graph .node:not(.away)").evaluate_all("all => all.map(x => x.dataset.name)")
    assert set(nodes) == near
    page.locator("#details .close").click()
    assert not page.locator("#details").is_visible()
    assert page.locator("#graph .away").count() == 0


def test_a_link_says_how_sure_it_is_and_how_many_found_it(pages):
    page, made, _, _, _ = pages["truth"]
    line = lines_of(made)[0]
    a, b = line.pair
    page.locator(
        f"#graph [data-from='{a}'][data-to='{b}'], #graph [data-from='{b}'][data-to='{a}']"
    ).first.dispatch_event("click")
    text = page.locator("#details").inner_text()
    assert line.chance.sentence in text
    assert re.search(r"Found by [012] of 2 learners", text)


def test_letters_stay_readable_with_seventy_variables(browser, tmp_path):
    """Eight layers of nine variables, as wide as the page can be; a line of letters is at least 9 pixels high."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (150, 72))
    for i in range(9, 72):
        codes[:, i] = codes[:, i - 9] ^ (rng.random(150) < 0.05)
    data = vd.Data.from_numpy(codes, [f"variable {i}" for i in range(72)])
    learners = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu())}
    made = vd.make_report(data, learners, sizes=[75], repeats=1)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(made.write(tmp_path / "wide.html").as_uri())
    sizes = page.locator("#graph .node text").evaluate_all(
        "all => all.map(x => parseFloat(getComputedStyle(x).fontSize) * x.getScreenCTM().a)"
    )
    assert len(sizes) == 72
    assert min(sizes) >= 9
    assert 0 < len(visible(page)) <= 60
    page.close()


@pytest.mark.parametrize("kind", ["discrete", "hostile"])
def test_the_downloaded_network_reads_back(pages, tmp_path, kind):
    page, made, _, _, _ = pages[kind]
    with page.expect_download() as waiting:
        page.locator("a[download='network.bif']").click()
    saved = tmp_path / "network.bif"
    waiting.value.save_as(saved)
    assert vd.read_network(saved) == made.network


def test_hostile_names_show_as_text(pages):
    page, _, _, _, _ = pages["hostile"]
    assert page.locator("body b, body img").count() == 0
    assert HOSTILE[0] in page.locator("#data").text_content()


def test_light_and_dark_differ_and_print_is_whole(browser, pages):
    _, _, _, _, path = pages["truth"]
    grounds = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(Path(path).as_uri())
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        page.close()
    assert len(grounds) == 2


def test_what_differs_between_the_groups_is_shown(pages):
    page, made, _, _, _ = pages["groups"]
    section = page.locator("#groups")
    assert section.locator("svg").is_visible()
    ((arc, where),) = made.differences.absent.items()
    assert set(arc) == {"A", "B"}
    assert where == ("there",)
    sign = "→" if arc in made.graph.arcs else "—"
    assert f"{arc[0]} {sign} {arc[1]} is absent in there; present in here" in section.inner_text()
    assert section.locator("svg path.partial[data-from]").count() == 1
    assert page.locator("#group_evidence td.absent").all_inner_texts() == [
        f"{made.differences.evidence.min():+.1f} absent".replace("-", "−")
    ]


def test_a_variable_is_found_by_its_name_or_the_beginning_of_it(pages):
    page, made, complaints, _, _ = pages["discrete"]
    page.locator("#zoom-fit").click()
    name = made.data.names[-1]
    for typed in (name, name[:-1].lower(), "nothing of that name"):
        page.locator("#find-variable").fill(typed)
        page.keyboard.press("Enter")
        assert page.locator("#details h3").inner_text() == name
    frame, box = (page.locator(f"#graph {which}").bounding_box() for which in ("svg", ".node.selected"))
    for side, length in (("x", "width"), ("y", "height")):
        middle = frame[side] + frame[length] / 2
        assert box[side] + box[length] / 2 == pytest.approx(middle, abs=0.05 * frame[length])
    assert complaints == []


def test_the_arcs_of_a_variable_are_reached_by_keyboard(pages):
    page, made, _, _, _ = pages["truth"]
    pairs = [line.pair for line in lines_of(made)]
    a = pairs[0][0]
    page.locator(f"#graph .node[data-name='{a}']").focus()
    page.keyboard.press("Enter")
    buttons = page.locator("#details button:not(.close)")
    assert buttons.count() == sum(a in pair for pair in pairs)
    buttons.first.focus()
    page.keyboard.press("Enter")
    heading = page.locator("#details h3").inner_text()
    assert a in heading
    assert page.evaluate("document.activeElement.tagName") == "H3"  # where a screen reader goes on
    assert page.locator("#graph .selected").count() == 1


def test_one_stop_of_the_tab_key_leads_to_all_variables(pages):
    page, made, _, _, _ = pages["discrete"]
    assert page.locator("#graph .node[tabindex='0']").count() == 1
    page.locator("#graph .node[tabindex='0']").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    focused = page.evaluate("document.activeElement.dataset.name")
    assert focused == made.data.names[-2]


def test_paper_shows_what_is_folded_up_on_the_screen(pages):
    page, _, _, _, _ = pages["truth"]
    folded = page.locator("details:not([open])")
    before = folded.count()
    assert before > 0
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert folded.count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert folded.count() == before
    assert len(page.pdf()) > 10_000


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_sticks_out_of_the_page(browser, pages, kind, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(pages[kind][-1].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_on_a_narrow_screen_names_stay_whole_and_tables_scroll(pages):
    page = pages["discrete"][0]
    before = page.viewport_size
    page.set_viewport_size({"width": 500, "height": 800})
    lines = """table => [...table.querySelectorAll("tbody td:first-child")].map(cell => {
      const text = cell.firstChild, range = document.createRange();
      return [...text.data.matchAll(/\\S+/g)].map(word => {
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return range.getClientRects().length;
      });
    })"""
    links = page.locator("table", has=page.get_by_text("The links, the surest first"))
    links.evaluate("table => { const folded = table.closest('details'); if (folded) folded.open = true; }")
    found = links.evaluate(lines)
    page_width = page.evaluate("document.documentElement.scrollWidth")
    last = "table => table.getBoundingClientRect().right - table.parentElement.getBoundingClientRect().left"
    reach = links.evaluate(f"table => ({last})(table) - table.parentElement.scrollWidth")
    page.set_viewport_size(before)
    assert found
    assert all(rects == 1 for words in found for rects in words)
    assert page_width <= 500
    assert reach <= 1
