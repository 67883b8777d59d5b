"""Answers averaged over networks, held against sums over DAGs that are written out."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

import veridag as vd
from naive import posterior
from naive.drawn import continuous, discrete, draws_of, gaps, mixed, some_dags
from veridag.data import Column
from veridag.posteriors.diagnostics import standard_error


def uniform(data: vd.Data, dags: list[vd.DAG]) -> posterior.Weighted:
    """The same weight for each DAG of a list."""
    arcs = [frozenset((data.names.index(u), data.names.index(v)) for u, v in dag.arcs) for dag in dags]
    return posterior.Weighted(len(data.names), arcs, [0.0] * len(dags), [0.0] * len(dags))


def cells(data: vd.Data):
    """How many cells a family has."""
    return lambda family: prod(data.arities[data.names[v]] for v in family)


def conditional(joint: np.ndarray, targets: tuple[int, ...], given: dict[int, int]) -> np.ndarray:
    """P(targets | given) of a joint distribution with the targets in ascending order."""
    kept = joint[tuple(slice(given[v], given[v] + 1) if v in given else slice(None) for v in range(joint.ndim))]
    table = kept.sum(axis=tuple(v for v in range(joint.ndim) if v not in targets))
    return table / table.sum()


def observed_configurations(data: vd.Data, family: tuple[int, ...]) -> int:
    return len({*zip([0] * data.nrows, *(data.column(data.names[v]).tolist() for v in family[:-1]), strict=True)})


SCORES = {
    "bdeu": (vd.BDeu(ess=5), lambda data: lambda family: 5 / cells(data)(family)),
    "k2": (vd.K2(), lambda data: lambda family: 1.0),
    "jeffreys": (vd.BDJeffreys(), lambda data: lambda family: 0.5),
    "bds": (
        vd.BDs(ess=3),
        lambda data: lambda family: 3 / (observed_configurations(data, family) * data.arities[data.names[family[-1]]]),
    ),
    "bic": (vd.BIC(), lambda data: lambda family: 1 / cells(data)(family)),
}


@pytest.mark.parametrize("name", SCORES)
def test_a_query_is_the_ratio_of_sums_over_the_draws(name: str) -> None:
    data = discrete(40, 1)
    score, alpha = SCORES[name]
    dags = some_dags(data, 20, 2)
    draws = draws_of(dags, data, score)
    joint = posterior.averaged_joint(data, uniform(data, dags), alpha(data))
    assert draws.query("v3").probabilities == pytest.approx(conditional(joint, (3,), {}))
    found = draws.query(["v1", "v3"], {"v0": "b", "v2": "a"})
    assert isinstance(found, vd.AveragedTable)
    assert found.probabilities == pytest.approx(conditional(joint, (1, 3), {0: 1, 2: 0}), rel=1e-12)
    assert found.evidence == (("v0", "b"), ("v2", "a"))
    assert found["b", "c"] == pytest.approx(found.probabilities[1, 2])
    assert found.networks == 20


def test_networks_count_by_how_well_they_explain_the_evidence() -> None:
    """The mean of conditional probabilities is another number."""
    data = discrete(60, 4)
    dags = some_dags(data, 12, 5)
    draws = draws_of(dags, data, vd.BDeu())
    networks = [vd.fit(dag, data) for dag in dags]
    evidence = {"v0": "b", "v1": "a", "v3": "c"}
    answers = np.array([network.query("v2", evidence).probabilities for network in networks])
    weights = np.exp([vd.JunctionTree(network).log_probability(evidence) for network in networks])
    found = draws.query("v2", evidence)
    assert found.probabilities == pytest.approx(weights @ answers / weights.sum())
    assert np.abs(found.probabilities - answers.mean(axis=0)).max() > 1e-3
    series = (weights / weights.mean())[:, None] * (answers - found.probabilities)
    assert found.errors == pytest.approx(standard_error(series.reshape(2, 6, 2)))
    assert found.errors.max() > 1e-3
    for shown in (repr(found), found._repr_html_()):
        assert "average of 12 networks; Monte Carlo standard errors of at most 0." in shown
    assert found.to_pandas()["error"].tolist() == found.errors.tolist()


def test_equal_networks_are_asked_once() -> None:
    data = discrete(40, 1)
    dags = some_dags(data, 10, 2)
    average = draws_of([*dags, *dags], data, vd.BDeu()).average()
    assert (len(average), average.dags) == (20, len(set(dags)))
    assert average.shares.sum() == pytest.approx(1)
    # Of roots alone, networks that differ elsewhere are the same.
    parts, own = average.parts(["v0"])
    assert len(parts) < average.dags
    assert own.max() + 1 == len(parts)
    assert repr(average) == f"<NetworkAverage of 20 draws, {len(set(dags))} different DAGs of 4 variables>"


def test_an_answer_that_all_draws_agree_on_has_no_error() -> None:
    data = discrete(40, 1)
    dag = vd.DAG.from_modelstring("[v0][v1|v0][v2|v1][v3]")
    found = draws_of([dag] * 8, data, vd.BDeu()).query("v2", {"v0": "a"})
    assert found.probabilities == pytest.approx(vd.fit(dag, data).query("v2", {"v0": "a"}).probabilities)
    assert (found.errors == 0).all()


@pytest.mark.medium
@pytest.mark.parametrize("name", ["bdeu", "k2"])
def test_the_exact_posterior_averages_over_all_dags(name: str) -> None:
    """543 DAGs, each by its weight, against draws with a fixed seed; within four standard errors."""
    data = discrete(30, 3)
    score, alpha = SCORES[name]
    every = posterior.every_dag(data, score, vd.Uniform())
    joint = posterior.averaged_joint(data, every, alpha(data))
    exact = vd.posterior(data, score=score, prior=vd.Uniform())
    assert isinstance(exact, vd.Posterior)
    for targets, given in (((1,), {}), ((3,), {0: 1}), ((0, 2), {1: 0, 3: 2})):
        found = exact.query([f"v{i}" for i in targets], {f"v{i}": "abc"[k] for i, k in given.items()}, seed=2)
        error = np.abs(found.probabilities - conditional(joint, targets, given))
        assert (error <= 4 * found.errors + 1e-6).all()
        assert found.errors.max() < 0.01
    codes = tuple(data.column(v).astype(int) for v in data.names)
    assert exact.log_likelihood(data, by_row=True, seed=2) == pytest.approx(np.log(joint[codes]), abs=0.02)
    assert exact.average(seed=2) is exact.average(seed=2)
    assert (exact.query("v1", seed=2).probabilities != exact.query("v1", seed=3).probabilities).any()


def test_knowledge_and_bounds_hold_for_the_networks_of_the_exact_posterior() -> None:
    data = discrete(30, 3)
    known = vd.Knowledge(required=[("v1", "v0")], forbidden=[("v2", "v3")])
    exact = vd.posterior(data, knowledge=known, max_indegree=1)
    for dag in exact.sample(20, seed=1):
        assert not known.violations(dag)
        assert max(len(dag.parents(v)) for v in dag.names) <= 1
    assert exact.sample(20, seed=1).settings.values["candidates"] == "3"
    by_order = vd.posterior(data, order_modular=True)
    with pytest.raises(
        vd.InputError, match="order_modular=True: networks can only be drawn from a posterior over DAGs"
    ):
        by_order.query("v0")


def gaussian_mixture(dags, data, target, evidence):
    """Mean and variance of a mixture of normal distributions, with weights from the density of the evidence."""
    from scipy.stats import multivariate_normal

    weights, means, variances = [], [], []
    for dag in dags:
        network = vd.fit(dag, data)
        own = network.query(target, evidence)
        there = network.query(list(evidence))
        weights.append(multivariate_normal(there.mean, there.covariance).pdf(list(evidence.values())))
        means.append(own.mean[0])
        variances.append(own.covariance[0, 0])
    w = np.array(weights) / np.sum(weights)
    mean = w @ means
    return mean, w @ variances + w @ (np.array(means) - mean) ** 2


@pytest.mark.medium  # scipy.stats takes a while to load
def test_normal_variables_are_mixed() -> None:
    data = continuous(50, 1)
    dags = some_dags(data, 15, 3)
    draws = draws_of([*dags, dags[0]], data, vd.BGe())
    evidence = {"v0": 101.0, "v3": 98.5}
    mean, variance = gaussian_mixture([*dags, dags[0]], data, "v1", evidence)
    found = draws.query("v1", evidence)
    assert isinstance(found, vd.AveragedMixture)
    assert found.mean == pytest.approx([mean], rel=1e-10)
    assert found.sd == pytest.approx([np.sqrt(variance)], rel=1e-8)
    assert found.discrete == ()
    assert found.mean_errors.shape == (1,)
    assert found.mean_errors[0] > 0
    for shown in (repr(found), found._repr_html_()):
        assert "average of 16 networks; Monte Carlo standard errors of the means: v1 0." in shown
    assert draws.query(["v2", "v0"]).names == ("v2", "v0")


def test_mixed_variables_are_weighted_by_the_density_of_the_evidence() -> None:
    data = mixed(60, 1)
    dags = some_dags(data, 10, 3)
    draws = draws_of(dags, data, vd.BCG())
    networks = [vd.fit(dag, data) for dag in dags]
    row = {"x": 0.7, "l": "a", "y": 1.9}

    def likelihood(state: int) -> float:
        """The mean over networks of the density of a whole row."""
        one = vd.Data(
            [
                Column.discrete("k", np.array([state]), "ab"),
                Column.continuous("x", np.array([0.7])),
                Column.discrete("l", np.array([0]), "ab"),
                Column.continuous("y", np.array([1.9])),
            ]
        )
        return float(np.mean([np.exp(network.log_likelihood(one)) for network in networks]))

    both = np.array([likelihood(0), likelihood(1)])
    assert draws.query("k", row).probabilities == pytest.approx(both / both.sum(), rel=1e-9)
    # In each cell of k, x has the moments of a mixture over the networks.
    found = draws.query(["k", "x"], {"l": "b"})
    answers = [network.query(["k", "x"], {"l": "b"}) for network in networks]
    weights = np.array([network.query("l")["b"] for network in networks])
    p = weights[:, None] * np.array([answer.probabilities for answer in answers])
    m = np.array([answer.means[:, 0] for answer in answers])
    s = np.array([answer.covariances[:, 0, 0] for answer in answers])
    mean = (p * m).sum(axis=0) / p.sum(axis=0)
    assert found.probabilities == pytest.approx(p.sum(axis=0) / p.sum())
    assert found.means[:, 0] == pytest.approx(mean)
    assert found.covariances[:, 0, 0] == pytest.approx((p * (s + (m - mean) ** 2)).sum(axis=0) / p.sum(axis=0))


def test_some_of_the_draws_are_spread_over_each_chain() -> None:
    data = discrete(40, 1)
    dags = [vd.DAG.from_arcs([("v0", "v1")][: i % 2], data.names) for i in range(24)]
    dags[3] = dags[9] = vd.DAG.from_arcs([("v2", "v3")], data.names)
    draws = draws_of(dags, data, vd.BDeu())
    average = draws.average(4)  # draws 3 and 9 of both chains
    assert (average.networks, average.shape) == (4, (2, 2))
    assert sorted(average.shares.tolist()) == [0.5, 0.5]
    assert draws.average(1).networks == 1
    assert draws.query("v0", networks=12).networks == 12
    assert draws.average(4) is average
    with pytest.raises(vd.InputError, match="networks=25: there are 24 draws: leave out networks to use all"):
        draws.average(25)
    with pytest.raises(vd.InputError, match="networks=0 must be an integer"):
        draws.average(0)


def test_a_prior_network_gives_its_own_imaginary_counts() -> None:
    data = discrete(30, 2)
    prior = vd.fit(vd.DAG.from_arcs([("v0", "v1")], data.names), data)
    score = vd.BDe(ess=6, network=prior)
    dag = vd.DAG.from_arcs([("v1", "v2")], data.names)
    found = draws_of([dag] * 4, data, score).query("v2", {"v1": "b"}).probabilities
    rows = data.column("v1") == 1
    counts = np.bincount(data.column("v2")[rows], minlength=2)
    alpha = 6 * prior.query(["v1", "v2"]).probabilities[1]
    assert found == pytest.approx((counts + alpha) / (counts + alpha).sum())


def test_impossible_evidence_is_an_error() -> None:
    data = vd.Data([Column.discrete("a", np.array([0, 0, 1]), "xyz"), Column.discrete("b", np.array([0, 1, 1]), "xy")])
    tables = {"a": vd.Table((), [0.5, 0.5, 0.0]), "b": vd.Table((), [0.5, 0.5])}
    score = vd.BDe(ess=1, network=vd.Network(tables, {"a": [*"xyz"], "b": [*"xy"]}))
    draws = draws_of([vd.DAG.from_arcs([("a", "b")], "ab"), vd.DAG.empty("ab")], data, score)
    with pytest.raises(vd.InputError, match="a = z has probability zero under all networks"):
        draws.query("b", {"a": "z"})
    impossible = vd.Data([Column.discrete("a", np.array([0, 2]), "xyz"), Column.discrete("b", np.array([0, 0]), "xy")])
    assert draws.log_likelihood(impossible) == -np.inf
    with pytest.raises(vd.InputError, match="row 1, counted from 0, has probability zero under all networks"):
        draws.predict(impossible, "b")


def test_each_group_has_parameters_of_its_own() -> None:
    columns = discrete(60, 1).columns
    data = vd.Data(columns, group=np.arange(60) % 3, groups=("p", "q", "r"))
    dag = vd.DAG.from_arcs([("v0", "v2")], data.names)
    draws = draws_of([dag] * 4, data, vd.BHD(ess=2))
    wanted = vd.fit(dag, data, 2, method="hierarchical")["q"].query("v2", {"v0": "b"})
    assert draws.query("v2", {"v0": "b"}, group="q").probabilities == pytest.approx(wanted.probabilities)
    with pytest.raises(vd.InputError, match=r"has parameters for each group: name the group, .* group='p'"):
        draws.query("v2")
    with pytest.raises(vd.InputError, match="group='s': there is no such group"):
        draws.query("v2", group="s")
    with pytest.raises(vd.InputError, match="all rows have the same parameters: leave group out"):
        draws_of([dag] * 4, data, vd.BDeu()).query("v2", group="p")


def test_with_gaps_in_the_data_em_fits_each_network() -> None:
    data = gaps(discrete(60, 1), 2)
    dags = some_dags(data, 4, 1)
    draws = draws_of(dags, data, vd.PNAL())
    networks = [vd.fit(dag, data) for dag in dags]
    weights = np.array([network.query("v0")["a"] for network in networks])
    answers = np.array([network.query("v3", {"v0": "a"}).probabilities for network in networks])
    assert draws.query("v3", {"v0": "a"}).probabilities == pytest.approx(weights @ answers / weights.sum())
    new = discrete(5, 7)
    rows = np.array([network.log_likelihood(new, by_row=True) for network in networks])
    assert draws.log_likelihood(new, by_row=True) == pytest.approx(np.log(np.exp(rows).mean(axis=0)))


def test_networks_without_parameters_are_refused_with_a_remedy() -> None:
    data = mixed(30, 1)
    draws = draws_of([vd.DAG.from_arcs([("x", "k")], data.names)] * 4, data, vd.DegenerateGaussian())
    with pytest.raises(
        vd.InputError, match="the arc x -> k leads from a continuous to a discrete variable, which has no"
    ):
        draws.query("k")
    assert draws.query("y").mean.shape == (1,)  # does not depend on such an arc


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda draws, data: draws.query([]), "targets: name at least one variable"),
        (lambda draws, data: draws.query("v9"), "targets: the network has no variable 'v9'"),
        (lambda draws, data: draws.query("v1", {"v1": "a"}), "'v1' is also part of the evidence"),
        (lambda draws, data: draws.query("v1", {"v0": "z"}), "evidence: 'v0' has no state 'z'"),
        (lambda draws, data: draws.predict(data, "v9"), "target: there is no variable 'v9'"),
        (lambda draws, data: draws.predict(data, "v1", "v0"), r"given='v0': give a list of names, \['v0'\]"),
        (lambda draws, data: draws.predict(data, "v1", ["v1"]), "given: 'v1' is the target"),
        (lambda draws, data: draws.predict(data, "v1", ["v7"]), "given: there is no variable 'v7'"),
        (lambda draws, data: draws.predict(data.select(["v0"]), "v1"), "no column 'v2': add it, or name"),
        (lambda draws, data: draws.log_likelihood(data.select(["v0"])), "the data has no column 'v1'"),
    ],
)
def test_mistakes_are_named(call, message: str) -> None:
    data = discrete(20, 1)
    draws = draws_of(some_dags(data, 4, 1), data, vd.BDeu())
    with pytest.raises(vd.InputError, match=message):
        call(draws, data)


def test_progress_has_the_networks() -> None:
    data = discrete(20, 1)
    told = []
    draws = draws_of(some_dags(data, 6, 1), data, vd.BDeu())
    draws.query("v3", {"v0": "a"}, progress=lambda what, done, total, extra: told.append((what, done, total)))
    assert told[0][:2] == ("networks", 0)
    assert len(told) == told[0][2]
