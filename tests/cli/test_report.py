from __future__ import annotations

import json
import signal
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import veridag as vd
from veridag import cli


@dataclass
class Finished:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(capsys, monkeypatch) -> Callable[..., Finished]:
    """The command within this process."""

    def call(*words: str) -> Finished:
        monkeypatch.setattr("sys.argv", ["veridag", *words])  # what the page shows
        with pytest.raises(SystemExit) as stop:
            cli.main(list(words))
        return Finished(int(stop.value.code or 0), *capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("data") / "asia.csv"
    vd.networks.load("asia").sample(400, seed=1).write(path)
    return str(path)


TWO = ("--algorithm", "tabu(score=bic)", "--algorithm", "tabu(score=bdeu)")


@pytest.mark.medium
def test_validate_gives_the_same_numbers_as_the_library(table, run):
    done = run("validate", table, *TWO, "--repeats", "2", "--seed", "3", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    learners = {"tabu(score=bic)": vd.Tabu(score=vd.BIC()), "tabu(score=bdeu)": vd.Tabu(score=vd.BDeu())}
    found = vd.intersection_validation(vd.read(table), learners, repeats=2, seed=3)
    assert facts["ranking"] == list(found.ranking)
    assert [row["phd"] for row in facts["curves"]] == [row["phd"] for row in found.rows()]
    assert facts["trust"]["sentence"] == found.trust.sentence
    assert len(facts["features"]) == len(found.features)


@pytest.mark.medium
def test_validate_prints_a_table(table, run):
    done = run("validate", table, *TWO, "--sizes", "200,100", "--repeats", "2", "--truth", "asia", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    assert "tabu(score=bdeu)" in done.stdout
    assert "agreed on by all" in done.stdout


@pytest.mark.medium
def test_validate_shows_the_distances_to_the_truth(table, run):
    words = ("validate", table, *TWO, "--sizes", "200,100", "--repeats", "3", "--truth", "asia")
    done = run(*words)
    assert done.returncode == 0, done.stderr
    learners = {"tabu(score=bic)": vd.Tabu(score=vd.BIC()), "tabu(score=bdeu)": vd.Tabu(score=vd.BDeu())}
    truth = vd.networks.load("asia").dag
    found = vd.intersection_validation(vd.read(table), learners, [200, 100], 3, truth=truth)
    lines = done.stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "structural Hamming distance to the truth" in line)
    for row in found.rows():
        line = next(line for line in lines[start:] if line.startswith(row["learner"]))
        assert f"{row['shd']:.2f} +-{row['shd_error']:5.2f}" in line
    assert "mean structural" not in run(*words[:-2]).stdout
    distances = {label: vd.shd(truth, learner.learn(vd.read(table)).dag) for label, learner in learners.items()}
    assert lines[start].endswith("all 400")
    for label, distance in distances.items():
        assert next(line for line in lines[start:] if line.startswith(label)).split()[-1] == str(distance)
    facts = json.loads(run(*words, "--json").stdout)
    assert {learner["label"]: learner["shd"] for learner in facts["learners"]} == distances


KNOWN = ("--require", "asia:xray", "--forbid", "smoke:lung", "--forbid", "lung:smoke")


@pytest.mark.medium
def test_validate_obeys_what_is_known(table, tmp_path, run):
    (tmp_path / "tiers.txt").write_text("bronc\nsmoke\n")
    words = (
        "validate",
        table,
        *TWO,
        *KNOWN,
        "--tiers",
        str(tmp_path / "tiers.txt"),
        "--sizes",
        "100",
        "--repeats",
        "1",
    )
    facts = json.loads(run(*words, "--json").stdout)
    assert facts["known"] == "required asia -> xray; forbidden lung -> smoke, smoke -> lung; tiers bronc before smoke"
    for learner in facts["learners"]:
        joined = {frozenset(pair) for pair in (*learner["arcs"], *learner["edges"])}
        assert frozenset(("asia", "xray")) in joined
        assert frozenset(("smoke", "lung")) not in joined
    assert f"All learners used this knowledge: {facts['known']}." in run(*words).stdout
    done = run(*words[:2], "--require", "asia:lungs")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "did you mean 'lung'" in done.stderr


@pytest.mark.medium
def test_a_report_obeys_what_is_known_and_says_so(table, tmp_path, run):
    page = tmp_path / "out.html"
    done = run("report", table, *TWO, *KNOWN, "--sizes", "100", "--repeats", "1", "-o", str(page))
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert "required asia -&gt; xray; forbidden lung -&gt; smoke, smoke -&gt; lung; all learners obeyed it" in text
    known = vd.Knowledge(required=[("asia", "xray")], forbidden=[("smoke", "lung"), ("lung", "smoke")])
    learners = [vd.Tabu(score=vd.BIC()), vd.Tabu(score=vd.BDeu())]
    made = vd.make_report(vd.read(table), learners, knowledge=known, sizes=[100], repeats=1)
    assert ("asia", "xray") in made.graph.arcs
    assert known.allows(made.network.dag)


@pytest.mark.medium
def test_report_writes_a_page_that_says_how_to_make_it_again(table, tmp_path, run):
    page = tmp_path / "out.html"
    words = ("report", table, *TWO, "--sizes", "100", "--repeats", "2", "--truth", "asia", "-o", str(page))
    done = run(*words)
    assert done.returncode == 0, done.stderr
    assert f"Open {page}" in done.stderr
    text = page.read_text("utf-8")
    assert "veridag report" in text
    assert "asia.csv" in text
    assert "to the known truth" in text


@pytest.mark.medium
def test_a_report_of_groups_says_where_they_differ_and_how_to_make_it_again(tmp_path, run):
    trials, page = tmp_path / "trials.csv", tmp_path / "out.html"
    sample = vd.simulate.related(nodes=4, groups=2, states=2, rows=150, seed=3)
    sample.data.write(trials, group="hospital")
    words = ("--sizes", "100", "--repeats", "1", "-o", str(page))
    done = run("report", str(trials), "--group", "hospital", *words)
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    assert f"veridag report {trials} --group hospital" in text
    assert "Where the groups differ" in text
    assert "BHD" in text


@pytest.mark.medium
def test_companions_are_beside_the_ranking(table, run):
    done = run("validate", table, *TWO, "--companion", "pc-stable", "--sizes", "100", "--repeats", "1", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert set(facts["ranking"]) == {"tabu(score=bic)", "tabu(score=bdeu)"}
    assert [learner["companion"] for learner in facts["learners"]] == [False, False, True]
    assert "above 0" in run("validate", table, "--minutes", "0").stderr


@pytest.mark.medium
def test_learners_and_companions_that_are_not_named_are_those_of_the_library(table, run):
    words = ("--companion", "grow-shrink", "--sizes", "100", "--repeats", "1", "--json")
    done = run("validate", table, *words)
    assert done.returncode == 0, done.stderr
    told = [
        (learner["label"], learner["settings"], learner["companion"]) for learner in json.loads(done.stdout)["learners"]
    ]
    found = vd.intersection_validation(
        vd.read(table), companions={"grow-shrink": vd.GrowShrink()}, sizes=[100], repeats=1
    )
    assert told == [(learner.label, repr(learner.algorithm), learner.companion) for learner in found.learners]


def test_compare_says_how_far_graphs_are_apart(tmp_path, run):
    (tmp_path / "b.json").write_text(vd.DAG.from_modelstring("[A][B|A][C|B]").cpdag().to_json(), "utf-8")
    done = run("compare", "[A][C][B|A:C]", str(tmp_path / "b.json"), "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["shd"], facts["missing"], facts["spurious"], facts["misoriented"]) == (2, 0, 0, 2)
    assert (facts["skeleton_hamming"], facts["f1"]) == (0, 1.0)
    assert facts["sid_lower"] <= facts["sid_upper"]
    plain = run("compare", "asia", "asia")
    assert plain.stdout.split("\n")[0].split() == ["shd", "0"]
    assert "sid" in plain.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--algorithm", "tabu"), "at least two"),
        (("--algorithm", "tabu", "--algorithm", "tabu"), "twice"),
        (("--algorithm", "tabu", "--algorithm", "taboo"), "did you mean 'tabu'"),
        (("--sizes", "a,b"), "integers separated by commas"),
        (("--sizes", "4000"), "from 1 to 399"),
    ],
)
def test_mistakes_are_one_line(table, words, message, run):
    done = run("validate", table, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().split("\n")) == 1


def test_the_page_needs_a_name_and_a_folder(table, tmp_path, run):
    assert "must end in .html" in run("report", table, "-o", str(tmp_path / "x.pdf")).stderr
    assert "there is no folder" in run("report", table, "-o", str(tmp_path / "no" / "x.html")).stderr


@pytest.mark.medium
def test_an_interrupted_report_is_still_a_page(table, tmp_path, run, monkeypatch):
    page, made, learn = tmp_path / "r.html", [], vd.Tabu.learn

    def stopping(self, *given, **named):
        made.append(self)
        if len(made) == 6:  # two learn from all of the data, the others from subsamples
            signal.raise_signal(signal.SIGINT)
        return learn(self, *given, **named)

    monkeypatch.setattr(vd.Tabu, "learn", stopping)
    done = run("report", table, *TWO, "--repeats", "5000", "-o", str(page))
    assert done.returncode == 130, done.stderr
    assert "The work was stopped before its end" in page.read_text("utf-8")
