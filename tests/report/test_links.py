"""What the page says of links: how they are drawn, what is open, and what would help."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import veridag as vd
from naive.pages import absent_pairs, drawn_lines, joined_pairs, knowing, read, said, with_chances
from veridag.report import lines as lines_module
from veridag.report.lines import lines_of
from veridag.report.page import RESULTS, SECTIONS, sections
from veridag.report.rendering import environment
from veridag.report.script_data import script_data
from veridag.report.sections import network as network_section
from veridag.report.sections import questions
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.assessment.levels import HitRate
from veridag.trust.subsampling import NO_TIME, Learner


def words(report: vd.Report, *names: str) -> str:
    """The words of some sections."""
    shown = sections(report, {name: SECTIONS[name] for name in names})
    return " ".join(said(environment().get_template(one.template).render(view=one.view)) for one in shown)


def test_lines_are_drawn_by_their_chances(asia):
    graph, assessment = asia.graph, asia.assessment
    drawn = drawn_lines(read(asia.to_html()))
    own = {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}
    likely = {frozenset((arc.a, arc.b)) for arc in assessment.arcs if arc.joined >= 0.5}
    assert set(drawn) == own | likely
    for pair, classes in drawn.items():
        joined = assessment.between(*pair).joined
        expected = "safe" if joined >= 0.9 else "likely" if joined >= 0.5 else "doubtful"
        assert classes & {"safe", "likely", "doubtful", "beyond"} == {expected if pair in own else "beyond"}
    for pair in graph.arcs:
        forward = assessment.chances.directed[tuple(map(assessment.chances.names.index, pair))]
        safe = forward >= 0.9 * assessment.between(*pair).joined
        assert ("unsure" in drawn[frozenset(pair)]) != safe
    for pair in graph.edges:
        assert "edge" in drawn[frozenset(pair)]


def test_links_that_the_network_has_or_lacks_against_the_chances_are_said(asia):
    """The recommended learner need not find what is likely."""
    (a, b), (c, d), (e, f) = asia.graph.arcs[0], asia.graph.arcs[1], absent_pairs(asia)[0]
    changed = with_chances(asia, {(a, b): 0.3, (c, d): 0.6, (e, f): 0.7})
    page, text = read(changed.to_html()), said(changed.to_html())
    drawn = drawn_lines(page)
    assert "doubtful" in drawn[frozenset((a, b))]
    assert "likely" in drawn[frozenset((c, d))]
    assert "beyond" in drawn[frozenset((e, f))]
    assert f"{a} and {b} are linked: 30 %; if so, from {a} to {b}: 100 %; the network shown has this link" in text
    assert f"{c} and {d} are linked: 60 %; if so, from {c} to {d}: 100 %." in text
    assert f"{e} and {f} are linked: 70 %; if so, from {e} to {f}: 100 %; the network shown leaves this" in text
    assert "likely, but not in this network" in text
    assert "in this network, but with a chance below 50 %" in text


@pytest.mark.parametrize(
    ("share", "way", "head", "asked"),
    [(0.95, "safe", "filled", False), (0.62, "likely", "unsure", True), (0.4, "open", "unsure", True)],
)
def test_one_rule_says_how_far_a_direction_can_be_relied_on(asia, share, way, head, asked):
    a, b = asia.graph.arcs[0]
    others = dict.fromkeys([*asia.graph.arcs[1:], *asia.graph.edges], 1.0)
    report = with_chances(asia, others | {(a, b): (share, 0.98 - share - 0.02, 0.02)})
    (line,) = [line for line in lines_of(report) if line.pair == (a, b)]
    assert (line.way, line.head) == (way, head)
    assert ("unsure" in drawn_lines(read(report.to_html()))[frozenset((a, b))]) == (head == "unsure")
    assert (line in questions.view(report).directions) == asked
    text = words(report, "network", "questions")
    assert ("hollow head: the direction is not safe" in text) == asked
    assert (f"the arrow from {a} to {b} is no more than a guess" in text) == (way == "open")


def test_what_is_neither_direction_is_said_to_be_open_in_principle(asia):
    a, b = asia.graph.arcs[0]
    report = with_chances(asia, {(a, b): (0.62, 0.2, 0.18)})
    (line,) = [line for line in lines_of(report) if line.pair == (a, b)]
    assert line.directions == pytest.approx((0.62, 0.2, 0.18))
    text = words(report, "questions", "links")
    whole = f"from {a} to {b}: 62 %, from {b} to {a}: 20 %, either direction fits equally well: 18 %"
    assert f"if so, {whole}" in text
    assert f"{a} → {b} 100 % 62 % 20 % 18 % likely" in text


def test_a_direction_that_is_known_is_nowhere_open(asia):
    """Also that of a link which is likely, but not in the network."""
    (a, b), (c, d) = asia.graph.edges[0], absent_pairs(asia)[0]
    report = knowing(with_chances(asia, {(a, b): 0.95, (c, d): 0.7}), vd.Knowledge(forbidden=[(b, a), (d, c)]))
    lines = {frozenset(line.pair): line for line in lines_of(report)}
    for first, second in ((a, b), (c, d)):
        line = lines[frozenset((first, second))]
        assert (line.pair, line.directed, line.way, line.directions) == ((first, second), True, "known", None)
    asked = questions.view(report)
    assert lines[frozenset((a, b))] not in (*asked.directions, *asked.more_directions)
    text = words(report, "questions", "links")
    assert f"{c} → {d} 70 % – – – known not in the network" in text
    assert f"{c} and {d} are linked: 70 %; if so, from {c} to {d}, which is known" in text


@pytest.fixture(scope="module")
def clinic() -> vd.Report:
    """Categories and measurements, by learners that draw no arc from a measurement to a category."""
    data = vd.networks.load("clinic").sample(200, seed=1)
    learners = {"bic": vd.HillClimbing(score=vd.BIC()), "aic": vd.HillClimbing(score=vd.AIC())}
    return vd.make_report(data, learners, sizes=[100], repeats=1)


@pytest.mark.medium
def test_directions_between_categories_and_measurements_are_assumed(clinic):
    kinds = clinic.data.kinds
    lines = lines_of(clinic)
    between = [line for line in lines if kinds[line.first] != kinds[line.second] and line.directed]
    assert between
    page, text = clinic.to_html(), said(clinic.to_html())
    for line in between:
        assert (line.way, line.directions, kinds[line.cause], kinds[line.effect]) == (
            "assumed", None, "continuous", "discrete",
        )  # fmt: skip
        assert "assumed" in drawn_lines(read(page))[frozenset(line.pair)]
        assert f"May {line.cause} be a cause of {line.effect}?" in text
    assert "grey head: the direction is assumed" in text
    line = between[0]
    known = knowing(clinic, vd.Knowledge(required=[line.pair]))
    assert [other.way for other in lines_of(known) if other.pair == line.pair] == ["known"]


def test_learners_that_found_no_network_are_named_at_the_top_with_the_reason(asia):
    climb = vd.HillClimbing()
    failed = Learner("averaged", climb, None, "there is no such column", status="failed")
    beside = Learner("by tests", climb, None, NO_TIME, companion=True, status="out of time")
    validation = dataclasses.replace(asia.validation, learners=(*asia.validation.learners, failed, beside))
    report = dataclasses.replace(asia, assessment=dataclasses.replace(asia.assessment, validation=validation))
    above = words(report, "network")
    assert "Why 1 of 4 learners found no network" in above
    assert "averaged failed on the whole table: there is no such column" in above
    assert f"by tests (shown for comparison) did not end in time: {NO_TIME}" in above
    assert "found no network" not in words(asia, "network")


def test_the_file_of_links_is_only_said_to_have_more_if_it_has(asia):
    absent = absent_pairs(asia)
    report = with_chances(asia, dict.fromkeys(absent, 0.05))
    assert "links.csv also has" not in words(report, "links")
    report = with_chances(asia, dict.fromkeys(absent, 0.05) | {absent[0]: 0.3})
    assert "links.csv also has 1 pair that is neither in the network nor likely" in words(report, "links")


def test_ten_questions_are_asked_and_the_rest_is_folded_up(asia):
    absent = absent_pairs(asia)[:14]
    assert len(absent) == 14
    assert len(asia.graph.edges) >= 2
    directed = dict.fromkeys(asia.graph.arcs, 0.99)
    report = with_chances(asia, directed | {pair: 0.6 + 0.01 * k for k, pair in enumerate(absent)})
    view = questions.view(report)
    assert [frozenset(line.pair) for line in view.directions] == [
        frozenset(line.pair) for line in lines_of(report) if line.standing == "safe" and not line.directed
    ]
    assert len(view.links) + len(view.directions) == 10
    assert len(view.links) + len(view.more_links) == sum(line.standing != "safe" for line in lines_of(report))
    assert f"and {len(view.more_links)} more" in said(report.to_html())
    settled = with_chances(asia, directed | dict.fromkeys(asia.graph.edges, 0.99))
    assert [line.directed for line in questions.view(settled).directions] == [False] * len(asia.graph.edges)
    a, b = asia.graph.edges[0]
    assert f"if so, from {a} to {b}: 100 %; the network shown leaves the direction open" in said(settled.to_html())


def test_nothing_that_is_not_linked_has_a_percentage(asia):
    """Chances of pairs that are neither in the network nor likely are in the file alone."""
    asia = with_chances(asia, {absent_pairs(asia)[0]: 0.4})
    shown = joined_pairs(asia.graph) | {frozenset((x.a, x.b)) for x in asia.assessment.arcs if x.joined >= 0.5}
    for view in sections(asia, {name: SECTIONS[name] for name in (*RESULTS, "evidence")}):
        for line in getattr(view.view, "lines", ()):
            assert frozenset(line.pair) in shown
    unlikely = [x for x in asia.assessment.arcs if frozenset((x.a, x.b)) not in shown]
    assert unlikely
    text = said(asia.to_html())
    assert not any(f"{x.a} and {x.b} are linked" in text for x in unlikely)
    assert "% of the pairs" not in text


def test_an_undirected_line_is_nobodys_parent(asia):
    edges = asia.graph.edges
    assert edges
    told = script_data(asia)
    at = {name: i for i, name in enumerate(told["names"])}
    for a, b in edges:
        for one, other in ((a, b), (b, a)):
            facts = told["variables"][at[one]]
            assert at[other] in facts["beside"]
            assert at[other] not in (*facts["before"], *facts["after"])
    for a, b in asia.graph.arcs:
        assert at[a] in told["variables"][at[b]]["before"]
        assert at[b] in told["variables"][at[a]]["after"]
    text = said(asia.to_html())
    assert "given its parents" not in text
    assert "Where the direction of a link is open, one was chosen to write down the numbers" in text


def test_a_dense_graph_begins_with_sixty_lines_at_most(asia, monkeypatch):
    monkeypatch.setattr(network_section, "MOST_AT_START", 3)
    page, text = read(asia.to_html()), said(asia.to_html())
    lines, drawn = lines_of(asia), drawn_lines(page)
    at_first = {pair for pair, classes in drawn.items() if "later" not in classes}
    assert at_first == {frozenset(line.pair) for line in lines[:3]}
    assert set(drawn) == {frozenset(line.pair) for line in lines}
    weakest = min(asia.assessment.between(*pair).joined for pair in at_first)
    assert all(line.chance.joined <= weakest for line in lines[3:])
    assert f"The 3 surest of {len(lines)} links are drawn" in text
    (slider,) = [a for name, a in page.seen if name == "input" and a["type"] == "range"]
    assert (slider["value"], slider["max"]) == ("3", str(len(lines)))
    assert lines_module.MOST_AT_START == 60


def test_of_very_many_links_the_surest_are_drawn_and_all_are_listed(asia, monkeypatch):
    monkeypatch.setattr(network_section, "MOST_DRAWN", 2)
    page, text = read(asia.to_html()), said(asia.to_html())
    lines = lines_of(asia)
    assert set(drawn_lines(page)) == {frozenset(line.pair) for line in lines[:2]}
    assert all(f"{line.first} {'→' if line.directed else '—'} {line.second}" in text for line in lines)
    (slider,) = [a for name, a in page.seen if name == "input" and a["type"] == "range"]
    assert slider["max"] == "2"


@pytest.mark.parametrize(("level", "colour"), [("high", "good"), ("moderate", "fair"), ("low", "poor")])
def test_low_trust_leads_with_what_would_help(asia, monkeypatch, level, colour):
    advice = ("More rows.", "Other variables.", "Say what you know.", "Check the rest.")
    monkeypatch.setattr(Assessment, "level", level)
    monkeypatch.setattr(Assessment, "hit_rate", HitRate(120, 90))
    monkeypatch.setattr(Assessment, "advice", advice)
    apart = dataclasses.replace(asia.assessment.recommendation, apart=3)
    report = dataclasses.replace(asia, assessment=dataclasses.replace(asia.assessment, recommendation=apart))
    section = environment().get_template("network.html.j2").render(view=network_section.view(report))
    above = section.partition('<div class="tools">')[0]
    assert ("What would help More rows. Other variables. Say what you know." in said(above)) == (level == "low")
    assert "Check the rest." not in said(section)
    assert f"Trust in this choice is {level}: among 120 test tables" in said(above)
    assert "in 75 %." in said(above)
    boxes = [a["class"] for _, a in read(above).seen if (a.get("class") or "").startswith("trust")]
    assert boxes == [f"trust {colour}"] * (1 + (level == "low"))
    assert "Check the rest." in said(report.to_html())


def test_what_the_tests_had_no_tables_of_is_said(asia, related, monkeypatch):
    assert "The tests had no tables" not in said(asia.to_html())
    assert "The tests had no tables with groups of rows, so that" in said(related.to_html())
    monkeypatch.setattr(network_section, "VARIABLES", (2, 4))
    assert "The tests had no tables with more than 4 variables, so that" in said(asia.to_html())
    text = said(related.to_html())
    assert "The tests had no tables with groups of rows or with more than 4 variables, so that" in text


@pytest.mark.medium
def test_a_table_without_links_says_so_and_asks_nothing():
    rng = np.random.default_rng(1)
    data = vd.Data.from_numpy(rng.integers(0, 2, (300, 3)), list("ABC"))
    learners = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu(), prior=vd.Fair())}
    report = vd.make_report(data, learners, sizes=[100], repeats=1)
    assert not joined_pairs(report.graph)
    assert "The tests had no tables with fewer than 5 variables, so that" in said(report.to_html())
    report = with_chances(report, dict.fromkeys(absent_pairs(report), 0.05))
    text = said(report.to_html())
    assert "The 2 learners found no links between the 3 variables: with 300 rows only strong links" in text
    assert "No link is likely enough to ask about." in text
    assert "There are no links to list." in text
    assert "No learner joins any pair." in text
    assert "safe link" not in text
    assert "show the surest links" not in text


def test_the_drawing_of_the_groups_agrees_with_the_first_one(related):
    page = read(related.to_html())
    start = next(k for k, (_, a) in enumerate(page.seen) if a.get("id") == "groups")
    drawn = [a for _, a in page.seen[start:] if "data-from" in a]
    assert {(a["data-from"], a["data-to"]) for a in drawn if "arc" in a["class"].split()} == set(related.graph.arcs)
    assert {frozenset((a["data-from"], a["data-to"])) for a in drawn if "edge" in a["class"].split()} == set(
        map(frozenset, related.graph.edges)
    )
    assert related.graph.edges  # the network that groups are compared by has a direction for these


STATISTICS = (
    "SHD",
    "PHD",
    "CPDAG",
    "BDeu",
    "BIC",
    "posterior",
    "bootstrap",
    "p-value",
    "log",
    "standard error",
    "score",
)


def test_terms_of_statistics_stay_in_how_this_was_done(asia, related):
    for report in (asia, related):
        page = report.to_html()
        start, end = page.index("<main>"), page.index('<section id="method"')
        text = said(page[start + len("<main>") : end])
        for word in STATISTICS:
            assert not re.search(rf"\b{word}\b", text), word
        assert "beside the ranking" not in said(page)
        assert "nan" not in said(page).split()


def test_the_sections_come_in_the_order_of_a_reader(asia):
    page = asia.to_html()
    order = ["network", "questions", "next_steps", "links", "method", "parameters", "downloads"]
    places = [page.index(f'<section id="{name}"') for name in order]
    assert places == sorted(places)
