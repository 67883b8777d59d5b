"""The study of intersection-validation: what a cell measures, and what is made of the rows."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec, content_key, derive_seed
from veridag.study.kinds import load
from veridag.study.kinds._labels import short_labels
from veridag.study.kinds.intersection import measures as measures
from veridag.study.kinds.intersection.graphs import agreement_graphs
from veridag.study.kinds.intersection.series import by_series
from veridag.study.shared import Shared
from veridag.trust.subsampling import subsample

KIND = load("intersection")
LEARNERS = ("tabu(score=aic)", "tabu(score=bic)", "tabu(score=bdeu)")

GRID: dict[str, object] = {
    "networks": ["asia"],
    "sizes": [50, 100, 200],
    "repetitions": 2,
    "subsamples": 3,
    "folds": 2,
    "cross_entropy_rows": 100,
    "learners": list(LEARNERS),
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "intersection", "", "smoke", Path(), {**GRID, **changes}, seed=3)


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    shared = Shared(10**8)
    found = [{**cell, "learners": "", **row} for cell in KIND.cells(spec()) for row in KIND.run(cell, 1, shared)]
    return pl.DataFrame(found, infer_schema_length=None)


def test_a_data_set_has_a_cell_for_itself_and_one_for_each_smaller_size():
    cells = list(KIND.cells(spec()))
    assert len({content_key("intersection", cell) for cell in cells}) == len(cells)
    found = [(c["point"], c["part"], c["size"]) for c in cells if c["repetition"] == 0]
    full = [(50, "full", 50), (100, "full", 100), (200, "full", 200)]
    assert sorted(found) == sorted([*full, (100, "subsamples", 50), (200, "subsamples", 50), (200, "subsamples", 100)])


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"size": [10]}, "size"),
        ({"networks": []}, "--data"),
        ({"networks": ["asiaa"]}, "asia"),
        ({"points": [75]}, "points"),
        ({"learners": ["tabu(score=bic)"]}, "two"),
        ({"ways": ["tabu"]}, "ways"),
        ({"ways": {"tabu": "tabu(score={score})"}, "scores": ["bic"]}, "two"),
        ({"max_indegree": 3}, "max_indegree"),
        ({"subsamples": 1}, "subsamples"),
    ],
)
def test_mistakes_in_the_grid_are_named(changes, named):
    with pytest.raises(InputError, match=named):
        list(KIND.cells(spec(**changes)))


def test_a_way_of_learning_is_a_series_whose_learners_differ_in_the_score():
    ways = {"tabu": "tabu(score={score})", "climbing": "hill-climbing(score={score})"}
    given = spec(ways=ways, scores=["aic", "bic"], sizes=[50, 100], repetitions=1)
    found = {cell["score"]: cell["learners"] for cell in KIND.cells(given)}
    assert found == {
        "tabu": ("tabu(score=aic)", "tabu(score=bic)"),
        "climbing": ("hill-climbing(score=aic)", "hill-climbing(score=bic)"),
    }


@pytest.mark.medium
def test_a_cell_gives_the_same_rows_whether_or_not_work_is_shared():
    cells = [c for c in KIND.cells(spec()) if c["point"] == 100 and c["repetition"] == 0]
    shared = Shared(10**8)
    for cell in cells:
        one, other = (
            [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in KIND.run(cell, 9, own)]
            for own in (shared, Shared(0))
        )
        assert one == other


def test_distances_are_those_of_the_pipeline_by_hand():
    cell = next(c for c in KIND.cells(spec()) if (c["point"], c["size"]) == (200, 100))
    found = KIND.run(cell, 9, Shared(10**8))
    asia = vd.networks.load("asia")
    whole, smaller = (asia.sample(n, seed=derive_seed("sample", "asia", n, 0, 3)) for n in (200, 100))
    learners = [vd.parse(s, "algorithm") for s in LEARNERS]
    on_all = [learner.learn(whole).cpdag for learner in learners]
    agreement = vd.PartialGraph.agreement(on_all)
    clean = agreement.project(asia.dag.cpdag())
    parts = [subsample(whole, 100, 9, i) for i in range(3)]
    for learner, text in zip(learners, LEARNERS, strict=True):
        [row] = [r for r in found if r["what"] == "phd" and r["learner"] == text]
        distances = [vd.phd(agreement, learner.learn(part).cpdag) for part in parts]
        assert row["phd"] == pytest.approx(np.mean(distances))
        assert row["phd_se"] == pytest.approx(np.std(distances, ddof=1) / np.sqrt(3))
        assert row["phd_error_free"] == vd.phd(clean, learner.learn(smaller).cpdag)
    pair = vd.PartialGraph.agreement(on_all[:2])
    [row] = [r for r in found if r["what"] == "pair" and (r["learner"], r["other"]) == LEARNERS[:2]]
    assert row["phd"] == pytest.approx(np.mean([vd.phd(pair, learners[0].learn(part).cpdag) for part in parts]))


def test_the_quality_of_an_agreement_counts_its_errors():
    cell = next(c for c in KIND.cells(spec()) if c["part"] == "full" and c["point"] == 200)
    found = KIND.run(cell, 9, Shared(10**8))
    asia = vd.networks.load("asia")
    data = asia.sample(200, seed=derive_seed("sample", "asia", 200, 0, 3))
    graphs = [vd.parse(s, "algorithm").learn(data).cpdag for s in LEARNERS]
    agreement, truth = vd.PartialGraph.agreement(graphs), vd.PartialGraph.from_graph(asia.dag.cpdag())
    [quality] = [r for r in found if r["what"] == "agreement"]
    pairs = [(agreement.pair(a, b), truth.pair(a, b)) for a, b in combinations(asia.names, 2)]
    known = [(ours, true) for ours, true in pairs if ours != "undetermined"]
    assert vd.PartialGraph.from_dot(quality["graph"]) == agreement
    assert quality["connected_pairs"] == sum(ours != "none" for ours, _ in known)
    assert quality["apart_pairs"] == sum(ours == "none" for ours, _ in known)
    assert quality["missing"] == sum(ours == "none" != true for ours, true in known)
    assert quality["spurious"] == sum(true == "none" != ours for ours, true in known)
    assert quality["misoriented"] == sum(ours != true and "none" not in (ours, true) for ours, true in known)
    assert quality["mean_pairwise_shd"] == pytest.approx(np.mean([vd.shd(a, b) for a, b in combinations(graphs, 2)]))


def test_correlations_and_the_error_of_a_line_agree_with_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 5, 12).astype(float), rng.normal(size=12)
    assert measures.pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic)
    assert measures.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic)
    line = stats.linregress(x, y)
    assert measures.rmse(x, y) == pytest.approx(np.sqrt(np.mean((y - line.intercept - line.slope * x) ** 2)))
    assert measures.pearson(np.ones(4), np.arange(4.0)) is None
    assert measures.rmse(np.ones(4), np.arange(4.0)) == pytest.approx(np.std(np.arange(4.0)))


@pytest.mark.medium
def test_similarity_compares_means_over_data_sets(rows):
    table = measures.similarity(rows)
    [shown] = table.filter(point=200, size=50).to_dicts()
    phd = [rows.filter(what="phd", point=200, size=50, learner=s)["phd"].mean() for s in LEARNERS]
    shd = [rows.filter(what="learner", size=50, learner=s)["shd"].mean() for s in LEARNERS]
    assert shown["rmse"] == pytest.approx(measures.rmse(np.array(phd), np.array(shd)))
    assert shown["pearson"] == pytest.approx(stats.pearsonr(phd, shd).statistic)
    assert len(table.filter(pl.col("point").is_null())) == 3  # the baseline, at every size


def small_rows() -> pl.DataFrame:
    """Three learners at one size with known means: SHD 1, 2, 3 and PHD 2, 1, 3."""
    common = {"source": "s", "score": "", "digest": "", "repetition": 0}
    made = []
    for repeat in (0, 1):
        shift = 0.1 * repeat
        for learner, shd, phd in (("a", 1.0, 2.0), ("b", 2.0, 1.0), ("c", 3.0, 3.0)):
            own = {**common, "repetition": repeat, "learner": learner}
            made.append({**own, "what": "learner", "size": 50, "point": 50, "shd": shd + shift})
            made.append({**own, "what": "phd", "size": 50, "point": 100, "phd": phd - shift})
            for other in {"a", "b", "c"} - {learner}:
                made.append({**own, "what": "pair", "other": other, "size": 50, "point": 100, "phd": phd + 20 * shift})
    return pl.DataFrame(made, infer_schema_length=None)


def test_rankings_count_pairs_in_the_same_order():
    [found] = measures.rankings(small_rows()).to_dicts()
    assert found["alike"] == pytest.approx(2 / 3)  # a and b change places
    assert found["spearman"] == pytest.approx(0.5)


def test_means_that_differ_by_rounding_alone_are_ties():
    means = np.array([0.1 + 0.2, 0.3, 0.30001])
    assert means[0] != means[1]
    assert measures.ranks(means).tolist() == [1.5, 1.5, 3.0]
    assert measures.direction(means, 0, 1) == 0
    assert measures.direction(means, 0, 2) == -1


def test_overlapping_errors_count_as_alike_only_if_they_overlap_in_both_distances():
    found = measures.pairwise(small_rows())
    assert found.select("learner", "other", "alike").rows() == [("a", "b", False), ("a", "c", True), ("b", "c", True)]
    # The PHDs overlap, with standard errors of 1, but the SHDs do not, with 0.05.
    assert found["alike_or_close"].to_list() == [False, True, True]
    wide = small_rows().with_columns(shd=pl.col("shd") + 10 * pl.col("repetition"))
    assert measures.pairwise(wide)["alike_or_close"].to_list() == [True, True, True]
    assert measures.by_pair(found)["alike"].to_list() == [0.0, 1.0, 1.0]


def test_series_have_the_shares_and_mean_correlations_of_rankings_and_similarity():
    rng = np.random.default_rng(2)
    both = pl.concat([small_rows(), small_rows().with_columns(pl.lit("other").alias("score"))])
    rows = both.with_columns(
        shd=pl.col("shd") + rng.normal(size=len(both)), phd=pl.col("phd") + rng.normal(size=len(both))
    )
    found = by_series(rows)
    ranked, similar = measures.rankings(rows), measures.similarity(rows.with_columns(validation_loss=pl.lit(None)))
    for row in found.to_dicts():
        assert row["alike"] == pytest.approx(ranked.filter(score=row["score"])["alike"].item())
        assert row["pearson"] == pytest.approx(similar.filter(score=row["score"])["pearson"].item())
    assert found["alike_more"][0] == 0
    assert found["alike_more"][1] == pytest.approx(found["alike"][1] - found["alike"][0])
    assert found["pearson_se"].min() > 0


def test_errors_of_series_are_zero_if_repetitions_do_not_differ():
    same = small_rows().filter(repetition=0)
    again = [same.with_columns(repetition=pl.lit(k, dtype=pl.Int64)) for k in range(4)]
    [found] = by_series(pl.concat(again)).to_dicts()
    assert found["alike"] == pytest.approx(2 / 3)
    assert found["alike_se"] == pytest.approx(0)
    assert found["repetitions"] == 4


def test_a_source_that_one_series_has_not_yet_is_left_out():
    other = small_rows().with_columns(pl.lit("other").alias("score"))
    more = small_rows().with_columns(pl.lit("later").alias("source"))
    assert by_series(pl.concat([small_rows(), other, more]))["source"].to_list() == ["s", "s"]
    assert by_series(pl.concat([other, more])).is_empty()


def runs(deviation: list[float], pearson: list[float]) -> pl.DataFrame:
    """Single runs on one network at one size."""
    own = {"source": "s", "score": "", "size": 50, "point": 100, "connected_pairs": 1, "mean_pairwise_shd": 1.0}
    made = [
        {**own, "repetition": r, "agreement_size": 1 - d, "deviation": d, "pearson": p, "spearman": p, "rmse": 1.0}
        for r, (d, p) in enumerate(zip(deviation, pearson, strict=True))
    ]
    return pl.DataFrame(made)


def test_predictive_power_correlates_every_predictor_with_every_outcome():
    found = measures.predictive_power(runs([0.01, 0.02, 0.04], [0.2, 0.4, 0.8]))
    assert len(found) == 12
    power = {(row["predictor"], row["outcome"]): row["correlation"] for row in found.to_dicts()}
    assert power["deviation", "pearson"] == pytest.approx(1)
    assert power["agreement_size", "pearson"] == pytest.approx(-1)
    assert power["connected_pairs", "pearson"] is None  # it does not vary


def test_runs_are_counted_by_the_deviation_of_their_distances():
    found = measures.by_deviation(runs([0.005, 0.03, 0.031, 0.05], [-0.1, 0.65, 0.7, 0.65]))
    assert found["deviation"].to_list() == ["up to 0.01", "up to 0.03", "above 0.03"]
    assert found["negative"].to_list() == [1, 0, 0]
    assert found["strong_pearson"].to_list() == [0, 0, 1]
    assert found["strong_spearman"].to_list() == [0, 1, 2]
    assert found["least_pearson"].to_list() == [-0.1, 0.65, 0.65]


@pytest.mark.medium
def test_drawn_agreement_graphs_tell_what_is_missing_spurious_and_open():
    asia = vd.networks.load("asia")
    truth = asia.dag.cpdag()
    arcs = [arc for arc in truth.arcs if arc != ("either", "xray")]  # one missing, one spurious, one left open
    agreed = vd.PartialGraph.from_arcs([*arcs, ("asia", "smoke")], truth.edges[1:], truth.edges[:1], truth.names)
    own = {"what": "agreement", "source": "asia", "score": "", "repetition": 0, "missing": 1}
    rows = [{**own, "point": point, "graph": agreed.to_dot()} for point in (50, 100, 200, 400)]
    [figure] = agreement_graphs(pl.DataFrame(rows))
    assert figure.data["point"].unique().sort().to_list() == [
        None,
        200,
        400,
    ]  # the true one, the middle, and the last two
    wrong = figure.data.filter(pl.col("agreed") != pl.col("true"), point=400)
    found = {frozenset(row[:2]): row[2] for row in wrong.select("a", "b", "agreed").rows()}
    assert found == {
        frozenset(("either", "xray")): "none",
        frozenset(("asia", "smoke")): "forward",
        frozenset(truth.edges[0]): "undetermined",
    }


@pytest.mark.medium
def test_a_file_is_one_run_without_a_truth(tmp_path):
    data = vd.networks.load("asia").sample(230, seed=1)
    path = tmp_path / "cases.csv"
    codes = pl.DataFrame({v: data.column(v) for v in data.names})
    codes.select(("s" + pl.all().cast(pl.String)).name.keep()).write_csv(path)
    given = spec(
        networks=[],
        data=[str(path)],
        folds=0,
        learners=["tabu(score={score})", "hill-climbing(score={score})"],
        scores=["bic"],
    )
    cells = list(KIND.cells(given))
    assert [(c["part"], c["size"]) for c in cells] == [("full", 230), ("subsamples", 115), ("subsamples", 57)]
    made = [{**cell, "learners": "", **row} for cell in cells for row in KIND.run(cell, 1, Shared(10**8))]
    table = pl.DataFrame(made, infer_schema_length=None)
    assert table["shd"].null_count() == len(table)
    figures = {figure.name: figure for figure in KIND.figures(given, table)}
    assert set(figures) == {"files-bic", "agreement"}
    assert figures["files-bic"].data["repetitions"].unique().to_list() == [3]


@pytest.mark.medium
def test_all_figures_are_drawn_from_the_rows(rows):
    figures = {figure.name: figure for figure in KIND.figures(spec(), rows)}
    assert {"curves-asia", "established", "rankings", "similarity", "error-free", "agreement-errors"} <= set(figures)
    assert {f"predictors-{name}" for name in ("pearson", "spearman", "rmse", "table", "deviation")} <= set(figures)
    assert {"graphs-asia", "pairwise", "pairwise-table"} <= set(figures)
    assert "series" not in figures  # there is only one
    assert figures["pairwise-table"].data["comparisons"].to_list() == [3, 3, 3]
    assert not any(figure.data.is_empty() for figure in figures.values())


def test_labels_say_no_more_than_tells_learners_apart():
    assert list(short_labels(LEARNERS).values()) == ["AIC", "BIC", "BDeu"]
    priors = ["tabu(score=bdeu)", "tabu(score=bdeu, prior=fair)", "search-space-penalty(algorithm=tabu(score=bdeu))"]
    assert list(short_labels(priors).values()) == ["Uniform", "Fair", "SSP"]
    assert list(short_labels(["tabu(score=bdeu(ess=2))", "tabu"]).values()) == ["BDeu(ess=2)", "BIC"]
