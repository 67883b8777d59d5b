"""The templates of the report: nothing that comes from the data can become a part of the page but text."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser

import numpy as np
import pytest
from jinja2 import StrictUndefined, UndefinedError, meta
from markupsafe import Markup

import veridag as vd
from veridag.report.page import SCRIPTS, SECTIONS, sections
from veridag.report.rendering import environment
from veridag.trust.subsampling import NO_TIME, Learner
from veridag.trust.validation import Failure

#: What a hostile table, command line or message may hold: each would be an element of its own if it was not escaped.
EVIL = {
    what: f"<b class='evil'>{what}</b>\"'&"
    for what in ("variable", "state", "group", "title", "label", "rival", "error")
}
OTHERS = ["b", "c\x00", "{{ 9999 * 9999 }}", "{% raw %}"]

#: Values of these types are the only ones that are not escaped: our own drawings.
DRAWINGS = {("network", "drawing"), ("groups", "drawing")}


@pytest.fixture(scope="module")
def hostile() -> vd.Report:
    """Evil texts wherever a reader's own text can come from, in a report that has every section and every complaint."""
    rng = np.random.default_rng(1)
    names = [EVIL["variable"], *OTHERS]
    group = np.arange(600) % 2
    codes = rng.integers(0, 2, (600, len(names)))
    codes[:, 1] = np.where(group == 0, codes[:, 0], codes[:, 1])
    for i in (2, 3, 4):
        codes[:, i] = codes[:, i - 1] ^ (rng.random(600) < 0.1)
    columns = [vd.data.Column.discrete(name, codes[:, i], ["no", EVIL["state"]]) for i, name in enumerate(names)]
    data = vd.Data(columns, None, group, ("here", EVIL["group"]))
    climb = vd.HillClimbing(score=vd.BHD())
    report = vd.make_report(
        data,
        {EVIL["label"]: climb, EVIL["rival"]: replace(climb, score=vd.LogLik())},
        companions={f"{EVIL['label']} beside": vd.HillClimbing(score=vd.BDeu())},
        sizes=[100],
        repeats=2,
        title=EVIL["title"],
        command=f"veridag report {EVIL['title']}",
    )
    validation = report.validation
    graph = report.graph
    failed = Learner(f"{EVIL['label']} fails", climb, None, EVIL["error"], status="failed")
    late = Learner(f"{EVIL['label']} is late", climb, None, NO_TIME, status="out of time")
    validation = replace(
        validation,
        learners=(*validation.learners, failed, late),
        failures=(Failure(EVIL["label"], 100, 0, EVIL["error"]),),
        interrupted=True,
    )
    missing = {EVIL["error"]: NO_TIME, "network": EVIL["error"]}
    chances = report.assessment.chances
    directed, undirected = np.zeros_like(chances.directed), np.zeros_like(chances.directed)
    for k, (a, b) in enumerate((*graph.arcs, *graph.edges)):  # all but the first are safe, and none has a direction
        i, j = names.index(a), names.index(b)
        undirected[i, j] = undirected[j, i] = 0.95 if k else 0.3
    i, j = names.index(EVIL["variable"]), names.index(OTHERS[0])  # one is open, whatever the model makes of it
    undirected[i, j] = undirected[j, i] = 0.6
    assessment = replace(
        report.assessment,
        validation=validation,
        chances=replace(chances, directed=directed, undirected=undirected),
        interrupted=True,
    )
    return replace(report, assessment=assessment, missing=missing, cut_short=(EVIL["error"],))


@pytest.fixture(scope="module")
def bare(hostile) -> vd.Report:
    """The same without all that may be missing."""
    missing = {"network": EVIL["error"], "groups": EVIL["error"]}
    empty = {"network": None, "differences": None, "group_networks": None, "losses": {}}
    return replace(hostile, missing=missing, cut_short=(), **empty)


class Shown(HTMLParser):
    """Fails on an element that a hostile text has made, and collects all texts, those of attributes too."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, name, attributes):
        assert name != "b"
        assert not any("evil" in key for key, _ in attributes)
        self.tags.append(name)
        self.texts += [value or "" for _, value in attributes]

    def handle_data(self, text):
        self.texts.append(text)


def shown(html: str) -> Shown:
    parser = Shown()
    parser.feed(html)
    parser.close()
    return parser


@pytest.fixture(scope="module")
def rendered(hostile) -> dict[str, str]:
    """Each section of a hostile report alone."""
    return {s.name: environment().get_template(s.template).render(view=s.view) for s in sections(hostile)}


#: The hostile texts that each section shows.
EXPECTED = {
    "network": {"variable"},
    "questions": {"variable"},
    "next_steps": {"variable"},
    "groups": {"variable", "group"},
    "links": {"variable"},
    "what_if": set(),  # names are in the data of the script alone, see test_what_if
    "choice": {"label", "rival", "error"},
    "evidence": {"variable"},
    "group_evidence": {"variable", "group"},
    "agreement": {"variable", "label", "rival"},
    "curves": {"label", "rival"},
    "distances": {"label", "rival"},
    "learners": {"label", "rival", "error"},
    "parameters": {"variable", "state"},
    "data": {"variable", "state"},
    "downloads": {"group"},
    "making": {"title", "label", "rival", "error"},
}


@pytest.mark.medium
@pytest.mark.parametrize("name", SECTIONS)
def test_hostile_texts_come_out_as_text_in_every_section(rendered, name):
    text = "\n".join(shown(rendered[name]).texts)
    assert {what for what, evil in EVIL.items() if evil in text} >= EXPECTED[name]


@pytest.mark.parametrize("kind", ["hostile", "bare"])
def test_hostile_texts_come_out_as_text_on_the_page(request, kind):
    page = request.getfixturevalue(kind).to_html()
    parsed = shown(page)
    assert EVIL["title"] in parsed.texts
    assert parsed.tags.count("script") == {"hostile": 6, "bare": 5}[kind]  # without a network there are no data to ask
    assert "\x00" not in page
    assert "{{ 9999 * 9999 }}" in parsed.texts
    assert str(9999 * 9999) not in page  # a name is no template


@pytest.mark.medium
def test_the_tests_of_hostile_texts_fail_without_escaping(hostile):
    unsafe = environment().overlay(autoescape=False)
    for section in sections(hostile):
        with pytest.raises(AssertionError):
            shown(unsafe.get_template(section.template).render(view=section.view))


def templates() -> set[str]:
    return set(environment().list_templates())


def source(name: str) -> str:
    return environment().loader.get_source(environment(), name)[0]


def test_every_template_is_used():
    used, waiting = set(), ["page.html.j2", *(f"{name}.html.j2" for name in SECTIONS)]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting += filter(None, meta.find_referenced_templates(environment().parse(source(name))))
    assert used | set(SCRIPTS) == templates()  # the scripts are put in with their hashes


def test_every_section_has_a_heading_and_a_template(hostile, rendered):
    assert set(rendered) == set(SECTIONS)
    page = hostile.to_html()
    for name in SECTIONS:
        assert re.search(rf'<h[23] id="{name}-heading">\w', page)
        assert re.search(rf'<a href="#{name}">\w', page)
        assert rendered[name].strip()


def test_no_template_lets_a_value_pass_unescaped():
    for name in templates():
        assert not re.search(r"\|\s*safe\b|autoescape|Markup|xmlattr", source(name)), name


def test_nothing_but_drawings_is_given_as_markup(hostile):
    def markups(value, path):
        if isinstance(value, Markup):
            yield path[0], path[-1]
        elif is_dataclass(value):
            for field in fields(value):
                yield from markups(getattr(value, field.name), (*path, field.name))
        elif isinstance(value, dict):
            for part in (*value, *value.values()):
                yield from markups(part, path)
        elif isinstance(value, list | tuple):
            for part in value:
                yield from markups(part, path)

    found = {path for section in sections(hostile) for path in markups(section.view, (section.name,))}
    assert found == DRAWINGS


def test_a_value_that_is_not_there_is_an_error():
    assert environment().undefined is StrictUndefined
    for name in SECTIONS:
        with pytest.raises(UndefinedError):
            environment().get_template(f"{name}.html.j2").render()


def test_style_and_script_are_on_the_page_as_they_are(hostile):
    """Signs of the template language in them would be taken for it."""
    page = hostile.to_html()
    for name in ("page.css", *SCRIPTS):
        assert source(name).rstrip("\n") in page


def test_templates_are_compiled_once(hostile):
    hostile.to_html()
    before = environment().get_template("page.html.j2")
    hostile.to_html()
    assert environment().get_template("page.html.j2") is before


@pytest.mark.medium  # it starts Python
def test_jinja_is_not_loaded_before_a_page_is_made():
    code = "import sys, veridag.report, veridag.cli.__main__; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
