"""The assessment of a table: evidence, chances, the recommended learner and its level."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import veridag as vd
from veridag.data import Data
from veridag.errors import InputError
from veridag.graph.class_shares import ClassShares
from veridag.trust.assessment.assess import assessed, companions_with_tests, with_tests
from veridag.trust.assessment.assessment import Assessment, percent
from veridag.trust.assessment.chances import ChanceModel, features, margin_for, model_for, obeying
from veridag.trust.assessment.evidence import SOURCES, Evidence, collect, criteria
from veridag.trust.assessment.learners import assessed_learners
from veridag.trust.assessment.levels import level_at, rates
from veridag.trust.assessment.recommending import pair_types, recommend, recommend_by
from veridag.trust.averages.averaged import bootstrap_shares
from veridag.trust.averages.imputed import completions
from veridag.trust.defaults import default_learner, most_parents
from veridag.trust.subsampling import Learner

NAMES = ("a", "b", "c")


@pytest.fixture(scope="module")
def data() -> Data:
    return vd.networks.load("asia").sample(150, seed=4)


@pytest.fixture(scope="module")
def found(data: Data) -> Assessment:
    return vd.assess(data, seed=1, jobs=2)


def shares(
    directed: dict[tuple[int, int], float], undirected: dict[tuple[int, int], float] | None = None
) -> ClassShares:
    d, u = np.zeros((3, 3)), np.zeros((3, 3))
    for (i, j), p in directed.items():
        d[i, j] = p
    for (i, j), p in (undirected or {}).items():
        u[i, j] = u[j, i] = p
    return ClassShares(NAMES, d, u)


def evidence(*parts: ClassShares | None, rows: int = 500, kind: str = "discrete") -> Evidence:
    return Evidence(NAMES, rows, kind, parts)


# ---- chances


def test_the_chances_are_those_of_the_formula():
    model = ChanceModel(
        np.array([-1.0, 0.5, 0.25, 1.0, 0.5, -0.1, 0.2, 0.3]),
        np.array([0.3, 0.5, 0.4, 0.2, 0.1]),
        np.array([0.6, 0.2, 0.1, 0.3]),
    )
    posterior = shares({(0, 1): 0.6, (1, 0): 0.1}, {(0, 1): 0.2})
    other = shares({(0, 1): 0.5})
    got = model.chances(evidence(posterior, other, other, other, rows=1000))

    def logit(p: float) -> float:
        return float(np.log(p / (1 - p)))

    z = -1.0 + 0.5 * logit(0.9) + 0.25 * logit(0.5) + 1.0 * 0.5 + 0.5 * 0.5 - 0.1 * np.log(2) + 0.2 * np.log(5 / 15)
    z += 0.3 * np.log((0.5 * (0.9 + 0.5) + 0.5) / 3)  # the links that are expected, of one pair
    joined = 1 / (1 + np.exp(-z))
    first = np.array([0.62, 0.12, 0.22]) / 0.96
    rest = np.array([0.52, 0.02, 0.02]) / 0.56
    w, u = np.array([0.5, 0.4, 0.2, 0.1]), np.array([0.6, 0.2, 0.1, 0.3])
    each = np.log(np.array([first, rest, rest, rest]))  # source, way
    logits = np.array([0.3 + w @ each[:, 0], 0.3 + w @ each[:, 1], u @ each[:, 2]])
    q = np.exp(logits) / np.exp(logits).sum()
    assert got.joined[0, 1] == pytest.approx(joined)
    assert (got.directed[0, 1], got.directed[1, 0], got.undirected[1, 0]) == pytest.approx(tuple(joined * q))


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_exchanging_variables_exchanges_the_chances(kind: str):
    random = np.random.default_rng(1)

    def drawn() -> ClassShares:
        d, u = random.dirichlet(np.ones(4), size=3), np.zeros((3, 3))
        directed = np.zeros((3, 3))
        for k, (i, j) in enumerate(itertools.combinations(range(3), 2)):
            directed[i, j], directed[j, i], u[i, j], _ = d[k]
            u[j, i] = u[i, j]
        return ClassShares(NAMES, directed, u)

    parts = [drawn() for _ in SOURCES]
    order = [2, 0, 1]
    turned = [
        ClassShares(
            tuple(NAMES[k] for k in order), part.directed[np.ix_(order, order)], part.undirected[np.ix_(order, order)]
        )
        for part in parts
    ]
    one = model_for(kind).chances(evidence(*parts, kind=kind))
    other = model_for(kind).chances(Evidence(tuple(NAMES[k] for k in order), 500, kind, tuple(turned)))
    assert other.directed == pytest.approx(one.directed[np.ix_(order, order)])
    assert other.undirected == pytest.approx(one.undirected[np.ix_(order, order)])
    assert (one.joined <= 1).all()
    assert (one.directed >= 0).all()


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
def test_more_evidence_for_a_pair_gives_a_larger_chance(kind: str):
    weak, strong = shares({(0, 1): 0.1}), shares({(0, 1): 0.9})
    for k in range(len(SOURCES)):
        parts: list[ClassShares] = [weak] * len(SOURCES)
        low = model_for(kind).chances(evidence(*parts, kind=kind)).joined[0, 1]
        parts[k] = strong
        high = model_for(kind).chances(evidence(*parts, kind=kind)).joined[0, 1]
        if SOURCES[k] == "learners":  # given the others, they say next to nothing of discrete data
            assert high > low - 0.05
        else:
            assert high > low


def test_a_source_that_is_missing_says_what_the_others_say():
    some = shares({(0, 1): 0.7}, {(1, 2): 0.4})
    whole = features(evidence(some, some, some, some))
    for k in range(len(SOURCES)):
        parts: list[ClassShares | None] = [some] * len(SOURCES)
        parts[k] = None
        for a, b in zip(features(evidence(*parts)), whole, strict=True):
            assert a == pytest.approx(b)


def test_what_is_known_rules_the_chances():
    chances = shares({(0, 1): 0.3, (1, 0): 0.1}, {(0, 1): 0.2, (0, 2): 0.5})
    known = obeying(chances, vd.Knowledge(required=[("b", "a")], forbidden=[("a", "c")]))
    assert (known.directed[1, 0], known.directed[0, 1], known.undirected[0, 1]) == (1.0, 0.0, 0.0)
    assert (known.directed[2, 0], known.directed[0, 2], known.undirected[0, 2]) == (0.5, 0.0, 0.0)
    apart = obeying(chances, vd.Knowledge(forbidden=[("a", "b"), ("b", "a")]))
    assert apart.joined[0, 1] == 0.0
    assert obeying(chances, None) is chances


# ---- recommending


def test_the_recommended_graph_has_the_smallest_expected_distance():
    chances = shares({(0, 1): 0.8}, {(1, 2): 0.7})
    graphs = {
        "empty": vd.PDAG.from_arcs([], names=NAMES),
        "right": vd.PDAG.from_arcs([("a", "b")], [("b", "c")], names=NAMES),
        "turned": vd.PDAG.from_arcs([("b", "a")], [("b", "c")], names=NAMES),
    }
    got = recommend(graphs, chances)
    assert got.label == "right"
    assert got.expected == pytest.approx({"empty": 0.8 + 0.7, "right": 0.2 + 0.3, "turned": 1.0 + 0.3})
    assert got.apart == 2


def test_the_averaged_network_is_left_only_for_clear_evidence():
    chances = shares({(0, 1): 0.55}, {(1, 2): 0.9})
    graphs = {
        "fewest": vd.PDAG.from_arcs([("a", "b")], [("b", "c")], names=NAMES),
        "averaged network": vd.PDAG.from_arcs([], [("b", "c")], names=NAMES),
    }
    # 0.45 + 0.1 and 0.55 + 0.1 expected errors, and they differ in one pair
    assert recommend(graphs, chances, margin=0.09).label == "fewest"
    assert recommend(graphs, chances, margin=0.11).label == "averaged network"
    unnamed = {"first": graphs["averaged network"], "second": graphs["fewest"]}
    assert recommend(unnamed, chances, margin=0.11).label == "first"


def test_the_chance_to_be_within_one_is_that_of_all_truths():
    random = np.random.default_rng(3)
    chances = random.dirichlet(np.ones(4), size=4)
    joins = {f"learner {k}": random.integers(0, 4, size=4) for k in range(4)}
    got = recommend_by(joins, chances)
    found = np.array(list(joins.values()))
    best = list(joins).index(got.label)
    exact = 0.0
    for truth in itertools.product(range(4), repeat=4):
        p = np.prod(chances[np.arange(4), truth])
        distances = (found != np.array(truth)).sum(axis=1)
        exact += p * (distances[best] - distances.min() <= 1)
    assert got.within_one == pytest.approx(exact, abs=0.04)  # 2000 draws


def test_learners_that_differ_in_one_pair_at_most_leave_no_doubt():
    chances = np.full((3, 4), 0.25)
    joins = {"one": np.array([0, 3, 3]), "other": np.array([1, 3, 3])}
    assert recommend_by(joins, chances).within_one == 1.0


def test_pair_types_are_those_of_partial_graphs():
    graph = vd.PDAG.from_arcs([("a", "b"), ("c", "b")], [], names=NAMES)
    assert pair_types(graph.adjacency).tolist() == [0, 3, 1]


def test_levels():
    assert [level_at(p) for p in (0.95, 0.9, 0.89, 0.55, 0.54)] == ["high", "high", "moderate", "moderate", "low"]
    known = rates()
    assert known["high"].share >= 0.85  # what "high" promises
    assert known["high"].share > known["moderate"].share > known["low"].share
    assert known["high"].tables >= 0.25 * sum(rate.tables for rate in known.values())


# ---- learners


@pytest.mark.parametrize(("network", "rows"), [("asia", 100), ("ecoli70", 60), ("clinic", 80)])
def test_at_least_five_learners_differ_in_search_or_score(network: str, rows: int):
    table = vd.networks.load(network).sample(rows, seed=1)
    learners = assessed_learners(table)
    assert len(learners) >= 5
    told_apart = {(type(x).__name__, repr(x.criterion)) for x in learners.values()}
    assert len(told_apart) == len(learners)
    assert repr(next(iter(learners.values()))) == vd.learn(table, seed=0).settings


def test_learners_for_groups_and_gaps():
    grouped = vd.simulate.related(nodes=4, groups=3, states=2, rows=40, seed=1).data
    assert len(assessed_learners(grouped)) >= 5
    gaps = vd.simulate.remove_values(vd.networks.load("asia").sample(60, seed=1), 0.1, seed=1)
    assert all(x.criterion is not None for x in assessed_learners(gaps).values())
    with_gaps = list(assessed_learners(gaps).values())
    assert [type(x) for x in with_gaps] == [vd.StructuralEM] * 3 + [vd.Imputed] * 2
    assert all(x.algorithm == with_gaps[0] for x in with_gaps[3:])


def test_evidence_with_gaps_is_that_of_tables_in_which_they_are_filled_in():
    gaps = vd.simulate.remove_values(vd.networks.load("asia").sample(150, seed=1), 0.1, seed=1)
    learner = vd.StructuralEM(vd.Tabu(score=vd.BDeu()))
    first = Learner.of("first", learner, learner.learn(gaps, seed=3), False)
    evidence = collect(gaps, [first], vd.BDeu(), seed=3)
    tables = vd.impute(vd.fit(learner.learn(gaps, seed=3).dag, gaps), gaps, draws=4, seed=3)
    most = most_parents(gaps)
    own = [vd.Tabu(score, prior, max_indegree=most) for score, prior in criteria(gaps, vd.BDeu())[0]]
    joined = [bootstrap_shares(table, each, 10, None, 3)[0].joined for each in own for table in tables]
    posterior, bootstrap, learners, tests = evidence.shares
    assert bootstrap is not None
    assert posterior is not None
    assert learners is not None
    assert bootstrap.joined == pytest.approx(np.mean(joined, axis=0))
    assert tests is None
    assert collect(gaps, [first], vd.BDeu(), seed=3, deadline=0.0).shares[:2] == (None, None)


def both_directions(rows: int = 120) -> tuple[vd.Data, vd.Knowledge]:
    """A measurement that causes a category, with gaps, and knowledge that says which comes first."""
    rng = np.random.default_rng(8)
    dose = rng.normal(size=rows)
    ill = (dose + 0.5 * rng.normal(size=rows) > 0).astype(int)
    pulse = 1.5 * ill + rng.normal(size=rows)
    columns = [
        vd.data.Column.continuous("dose", dose),
        vd.data.Column.discrete("ill", ill, "ny"),
        vd.data.Column.continuous("pulse", pulse),
    ]
    data = vd.simulate.remove_values(vd.Data(columns), 0.1, seed=2)
    return data, vd.Knowledge(required=[("dose", "ill")], forbidden=[("pulse", "ill")])


def test_gaps_are_filled_in_where_a_measurement_comes_before_a_category():
    data, known = both_directions()
    learner = vd.StructuralEM(vd.Tabu(score=vd.DegenerateGaussian()))
    tables = completions(data, learner, known, 2, seed=3)
    filling = default_learner(data)
    assert tables == vd.impute(vd.fit(filling.learn(data, seed=3).dag, data), data, draws=2, seed=3)
    assert not any(table.incomplete for table in tables)


def test_every_default_learner_and_test_takes_gaps_and_measurements_before_categories():
    data, known = both_directions()
    ranked, beside = with_tests(data, assessed_learners(data, known), None, known)
    assert len(ranked) >= 5
    for learner in (*ranked.values(), *beside.values()):
        assert learner.criterion is not None
        assert learner.criterion.both_directions
        small = replace(learner, draws=1) if isinstance(learner, vd.Imputed) else learner
        found = small.learn(data, known).graph.reorder(data.names)
        assert found.adjacency[0, 1]


# ---- the whole


def test_an_assessment_is_consistent(found: Assessment, data: Data):
    labels = [x.label for x in found.validation.ranked]
    assert found.recommended in labels
    assert set(found.expected) == set(labels)
    graphs = {x.label: found.validation.directed(x) for x in found.validation.ranked}
    assert found.recommendation == recommend(graphs, found.chances, margin_for("discrete"))
    averaged = next(label for label in labels if label.startswith("averaged"))
    assert found.recommended == averaged or found.expected[found.recommended] < found.expected[averaged]
    assert found.result is found.learner.result
    assert found.level == level_at(found.within_one)
    assert found.sentence
    assert repr(found).startswith("<Assessment: ")
    assert len(found.validation.ranked) >= 5
    at = {name: k for k, name in enumerate(data.names)}
    for arc in found.arcs:
        assert arc.joined >= 0.1
        assert arc.forward >= arc.backward >= 0
        assert arc.forward + arc.backward + arc.open == pytest.approx(arc.joined)
        assert arc.joined == pytest.approx(found.chances.joined[at[arc.a], at[arc.b]])
        assert "posterior" in arc.why
        assert "bootstrap" in arc.why
        assert arc.a in arc.sentence
    assert [arc.joined for arc in found.arcs] == sorted((arc.joined for arc in found.arcs), reverse=True)


def test_with_fewer_rows_than_levels_were_calibrated_with_trust_is_low(found: Assessment):
    few = replace(found, evidence=replace(found.evidence, rows=99))
    assert few.level == "low"
    enough = replace(found, evidence=replace(found.evidence, rows=100))
    assert enough.level == level_at(found.within_one)


def test_an_assessment_without_a_part_of_the_evidence_has_no_high_trust(found: Assessment):
    agreed = replace(found, recommendation=replace(found.recommendation, apart=0))
    assert agreed.level == "high"
    assert not agreed.is_partial
    assert replace(agreed, interrupted=True).level == "moderate"
    assert replace(agreed, evidence=replace(agreed.evidence, absent=("posterior",))).level == "moderate"
    few = replace(agreed.evidence, rows=99, absent=("posterior",))
    assert replace(agreed, evidence=few).level == "low"


def test_the_same_seed_gives_the_same_whatever_the_jobs(found: Assessment, data: Data):
    again = vd.assess(data, seed=1)
    assert again.recommended == found.recommended
    assert again.arcs == found.arcs
    assert again.within_one == found.within_one


def test_what_is_known_is_in_the_arcs(data: Data):
    learners = [vd.Tabu(score=vd.BDeu(), max_indegree=3), vd.GES(max_indegree=3)]
    known = vd.Knowledge(required=[("smoke", "lung")], forbidden=[("tub", "asia")])
    got = vd.assess(data, learners=learners, knowledge=known)
    (arc,) = (each for each in got.arcs if {each.a, each.b} == {"smoke", "lung"})
    assert (arc.a, arc.forward, arc.backward) == ("smoke", 1.0, 0.0)
    assert all(each.forward == 0 for each in got.arcs if (each.a, each.b) == ("tub", "asia"))
    assert got.recommended in {learner.label for learner in learners}


def test_an_interrupt_carries_what_is_known(data: Data):
    def stop(what: str, done: int, total: int | None, extra: object) -> None:
        if done >= 75:
            raise KeyboardInterrupt

    learners = [vd.Tabu(score=vd.BDeu(), max_indegree=3), vd.Tabu(score=vd.BIC(), max_indegree=3)]
    with pytest.raises(vd.Interrupted) as stopped:
        vd.assess(data, learners=learners, progress=stop)
    partial = stopped.value.result
    assert isinstance(partial, Assessment)
    assert partial.interrupted
    assert partial.evidence.shares[0] is None
    assert partial.evidence.shares[2] is not None
    assert partial.recommended in {learner.label for learner in learners}


def test_evidence_ends_in_time(data: Data):
    learners = vd.intersection_validation(
        data, [vd.Tabu(score=vd.BDeu()), vd.GES()], repeats=1, companions=companions_with_tests(data, None)
    )
    got = collect(data, learners.learners, vd.BDeu(), deadline=0.0)
    assert [own is None for own in got.shares] == [True, True, False, False]
    assert got.absent == ("posterior", "bootstrap")
    assert assessed(learners, got, None, 0.0).arcs is not None


def test_percentages():
    assert [percent(p) for p in (0.0, 0.004, 0.5, 0.996, 1.0)] == [
        "0 %",
        "less than 1 %",
        "50 %",
        "more than 99 %",
        "100 %",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"minutes": 0}, "minutes=0"),
        ({"jobs": 0}, "jobs=0"),
        ({"learners": [vd.Tabu()]}, "at least two"),
        ({"knowledge": "tiers"}, "knowledge='tiers'"),
    ],
)
def test_wrong_arguments_are_refused(data: Data, arguments: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        vd.assess(data, **arguments)
