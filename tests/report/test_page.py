from __future__ import annotations

import dataclasses
import re
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np
import pytest

import veridag as vd
from strategies.mixed import mixed_data
from veridag.data import Column
from veridag.report.page import SECTIONS
from veridag.report.rendering import environment
from veridag.report.sections import downloads
from veridag.report.sections import network as network_section
from veridag.report.stages import Stages
from veridag.trust.learners import default_companions, default_learners

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Checker(HTMLParser):
    """Fails on tags that do not match, and collects what is there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, name, attributes):
        self.seen.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.seen.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, text):
        self.text.append(text)


def read(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def said(page: str) -> str:
    """The words of a page, as a browser shows them: white space is folded, and elements are apart."""
    return " ".join(" ".join(read(page).text).split())


LEARNERS = {
    "bic": vd.HillClimbing(score=vd.BIC()),
    "bdeu": vd.HillClimbing(score=vd.BDeu()),
    "aic": vd.HillClimbing(score=vd.AIC()),
}


@pytest.fixture(scope="module")
def asia() -> vd.Report:
    network = vd.networks.load("asia")
    data = network.sample(500, seed=1)
    return vd.make_report(
        data,
        LEARNERS,
        truth=network.dag,
        sizes=[200, 100],
        repeats=3,
        title="asia.csv",
        command="veridag report asia.csv",
    )


@pytest.mark.medium
def test_the_page_is_well_formed_and_whole(asia):
    page = read(asia.to_html())
    ids = [attributes["id"] for _, attributes in page.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [name for name in SECTIONS if name not in ids] == ["groups"]
    for _, attributes in page.seen:
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
    text = said(asia.to_html())
    validation = asia.validation
    assert validation.trust.sentence in text
    assert validation.ranking[0] in text
    assert "veridag report asia.csv" in text
    for learner in validation.learners:
        assert repr(learner.algorithm) in text
    for row in validation.rows():
        assert f"{row['phd']:.2f}" in text


def test_agreed_and_contested_arcs_are_told_apart(asia):
    page = read(asia.to_html())
    graph = asia.validation.best.cpdag
    drawn = {
        frozenset((a["data-from"], a["data-to"])): a["class"].split()
        for _, a in page.seen
        if a.get("class", "").split()[:1] in (["arc"], ["edge"])
    }
    assert set(drawn) == {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}
    for feature in asia.validation.features:
        if frozenset(feature.pair) in drawn:
            assert drawn[frozenset(feature.pair)][1] == feature.standing
    assert len({classes[1] for classes in drawn.values()}) > 1


def test_nothing_is_fetched_from_outside(asia):
    page = asia.to_html()
    for name, attributes in read(page).seen:
        assert name not in ("link", "iframe", "img")
        assert not any(key in attributes for key in ("src", "onload", "onclick"))
    assert set(re.findall(r"https?://[^\"' )<]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page.replace("url(#", "")
    assert len(page) < 3_000_000


HOSTILE = ["<script>alert(1)</script>", "'\"&;", "\U0001f600 emoji", "x" * 300, "a\x00b", "</style><b>", "\u202eabc"]


@pytest.mark.medium
def test_hostile_names_show_as_text():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (300, len(HOSTILE)))
    codes[:, 1] = codes[:, 0]
    codes[:, 5] = codes[:, 3]
    states = {name: [f"{name}|0", "<img src=x onerror=alert(1)>"] for name in HOSTILE}
    data = vd.Data.from_numpy(codes, HOSTILE)
    data = vd.Data([vd.data.Column.discrete(c.name, c.values, states[c.name]) for c in data.columns])
    made = vd.make_report(data, LEARNERS, sizes=[100], repeats=2, title="<i>title</i>", command="veridag report '<b>'")
    page = read(made.to_html())
    assert {name for name, _ in page.seen} <= {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "p",
        "nav",
        "a",
        "main",
        "section",
        "h2",
        "strong",
        "ul",
        "li",
        "span",
        "figure",
        "figcaption",
        "svg",
        "desc",
        "rect",
        "text",
        "g",
        "defs",
        "marker",
        "path",
        "line",
        "polyline",
        "details",
        "summary",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "div",
        "dl",
        "dt",
        "dd",
        "code",
        "pre",
        "footer",
        "script",
        "button",
        "datalist",
        "option",
        "label",
        "input",
        "output",
        "aside",
    }
    text = "".join(page.text)
    for shown in ("<script>alert(1)</script>", "'\"&;", "\U0001f600 emoji", "<i>title</i>"):
        assert shown in text
    assert "\x00" not in made.to_html()
    assert len([name for name, _ in page.seen if name == "script"]) == 2


@pytest.mark.medium
def test_a_gaussian_report_works_and_failures_are_shown():
    data = vd.networks.load("ecoli70").sample(120, seed=1)
    learners = {
        "bic": vd.HillClimbing(score=vd.BIC()),
        "bge": vd.HillClimbing(score=vd.BGe()),
        "bdeu": vd.HillClimbing(score=vd.BDeu()),
    }
    made = vd.make_report(data, learners, sizes=[60], repeats=2)
    text = said(made.to_html())
    assert "bdeu" in text
    assert "failed on the whole data" in text


def test_the_network_can_be_taken_away(asia, tmp_path):
    page = read(asia.to_html())
    files = {a["download"]: a["href"] for name, a in page.seen if name == "a" and "download" in a}
    tables = {"learning-curves.csv", "strengths.csv", "learners.csv", "features.csv", "distances.csv"}
    assert set(files) == {"network.bif", "network.json", "graph.json", *tables}
    content = {name: b64decode(link.partition("base64,")[2]) for name, link in files.items()}
    (tmp_path / "network.bif").write_bytes(content["network.bif"])
    assert vd.read_network(tmp_path / "network.bif") == asia.network
    assert asia.network.dag == asia.validation.best.result.dag
    rows = content["learning-curves.csv"].decode().splitlines()
    assert len(rows) == 1 + len(asia.validation.rows())


@pytest.mark.medium
def test_strengths_and_losses_are_those_of_resampling(asia):
    text = said(asia.to_html())
    for label, loss in asia.losses.items():
        expected = vd.cross_validate(asia.data, LEARNERS[label], 5, seed=0).loss
        assert float(loss) == float(expected)
        assert f"{float(loss):.4f}" in text
    assert asia.strengths.repeats == 50
    arc = asia.strengths.arcs[0]
    assert vd.bootstrap(asia.data, asia.validation.best.algorithm, 50).arcs[0] == arc
    for name in asia.data.names:
        assert f"{asia.network.table(name).probabilities.ravel()[0]:.3f}" in text


def interrupted_after(graphs: int) -> vd.Report:
    data = vd.networks.load("asia").sample(300, seed=1)
    ended: list[int] = []

    def stop(what: str, done: int, total: int, extra: object) -> None:
        if done > max(
            ended, default=0
        ):  # a graph was learned; a report of the next one that starts has the same number
            ended.append(done)
        if len(ended) == graphs:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        vd.make_report(data, LEARNERS, sizes=[200, 100], repeats=4, progress=stop)
    return caught.value.result


def test_a_page_without_subsamples_recommends_nobody():
    made = interrupted_after(len(LEARNERS))
    text = said(made.to_html())
    assert "No learner can be recommended" in text
    assert "Recommended:" not in text
    assert "all learners learned from 0 of 8 subsamples" in text
    assert "There is no ranking" in text


@pytest.mark.medium
def test_a_page_that_was_cut_short_says_what_is_missing():
    made = interrupted_after(len(LEARNERS) * 2)  # the three of one subsample, of the smallest size
    assert made.validation.subsamples == (0, 1)
    text = said(made.to_html())
    assert "all learners learned from 1 of 8 subsamples" in text
    assert "None of them has 200 rows" in text
    assert "Do not trust the ranking yet" in text
    assert "nan" not in text


@pytest.mark.medium
def test_what_there_was_no_time_for_is_said(monkeypatch):
    """A clock that jumps at the end of the comparison leaves no time for the rest."""
    monkeypatch.setattr(Stages, "_left", lambda self, share=1.0: 0.0)
    data = vd.networks.load("asia").sample(300, seed=1)
    made = vd.make_report(data, LEARNERS, sizes=[100], repeats=3, seconds=600.0)
    assert made.missing["strengths"] == "there was no time left"
    assert "strengths" in made.cut_short
    text = said(made.to_html())
    assert "There was no time for: network; strengths; log-losses of 3 learners" in text


@pytest.fixture(scope="module")
def related() -> vd.Report:
    sample = vd.simulate.related(nodes=5, groups=3, states=2, rows=250, changed_groups=1, removed_arcs=2, seed=3)
    learners = {"bhd": vd.HillClimbing(score=vd.BHD()), "bhd, fair": vd.HillClimbing(score=vd.BHD(), prior=vd.Fair())}
    return vd.make_report(
        sample.data, learners, companions={"pooled": vd.HillClimbing(score=vd.BDeu())}, sizes=[300], repeats=3
    )


@pytest.mark.medium
def test_where_groups_differ_is_shown_in_words_numbers_and_one_drawing(related):
    page, text = read(related.to_html()), said(related.to_html())
    expected = vd.group_differences(related.validation.best.result.dag, related.data)
    assert "Where the groups differ" in page.text
    assert expected.absent
    for (a, b), where in expected.absent.items():
        assert f"is absent in {', '.join(where)}" in text
        assert f"{a} → {b}" in text
    for value in expected.evidence.ravel():
        assert f"{value:+.1f}".replace("-", "−") in text
    partial = {(a["data-from"], a["data-to"]) for _, a in page.seen if a.get("class") == "arc partial"}
    assert partial == set(expected.absent)
    ids = [attributes["id"] for _, attributes in page.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    files = {a["download"] for name, a in page.seen if name == "a" and "download" in a}
    assert {"groups.csv", "group-1.bif", "group-2.bif", "group-3.bif", "network.bif"} <= files


@pytest.mark.medium
def test_losses_of_data_in_groups_are_those_of_the_groups_own_networks(related):
    data, total, rows = related.data, 0.0, 0
    for train, test in data.folds(5, 0):
        dag = vd.HillClimbing(score=vd.BHD()).learn(train).dag
        total -= vd.fit(dag, train, method="hierarchical").log_likelihood(test)
        rows += test.n
    assert float(related.losses["bhd"]) == pytest.approx(total / rows)


@pytest.mark.medium
def test_companions_stand_beside_the_ranking_with_the_reason(related):
    text = said(related.to_html())
    assert "Beside the ranking: pooled." in text
    assert "set aside beforehand" in text
    assert "pooled (companion)" in text
    assert related.validation.ranking == tuple(x for x in related.validation.ranking if x != "pooled")
    assert "pooled" in related.losses


@pytest.mark.medium
def test_groups_that_cannot_be_told_apart_are_said_so():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(120, 3))
    group = np.repeat([0, 1], 60)
    columns = vd.Data.from_numpy(rows, ["a", "b", "c"]).columns
    data = vd.Data(columns, None, group, ["x", "y"])
    learners = {"bic": vd.HillClimbing(score=vd.BIC()), "bge": vd.HillClimbing(score=vd.BGe())}
    text = said(vd.make_report(data, learners, sizes=[60], repeats=3).to_html())
    assert "Where they differ is not known" in text


def test_defaults_suit_the_kind_of_data():
    discrete = default_learners(vd.networks.load("asia").sample(10, seed=1))
    continuous = default_learners(vd.networks.load("ecoli70").sample(10, seed=1))
    first = ["BOSS, BDeu, fair", "BOSS, qNML, fair", "GES, BIC", "tabu, BIC", "tabu, BDs, sparse prior"]
    assert list(discrete) == [*first, "exact, BDeu, fair"]
    assert list(default_learners(vd.networks.load("cancer").sample(10, seed=1).select(["Xray", "Smoker"]))) == [
        *first[:4],
        "exact, BDeu, fair",
    ]  # fewer variables than the sparse prior needs
    for data in (vd.networks.load("asia").sample(10, seed=1), vd.networks.load("ecoli70").sample(10, seed=1)):
        companions = default_companions(data)
        assert any(isinstance(learner, vd.PCStable) for learner in companions.values())
        assert any(isinstance(learner, vd.H2PC) for learner in companions.values())
        assert not set(companions) & set(default_learners(data))
    related = vd.simulate.related(nodes=4, groups=2, states=2, rows=20, seed=1).data
    assert all(isinstance(learner.score, vd.BHD) for learner in default_learners(related).values())
    wide = vd.networks.load("arth150").sample(10, seed=1)
    assert all(learner.max_indegree == 5 for learner in default_learners(wide).values())
    assert any(isinstance(learner, vd.Exact) for learner in discrete.values())
    assert not any(isinstance(learner, vd.Exact) for learner in continuous.values())  # 46 variables
    assert next(iter(continuous)) == "BOSS, BGe, fair"
    assert len(continuous) >= 4
    mixed = mixed_data(1, 50)
    assert next(iter(default_learners(mixed))) == "BOSS, BCG, fair"
    kinds = dict(mixed.kinds)
    first = sorted(kinds, key=lambda name: kinds[name] != "continuous")
    back = vd.Knowledge(tiers=[[name] for name in first])  # measurements before categories
    assert all(learner.score.both_directions for learner in default_learners(mixed, back).values())


def test_of_very_many_arcs_the_surest_are_drawn_and_all_are_listed(asia, monkeypatch):
    monkeypatch.setattr(network_section, "MOST_DRAWN", 2)
    page, text = read(asia.to_html()), said(asia.to_html())
    graph = asia.validation.best.cpdag
    pairs = [*graph.arcs, *graph.edges]
    drawn = [a for _, a in page.seen if (a.get("class") or "").split()[:1] in (["arc"], ["edge"])]
    assert len(drawn) == 2
    agreed = {frozenset(f.pair) for f in asia.validation.features if f.agreed}
    assert {frozenset((a["data-from"], a["data-to"])) for a in drawn} <= agreed
    assert f"Only 2 of the {len(pairs)} arcs are drawn" in text
    assert all(f"{a} → {b}" in text or f"{a} — {b}" in text for a, b in pairs)


def test_files_that_would_make_the_page_too_large_are_left_out_unwritten(asia, monkeypatch):
    monkeypatch.setattr(downloads, "MOST_CHARACTERS", 100)
    monkeypatch.setattr(
        downloads, "network_text", None
    )  # asia has 36 probabilities: no file of 100 characters has them
    assert downloads.view(asia).left_out[:3] == ["network.bif", "network.json", "graph.json"]
    assert "Too large for this page: network.bif, network.json, graph.json" in said(asia.to_html())


def test_names_that_are_changed_in_the_network_file_are_told(asia):
    assert "names are changed" not in said(asia.to_html())
    network = asia.network
    renamed = {v: ["not (yet)", "n o"] for v in network.names}
    odd = dataclasses.replace(asia, network=vd.Network(network.cpds, renamed))
    assert "In network.bif names are changed so that other programs can read the file, those of 16 states" in said(
        environment().get_template("downloads.html.j2").render(view=downloads.view(odd))
    )


@pytest.mark.medium
def test_learners_that_agree_are_said_to_agree_and_none_is_recommended():
    a = np.arange(300) % 2
    columns = {"A": a, "B": np.where(np.arange(300) % 11, a, 1 - a)}
    data = vd.Data([Column.discrete(name, codes, "ny") for name, codes in columns.items()])
    report = vd.make_report(data, [vd.Tabu(), vd.GES(), vd.HillClimbing()], sizes=[100], repeats=3)
    text = " ".join(" ".join(read(report.to_html()).text).split())
    assert "All 3 learners found the same network" in text
    assert "there is nothing to rank" in text
    assert "Recommended" not in text
    assert "rust the ranking" not in text
    assert repr(report.validation).endswith("all find the same network>")
    assert "all learners agree" in repr(report)
    assert "recommended" not in repr(report)
