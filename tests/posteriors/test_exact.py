"""The exact posterior against every DAG on 4 and 5 variables."""

from __future__ import annotations

from math import inf, log

import numpy as np
import pytest

import veridag as vd
from naive import graphs as naive
from naive import posterior as by_hand
from veridag import _core
from veridag.criteria.priors.base import Prior
from veridag.criteria.scores.base import Score
from veridag.posteriors import exact

PRIORS = [
    vd.Uniform(),
    vd.Fair(),
    vd.Edge(beta=0.2),
    vd.DataSize(tau=0.5),
    vd.Factorial(),
    vd.MarginalUniform(beta=0.3),
    vd.VariableSelection(beta=0.4),
    vd.CasteloSiebes({("A", "B"): 0.8, ("C", "A"): 0.05}),
    vd.IndegreeEquals({"A": 0, "B": 1, "C": 2, "D": 1}),
    vd.IndegreeAtMost(2),
]


def discrete(n: int = 4, rows: int = 40, seed: int = 0) -> vd.Data:
    """Variables of which each depends on the one before it."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        columns.append(np.where(rng.random(rows) < 0.7, columns[-1], rng.integers(0, 3, rows)))
    return vd.Data.from_frame({name: [f"s{x}" for x in own] for name, own in zip("ABCDE", columns, strict=False)})


def continuous(n: int = 4, rows: int = 30) -> vd.Data:
    rng = np.random.default_rng(1)
    columns = np.cumsum(rng.standard_normal((rows, n)), axis=1)
    return vd.Data.from_frame(dict(zip("ABCDE", columns.T, strict=False)))


def nothing(child: str, parents: list[str], data: vd.Data) -> float:
    return 0.0


def agrees(found: vd.Posterior, truth: by_hand.Weighted) -> None:
    assert found.log_sum == pytest.approx(truth.log_sum, abs=1e-9)
    assert found.log_evidence == pytest.approx(truth.log_sum - by_hand.log_sum(truth.log_priors), abs=1e-9)
    assert found.arcs == pytest.approx(truth.arcs(), abs=1e-10)
    assert found.edges == pytest.approx(truth.arcs() + truth.arcs().T, abs=1e-10)
    if not found.order_modular:
        assert found.ancestors == pytest.approx(truth.ancestors(), abs=1e-10)
    assert found.error_bound < 1e-12


def every_parent_rule(names):
    """Features about one variable, about two, and about all."""
    a, b, c, d = names[:4]
    yield {"present": [(a, b)]}
    yield {"present": [(a, b), (c, b)], "absent": [(d, b)]}
    yield {"parents": {b: [a]}}
    yield {"parents": {b: []}}
    yield {"present": [(a, b), (b, c)]}
    yield {"absent": [(a, b), (b, a)]}
    yield {"present": [(a, b)], "parents": {c: [b, d], a: []}}
    yield {"parents": {name: [] for name in names}}
    yield {"present": [(a, b), (b, a)]}
    yield {"present": [(a, b)], "absent": [(a, b)]}
    yield {}


def holds(names, dag, present=(), absent=(), parents=None) -> bool:
    arcs = {(names[u], names[v]) for u, v in dag}
    exact_parents = all({u for u, w in arcs if w == v} == set(own) for v, own in (parents or {}).items())
    return arcs >= set(present) and not arcs & set(absent) and exact_parents


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_every_modular_prior_agrees_with_the_sum_over_all_dags(prior: Prior) -> None:
    data, score = discrete(), vd.BDeu(ess=2)
    agrees(vd.posterior(data, score=score, prior=prior), by_hand.every_dag(data, score, prior))


@pytest.mark.slow
def test_five_variables_agree_with_the_sum_over_all_29281_dags() -> None:
    data, score, prior = discrete(5), vd.BDeu(), vd.Fair()
    found, truth = vd.posterior(data, score=score), by_hand.every_dag(data, score, prior)
    agrees(found, truth)
    feature = {"present": [("A", "B")], "absent": [("D", "C")], "parents": {"E": ["D"]}}
    wanted = truth.probability(lambda dag: holds(data.names, dag, **feature))
    assert found.probability(**feature) == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("score", [vd.K2(), vd.BDs(), vd.BIC(), vd.QNML(), vd.BDJeffreys()], ids=repr)
def test_every_kind_of_score_is_a_weight(score: Score) -> None:
    data = discrete(seed=3)
    agrees(vd.posterior(data, score=score, prior=vd.Uniform()), by_hand.every_dag(data, score, vd.Uniform()))


def test_continuous_data_have_bge_by_default() -> None:
    data = continuous()
    score = vd.choose_ess(data)
    assert isinstance(score, vd.BGe)
    agrees(vd.posterior(data), by_hand.every_dag(data, score, vd.Fair()))


def test_mixed_data_have_bcg_by_default_and_no_arcs_back_to_categories() -> None:
    rng = np.random.default_rng(2)
    group = rng.integers(0, 2, 40)
    frame = {"A": [f"s{x}" for x in group], "B": group + rng.standard_normal(40), "C": rng.standard_normal(40)}
    data = vd.Data.from_frame(frame)
    found = vd.posterior(data)
    no_way_back = vd.Knowledge(forbidden=[("B", "A"), ("C", "A")])
    agrees(found, by_hand.every_dag(data, vd.choose_ess(data), vd.Fair(), knowledge=no_way_back))
    assert found.arcs[1, 0] == found.arcs[2, 0] == 0.0
    both = vd.posterior(data, score=vd.DegenerateGaussian(), prior=vd.Uniform())
    agrees(both, by_hand.every_dag(data, vd.DegenerateGaussian(), vd.Uniform()))


def test_incomplete_data_are_scored_if_the_score_allows_it() -> None:
    frame = discrete(3, 60).to_pandas().astype(object)
    frame.iloc[::7, 0] = None
    data = vd.Data.from_frame(frame, missing="keep")
    agrees(vd.posterior(data, score=vd.PNAL()), by_hand.every_dag(data, vd.PNAL(), vd.Fair()))


@pytest.mark.parametrize(
    "knowledge",
    [
        vd.Knowledge(required=[("D", "A")]),
        vd.Knowledge(forbidden=[("A", "B"), ("B", "A"), ("C", "D")]),
        vd.Knowledge(tiers=[["C", "D"], ["A", "B"]]),
        vd.Knowledge(max_indegree={"B": 1}, isolated=["C"]),
        vd.Knowledge(required=[("A", "B"), ("B", "C"), ("C", "D")]),
    ],
    ids=["required", "forbidden", "tiers", "limits", "chain"],
)
def test_what_is_known_is_certain(knowledge: vd.Knowledge) -> None:
    data = discrete()
    found = vd.posterior(data, score=vd.BDeu(), knowledge=knowledge, max_indegree=2)
    agrees(found, by_hand.every_dag(data, vd.BDeu(), vd.Fair(), 2, knowledge))
    for u, v in knowledge.required:
        assert found.probability([(u, v)]) == pytest.approx(1.0, abs=1e-12)
    for u, v in knowledge.forbidden:
        assert found.probability([(u, v)]) == 0.0


@pytest.mark.parametrize("prior", [vd.Uniform(), vd.Fair(), vd.Edge(beta=0.2)], ids=repr)
def test_order_modular_weights_count_a_dag_once_for_every_order_that_it_fits(prior: Prior) -> None:
    data, score = discrete(), vd.BDeu()
    found = vd.posterior(data, score=score, prior=prior, order_modular=True)
    truth = by_hand.every_dag(data, score, prior, per_order=True)
    agrees(found, truth)
    for feature in every_parent_rule(data.names):
        wanted = truth.probability(lambda dag, feature=feature: holds(data.names, dag, **feature))
        assert found.probability(**feature) == pytest.approx(wanted, abs=1e-10)
    with pytest.raises(vd.InputError, match="order_modular=True: probabilities of ancestors"):
        _ = found.ancestors


def test_features_agree_with_the_sum_over_all_dags() -> None:
    data = discrete()
    found, truth = vd.posterior(data, score=vd.BDeu()), by_hand.every_dag(data, vd.BDeu(), vd.Fair())
    for feature in every_parent_rule(data.names):
        wanted = truth.probability(lambda dag, feature=feature: holds(data.names, dag, **feature))
        assert found.probability(**feature) == pytest.approx(wanted, abs=1e-10)
    total = sum(found.probability(parents={"B": own}) for own in [[], ["A"], ["C"], ["D"], ["A", "C"], ["A", "D"]])
    total += sum(found.probability(parents={"B": own}) for own in [["C", "D"], ["A", "C", "D"]])
    assert total == pytest.approx(1.0, abs=1e-12)


def test_neither_the_order_of_columns_nor_threads_change_anything() -> None:
    data = discrete(5)
    found = vd.posterior(data)
    turned = vd.posterior(data.select(["D", "A", "E", "C", "B"]), jobs=2)
    place = [turned.names.index(name) for name in found.names]
    assert np.array_equal(found.arcs, turned.arcs[np.ix_(place, place)])
    assert np.array_equal(found.ancestors, turned.ancestors[np.ix_(place, place)])
    assert found.log_sum == turned.log_sum
    feature = {"present": [("A", "B"), ("B", "C")], "parents": {"E": ["D"]}}
    assert found.probability(**feature) == turned.probability(**feature)


def test_scores_of_any_size_are_summed_without_overflow() -> None:
    """Strong dependence: parent sets differ by thousands in their scores, beyond what a double can hold as weight."""
    data = discrete(4, 20_000)
    found = vd.posterior(data, score=vd.BDeu(), prior=vd.Uniform())
    agrees(found, by_hand.every_dag(data, vd.BDeu(), vd.Uniform()))
    assert found.log_sum < -30_000


def test_equal_weights_count_dags() -> None:
    """Every DAG on n variables, without data: the number of those with an arc follows from counting."""
    n = 7
    score = vd.CustomScore(nothing)
    data = vd.Data.from_frame({f"v{i}": ["a", "b"] for i in range(n)})
    found = vd.posterior(data, score=score, prior=vd.Uniform())
    assert found.log_sum == pytest.approx(log(vd.count_dags(n)), abs=1e-11)
    assert found.log_evidence == pytest.approx(0.0, abs=1e-11)
    indegrees = vd.indegree_distribution(vd.Uniform(), n)
    assert found.arcs.sum(axis=0) == pytest.approx(np.full(n, indegrees @ np.arange(n)), abs=1e-11)
    assert found.ancestors == pytest.approx(found.ancestors.T, abs=1e-12)
    assert (found.ancestors >= found.arcs - 1e-12).all()


def test_arcs_from_descendants_are_those_from_a_sum_over_the_dags_that_have_them() -> None:
    """That an arc is there and its reverse is not is a rule for two variables, which takes another way."""
    found = vd.posterior(vd.networks.load("asia").sample(200, seed=1), max_indegree=3)
    for u, v in [("asia", "tub"), ("smoke", "lung"), ("xray", "either"), ("dysp", "bronc")]:
        i, j = found.names.index(u), found.names.index(v)
        assert found.arcs[i, j] == pytest.approx(found.probability([(u, v)], [(v, u)]), abs=1e-13)
        assert found.arcs[i, j] == pytest.approx(found.probability([(u, v)]), abs=1e-13)


@pytest.mark.slow
def test_sixteen_variables_of_equal_weight_count_dags() -> None:
    n, d = 16, 3
    data = vd.Data.from_frame({f"v{i:02d}": ["a", "b"] for i in range(n)})
    found = vd.posterior(data, score=vd.CustomScore(nothing), prior=vd.Uniform(), max_indegree=d, jobs=2)
    assert found.log_sum == pytest.approx(vd.log_count_dags(n, d), abs=1e-11)
    indegrees = vd.indegree_distribution(vd.Uniform(), n, d)
    assert found.arcs.sum(axis=0) == pytest.approx(np.full(n, indegrees @ np.arange(d + 1)), abs=1e-11)
    off = ~np.eye(n, dtype=bool)
    assert np.ptp(found.ancestors[off]) < 1e-13
    assert np.ptp(found.arcs[off]) < 1e-13


def test_the_residual_is_far_below_the_bound() -> None:
    data = discrete(5)
    table = vd.score_table(data, vd.BDeu(), dominated=True)
    core = _core.ExactPosterior(
        5, table.offsets, table.scores, np.zeros(len(table)), table.parent_offsets, table.parents, False, 1, None
    )
    assert core.residual < 1e-15
    assert 0 < _core.dag_sum_error(5) < _core.dag_sum_error(20) < 1e-13


def test_an_error_above_the_tolerance_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "TOLERANCE", 1e-16)
    with pytest.raises(
        vd.InputError, match=r"4 variables may have a rounding error of .* select fewer variables, or set order_mod"
    ):
        vd.posterior(discrete())


def test_too_many_variables_are_refused_with_the_cost_and_the_remedy() -> None:
    def table(n: int) -> vd.Data:
        return vd.Data.from_frame({f"v{i}": ["a", "b"] for i in range(n)})

    with pytest.raises(vd.InputError, match=r"24 variables, .* at most 22; it would need .* order_modular=True"):
        vd.posterior(table(24), method="exact")
    with pytest.raises(vd.InputError, match=r"30 variables, .* select fewer, or draw networks"):
        vd.posterior(table(30), method="exact")
    with pytest.raises(vd.InputError, match=r"26 variables, and the exact posterior takes at most 25"):
        vd.posterior(table(26), order_modular=True)
    with pytest.raises(MemoryError, match=r"needs at most .* raise memory_limit"):
        vd.posterior(table(15), method="exact", memory_limit=1e6)


def test_the_cost_is_known_beforehand_and_grows_with_the_variables() -> None:
    costs = [vd.posterior_cost(n, jobs=2) for n in (10, 15, 20)]
    assert costs == sorted(costs, key=lambda cost: (cost.bytes, cost.seconds))
    assert costs[-1].bytes < 12e9
    assert costs[-1].seconds < 600
    assert vd.posterior_cost(25, 4, order_modular=True).bytes < 12e9
    assert vd.posterior_cost(20, 3).bytes < vd.posterior_cost(20).bytes
    assert str(vd.posterior_cost(22)).endswith("minutes")
    said = []
    vd.posterior(discrete(), progress=lambda what, done, total, extra: said.append((what, done, total)))
    assert said[0][0].startswith("posterior over 4 variables, at most ")
    assert said[-1][0] == "sums over DAGs"
    assert said[-1][2] == 2 * 3**4


def test_an_interrupt_ends_the_sums() -> None:
    def stop(what: str, done: int, total: int | None, extra: object) -> None:
        if what == "sums over DAGs":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        vd.posterior(discrete(), progress=stop)
    found = vd.posterior(discrete())
    with pytest.raises(KeyboardInterrupt):
        found.probability([("A", "B"), ("B", "C")], progress=lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))


def test_a_prior_that_no_dag_obeys_is_refused() -> None:
    """B and C have one parent each, and may have it from each other alone."""
    prior = vd.IndegreeEquals({"A": 0, "B": 1, "C": 1, "D": 0})
    only_each_other = vd.Knowledge(forbidden=[(u, v) for u in "AD" for v in "BC"])
    with pytest.raises(vd.InputError, match="no DAG has a finite score: change the prior"):
        vd.posterior(discrete(), prior=prior, knowledge=only_each_other)


def test_wrong_arguments_are_named() -> None:
    data, found = discrete(), vd.posterior(discrete())
    for wrong, message in [
        ({"method": "guess"}, "method='guess' must be 'auto', 'exact' or 'sample'"),
        ({"prior": "fair"}, "prior='fair' must be a structure prior"),
        ({"score": 3}, "score=3 must be a score"),
        ({"order_modular": 1}, "order_modular=1 must be"),
        ({"jobs": 0}, "jobs=0"),
    ]:
        with pytest.raises(vd.InputError, match=message):
            vd.posterior(data, **wrong)
    for wrong, message in [
        ({"present": [("A", "X")]}, "present: there is no variable 'X'"),
        ({"absent": ["AB"]}, "absent: 'AB' is not an arc: give a list of pairs"),
        ({"present": [("A", "A")]}, "leads from a variable to itself"),
        ({"parents": {"A": "B"}}, r"parents: give a list of the parents of 'A', \['B'\]"),
        ({"parents": {"A": ["A"]}}, "parents: 'A' is its own parent"),
    ]:
        with pytest.raises(vd.InputError, match=message):
            found.probability(**wrong)


def test_the_posterior_says_what_it_is_of_and_cannot_be_changed() -> None:
    found = vd.posterior(discrete(), max_indegree=2, knowledge=vd.Knowledge(required=[("A", "B")]))
    assert "BDeu(ess=10.0), Fair(), max_indegree=2, Knowledge" in found.settings
    with pytest.raises(ValueError, match="read-only"):
        found.arcs[0, 1] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        found.ancestors[0, 1] = 0.0
    assert found.log_evidence > -inf
    assert naive.is_acyclic(4, naive.arcs_of(found.median_network().adjacency))


@pytest.mark.parametrize("tau", [1e8, 1e150, 1e300])
def test_a_prior_beyond_all_measure_is_refused(tau):
    """The product with log2(e) in two parts overflows at 1e300, and every probability was not a number."""
    data = vd.networks.load("cancer").sample(50, seed=1)
    with pytest.raises(vd.InputError, match="too far apart"):
        vd.posterior(data, prior=vd.DataSize(tau=tau))
