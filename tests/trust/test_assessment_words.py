"""What an assessment says, in each situation. Numbers of the model play no part: they are set here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import veridag as vd
from veridag.graph.class_shares import ClassShares
from veridag.trust.assessment import words
from veridag.trust.assessment.assess import assess_learners
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.assessment.levels import HitRate

RATE = HitRate(200, 150)
LEARNERS = {"few": vd.HillClimbing(score=vd.BIC()), "many": vd.HillClimbing(score=vd.AIC())}


def chain(rows: int, strength: float = 0.9, kind: str = "discrete") -> vd.Data:
    """A -> B -> C and D apart; with the strength 0.5, all four are apart."""
    rng = np.random.default_rng(5)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < strength, a, 1 - a)
    c = np.where(rng.random(rows) < strength, b, 1 - b)
    columns = {"A": a, "B": b, "C": c, "D": rng.integers(0, 2, rows)}
    made = [vd.data.Column.discrete(name, codes, "ny") for name, codes in columns.items()]
    if kind == "mixed":
        made.append(vd.data.Column.continuous("E", c + rng.normal(size=rows)))
    return vd.Data(made)


def assessed(data: vd.Data, **changes: object) -> Assessment:
    """An assessment without the work on evidence that takes long; `changes` are to the recommendation."""
    made = assess_learners(data, LEARNERS, sizes=[max(20, data.n // 2)], repeats=1, seconds=60)
    return replace(made, recommendation=replace(made.recommendation, **changes))


@pytest.fixture(scope="module", autouse=True)
def little_evidence():
    from veridag.trust.assessment import evidence

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "REPEATS", 3)
        patch.setattr(evidence, "DRAWS", 5)
        patch.setattr(evidence, "BURN_IN", 2)
        yield


@pytest.fixture(scope="module")
def usual() -> Assessment:
    return assessed(chain(800), apart=4)


@pytest.fixture
def at_level(usual, monkeypatch):
    """The same at a level of trust, with a hit rate."""

    def make(level: str, rate: HitRate = RATE) -> Assessment:
        monkeypatch.setattr(Assessment, "level", level)
        monkeypatch.setattr(Assessment, "hit_rate", rate)
        return replace(usual)

    return make


@pytest.mark.parametrize(
    ("level", "first"),
    [
        ("high", "Of the networks that were compared, this one, with 2 links, is the best bet."),
        ("moderate", "This network is a fair choice, but others fit nearly as well."),
        ("low", "Do not rely on one network here: the learners' networks differ in up to 4 pairs of variables."),
    ],
)
def test_each_level_has_its_first_sentence_and_its_measured_hit_rate(at_level, level, first):
    made = at_level(level)
    assert words.situation_of(made) == "usual"
    assert made.sentence.startswith(first)
    assert f"Trust in this choice is {level}: among 200 test tables of this level" in made.sentence
    assert "at most one link worse, in 75 %." in made.sentence


def test_a_level_that_was_not_tested_has_no_hit_rate(at_level):
    made = at_level("moderate", HitRate(0, 0))
    assert made.sentence.endswith("Trust in this choice is moderate.")
    assert "nan" not in made.sentence


def test_few_rows_come_first_and_no_level_is_claimed_for_them():
    made = assessed(chain(60), apart=3)
    assert words.situation_of(made) == "few rows"
    assert made.sentence.startswith("60 rows are few for 4 variables: take the ")
    assert "Tables with so few rows were not part of the tests." in made.sentence
    assert "Trust" not in made.sentence
    assert made.advice[0].startswith("More rows would help most: 60 are few for 4 variables.")


def test_learners_that_agree_leave_nothing_to_choose(usual):
    made = replace(usual, recommendation=replace(usual.recommendation, apart=0))
    assert words.situation_of(made) == "all agree"
    assert made.sentence.startswith("Both learners found the same network, with 2 links. They may all be wrong")
    assert "Trust" not in made.sentence


@pytest.mark.parametrize(("rows", "seen"), [(300, "only strong links can be seen"), (900, "strong links would show")])
def test_nothing_found_is_said_with_what_could_be_seen(rows, seen):
    rng = np.random.default_rng(0)
    data = vd.Data.from_numpy(rng.integers(0, 2, (rows, 3)), list("ABC"))
    made = assessed(data)
    empty = vd.PDAG.from_arcs([], names="ABC")
    made.__dict__["graph"] = empty
    assert words.situation_of(made) == "nothing found"
    assert f"between the 3 variables: with {rows} rows {seen}" in made.sentence
    assert "expected to be missed." in made.sentence
    assert "wrong" not in made.sentence
    assert any("More rows would help most" in advice for advice in made.advice) == (rows < 500)


def test_a_mixed_table_says_so_first_and_what_its_arrows_mean():
    made = assessed(chain(600, kind="mixed"), apart=3)
    assert words.situation_of(made) == "mixed"
    assert made.sentence.startswith(
        "The table has categories and measurements, which are harder to learn from together."
    )
    assert any("arrows between the two always start at the category" in advice for advice in made.advice)


def with_chances(made: Assessment, joined: dict[tuple[str, str], tuple[float, float]]) -> Assessment:
    """The chance that each pair is linked, and that it is linked with this direction."""
    names = made.chances.names
    directed, undirected = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
    for (a, b), (linked, forward) in joined.items():
        i, j = names.index(a), names.index(b)
        directed[i, j] = forward
        undirected[i, j] = undirected[j, i] = linked - forward
    return replace(made, chances=ClassShares(names, directed, undirected))


def test_advice_counts_in_the_singular_and_the_plural(usual):
    one = with_chances(usual, {("A", "B"): (0.97, 0.0), ("B", "C"): (0.7, 0.7)})
    assert any("the direction of one safe link is open, that between A and B" in advice for advice in one.advice)
    assert "Check the link between B and C in new data" in one.advice[-1]
    two = with_chances(
        usual, {("A", "B"): (0.97, 0.0), ("B", "C"): (0.95, 0.1), ("A", "C"): (0.6, 0), ("A", "D"): (0.6, 0)}
    )
    assert any("the directions of 2 safe links are open, such as that between A and B" in each for each in two.advice)
    assert "Check the 2 links that are likely but not safe" in two.advice[-1]
    clear = with_chances(usual, {("A", "B"): (0.97, 0.97)})
    assert not any("Say what you know" in advice or "Check" in advice for advice in clear.advice)


def test_low_trust_leads_with_rows_or_with_variables(at_level, usual):
    many = at_level("low")
    assert many.advice[0].startswith("Look at the variables: there are many rows")
    few = replace(many, evidence=replace(many.evidence, rows=400))
    assert few.advice[0].startswith("More rows would help most: 400 are few for 4 variables.")


def test_an_assessment_that_was_stopped_says_so_first(usual):
    assert replace(usual, interrupted=True).advice[0].startswith("Let it run to its end")


def test_the_sentence_of_a_link_says_what_is_known_of_its_direction(usual):
    made = with_chances(usual, {("A", "B"): (0.97, 0.0), ("B", "C"): (0.8, 0.6), ("C", "D"): (0.6, 0.2)})
    undecided = replace(made.between("C", "D"), backward=0.25)
    either = "either direction fits equally well"
    assert made.between("B", "A").sentence == f"A and B are linked: 97 %; if so, {either}: 100 %"
    assert made.between("C", "B").sentence == f"B and C are linked: 80 %; if so, from B to C: 75 %, {either}: 25 %"
    both = "from D to C: 42 %, from C to D: 33 %"
    assert undecided.sentence == f"C and D are linked: 60 %; if so, {both}, {either}: 25 %"
    with pytest.raises(vd.InputError, match="'X' is not one of the variables A, B, C, D"):
        made.between("A", "X")


def test_one_link_is_expected_to_be_wrong_and_two_are(usual):
    def said(off: float) -> str:
        expected = {**usual.expected, usual.recommended: off}
        return words.expected_sentence(replace(usual, recommendation=replace(usual.recommendation, expected=expected)))

    assert "less than one link is expected to be wrong" in said(0.2)
    assert "about 1 link is expected" in said(1.2)
    assert "about 2 links are expected" in said(1.7)


def test_learners_that_failed_are_named_first():
    failing = {**LEARNERS, "by tests of numbers": vd.PCStable(test=vd.FisherZ())}
    data = chain(800)
    made = assess_learners(data, failing, sizes=[400], repeats=1, seconds=60)
    made = replace(made, recommendation=replace(made.recommendation, apart=0))
    assert [x.label for x in made.failed] == ["by tests of numbers"]
    assert made.level == "moderate"
    headline = words.headline_of(made)
    assert headline.startswith("The 2 learners that finished found the same network")
    assert headline.endswith("1 of 3 learners found no network: by tests of numbers.")
    assert "Trust in this choice is moderate. It cannot be high, because a learner failed." in made.sentence


def test_evidence_that_is_missing_is_named(usual):
    made = replace(usual, evidence=replace(usual.evidence, absent=("posterior", "tests")))
    assert words.headline_of(made).endswith(
        "The chances are less reliable than usual, because evidence is missing: the networks drawn from the "
        "posterior, the independence tests."
    )
    assert "because a part of the evidence is missing" in made.sentence


def test_an_interrupted_assessment_says_so(usual):
    assert "because the work was stopped early" in replace(usual, interrupted=True).sentence
