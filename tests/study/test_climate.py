"""The study of gridded anomalies: where boxes are, what is measured, and the spread of evidence."""

from __future__ import annotations

from itertools import product
from math import pi
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Spec, content_key, derive_seed
from veridag.study.kinds import load
from veridag.study.kinds._parameters import with_parameter
from veridag.study.kinds.climate import field as fields
from veridag.study.kinds.climate import measures
from veridag.study.kinds.climate import source as sources
from veridag.study.shared import Shared

KIND = load("climate")
LEARNERS = ["pc-stable(test=score-test(score=bic))", "hill-climbing(score=bic, ties=columns)"]

GRID: dict[str, object] = {
    "learners": LEARNERS,
    "gammas": [0, 2],
    "permutations": 2,
    "map_gammas": [0],
    "long_range_km": 5000,
    "evidence_lat": -5,
    "evidence_lon": -135,
    "evidence_value": 2,
    "warm": 1,
    "baseline_arcs": [4, 8],
    "baseline_draws": 3,
    "simulated_step": 60,
    "simulated_months": 80,
    "simulated_km": [3000],
}


def spec(**changes: object) -> Spec:
    grid = {key: value for key, value in {**GRID, **changes}.items() if value is not None}
    return Spec("trial", "climate", "", "smoke", Path(), grid, seed=3)


def test_distances_are_along_great_circles():
    quarter = fields.EARTH_KM * pi / 2
    found = fields.distances_km(0.0, 0.0, np.array([0.0, 90.0, 0.0, 0.0]), np.array([90.0, 17.0, 180.0, -90.0]))
    assert found == pytest.approx([quarter, quarter, 2 * quarter, quarter])
    assert fields.distances_km(10.0, 175.0, np.array([10.0]), np.array([-175.0]))[0] < 1200


def test_places_are_read_from_names_or_from_a_second_table(tmp_path):
    values = np.random.default_rng(1).normal(3, 5, (20, 2))
    named, plain, places = tmp_path / "a.csv", tmp_path / "b.csv", tmp_path / "grid.csv"
    months = pl.DataFrame({"month": [f"m{i}" for i in range(20)]})
    months.hstack(pl.DataFrame(values, schema=["lat+05_lon-125", "lat-15.5_lon+035"])).write_csv(named)
    months.hstack(pl.DataFrame(values, schema=["p", "q"])).write_csv(plain)
    pl.DataFrame({"column": ["q", "p", "x"], "LAT": [-15.5, 5.0, 0], "Longitude": [35, -125, 0]}).write_csv(places)
    first = sources.read_field(sources.Source(named, ignore=("month",)))
    second = sources.read_field(sources.Source(plain, places, month="month"))
    for field in (first, second):
        assert field.latitudes.tolist() == [5.0, -15.5]
        assert field.longitudes.tolist() == [-125.0, 35.0]
        assert field.values == pytest.approx((values - values.mean(axis=0)) / values.std(axis=0))
    assert first.nearest(0, -100) == 0
    assert sources.is_coordinates(places)
    assert not sources.is_coordinates(plain)
    with pytest.raises(InputError, match="'month'"):
        sources.read_field(sources.Source(named))
    with pytest.raises(InputError, match="'p'"):
        sources.read_field(sources.Source(plain, ignore=("month",)))
    cells = list(KIND.cells(spec(data=[str(places), str(plain)], ignore=["month"], baseline_arcs=[])))
    assert cells[0]["data"] == "b"
    assert KIND.run(cells[0], 1, Shared(0))[0]["arcs"] in (0, 1)


@pytest.mark.medium
def test_several_tables_are_several_fields_with_figures_of_their_own(tmp_path):
    rng = np.random.default_rng(1)
    names = [f"lat{lat:+03}_lon+0{lon}0" for lat in (-20, 20) for lon in (1, 3, 5)]
    paths = [tmp_path / "a.csv", tmp_path / "b.v2.csv"]
    for path, kept in zip(paths, (names, names[:4]), strict=True):
        pl.DataFrame(rng.normal(0, 1, (40, 1)) + rng.normal(0, 1, (40, len(kept))), schema=kept).write_csv(path)
    own = spec(data=[str(path) for path in paths], simulated_step=None, baseline_arcs=[4, 5])
    cells = list(KIND.cells(own))
    assert len(cells) == 2 * 2 * (1 + 2) + 2 * 2
    assert {cell["boxes"] for cell in cells if cell["part"] == "baseline"} == {6, 4}
    rows = pl.DataFrame(
        [{**c, **row} for c in cells for row in KIND.run(c, 1, Shared(10**7))], infer_schema_length=None
    )
    figures = {figure.name: figure for figure in KIND.figures(own, rows)}
    assert {name.split("-")[0] for name in figures} == {"a", "b"}
    assert figures["b-performance"].drawing.get_suptitle() == "b"
    for name, boxes in (("a", 6), ("b", 4)):
        data = figures[f"{name}-v-structures"].data
        drawn = rows.filter(what="baseline", boxes=boxes)["share"].to_list()
        assert data.filter(pl.col("share").is_not_null())["share"].to_list() == drawn
        assert data["data"].unique().to_list() == [name]
    twin = tmp_path / "a.tsv"
    twin.write_bytes(paths[0].read_bytes())
    with pytest.raises(InputError, match="two tables are called 'a'"):
        list(KIND.cells(spec(data=[str(paths[0]), str(twin)])))


def test_simulated_neighbours_are_alike_over_the_distance_asked_for():
    near, far = (fields.simulated_field(30, 2000, km, seed=1) for km in (1000, 6000))
    here, there = near.nearest(-45, 15), near.nearest(-45, 45)
    assert 0 < np.corrcoef(near.values[:, [here, there]].T)[0, 1] < 0.3
    assert 0.5 < np.corrcoef(far.values[:, [here, there]].T)[0, 1] < 0.9


def test_the_grid_has_every_learner_and_gamma_and_permutes_columns_where_their_order_matters():
    cells = list(KIND.cells(spec()))
    assert len(cells) == 2 * (1 + 2) + 2
    assert {c["learner"] for c in cells if c.get("permutation") == 1} == {LEARNERS[1]}
    assert len({content_key("climate", cell) for cell in cells}) == len(cells)
    assert [c["gamma"] for c in cells if c.get("map")] == [0, 0]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"gamma": [1]}, "gamma"),
        ({"gammas": [-1]}, "gammas"),
        ({"map_gammas": [1]}, "map_gammas"),
        ({"learners": ["tabu(score=bge)"]}, "gamma"),
        ({"simulated_step": None}, "--data"),
        ({"simulated_step": 50}, "simulated_step"),
        ({"simulated_km": [50]}, "simulated_km"),
        ({"baseline_arcs": [1000]}, "baseline_arcs"),
    ],
)
def test_mistakes_in_the_grid_are_named(changes, named):
    with pytest.raises(InputError, match=named):
        list(KIND.cells(spec(**changes)))


def test_gamma_reaches_tests_and_scores_alike():
    mmhc = vd.parse("mmhc(test=score-test(score=bic), score=bic)", "algorithm")
    expected = vd.MMHC(test=vd.ScoreTest(vd.BIC(gamma=3.0)), score=vd.BIC(gamma=3.0))
    assert with_parameter(mmhc, "gamma", 3.0) == expected


def test_a_cell_gives_the_same_rows_again():
    for cell in KIND.cells(spec()):
        one, other = (
            [{k: v for k, v in row.items() if not k.startswith("seconds")} for row in KIND.run(cell, 9, Shared(size))]
            for size in (0, 10**7)
        )
        assert one == other


def test_permutations_change_the_order_of_columns_and_nothing_else():
    field = fields.simulated_field(60, 50, 3000, seed=1)
    kept, moved = (measures.permuted(field, p, 3) for p in (0, 1))
    assert kept.names == measures.box_names(field) != moved.names
    for i, name in enumerate(measures.box_names(field)):
        assert (moved.column(name) == field.values[:, i]).all()


def test_what_is_measured_is_that_of_learning_by_hand():
    cell = next(c for c in KIND.cells(spec()) if c["permutation"] == 1 and "hill" in str(c["learner"]))
    [row] = KIND.run(cell, 1, Shared(0))
    field = fields.simulated_field(60, 80, 3000, derive_seed(3, "field"))
    data = measures.permuted(field, 1, 3)
    dag = vd.HillClimbing(score=vd.BIC(gamma=0.0), ties="columns").learn(data).dag.reorder(measures.box_names(field))
    lengths = [
        fields.distances_km(field.latitudes[i], field.longitudes[i], field.latitudes[[j]], field.longitudes[[j]])[0]
        for i, j in np.argwhere(dag.adjacency)
    ]
    assert row["arcs"] == len(lengths)
    assert row["long_range_arcs"] == sum(length > 5000 for length in lengths)
    assert row["valid"] is True
    assert row["log_likelihood"] == pytest.approx(vd.score(dag, data.select(dag.names), vd.LogLik()))
    assert row["relative_v_structures"] == vd.unshielded_v_structures(dag)


def test_evidence_spreads_as_in_a_normal_distribution_worked_by_hand():
    cpds = {
        "A": vd.LinearGaussian((), 0.0, np.array([]), 1.0),
        "B": vd.LinearGaussian(("A",), 0.5, np.array([-0.8]), 0.6),
        "C": vd.LinearGaussian((), 0.0, np.array([]), 1.0),
    }
    network = vd.Network(cpds)
    field = fields.Field(("A", "B", "C"), np.zeros(3), np.arange(3.0), np.zeros((2, 3)))
    a, b, c = measures.evidence_rows(network, field, 0, 2.0, 1.0)
    assert (a["conditional"], a["is_evidence"]) == (1.0, True)
    assert a["marginal"] == pytest.approx(norm.sf(1))
    assert b["marginal"] == pytest.approx(norm.sf((1 - 0.5) / np.sqrt(0.64 + 0.36)))
    assert b["conditional"] == pytest.approx(norm.sf((1 - (0.5 - 1.6)) / 0.6))
    assert b["difference"] == pytest.approx(b["conditional"] - b["marginal"])
    assert c["difference"] == pytest.approx(0.0)


def all_dags(n: int) -> list[np.ndarray]:
    places = [(i, j) for i in range(n) for j in range(n) if i != j]
    found = []
    for choice in product((False, True), repeat=len(places)):
        a = np.zeros((n, n), dtype=bool)
        for place, there in zip(places, choice, strict=True):
            a[place] = there
        if not np.linalg.matrix_power(a.astype(float) + np.eye(n), n).trace() > n:
            found.append(a)
    return found


@pytest.mark.medium
def test_the_baseline_of_v_structures_is_that_of_all_dags():
    v = pairs = 0
    for a in all_dags(4):
        if a.sum() != 4:
            continue
        joined = a | a.T
        v += sum(a[i, k] and a[j, k] and not joined[i, j] for k in range(4) for i in range(4) for j in range(i))
        pairs += sum(d * (d - 1) // 2 for d in joined.sum(axis=1).tolist())
    row = measures.random_v_structures(4, 4, 600, seed=1)
    assert abs(row["share"] - v / pairs) < 4 * row["share_se"] < 0.05


def test_the_formula_gives_the_two_numbers_of_the_paper():
    assert measures.formula_baseline(648, 25) == pytest.approx(0.2499, abs=5e-5)
    assert measures.formula_baseline(648, 7868) == pytest.approx(0.2125, abs=5e-5)


@pytest.mark.medium
def test_figures_have_ranges_maps_and_the_baseline():
    made = [{**cell, **row} for cell in KIND.cells(spec()) for row in KIND.run(cell, 1, Shared(10**7))]
    rows = pl.DataFrame(made, infer_schema_length=None)
    figures = {figure.name: figure.data for figure in KIND.figures(spec(), rows)}
    assert {"performance", "parameter-range", "v-structures", "map-arcs-gamma-0", "map-evidence-gamma-0"} == set(
        figures
    )
    assert figures["parameter-range"].sort("learner")["repetitions"].to_list() == [2, 2, 1, 1]
    boxes = figures["map-evidence-gamma-0"]
    assert boxes["is_evidence"].sum() == boxes["learner"].n_unique()
    long = figures["map-arcs-gamma-0"].filter(learner=LEARNERS[1])
    [row] = rows.filter(what="network", learner=LEARNERS[1], gamma=0.0, permutation=0).to_dicts()
    assert (len(long), long["long_range"].sum()) == (row["arcs"], row["long_range_arcs"])
