"""Studies of learners: the same rows for all, shared tables that change nothing, and measures that are those of vd."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.criteria.score_table import score_table
from veridag.errors import InputError
from veridag.study.kind import derive_seed
from veridag.study.kinds.learning import KIND
from veridag.study.kinds.learning.measures import columns
from veridag.study.kinds.learning.prediction import log_likelihood
from veridag.study.kinds.learning.tables import favours_subsets, sharing_tables, with_prior
from veridag.study.shared import Shared

ASIA = vd.networks.load("asia")
GRID = """
kind = "learning"
[grid]
networks = ["asia"]
sizes = [100]
repetitions = 2
measures = ["shd", "scaled-shd", "errors", "phd", "sid", "confusion", "arcs", "calls-published", "loglik"]
test_rows = 500
[grid.learners]
BIC = "tabu(score=bic)"
PC = "pc-stable(test=g2)"
"""


def run(cell, shared=None):
    [row] = KIND.run(cell.settings, cell.seed, Shared(1 << 28) if shared is None else shared)
    return row


def test_a_row_has_what_the_metrics_say_about_what_is_learned_from_the_sample(planned):
    cell = planned().cells[0]
    row = run(cell)
    data = ASIA.sample(100, derive_seed("sample", 0, "asia", 100, 0))
    result = vd.Tabu(score=vd.BIC()).learn(data)
    assert row["shd"] == vd.shd(ASIA.dag, result.dag)
    assert row["scaled_shd"] == row["shd"] / 8
    assert row["missing"] + row["spurious"] + row["misoriented"] == row["shd"]
    assert row["sid"] == vd.sid(ASIA.dag, result.dag)
    assert row["arcs"] == len(result.dag.arcs)
    assert (row["score"], row["calls"]) == (result.score, result.calls)
    assert row["calls_published"] == result.calls_published < result.calls
    test = ASIA.sample(500, derive_seed("test", 0, "asia", 500))
    assert row["loglik"] == pytest.approx(vd.fit(result.dag, data).log_likelihood(test) / 500, rel=1e-12)


@pytest.mark.parametrize("order", ["given", "topological", "reversed", "random"])
def test_a_learner_is_given_its_columns_in_the_order_asked_for(planned, order):
    spec = "tabu(score=bic, ties=columns)"
    table = f'{{ spec = "{spec}", columns = "{order}" }}'
    cells = planned(GRID.replace('BIC = "tabu(score=bic)"', f"BIC = {table}")).cells
    data = ASIA.sample(100, derive_seed("sample", 0, "asia", 100, 0))
    first = ASIA.dag.topological_order()
    seed = derive_seed("columns", "sample", 0, "asia", 100, 0)
    names = {
        "given": ASIA.dag.names,
        "topological": first,
        "reversed": first[::-1],
        "random": np.random.default_rng(seed).permutation(data.names).tolist(),
    }[order]
    assert sorted(names) == sorted(ASIA.dag.names)
    learner = vd.Tabu(vd.BIC(), ties="columns")
    expected = [vd.shd(ASIA.dag, learner.learn(data.select(names)).dag), learner.learn(data.select(names)).score]
    row = run(cells[0])
    assert [row["shd"], row["score"]] == expected
    plain = planned(GRID.replace("tabu(score=bic)", spec)).cells
    assert (cells[0].key == plain[0].key) == (order == "given")  # a key changes only if the order does
    assert cells[1].key == plain[1].key


@pytest.mark.parametrize(
    ("entry", "message"),
    [("3", "give a spec"), ('{ spec = "ges", columns = "sorted" }', "reversed"), ('{ columns = "given" }', "'spec'")],
)
def test_an_entry_of_learners_is_a_spec_or_a_table_of_one(planned, entry, message):
    with pytest.raises(InputError, match=message):
        planned(GRID.replace('"tabu(score=bic)"', entry))


def test_learners_compete_on_the_same_rows_and_repetitions_on_others(planned):
    shared = Shared(1 << 28)
    cells = planned().cells
    assert [KIND.shares(c.settings) for c in cells[:2]] == [KIND.shares(cells[0].settings)] * 2
    for cell in cells:
        run(cell, shared)
    samples = {key for key in shared._kept if key[0] == "sample"}
    assert len(samples) == 2


def test_a_cell_gives_the_same_alone_and_after_others(planned):
    cells = planned().cells
    shared = Shared(1 << 28)
    together = [run(cell, shared) for cell in cells]
    alone = [run(cell) for cell in reversed(cells)][::-1]
    for a, b in zip(together, alone, strict=True):
        assert {k: v for k, v in a.items() if not k.startswith("seconds")} == {
            k: v for k, v in b.items() if not k.startswith("seconds")
        }


@pytest.mark.parametrize("ess", [1.0, 10.0])
def test_prediction_without_tables_is_that_of_a_fitted_network(ess):
    data, test = ASIA.sample(50, seed=1), ASIA.sample(300, seed=2)
    fitted = vd.fit(ASIA.dag, data, ess=ess)
    assert log_likelihood(ASIA.dag, data, test, ess) == pytest.approx(fitted.log_likelihood(test), rel=1e-12)


def test_prediction_of_a_gaussian_network_is_that_of_a_fitted_one():
    network = vd.networks.load("ecoli70")
    data, test = network.sample(200, seed=1), network.sample(100, seed=2)
    expected = vd.fit(network.dag, data).log_likelihood(test)
    assert log_likelihood(network.dag, data, test) == pytest.approx(expected)


def test_prediction_with_more_configurations_than_any_table_could_hold():
    network = vd.networks.load("win95pts")
    data = network.sample(20, seed=1)
    names = network.dag.names
    dag = vd.DAG.from_arcs([(u, names[-1]) for u in names[:-1]], names=names)
    assert np.isfinite(log_likelihood(dag, data, network.sample(20, seed=2)))


PRIORS = [vd.Fair(), vd.Edge(beta=0.1), vd.DataSize(tau=0.5), vd.IndegreeAtMost(1), vd.MarginalUniform(), vd.Uniform()]


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_a_shared_table_with_a_prior_is_the_table_of_that_prior(prior):
    data = vd.networks.load("sachs").sample(100, seed=3)
    uniform = score_table(data, vd.BDeu(), vd.Uniform(), 3)
    ours, theirs = with_prior(uniform, prior, data.n), score_table(data, vd.BDeu(), prior, 3)
    for v in range(len(data.names)):
        assert {s for _, s in ours.sets(v)} == {s for _, s in theirs.sets(v)}
        assert [x for x, _ in ours.sets(v)] == pytest.approx([x for x, _ in theirs.sets(v)], rel=1e-12)


def test_a_prior_that_favours_large_sets_has_a_table_of_its_own():
    data = ASIA.sample(100, seed=3)
    names = data.in_data_order().names
    assert favours_subsets(vd.Fair().terms(names, 100), 4)  # 1 / C(7, s) falls until s = 3, and rises from s = 5 on
    assert not favours_subsets(vd.Fair().terms(names, 100), 5)
    assert not favours_subsets(vd.Fair().terms(names, 100), None)
    for prior in (vd.Factorial(), vd.IndegreeEquals({n: len(ASIA.dag.parents(n)) for n in names})):
        assert not favours_subsets(prior.terms(names, 100), 3)


@pytest.mark.parametrize(
    "learner",
    [
        vd.Exact(score=vd.BDeu(), prior=vd.Fair(), max_indegree=3),
        vd.Exact(score=vd.BDeu(), prior=vd.Factorial(), max_indegree=2),
        vd.SearchSpacePenalty(vd.Exact(score=vd.BDeu(), max_indegree=3)),
        vd.Tabu(score=vd.BDeu()),
    ],
    ids=repr,
)
def test_sharing_tables_changes_nothing_that_is_learned(learner):
    data = vd.networks.load("sachs").sample(150, seed=4)
    shared = Shared(1 << 28)
    for _ in range(2):
        result = sharing_tables(learner, data, "data", shared).learn(data, seed=1)
        expected = learner.learn(data, seed=1)
        assert result.dag == expected.dag
        assert result.score == pytest.approx(expected.score, rel=1e-12)
        assert (result.calls, result.optimal) == (expected.calls, expected.optimal)
    made = [key for key in shared._kept if key[0] == "table"]
    assert len(made) == (
        1 if (learner.label[:5] == "Exact" and "Fair" in repr(learner)) or "Penalty" in repr(learner) else 0
    )


def test_the_utopian_prior_knows_the_true_indegrees(planned):
    text = GRID.replace('"pc-stable(test=g2)"', '"exact(score=bdeu, prior=indegree-equals(d=truth), max_indegree=3)"')
    cell = planned(text).cells[1]
    assert "d=truth" in cell.settings["learner"]
    assert run(cell)["arcs"] == len(ASIA.dag.arcs)


def rows_of(planned):
    lines = [
        {"key": cell.key, **cell.settings, "shd": 3.0 + i % 2, "scaled_shd": 0.5, "calls": 100 * (1 + i % 3)}
        for i, cell in enumerate(planned.cells)
    ]
    return pl.DataFrame([{k: "; ".join(v) if isinstance(v, tuple) else v for k, v in line.items()} for line in lines])


def test_figures_have_the_mean_the_standard_error_and_the_number_of_repetitions(planned):
    study = planned(GRID.replace("repetitions = 2", "repetitions = 4"))
    [figure] = KIND.figures(study.spec, rows_of(study))
    assert figure.data["repetitions"].to_list() == [4, 4]
    assert figure.data["label"].to_list() == ["BIC", "PC"]
    assert figure.data["mean"].to_list() == [3.0, 4.0]
    assert figure.data["se"].to_list() == [0.0, 0.0]
    assert "4 repetitions" in figure.drawing.legends[0].get_title().get_text()


@pytest.mark.medium
def test_quadrants_are_cut_at_the_means(planned):
    extra = '\n[[grid.figures]]\nname = "q"\ntype = "quadrants"\n'
    study = planned(GRID.replace("sizes = [100]", "relative_sizes = [0.5, 2.0]") + extra)
    rows = rows_of(study).with_columns(
        calls=pl.when(pl.col("learner").str.starts_with("Tabu")).then(10).otherwise(1000),
        scaled_shd=pl.when(pl.col("learner").str.starts_with("Tabu")).then(0.9).otherwise(0.1),
    )
    figures = {figure.name: figure.data for figure in KIND.figures(study.spec, rows)}
    assert list(figures) == ["q-small", "q-small-by-nodes", "q-large", "q-large-by-nodes"]
    assert dict(figures["q-small"].select("label", "quadrant").iter_rows()) == {
        "BIC": "fast, inaccurate",
        "PC": "slow, accurate",
    }
    assert figures["q-large-by-nodes"]["nodes"].unique().to_list() == ["below 50 nodes"]


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ('columns = ["fnord"]', "figures: columns = 'fnord': it is not measured"),
        ('type = "quadrants"\npart = ""\nx = "m"', "figures: x = 'm'"),
        ('learners = ["XYZ"]', "learners = 'XYZ'"),
        ('networks = ["alarm"]', "the study has asia"),
        ('colour = "red"', "'colour' is unknown"),
    ],
)
def test_a_mistake_in_a_figure_is_found_when_the_study_is_loaded(planned, figure, message):
    with pytest.raises(InputError, match=message):
        planned(f'{GRID}\n[[grid.figures]]\nname = "f"\n{figure}\n')


def test_the_columns_of_measures_are_those_of_a_row(planned):
    study = planned()
    assert sorted(columns(study.cells[0].settings["measures"])) == sorted(run(study.cells[0]))
    assert columns(["shd"])[0] == "shd"


def test_quadrants_need_the_scaled_distance(planned):
    with pytest.raises(InputError, match="columns = 'scaled_shd': it is not measured"):
        planned(GRID.replace('"scaled-shd", ', "") + '\n[[grid.figures]]\nname = "f"\ntype = "quadrants"\n')
