"""The first two steps in a real browser: dropping a table, choosing, and saying what is known."""

from __future__ import annotations

import base64
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import veridag as vd
from veridag.app.project import Project, Projects

pytestmark = pytest.mark.slow

NAMES = [
    "<script>window.broken=1</script>",
    "q'\"&amp;",
    "\U0001f600",
    "مرحبا بالعالم",
    "y" * 300,
    "{{7*7}}",
]
STATES = ["<img src=x onerror=window.broken=1>", "</script><b>", "z" * 200]


@pytest.fixture
def clinic(tmp_path: Path, clinic_rows: tuple[list[str], list[list[str]]]) -> Path:
    """A mixed table with gaps, an identifier, and words for what is missing."""
    head, rows = clinic_rows
    gaps = [[value or "n/k" for value in row] for row in rows]
    path = tmp_path / "clinic.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["patient", *head], *([f"P{i:04d}", *row] for i, row in enumerate(gaps))])
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Names and states that try to be something else, in 120 columns."""
    rng = np.random.default_rng(2)
    names = [*NAMES, *(f"column {i}" for i in range(120 - len(NAMES)))]
    path = tmp_path / "<b>hostile&.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *([STATES[code] for code in rng.integers(0, 3, 120)] for _ in range(100))])
    return path


def project_of(page: Any, tmp_path: Path) -> Project:
    return Projects(tmp_path / "projects").open(page.url.split("/project/")[1][:12])


def use(page: Any, name: str) -> Any:
    return page.get_by_label(f"Use {name} as", exact=True)


def settled(page: Any) -> None:
    """Until the server has answered all that was chosen."""
    page.locator("#table-view[aria-busy=false]").wait_for()
    page.locator("#knowledge-view[aria-busy=false]").wait_for()


def test_a_table_is_dropped_on_the_page(page, asia_csv):
    content = base64.b64encode(asia_csv.read_bytes()).decode()
    page.evaluate(
        """content => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([Uint8Array.from(atob(content), c => c.charCodeAt(0))], "asia.csv"));
            const zone = document.getElementById("drop");
            for (const kind of ["dragenter", "dragover", "drop"])
                zone.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
        }""",
        content,
    )
    page.wait_for_url("**/project/*")
    assert page.locator("h1").inner_text() == "asia.csv"
    page.locator("#table-view[aria-busy=false]").wait_for()
    assert "300 rows of 8 columns, all of them used as variables." in page.locator("#table").inner_text()


def test_a_file_that_is_no_table_is_refused_where_it_was_dropped(page, tmp_path):
    (tmp_path / "a.exe").write_text("x")
    page.locator("#file").set_input_files(tmp_path / "a.exe")
    page.locator("#refusal").wait_for()
    assert "does not say what kind of table it is" in page.locator("#refusal").inner_text()
    assert page.url.endswith("/")


def test_a_file_that_is_too_large_is_not_sent(page, tmp_path):
    (tmp_path / "big.csv").write_bytes(b"a,b\n" + b"1,2\n" * 2**19)
    page.locator("#drop").evaluate("zone => { zone.dataset.most = 2 ** 20; }")
    page.locator("#file").set_input_files(tmp_path / "big.csv")
    page.locator("#refusal").wait_for()
    assert page.locator("#refusal").inner_text().startswith("big.csv has 2 MB, and 1 MB are taken here")
    assert not (tmp_path / "projects").exists()


def test_problems_are_mended_and_choices_made_by_clicks(dropped, clinic, tmp_path):
    page = dropped(clinic)
    assert use(page, "patient").input_value() == "left out"
    page.get_by_role("button", name="Take “n/k” as missing, all").click()
    settled(page)
    use(page, "age").select_option("left out")
    settled(page)
    use(page, "sex").select_option("group")
    settled(page)
    page.get_by_role("button", name="Change bmi").click()
    page.get_by_label("Cut into").select_option("quantile(3)")
    settled(page)
    page.get_by_role("button", name="Change smoking").click()
    states = page.get_by_role("list", name="States of smoking")
    before = states.locator("bdi").all_inner_texts()
    page.get_by_role("button", name=f"Move {before[0]} down", exact=True).click()
    settled(page)
    assert states.locator("bdi").all_inner_texts() == [before[1], before[0], *before[2:]]
    data = project_of(page, tmp_path).data()
    assert {"age", "sex", "patient"}.isdisjoint(data.names)
    assert set(data.groups) == {"female", "male"}
    assert data.kinds["bmi"] == "discrete"
    assert data.states["smoking"] == (before[1], before[0], *before[2:])
    page.reload()
    assert use(page, "age").input_value() == "left out"
    assert use(page, "bmi").input_value() == "discrete"
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Take back all choices").click()
    settled(page)
    assert use(page, "age").input_value() == "continuous"
    assert use(page, "bmi").input_value() == "continuous"


def test_a_choice_that_cannot_be_is_said_and_taken_back(dropped, clinic):
    page = dropped(clinic)
    use(page, "sex").select_option("weights")
    page.locator("#trouble").wait_for()
    assert "sex" in page.locator("#trouble").inner_text()
    settled(page)
    assert use(page, "sex").input_value() == "discrete"


def test_tiers_and_links_are_dragged_and_clicked(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    chip = lambda name: page.locator(f"[data-variable='{name}']")  # noqa: E731
    page.get_by_role("button", name="Start with a tier").click()
    page.get_by_role("button", name="Add a later tier").click()
    chip("smoke").drag_to(page.get_by_role("group", name="Tier 1 (earliest)"))
    chip("lung").click()
    chip("bronc").click()
    page.get_by_role("button", name="Put lung, bronc into tier 2").click()
    page.get_by_text("Links that must be there").click()
    chip("asia").drag_to(chip("tub"))
    page.get_by_text("Links that cannot be there").click()
    chip("asia").click()
    chip("smoke").click()
    page.get_by_role("list", name="Links that cannot be there").wait_for()
    settled(page)
    project = project_of(page, tmp_path)
    assert project.knowledge() == vd.Knowledge(
        tiers=[["smoke"], ["bronc", "lung"]], required=[("asia", "tub")], forbidden=[("asia", "smoke")]
    )
    assert page.locator("svg.links path.link").count() == 2
    page.reload()
    page.get_by_role("button", name="Remove asia to tub").click()
    settled(page)
    assert project.knowledge() == vd.Knowledge(tiers=[["smoke"], ["bronc", "lung"]], forbidden=[("asia", "smoke")])


def test_everything_can_be_done_with_the_keyboard(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    use(page, "xray").focus()
    page.keyboard.press("l")  # left out
    settled(page)
    assert use(page, "xray").input_value() == "left out"
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Use xray as"
    page.get_by_role("button", name="Start with a tier").press("Enter")
    page.locator("[data-variable=smoke]").press("Enter")
    page.get_by_role("button", name="Put smoke into tier 1").press("Enter")
    page.get_by_role("radio", name="Put variables in order").focus()
    page.keyboard.press("ArrowRight")
    page.locator("[data-variable=asia]").press("Enter")
    assert page.evaluate("document.activeElement.dataset.variable") == "asia"
    page.locator("[data-variable=tub]").press("Space")
    page.get_by_role("list", name="Links that must be there").wait_for()
    settled(page)
    assert project_of(page, tmp_path).knowledge() == vd.Knowledge(tiers=[["smoke"]], required=[("asia", "tub")])


def test_every_control_has_a_name(dropped, clinic):
    page = dropped(clinic)
    page.get_by_role("button", name="Change smoking").click()
    page.get_by_role("button", name="Change age").click()
    page.get_by_text("How the file is read").click()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, a")]
            .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.length))
            .map(one => one.outerHTML)"""
    )
    assert unnamed == []


def test_hostile_names_are_texts_and_nothing_else(dropped, hostile, tmp_path):
    page = dropped(hostile)
    assert page.locator("h1").inner_text() == hostile.name
    head = page.locator(".columns-table th[scope=row] bdi")
    assert head.evaluate_all("cells => cells.map(cell => cell.textContent)")[: len(NAMES)] == NAMES
    for name in NAMES[:2]:
        use(page, name).select_option("left out")
        settled(page)
    page.get_by_role("button", name=f"Change {NAMES[2]}").click()
    shown = page.get_by_role("list", name=f"States of {NAMES[2]}").locator("bdi").all_text_contents()
    assert shown == sorted(STATES)
    page.get_by_text("Links that must be there").click()
    for name in NAMES[3:5]:
        page.locator(".variable").filter(has_text=name).first.click()
    page.get_by_role("button", name=f"Remove {NAMES[3]} to {NAMES[4]}").wait_for()
    settled(page)
    project = project_of(page, tmp_path)
    assert project.knowledge() == vd.Knowledge(required=[(NAMES[3], NAMES[4])])
    assert list(project.settings().drop) == NAMES[:2]
    page.goto(page.url.split("/project/")[0])
    assert page.locator(".projects a").inner_text() == hostile.name
    assert page.evaluate("window.broken") is None


@pytest.mark.parametrize("width", [1280, 820])
def test_the_page_never_scrolls_sideways(dropped, hostile, width):
    page = dropped(hostile)
    page.set_viewport_size({"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_a_column_is_found_among_many(dropped, hostile):
    page = dropped(hostile)
    rows = page.locator(".columns-table tbody tr")
    assert rows.count() == 60
    page.get_by_role("button", name="Show 60 more of 120 columns").click()
    assert rows.count() == 120
    page.get_by_label("Find a column").press_sequentially("column 11")
    assert page.locator(".columns-table th[scope=row]").all_inner_texts() == [
        "column 11",
        "column 110",
        "column 111",
        "column 112",
        "column 113",
    ]


def test_the_back_button_leads_through_the_steps(dropped, asia_csv):
    page = dropped(asia_csv)
    start = page.url
    page.get_by_role("link", name="What you know").click()
    page.get_by_role("link", name="The network", exact=True).click()
    assert page.url == f"{start}#network"
    page.go_back()
    assert page.url == f"{start}#knowledge"
    page.go_back()
    page.go_back()
    page.wait_for_url("**/")
    assert page.locator(".projects a").inner_text() == "asia.csv"
    page.go_forward()
    page.locator("#table-view[aria-busy=false]").wait_for()
    assert page.locator("h1").inner_text() == "asia.csv"


def test_two_windows_see_what_the_other_did(dropped, asia_csv, tmp_path):
    first = dropped(asia_csv)
    second = first.context.new_page()
    second.goto(first.url)
    second.locator("#knowledge-view[aria-busy=false]").wait_for()
    use(first, "xray").select_option("left out")
    settled(first)
    use(second, "dysp").select_option("left out")
    settled(second)
    assert use(second, "xray").input_value() == "left out"
    assert list(project_of(first, tmp_path).settings().drop) == ["xray", "dysp"]
    first.evaluate("dispatchEvent(new Event('focus'))")
    first.get_by_text("300 rows of 8 columns, 6 used as variables.").wait_for()
    second.get_by_text("Links that must be there").click()
    second.locator("[data-variable=asia]").click()
    second.locator("[data-variable=tub]").click()
    second.get_by_role("button", name="Remove asia to tub").wait_for()
    settled(second)
    first.get_by_text("Links that cannot be there").click()
    first.locator("[data-variable=smoke]").click()
    first.locator("[data-variable=asia]").click()
    first.get_by_role("button", name="Remove asia to tub").wait_for()
    settled(first)
    assert project_of(first, tmp_path).knowledge().required == (("asia", "tub"),)


def test_a_project_is_removed_after_a_question(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    folder = project_of(page, tmp_path).folder
    page.goto(page.url.split("/project/")[0])
    answers = iter(["dismiss", "accept"])
    page.on("dialog", lambda dialog: getattr(dialog, next(answers))())
    page.get_by_role("button", name="Remove the project asia.csv").click()
    assert folder.is_dir()
    page.get_by_role("button", name="Remove the project asia.csv").click()
    page.locator(".projects li").wait_for(state="detached")
    assert not folder.exists()


def test_a_server_that_is_gone_is_said(dropped, asia_csv, complaints):
    page = dropped(asia_csv)
    page.route("**/api/**", lambda route: route.abort())
    use(page, "xray").select_option("left out")
    page.locator("#trouble").wait_for()
    assert page.locator("#trouble").inner_text().startswith("The server does not answer.")
    page.unroute("**/api/**")
    complaints.clear()


def test_the_policy_lets_no_other_script_run(dropped, asia_csv, complaints):
    page = dropped(asia_csv)
    page.evaluate(
        """() => {
            const add = (tag, set) => document.body.appendChild(Object.assign(document.createElement(tag), set));
            add("script", {textContent: "window.broken = 1"});
            add("div", {innerHTML: "<svg onload='window.broken = 2'></svg>"});
            add("a", {href: "javascript:window.broken = 3"}).click();
        }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.broken") is None
    assert len(complaints) == 3
    assert all("Content Security Policy" in text for text in complaints)
    complaints.clear()


def test_quick_clicks_are_all_kept(dropped, asia_csv, tmp_path):
    page = dropped(asia_csv)
    page.get_by_text("Links that must be there").click()
    page.evaluate(
        """() => {
            for (const name of ["asia", "tub", "smoke", "lung", "smoke", "bronc"])
                document.querySelector(`[data-variable=${name}]`).click();
        }"""
    )
    page.get_by_role("button", name="Remove smoke to bronc").wait_for()
    settled(page)
    expected = vd.Knowledge(required=[("asia", "tub"), ("smoke", "lung"), ("smoke", "bronc")])
    assert project_of(page, tmp_path).knowledge() == expected


def test_lists_stay_where_they_were_scrolled_and_so_does_the_focus(dropped, hostile):
    page = dropped(hostile)
    chips = page.locator(".tier.free .chips")
    chips.evaluate("list => { list.scrollTop = 200; }")
    page.locator("[data-variable='column 80']").click()
    assert page.locator("[data-variable='column 80']").get_attribute("aria-pressed") == "true"
    assert chips.evaluate("list => list.scrollTop") >= 200
    assert page.evaluate("document.activeElement.dataset.variable") == "column 80"


def test_an_address_with_a_step_leads_there(dropped, hostile):
    page = dropped(hostile)
    page.goto(f"{page.url}#knowledge")
    page.reload()
    page.locator("#knowledge-view[aria-busy=false]").wait_for()
    page.wait_for_function("Math.abs(document.getElementById('knowledge').getBoundingClientRect().top) < 80")


def test_the_reasons_for_kinds_can_be_read_on_a_tablet(dropped, clinic):
    page = dropped(clinic)
    page.set_viewport_size({"width": 820, "height": 1100})
    reasons = page.locator(".columns-table td.reason")
    assert reasons.first.is_visible()
    assert reasons.first.inner_text() == "identifier"
    assert page.evaluate("document.documentElement.scrollWidth") <= 820


#: The names on the board that an arrow crosses which is not about them: [[arrow, name], ...].
CROSSED = """() => {
    const chips = [...document.querySelectorAll(".board .variable")];
    const boxes = chips.map(chip => [chip.dataset.variable, chip.getBoundingClientRect()]);
    const origin = document.querySelector("svg.links").getBoundingClientRect();
    return [...document.querySelectorAll("svg.links .link")].flatMap((path, index) => {
        const points = Array.from({length: 201}, (_, k) => path.getPointAtLength(path.getTotalLength() * k / 200));
        const inner = points.slice(4, -4).map(({x, y}) => [x + origin.left, y + origin.top]);
        const isIn = box => ([x, y]) => x > box.left && x < box.right && y > box.top && y < box.bottom;
        return boxes.filter(([, box]) => inner.some(isIn(box))).map(([name]) => [index, name]);
    });
}"""


@pytest.mark.parametrize("width", [1280, 820])
def test_arrows_on_the_board_cross_no_names(dropped, asia_csv, tmp_path, width):
    page = dropped(asia_csv)
    page.set_viewport_size({"width": width, "height": 900})
    project_of(page, tmp_path).keep_knowledge(
        vd.Knowledge(
            tiers=[["asia", "smoke"], ["tub", "lung"], ["bronc", "either", "xray", "dysp"]],
            required=[("smoke", "xray"), ("tub", "dysp")],
            forbidden=[("asia", "either"), ("asia", "bronc")],
        )
    )
    page.reload()
    page.locator("svg.links .link").nth(3).wait_for(state="attached")
    assert page.evaluate(CROSSED) == []
    layers = page.evaluate(
        """() => ["svg.links", ".board .variable"].map(name =>
            Number(getComputedStyle(document.querySelector(name)).zIndex))"""
    )
    assert layers[0] < layers[1]
    assert page.get_by_role("button", name="smoke", exact=True).count() == 1


def test_a_measurement_is_put_before_a_category_with_the_keyboard(dropped, clinic, tmp_path):
    page = dropped(clinic)
    page.get_by_role("button", name="Take “n/k” as missing, all").click()
    settled(page)
    question = page.get_by_role("group", name="May a measurement be a cause of a category?")
    assert "start at the category" in question.inner_text()
    question.get_by_label("Measurement that comes first").select_option("bmi")
    question.get_by_label("Category that comes later").select_option("smoking")
    question.get_by_role("button", name="Put them in this order").focus()
    page.keyboard.press("Enter")
    page.get_by_text("bmi comes before smoking").first.wait_for()
    settled(page)
    assert project_of(page, tmp_path).knowledge() == vd.Knowledge(tiers=[["bmi"], ["smoking"]])
    question.get_by_label("Measurement that comes first").select_option("age")
    question.get_by_role("button", name="Put them in this order").click()
    page.get_by_text("age comes before smoking").first.wait_for()
    settled(page)
    assert project_of(page, tmp_path).knowledge() == vd.Knowledge(tiers=[["age", "bmi"], ["smoking"]])


def test_what_goes_with_missing_values_is_looked_for_when_it_is_opened(dropped, clinic):
    page = dropped(clinic)
    page.get_by_role("button", name="Take “n/k” as missing, all").click()
    settled(page)
    with page.expect_response("**/missing"):
        page.get_by_text("Where values are missing", exact=True).click()
    page.get_by_text("missing values:").wait_for()
