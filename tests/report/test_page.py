from __future__ import annotations

import csv
import dataclasses
import re
from base64 import b64decode, b64encode
from hashlib import sha256

import numpy as np
import pytest

import veridag as vd
from naive.pages import read, said
from strategies.mixed import mixed_data
from veridag.data import Column
from veridag.report.page import SCRIPTS, SECTIONS
from veridag.report.rendering import environment
from veridag.report.sections import downloads
from veridag.report.stages import Stages
from veridag.trust.assessment.words import expected_sentence, headline_of, level_sentence
from veridag.trust.learners import default_companions, default_learners

LEARNERS = {
    "bic": vd.HillClimbing(score=vd.BIC()),
    "bdeu": vd.HillClimbing(score=vd.BDeu()),
    "aic": vd.HillClimbing(score=vd.AIC()),
}


@pytest.mark.medium
def test_the_page_is_well_formed_and_whole(asia):
    page = read(asia.to_html())
    ids = [attributes["id"] for _, attributes in page.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert [name for name in SECTIONS if name not in ids] == ["groups", "group_evidence"]
    for _, attributes in page.seen:
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
    text = said(asia.to_html())
    validation = asia.validation
    assert asia.assessment.recommended in text
    for sentence in (headline_of, level_sentence, expected_sentence):
        assert sentence(asia.assessment) in text
    assert "veridag report asia.csv" in text
    for learner in validation.learners:
        assert repr(learner.algorithm) in text
    for row in validation.rows():
        assert f"{row['phd']:.2f}" in text


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
        "h3",
        "strong",
        "ul",
        "ol",
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
        "em",
        "small",
    }
    text = "".join(page.text)
    for shown in ("<script>alert(1)</script>", "'\"&;", "\U0001f600 emoji", "<i>title</i>"):
        assert shown in text
    assert "\x00" not in made.to_html()
    assert len([name for name, _ in page.seen if name == "script"]) == len(SCRIPTS) + 2  # and the data of two of them


@pytest.mark.slow
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
    tables = {"learning-curves.csv", "links.csv", "learners.csv", "features.csv", "distances.csv"}
    assert set(files) == {"network.bif", "network.json", "graph.json", *tables}
    content = {name: b64decode(link.partition("base64,")[2]) for name, link in files.items()}
    (tmp_path / "network.bif").write_bytes(content["network.bif"])
    assert vd.read_network(tmp_path / "network.bif") == asia.network
    assert asia.network.dag == asia.assessment.result.dag
    rows = content["learning-curves.csv"].decode().splitlines()
    assert len(rows) == 1 + len(asia.validation.rows())
    links = list(csv.DictReader(content["links.csv"].decode().splitlines()))
    assert [(row["a"], row["b"], float(row["joined"]), row["why"]) for row in links] == [
        (arc.a, arc.b, arc.joined, arc.why) for arc in asia.assessment.arcs
    ]


@pytest.mark.medium
def test_chances_are_those_of_the_assessment_and_losses_those_of_cross_validation(asia):
    text = said(asia.to_html())
    for label, loss in asia.losses.items():
        algorithm = next(learner.algorithm for learner in asia.validation.compared if learner.label == label)
        expected = vd.cross_validate(asia.data, algorithm, 5, seed=0).loss
        assert float(loss) == float(expected)
        assert f"{float(loss):.4f}" in text
    found = vd.assess(asia.data, learners=LEARNERS)
    assert found.arcs == asia.assessment.arcs
    assert found.recommended == asia.assessment.recommended
    for name in asia.data.names:
        assert f"{asia.network.table(name).probabilities.ravel()[0]:.3f}" in text


def interrupted_at(step: str, times: int) -> vd.Report:
    """The page when an interrupt comes as such a step begins for the so many-th time."""
    data = vd.networks.load("asia").sample(300, seed=1)
    begun: list[str] = []

    def stop(what: str, done: int, total: int, extra: object) -> None:
        if step in what and what not in begun:
            begun.append(what)
        if len(begun) == times:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        vd.make_report(data, LEARNERS, sizes=[200, 100], repeats=4, progress=stop)
    return caught.value.result


@pytest.mark.medium
def test_a_page_without_subsamples_says_so():
    made = interrupted_at(" rows, subsample", 1)
    assert made.assessment.interrupted
    text = said(made.to_html())
    assert "all learners learned from 0 of 8 subsamples" in text
    assert "came closest" not in text
    assert "Let it run to its end: the work was stopped early" in text
    assert "so that the others stand in for it: posterior, bootstrap" in text


@pytest.mark.medium
def test_a_page_that_was_cut_short_says_what_is_missing():
    made = interrupted_at("200 rows, subsample", 1)  # the smallest size comes first
    assert made.validation.subsamples == (0, 1)
    text = said(made.to_html())
    assert "all learners learned from 1 of 8 subsamples" in text
    assert "None of them has 200 rows" in text
    assert "nan" not in text.split()


def test_progress_goes_from_the_first_to_the_last_hundredth():
    told: list[tuple[int, int]] = []
    data = vd.networks.load("asia").sample(100, seed=1)
    vd.make_report(
        data, LEARNERS, sizes=[50], repeats=1, progress=lambda what, done, total, extra: told.append((done, total))
    )
    assert {total for _, total in told} == {100}
    done = [done for done, _ in told]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 100)


@pytest.mark.medium
def test_an_interrupt_after_the_comparison_keeps_it():
    made = interrupted_at("bootstrap", 1)
    assert made.validation.subsamples == (4, 4)
    assert made.assessment.interrupted
    assert made.cut_short == ("rest",)
    assert "The work was stopped before its end" in said(made.to_html())


@pytest.mark.medium
def test_what_there_was_no_time_for_is_said(monkeypatch):
    """A clock that jumps at the end of the assessment leaves no time for the rest."""
    monkeypatch.setattr(Stages, "_left", lambda self, share=1.0: 0.0)
    data = vd.networks.load("asia").sample(300, seed=1)
    made = vd.make_report(data, LEARNERS, sizes=[100], repeats=3, seconds=600.0)
    assert made.missing["network"] == "no time was left"
    assert "network" in made.cut_short
    text = said(made.to_html())
    assert "There was no time for: network; log-losses of 4 learners" in text  # PC-stable is one


@pytest.mark.medium
def test_where_groups_differ_is_shown_in_words_numbers_and_one_drawing(related):
    page, text = read(related.to_html()), said(related.to_html())
    expected = vd.group_differences(related.assessment.result.dag, related.data)
    assert "Where the groups differ" in page.text
    assert expected.absent
    for (a, b), where in expected.absent.items():
        assert f"is absent in {', '.join(where)}" in text
        assert f"{a} {'→' if (a, b) in related.graph.arcs else '—'} {b}" in text
    for value in expected.evidence.ravel():
        assert f"{value:+.1f}".replace("-", "−") in text
    partial = [a for _, a in page.seen if "partial" in (a.get("class") or "").split() and "data-from" in a]
    assert {frozenset((a["data-from"], a["data-to"])) for a in partial} == set(map(frozenset, expected.absent))
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
def test_companions_are_shown_for_comparison_alone(related):
    text = said(related.to_html())
    assert "PC-stable, BHD; pooled are shown for comparison, without a part in the agreement" in text
    assert "pooled (companion)" in text
    assert "pooled" not in related.assessment.expected
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


def test_files_that_would_make_the_page_too_large_are_left_out_unwritten(asia, monkeypatch):
    monkeypatch.setattr(downloads, "MOST_CHARACTERS", 100)
    monkeypatch.setattr(
        downloads, "network_text", None
    )  # asia has 36 probabilities: no file of 100 characters has them
    assert downloads.view(asia).left_out[:3] == ["network.bif", "network.json", "graph.json"]
    assert "Too large for this page: network.bif, network.json, graph.json" in said(asia.to_html())


def test_names_that_are_changed_in_the_network_file_are_told(asia):
    assert "names were changed" not in said(asia.to_html())
    network = asia.network
    renamed = {v: ["not (yet)", "n o"] for v in network.names}
    odd = dataclasses.replace(asia, network=vd.Network(network.cpds, renamed))
    assert "In network.bif names were changed so that other programs can read the file: those of 16 states" in said(
        environment().get_template("downloads.html.j2").render(view=downloads.view(odd))
    )


@pytest.mark.medium
def test_learners_that_agree_are_said_to_agree():
    a = np.arange(300) % 2
    columns = {"A": a, "B": np.where(np.arange(300) % 11, a, 1 - a)}
    data = vd.Data([Column.discrete(name, codes, "ny") for name, codes in columns.items()])
    report = vd.make_report(data, [vd.Tabu(), vd.GES(), vd.HillClimbing()], sizes=[100], repeats=3)
    page = report.to_html()
    text = said(page)
    assert "All 3 learners found the same network, with 1 link. They may all be wrong" in text
    assert "Trust in this choice" not in text
    assert 'class="trust good"' not in page
    assert "rust the ranking" not in text
    assert repr(report.validation).endswith("all find the same network>")


def test_the_policy_allows_the_scripts_of_the_page_by_their_hashes_and_nothing_else(asia):
    text = asia.to_html()
    (policy,) = [a["content"] for name, a in read(text).seen if a.get("http-equiv") == "Content-Security-Policy"]
    allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == len(SCRIPTS)
    assert allowed.pop("script-src").split() == [f"'sha256-{one}'" for one in hashes]
    assert allowed == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert text.index("Content-Security-Policy") < text.index("<style")
    assert re.findall(r"\son\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)) == []


def test_downloads_hold_no_formulas():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (200, 3))
    codes[:, 1] = codes[:, 0] ^ (rng.random(200) < 0.1)
    names = ["=1+1", "@b", "-c"]
    data = vd.Data([vd.data.Column.discrete(name, codes[:, i], ["+no", "-yes"]) for i, name in enumerate(names)])
    learners = {"=bic": vd.HillClimbing(score=vd.BIC()), "+aic": vd.HillClimbing(score=vd.AIC())}
    page = read(vd.make_report(data, learners, sizes=[100], repeats=2).to_html())
    links = {a["download"]: a["href"] for name, a in page.seen if name == "a" and "download" in a}
    tables = {name: b64decode(link.partition("base64,")[2]).decode() for name, link in links.items() if "csv" in name}
    cells = [cell for text in tables.values() for row in csv.reader(text.splitlines()) for cell in row]
    assert {"'=1+1", "'@b", "'=bic", "'+aic"} <= set(cells)
    assert [cell for cell in cells if re.match(r"[=@\t]|[+-](?![\d.]|inf)", cell)] == []
