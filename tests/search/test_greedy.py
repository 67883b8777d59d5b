from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import veridag as vd
from naive import search as naive_search
from naive.greedy import published_calls
from strategies import few
from veridag.data import Column, Data
from veridag.search.hill_climbing import can_afford_classes

LEARNED = oracle.load("learned")
FAMILIES = oracle.load("families")
SCORES = {"bic": vd.BIC(), "bde": vd.BDeu(), "bds": vd.BDs(), "fnml": vd.FNML(), "qnml": vd.QNML(), "bge": vd.BGe()}
DISCRETE = [
    vd.LogLik(),
    vd.AIC(),
    vd.BIC(),
    vd.BIC(1),
    vd.K2(),
    vd.BDeu(),
    vd.BDs(),
    vd.BDJeffreys(),
    vd.FNML(),
    vd.QNML(),
]
GAUSSIAN = [vd.AIC(), vd.BIC(), vd.BIC(1), vd.BGe()]
PRIORS = [
    vd.Uniform(),
    vd.Edge(),
    vd.Fair(),
    vd.DataSize(),
    vd.Factorial(),
    vd.MarginalUniform(),
    vd.VariableSelection(),
]
PRIORS += [vd.CasteloSiebes({("asia", "tub"): 0.7}), vd.IndegreeAtMost(2)]


@cache
def sample(network: str) -> Data:
    """The data that the independent implementation learned from."""
    columns = []
    for name, column in FAMILIES[network]["columns"].items():
        if isinstance(column, list):
            columns.append(Column.continuous(name, np.array(column)))
        else:
            codes = np.array([int(c, 36) for c in column["codes"]], np.uint8)
            columns.append(Column.discrete(name, codes, column["states"]))
    return Data(columns)


def parents_minus_two(child: str, parents: tuple[str, ...], data: Data) -> float:
    return -float((len(parents) - 2) ** 2)


def check(result: vd.Result, data: Data, algorithm: vd.HillClimbing) -> None:
    """The score is that of the graph, and the graph is one that the settings allow."""
    assert result.score == pytest.approx(vd.score(result.dag, data, algorithm.score, algorithm.prior), rel=1e-10)
    assert result.graph is result.dag  # acyclic, or its construction would have failed
    assert result.dag.names == data.names
    if algorithm.max_indegree is not None:
        assert result.dag.adjacency.sum(axis=0).max() <= algorithm.max_indegree
    assert result.calls >= result.distinct_calls > 0


@pytest.mark.parametrize("score", DISCRETE, ids=repr)
@pytest.mark.parametrize("algorithm", [vd.HillClimbing, vd.Tabu])
def test_every_discrete_score_can_be_searched(algorithm, score):
    learner = algorithm(score=score, max_indegree=3)
    check(learner.learn(sample("asia")), sample("asia"), learner)


@pytest.mark.parametrize("score", GAUSSIAN, ids=repr)
def test_every_gaussian_score_can_be_searched(score):
    learner = vd.Tabu(score=score, max_indegree=3)
    check(learner.learn(sample("ecoli70")), sample("ecoli70"), learner)


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_every_prior_can_be_searched(prior):
    learner = vd.Tabu(score=vd.BDeu(), prior=prior)
    check(learner.learn(sample("asia")), sample("asia"), learner)


def test_a_users_own_score_can_be_searched():
    learner = vd.HillClimbing(score=vd.CustomScore(parents_minus_two))
    result = learner.learn(sample("asia"))
    check(result, sample("asia"), learner)
    # Two parents each, but for the two variables that must come first in any order.
    assert sorted(result.dag.adjacency.sum(axis=0)) == [0, 1, 2, 2, 2, 2, 2, 2]


def failing(child: str, parents: tuple[str, ...], data: Data) -> float:
    raise ZeroDivisionError("in the user's score")


def test_an_error_in_a_users_score_comes_through():
    with pytest.raises(ZeroDivisionError, match="in the user's score"):
        vd.HillClimbing(score=vd.CustomScore(failing)).learn(sample("asia"))


@pytest.mark.parametrize(
    "network", ["asia", "child", *(pytest.param(n, marks=pytest.mark.medium) for n in ("insurance", "ecoli70"))]
)
def test_tabu_with_restarts_is_at_least_as_good_as_the_independent_implementation(network):
    data = sample(network)
    for entry, known in LEARNED[network].items():
        if not entry.startswith("tabu/"):
            continue
        score = SCORES[entry.removeprefix("tabu/").removesuffix("-g")]
        found = vd.Tabu(score=score, restarts=60).learn(data, seed=1)
        assert found.score >= known["score"] - 1e-6, entry


def runs_of_the_reference() -> list[tuple[str, vd.HillClimbing, float]]:
    """Networks with the learners of the same kind, and the score that the independent implementation ended at.

    Its scores of Gaussian BIC are by another formula, and its qNML is an approximation, good to 2e-3 a family.
    """
    kinds = {"hc": vd.HillClimbing, "tabu": vd.Tabu}
    runs = []
    for network, entries in LEARNED.items():
        for entry, known in entries.items():
            kind, _, criterion = entry.partition("/")
            if kind in kinds and criterion in SCORES:
                runs.append((network, kinds[kind](score=SCORES[criterion]), known["score"]))
    return runs


def test_ties_by_columns_lead_where_they_lead_the_reference():
    for network, learner, score in runs_of_the_reference():
        found = replace(learner, ties="columns").learn(sample(network))
        assert found.score == pytest.approx(score, abs=0.05 if learner.score == vd.QNML() else 1e-6), learner


def test_ties_by_data_lead_at_least_as_high_as_the_reference_in_nearly_all_runs():
    runs = runs_of_the_reference()
    gains = [learner.learn(sample(network)).score - score for network, learner, score in runs]
    assert len(runs) >= 30
    assert np.mean(np.array(gains) > -0.01) >= 0.9


def test_an_order_for_ties_is_looked_for_unless_that_would_take_long():
    assert can_afford_classes(200, 10**9)
    assert can_afford_classes(1000, 6 * 10**6)
    assert not can_afford_classes(1000, 6 * 10**6 + 1)  # a dense network
    assert not can_afford_classes(1501, 0)


def naive_worth(scorer: vd.Scorer, child: int, added: int) -> float:
    """How much more other parents of a variable without any are worth once an arc is there, by the formula."""
    worth = 0.0
    for w in set(range(len(scorer.data.names))) - {child, added}:
        before = scorer.local(child, (w,)) - scorer.local(child, ())
        after = scorer.local(child, (added, w)) - scorer.local(child, (added,))
        worth += max(0.0, after - max(0.0, before)) if after > 0 else 0.0
    return worth


@pytest.mark.parametrize("network", ["asia", "child", "insurance"])
def test_the_first_arc_points_to_the_variable_to_which_it_makes_other_parents_worth_more(network):
    data = sample(network)
    scorer = vd.Scorer(data, vd.BDeu())
    a, b = vd.HillClimbing(score=vd.BDeu(), max_iter=1).learn(data).dag.arcs[0]
    i, j = data.names.index(a), data.names.index(b)
    there, back = naive_worth(scorer, j, i), naive_worth(scorer, i, j)
    order = data.in_data_order().names
    assert there > back + 1e-6 or (there > back - 1e-6 and order.index(a) < order.index(b))


@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu(), vd.BDs(), vd.QNML()], ids=repr)
def test_tabu_with_restarts_finds_the_best_network_of_asia(score):
    best = naive_search.optimum(sample("asia"), score)
    found = vd.Tabu(score=score, restarts=30).learn(sample("asia"), seed=1)
    assert found.score == pytest.approx(best, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("score", [vd.BIC(), vd.BDeu()], ids=repr)
def test_tabu_with_restarts_finds_the_best_network_of_child(score, seed):
    data = vd.networks.load("child").sample(1000, seed=seed)
    best = naive_search.optimum(data, score, max_indegree=3)
    found = vd.Tabu(score=score, max_indegree=3, restarts=60).learn(data, seed=1)
    assert found.score == pytest.approx(best, rel=1e-10)


def test_no_single_move_improves_what_hill_climbing_returns():
    data = sample("asia")
    result = vd.HillClimbing(score=vd.BDeu()).learn(data)
    for i in range(8):
        for j in range(8):
            for turned in (False, True):
                a = result.dag.adjacency.copy()
                a[i, j] ^= True
                a[j, i] = turned and not a[i, j]
                try:
                    other = vd.DAG(data.names, a)
                except vd.InvalidGraph:
                    continue
                assert vd.score(other, data, vd.BDeu()) <= result.score + 1e-5


@few
@given(st.permutations(range(20)))
def test_the_order_of_columns_changes_nothing(order):
    data = sample("child")
    permuted = data.select([data.names[i] for i in order])
    for learner in (vd.HillClimbing(), vd.Tabu(score=vd.BDeu(), restarts=1)):
        ours, theirs = learner.learn(data, seed=3), learner.learn(permuted, seed=3)
        assert ours.dag == theirs.dag
        assert ours.score == theirs.score
        assert (ours.calls, ours.distinct_calls) == (theirs.calls, theirs.distinct_calls)


def test_the_number_of_threads_changes_nothing():
    data = vd.networks.load("alarm").sample(1000, seed=1)
    learner = vd.Tabu(score=vd.BDeu(), restarts=2)
    one, three = learner.learn(data, seed=5), learner.learn(data, seed=5, jobs=3)
    assert (one.dag, one.score, one.calls) == (three.dag, three.score, three.calls)


def test_the_seed_decides_the_restarts():
    data = sample("child")
    learner = vd.HillClimbing(restarts=1, perturb=5)
    assert learner.learn(data, seed=1).dag == learner.learn(data, seed=1).dag
    assert len({learner.learn(data, seed=s).calls for s in range(5)}) > 1


def test_restarts_never_make_it_worse():
    data = sample("insurance")
    scores = [vd.HillClimbing(restarts=r).learn(data, seed=1).score for r in (0, 1, 5, 20)]
    assert scores == sorted(scores)


def test_tied_directions_go_by_name():
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 200)
    b = np.where(rng.random(200) < 0.9, a, 1 - a)
    data = Data.from_numpy(np.column_stack([b, a]), ["zebra", "ant"])
    assert vd.HillClimbing().learn(data).dag.arcs == (("ant", "zebra"),)


# ---- knowledge


def test_reversals_respect_required_and_forbidden_arcs():
    data = sample("child")
    free = vd.Tabu().learn(data).dag
    required = [(b, a) for a, b in free.arcs[:3]]
    forbidden = list(free.arcs[3:9]) + [(b, a) for a, b in free.arcs[6:9]]
    knowledge = vd.Knowledge(required=required, forbidden=forbidden, max_indegree=3)
    result = vd.Tabu(restarts=3).learn(data, knowledge=knowledge, seed=1)
    assert set(required) <= set(result.dag.arcs)
    assert not set(forbidden) & set(result.dag.arcs)
    assert result.dag.adjacency.sum(axis=0).max() <= 3
    assert knowledge.violations(result.dag) == []


def test_no_later_tier_causes_an_earlier_one():
    data = sample("asia")
    tiers = [["xray", "dysp"], ["either", "bronc"], ["asia", "smoke", "tub", "lung"]]
    result = vd.Tabu(score=vd.BDeu()).learn(data, knowledge=vd.Knowledge(tiers=tiers))
    place = {name: k for k, tier in enumerate(tiers) for name in tier}
    assert result.dag.arcs
    assert all(place[a] <= place[b] for a, b in result.dag.arcs)


def test_a_limit_for_one_variable_is_kept():
    knowledge = vd.Knowledge(max_indegree={"either": 1})
    result = vd.Tabu(score=vd.BDeu()).learn(sample("asia"), knowledge=knowledge)
    assert len(result.dag.parents("either")) <= 1


# ---- starts


def test_a_search_can_start_anywhere_and_keeps_what_it_has():
    data = sample("asia")
    best = vd.Tabu(score=vd.BDeu(), restarts=20).learn(data, seed=1)
    again = vd.HillClimbing(score=vd.BDeu(), start=best.dag).learn(data)
    assert again.dag == best.dag
    assert again.steps == 0


def test_a_prior_without_room_for_the_start_says_how_to_give_one():
    data = sample("asia")
    truth = vd.networks.load("asia").dag
    prior = vd.IndegreeEquals({name: len(truth.parents(name)) for name in truth.names})
    with pytest.raises(vd.InputError, match="pass start=, a DAG that the prior allows"):
        vd.HillClimbing(prior=prior).learn(data)
    result = vd.Tabu(prior=prior, start=truth).learn(data)
    assert [len(result.dag.parents(v)) for v in truth.names] == [len(truth.parents(v)) for v in truth.names]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda d: vd.HillClimbing(score="bic"), "must be a score"),
        (lambda d: vd.HillClimbing(prior="fair"), "must be a structure prior"),
        (lambda d: vd.HillClimbing(max_indegree=-1), "max_indegree=-1"),
        (lambda d: vd.HillClimbing(restarts=1.5), "restarts=1.5"),
        (lambda d: vd.Tabu(tabu=0), "tabu=0"),
        (lambda d: vd.HillClimbing(start="[A]"), "must be a DAG"),
        (
            lambda d: vd.HillClimbing(start=vd.DAG.empty(["A"])).learn(d),
            "start: the graph must have the data's variables",
        ),
        (lambda d: vd.HillClimbing(start=vd.networks.load("asia").dag, max_indegree=1).learn(d), "has 2 parents"),
        (lambda d: vd.HillClimbing(score=vd.BGe()).learn(d), "does not score discrete data"),
        (lambda d: vd.HillClimbing().learn(d, seed=-1), "seed=-1"),
        (lambda d: vd.HillClimbing().learn(d, knowledge=vd.Knowledge(required=[("asia", "lungs")])), "lungs"),
    ],
)
def test_a_mistake_is_named(call, message):
    with pytest.raises(vd.InputError, match=message):
        call(sample("asia"))


# ---- being told and being stopped


def test_a_data_frame_will_do():
    frame = sample("asia").to_pandas()
    assert vd.HillClimbing().learn(frame).dag == vd.HillClimbing().learn(sample("asia")).dag


def test_the_trace_leads_from_the_start_to_the_result():
    data = sample("child")
    result = vd.HillClimbing().learn(data, trace=True)
    assert result.trace is not None
    arcs: set[tuple[str, str]] = set()
    for step in result.trace:
        a, b = step.arc
        if step.move == "add":
            arcs.add((a, b))
        else:
            arcs.remove((a, b))
            arcs |= {(b, a)} if step.move == "reverse" else set()
    assert arcs == set(result.dag.arcs)
    gained = vd.score(vd.DAG.empty(data.names), data, vd.BIC()) + sum(step.gain for step in result.trace)
    assert gained == pytest.approx(result.score, rel=1e-10)
    assert len(result.trace) <= result.steps  # those of the climb that was not the best are counted too
    plain = vd.HillClimbing(ties="columns").learn(data, trace=True)
    assert plain.trace is not None
    assert len(plain.trace) == plain.steps


def test_max_iter_bounds_the_moves():
    result = vd.Tabu(max_iter=4).learn(sample("child"))
    assert result.steps == 8  # of two climbs
    assert len(result.dag.arcs) == 4


@pytest.mark.medium
def test_progress_is_reported():
    data = vd.networks.load("andes").sample(3000, seed=1)
    heard: list[tuple[int, float]] = []
    result = vd.Tabu(restarts=2).learn(
        data, progress=lambda what, done, total, extra: heard.append((done, extra["score"]))
    )
    assert heard
    assert [score for _, score in heard] == sorted(score for _, score in heard)
    assert heard[-1][0] <= result.steps


def test_an_error_in_the_progress_callback_comes_through():
    def broken(*report: object) -> None:
        raise RuntimeError("no screen")

    with pytest.raises(RuntimeError, match="no screen"):
        vd.Tabu(restarts=1000).learn(sample("child"), progress=broken)


def test_an_interrupt_stops_the_search_and_carries_the_best_so_far(ctrl_c):
    data = vd.networks.load("andes").sample(2000, seed=1)
    with pytest.raises(KeyboardInterrupt) as stop:
        vd.Tabu(restarts=100_000).learn(data, progress=ctrl_c(2))
    result = stop.value.result
    assert result.interrupted
    assert result.score == pytest.approx(vd.score(result.dag, data, vd.BIC()), rel=1e-10)


def test_results_and_learners_survive_pickling():
    learner = vd.Tabu(score=vd.BDeu(ess=2), prior=vd.Fair(), max_indegree=2)
    assert pickle.loads(pickle.dumps(learner)) == learner
    assert eval(repr(learner), vars(vd) | {name: getattr(vd, name) for name in vd.__all__}) == learner
    result = learner.learn(sample("asia"))
    again = pickle.loads(pickle.dumps(result))
    assert again.dag == result.dag
    assert again.settings == repr(learner)


def test_a_gaussian_network_with_more_columns_than_rows_can_be_learned():
    x = np.random.default_rng(2).normal(size=(15, 40))
    data = Data([Column.continuous(f"v{i}", x[:, i]) for i in range(40)])
    learner = vd.HillClimbing(max_indegree=5)
    check(learner.learn(data), data, learner)


@pytest.mark.parametrize("learner", [vd.HillClimbing(ties="columns"), vd.Tabu(vd.BDeu(), ties="columns")], ids=repr)
def test_published_calls_are_those_of_a_plain_count(learner):
    data = sample("insurance")
    result = learner.learn(data, trace=True)
    at = data.names.index
    moves = [(step.move, at(step.arc[0]), at(step.arc[1])) for step in result.trace]
    assert result.calls_published == published_calls(len(data.names), moves) < result.calls


@pytest.mark.parametrize(
    "learner", [vd.Tabu(vd.K2()), vd.Tabu(prior=vd.CasteloSiebes({("asia", "tub"): 0.7}))], ids=repr
)
def test_where_the_reverse_of_an_arc_gains_something_else_it_counts(learner):
    result = learner.learn(sample("asia"))
    assert result.calls_published == result.calls


def test_published_calls_add_up_over_what_a_learner_is_made_of():
    data = sample("asia")
    climb = vd.HillClimbing(max_indegree=5).learn(data)
    annealed = vd.OrderAnnealing(steps=10).learn(data)
    assert annealed.calls_published - annealed.calls == climb.calls_published - climb.calls < 0
    restrict, whole = vd.PCStable().skeleton(data, vd.Knowledge(), None, 1), vd.RSMAX2(vd.PCStable(), vd.Tabu(vd.K2()))
    both = whole.learn(data)
    assert both.calls_published - both.calls == restrict.calls_published - restrict.calls > 0
