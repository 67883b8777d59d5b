"""The command that says which learner to take and how likely each arc is."""

from __future__ import annotations

import csv
import json
import signal

import pytest

import veridag as vd
from veridag.cli import assess as command
from veridag.errors import speaking_flags
from veridag.trust.assessment.assess import assess_learners

TWO = ("--algorithm", "tabu(score=bic)", "--algorithm", "tabu(score=bdeu)")
LEARNERS = {"tabu(score=bic)": vd.Tabu(score=vd.BIC()), "tabu(score=bdeu)": vd.Tabu(score=vd.BDeu())}


@pytest.fixture(scope="module", autouse=True)
def little_evidence():
    from veridag.trust.assessment import assess, evidence

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "REPEATS", 3)
        patch.setattr(evidence, "DRAWS", 5)
        patch.setattr(evidence, "BURN_IN", 2)
        patch.setattr(assess, "REPEATS", 2)
        yield


def test_the_words_and_the_table_are_those_of_the_library(call, asia_csv):
    code, out, err = call("assess", asia_csv, *TWO, "--seed", "3")
    assert code == 0, err
    found = vd.assess(vd.read(asia_csv), learners=LEARNERS, seed=3)
    said, _, table = out.partition("\n\n")
    with speaking_flags():
        assert said.splitlines() == [
            f"recommended: {found.recommended}",
            f"trust in this choice: {found.level}",
            found.sentence,
            *found.advice,
        ]
    head, *rows = [line.split() for line in table.splitlines()]
    assert head == ["a", "b", "joined", "forward", "backward", "either"]
    chances = [(arc.joined, arc.forward, arc.backward, arc.open) for arc in found.arcs]
    assert rows == [[arc.a, arc.b, *(f"{p:.2f}" for p in own)] for arc, own in zip(found.arcs, chances, strict=True)]


def test_json_and_the_file_have_everything(call, asia_csv, tmp_path):
    known = ("--require", "asia:tub", "--forbid", "lung:smoke")
    table = tmp_path / "arcs.csv"
    code, out, err = call("assess", asia_csv, *TWO, *known, "--json", "-o", table)
    assert code == 0, err
    knowledge = vd.Knowledge(required=[("asia", "tub")], forbidden=[("lung", "smoke")])
    found = vd.assess(vd.read(asia_csv), learners=LEARNERS, knowledge=knowledge)
    facts = json.loads(out)
    assert facts["recommended"] == found.recommended
    assert facts["expected"] == found.expected
    assert (facts["level"], facts["within_one"]) == (found.level, found.within_one)
    rate = found.hit_rate
    assert facts["hit_rate"] == {
        "tables": rate.tables,
        "within_one": rate.within_one,
        "share": rate.share if rate.tables else None,
    }
    assert facts["arcs"] == [
        {name: getattr(arc, name) for name in ("a", "b", "joined", "forward", "backward", "why")} for arc in found.arcs
    ]
    assert ["asia", "tub"] in facts["network"]["arcs"]
    assert facts["validation"]["ranking"] == list(found.validation.ranking)
    assert facts["validation"]["known"] == knowledge.describe()
    with speaking_flags():
        assert (facts["advice"], facts["sentence"]) == (list(found.advice), found.sentence)
    assert (facts["failed"], facts["missing_evidence"]) == ({}, [])
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["a"], row["b"], float(row["joined"]), row["why"]) for row in rows] == [
        (arc.a, arc.b, arc.joined, arc.why) for arc in found.arcs
    ]


def test_a_file_on_standard_output_has_it_alone(call, asia_csv):
    code, out, err = call("assess", asia_csv, *TWO, "-o", "-")
    assert code == 0
    assert out.startswith("a,b,joined,forward,backward,why\n")
    assert "recommended: " not in out
    assert "recommended: " in err


def test_long_tables_are_cut_on_the_terminal(call, asia_csv, monkeypatch):
    monkeypatch.setattr(command, "MOST_ARCS", 2)
    _, out, err = call("assess", asia_csv, *TWO)
    assert len(out.partition("\n\n")[2].splitlines()) == 3
    assert "more: -o FILE or --json gives all" in err


def test_an_interrupt_keeps_what_is_there(call, asia_csv, monkeypatch):
    learn = vd.Tabu.learn

    def stopping(self, data, *given, **named):
        if data.n < 400:  # a subsample: both have learned from all of the data
            signal.raise_signal(signal.SIGINT)
        return learn(self, data, *given, **named)

    monkeypatch.setattr(vd.Tabu, "learn", stopping)
    code, out, _ = call("assess", asia_csv, *TWO, "--json")
    assert code == 130
    facts = json.loads(out)
    assert facts["interrupted"]
    assert facts["recommended"] in LEARNERS
    assert facts["arcs"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--algorithm", "tabu"), "give at least two"),
        (("--minutes", "0"), "--minutes 0.0 must be a number above 0"),
        (("-o", "arcs.txt"), "must end in .csv"),
        (("--require", "asia:lungs"), "did you mean 'lung'"),
    ],
)
def test_mistakes_are_one_line(call, asia_csv, words, message):
    code, _, err = call("assess", asia_csv, *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_companions_of_the_report_are_added_to_the_tests(asia_csv):
    data = vd.read(asia_csv)
    found = assess_learners(data, LEARNERS, companions={"h2pc": vd.H2PC()}, sizes=[100], repeats=1)
    assert [learner.label for learner in found.validation.companions] == ["PC-stable, G²", "h2pc"]
    own = assess_learners(data, {**LEARNERS, "PC-stable, G²": vd.PCStable()}, sizes=[100], repeats=1)
    assert not own.validation.companions
