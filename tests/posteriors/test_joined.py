"""The exact and the sampled posterior as one: the choice between them, and that they agree."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import veridag as vd
from veridag.data import Column
from veridag.figures import posterior_figure
from veridag.posteriors.drawing import shown_order
from veridag.posteriors.posterior import plan_posterior


def discrete(n: int, rows: int, seed: int) -> vd.Data:
    """Each variable copies one of those before it, half of the time."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for i in range(1, n):
        columns.append(np.where(rng.random(rows) < 0.5, columns[rng.integers(0, i)], rng.integers(0, 3, rows)))
    return vd.Data([Column.discrete(f"v{i}", own, "abc") for i, own in enumerate(columns)])


def continuous(n: int, rows: int, seed: int) -> vd.Data:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, n))
    for i in range(1, n):
        values[:, i] += 0.4 * values[:, rng.integers(0, i)]
    return vd.Data([Column.continuous(f"v{i}", values[:, i]) for i in range(n)])


def mixed(rows: int, seed: int) -> vd.Data:
    rng = np.random.default_rng(seed)
    k = rng.integers(0, 2, (rows, 3))
    x = rng.standard_normal((rows, 3)) + 0.6 * k
    return vd.Data(
        [
            *(Column.discrete(f"k{i}", np.where(rng.random(rows) < 0.6, k[:, 0], k[:, i]), "ab") for i in range(3)),
            *(Column.continuous(f"x{i}", x[:, i]) for i in range(3)),
        ]
    )


def gaps(n: int, rows: int, seed: int) -> vd.Data:
    rng, whole = np.random.default_rng(seed), discrete(n, rows, seed)
    kept = [rng.random(rows) > 0.05 for _ in range(n)]
    return vd.Data(
        [Column.discrete(v, whole.column(v), "abc", observed=own) for v, own in zip(whole.names, kept, strict=True)]
    )


KNOWN = vd.Knowledge(required=[("v1", "v2")], forbidden=[("v0", "v1")])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "settings"),
    [
        (discrete(6, 100, 1), {}),
        (discrete(7, 60, 2), {"score": vd.BDeu(ess=10), "prior": vd.Uniform(), "max_indegree": 2}),
        (discrete(6, 40, 8), {"knowledge": KNOWN, "score": vd.BDeu(ess=10)}),
        (continuous(8, 50, 4), {}),
        (mixed(60, 5), {}),
        (gaps(6, 80, 6), {}),
    ],
    ids=["discrete", "limits", "knowledge", "continuous", "mixed", "gaps"],
)
def test_draws_agree_with_the_sums_over_all_dags(data: vd.Data, settings: dict[str, object]) -> None:
    """Within four standard errors; the seed is fixed, so that nothing here is luck."""
    exact = vd.posterior(data, method="exact", **settings)
    drawn = vd.posterior(data, method="sample", seed=7, **settings)
    assert drawn.worst_rhat < 1.02
    assert ((exact.arcs > 0.05) & (exact.arcs < 0.95)).sum() >= 6  # else there is little to agree on
    assert (np.abs(drawn.arcs - exact.arcs) <= 4 * drawn.arc_errors + 2e-3).all()
    assert (np.abs(drawn.ancestors - exact.ancestors)).max() < 0.06
    for (u, v, _, _), (a, b, _, _) in pairwise(exact.pairs[:4]):
        for feature in (f"{u} -> {v}", f"{u} -- {v}", f"{u} ~> {v}", (u, v), [(u, v), (a, b)]):
            estimate = drawn.estimate(feature)
            assert exact.probability(feature) == pytest.approx(estimate.probability, abs=4 * estimate.error + 2e-3)
        estimate = drawn.estimate(f"{u} -- {v}", [(a, b)], {v: [u]})
        wanted = exact.probability(f"{u} -- {v}", [(a, b)], {v: [u]})
        assert wanted == pytest.approx(estimate.probability, abs=4 * estimate.error + 2e-3)


@pytest.fixture(scope="module")
def asia() -> vd.Data:
    return vd.networks.load("asia").sample(200, seed=1)


@pytest.fixture(scope="module")
def few(asia: vd.Data) -> vd.Draws:
    return vd.posterior(asia, method="sample", draws=40, chains=3, seed=5)


@pytest.mark.medium
def test_both_answer_the_same_calls(asia: vd.Data, few: vd.Draws) -> None:
    for found in (vd.posterior(asia), few):
        assert isinstance(found, vd.ArcProbabilities)
        assert found.names == asia.names
        assert found.edges == pytest.approx(found.arcs + found.arcs.T)
        assert found.ancestors.shape == found.arcs.shape
        assert found.pairs[0].probability + found.pairs[0].reverse == pytest.approx(found.edges.max())
        assert {*found.median_network().arcs} <= {(p.source, p.target) for p in found.pairs}
        assert len(found.best_expected(0.1).arcs) >= len(found.best_expected(0.9).arcs)
        assert isinstance(found.median_network(cpdag=True), vd.PDAG)
        assert list(found.to_pandas().columns) == ["from", "to", "probability", "reverse"]
        assert "BDeu(ess=1.0), Fair()" in str(found.settings)
        with pytest.raises(ValueError, match="read-only"):
            found.arcs[0, 1] = 0.5


def test_features_of_draws_are_counted(few: vd.Draws) -> None:
    dags = list(few)

    def share(holds: object) -> float:
        return float(np.mean([holds(dag) for dag in dags]))

    both = [("smoke", "bronc"), ("bronc", "dysp")]
    assert few.probability(both) == share(lambda dag: {*both} <= {*dag.arcs})
    assert few.probability(both[:1], both[1:]) == share(lambda dag: both[0] in dag.arcs and both[1] not in dag.arcs)
    own = few[0, 0].parents("either")
    assert few.probability(parents={"either": own}) == share(lambda dag: {*dag.parents("either")} == {*own}) > 0
    assert few.probability([*both, ("dysp", "bronc")]) == 0
    assert few.probability() == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"present": 3}, "present=3 must be arcs such as"),
        ({"present": "A"}, "present='A' must be arcs such as"),
        ({"present": "asia => tub"}, "must be arcs such as"),
        ({"present": "asia -> tubb"}, "present: there is no variable 'tubb': did you mean 'tub'"),
        ({"present": ("asia", "asia")}, "leads from a variable to itself"),
    ],
)
def test_both_name_the_same_mistakes(asia: vd.Data, few: vd.Draws, arguments: dict, message: str) -> None:
    for found in (vd.posterior(asia), few):
        with pytest.raises(vd.InputError, match=message):
            found.probability(**arguments)


def test_what_only_one_of_them_knows_is_refused_with_a_remedy(asia: vd.Data, few: vd.Draws) -> None:
    exact = vd.posterior(asia)
    with pytest.raises(vd.InputError, match="for a function of a DAG, draw networks with method='sample'"):
        exact.probability(lambda dag: len(dag.arcs))
    with pytest.raises(vd.InputError, match="a path must be given alone: leave out absent and parents"):
        exact.probability("asia ~> dysp", [("asia", "tub")])
    with pytest.raises(vd.InputError, match="a function must be given alone"):
        few.probability(lambda dag: len(dag.arcs), [("asia", "tub")])


def table(n: int, rows: int = 20) -> vd.Data:
    return vd.Data([Column.discrete(f"v{i:02}", np.arange(rows) % 2, "ab") for i in range(n)])


def test_the_method_is_chosen_by_what_the_exact_one_would_take() -> None:
    def chosen(*args: object, **settings: object) -> str:
        return plan_posterior(*args, **{"memory_limit": 1e11, **settings}).method

    assert chosen(table(20)) == "exact"
    assert chosen(table(21)) == "sample"
    assert chosen(table(21), method="exact") == "exact"
    assert chosen(table(8), method="sample") == "sample"
    assert chosen(table(20), memory_limit=1e8) == "sample"
    assert chosen(table(20), minutes=1) == "sample"
    assert chosen(table(10), minutes=1) == "exact"
    assert chosen(table(21), order_modular=True) == "exact"
    # Millions of local scores of very many rows, or by a formula in Python, take longer than the sums.
    assert chosen(table(20, 200_000)) == "sample"
    assert chosen(table(20, 200_000), jobs=8) == "exact"
    assert chosen(table(20, 200_000), max_indegree=3) == "exact"
    assert chosen(table(20), vd.BDe(1, vd.networks.load("asia"))) == "sample"


def test_the_plan_says_why_it_samples() -> None:
    assert str(plan_posterior(table(8), memory_limit=1e9)).startswith("exact posterior, at most ")
    assert str(plan_posterior(table(30))) == "sampled posterior: 30 variables are too many for the exact posterior"
    assert "and the limit is 1 MB" in str(plan_posterior(table(15), memory_limit=1e6))
    assert str(plan_posterior(table(8), method="sample")) == "sampled posterior"


def test_settings_go_to_the_sampler(asia: vd.Data, few: vd.Draws) -> None:
    same = vd.sample_posterior(asia, draws=40, chains=3, seed=5)
    np.testing.assert_array_equal(same.log_posterior, few.log_posterior)
    assert few.chains == 3
    wide = vd.posterior(table(21), draws=2, chains=1, max_indegree=1)
    assert isinstance(wide, vd.Draws)
    assert wide.per_chain == 2
    with pytest.raises(vd.InputError, match="minutes=1e-09 ended before the first draw"):
        vd.posterior(asia, method="sample", minutes=1e-9)
    assert vd.posterior(asia, method="sample", precision=0.1).stopped == "precision"


def test_settings_that_do_not_go_with_the_method_are_refused(asia: vd.Data) -> None:
    with pytest.raises(vd.InputError, match="draws=10: the exact posterior has no draws to limit"):
        vd.posterior(asia, method="exact", draws=10)
    with pytest.raises(vd.InputError, match="order_modular=True: only the exact posterior can be order-modular"):
        vd.posterior(asia, method="sample", order_modular=True)
    with pytest.raises(vd.InputError, match="chains=0 must be"):
        vd.posterior(asia, chains=0)


def test_both_have_the_same_default_score(asia: vd.Data) -> None:
    grouped = vd.Data(asia.columns, group=np.arange(asia.n) % 2, groups=("a", "b")).select(["smoke", "lung", "bronc"])
    tables = {"PNAL": gaps(4, 40, 1), "BCG": mixed(40, 1), "BGe": continuous(4, 40, 1), "BDeu": asia, "BHD": grouped}
    for score, data in tables.items():
        exact, drawn = vd.posterior(data), vd.posterior(data, method="sample", draws=1, chains=1)
        assert str(exact.settings).startswith(f"{score}(")
        assert str(drawn.settings).startswith(f"{score}(")


@pytest.mark.medium
def test_the_figure_has_the_numbers_of_the_pairs(asia: vd.Data, few: vd.Draws, tmp_path: Path) -> None:
    exact = vd.posterior(asia)
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    rows = posterior_figure(first, exact)
    assert [(row["source"], row["target"], row["probability"], row["reverse"]) for row in rows] == list(exact.pairs)
    assert rows[0]["joined"] == exact.pairs[0].joined == pytest.approx(exact.edges.max())
    posterior_figure(second, vd.posterior(asia, jobs=2))
    assert first.read_bytes() == second.read_bytes()
    posterior_figure(tmp_path / "few.png", few)
    assert (tmp_path / "few.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(vd.InputError, match=r"must end in \.svg or \.png"):
        posterior_figure(tmp_path / "few.pdf", few)


def test_the_figure_orders_variables_by_their_arcs_and_leaves_out_the_loneliest() -> None:
    n = 70
    names = tuple(f"v{(17 * i) % n:02}" for i in range(n))
    arcs = np.zeros((n, n))
    arcs[range(n - 1), range(1, n)] = np.where(np.arange(n - 1) < 62, 0.9, 0.01)
    turned = np.random.default_rng(1).permutation(n)
    found = vd.ArcProbabilities(tuple(names[i] for i in turned), arcs[np.ix_(turned, turned)], "made up")
    shown = [found.names[v] for v in shown_order(found)]
    assert len(shown) == 60
    assert shown == [name for name in names if name in shown]  # along the chain
    assert not {*shown} & {*names[64:]}
    assert shown_order(vd.ArcProbabilities(("A",), np.zeros((1, 1)), "")) == [0]
