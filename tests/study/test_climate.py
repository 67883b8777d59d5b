"""The study of gridded anomalies: where boxes are, what is measured, and the spread of evidence."""

from __future__ import annotations

import re
from itertools import product
from math import pi
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import norm

import veridag as vd
from veridag.errors import InputError
from veridag.study import style
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


def raw_table(path: Path, years: int = 3, cycle: float = 9.0) -> pl.DataFrame:
    """Monthly values of six boxes with an annual cycle, written to a file."""
    rng = np.random.default_rng(1)
    months = np.arange(12 * years)
    seasons = cycle * np.cos(2 * pi * (months % 12) / 12)[:, None] * np.arange(1, 7)
    values = rng.normal(0, 1, (12 * years, 1)) + rng.normal(0, 1, (12 * years, 6)) + seasons + 15
    table = pl.DataFrame(values, schema=[f"lat{lat:+03}_lon+0{lon}0" for lat in (-20, 20) for lon in (1, 3, 5)])
    table.insert_column(0, pl.Series("month", [f"{1981 + m // 12}-{m % 12 + 1:02}" for m in months])).write_csv(path)
    return table


def test_anomalies_from_raw_values_do_not_depend_on_the_annual_cycle(tmp_path):
    paths = [tmp_path / "raw.csv", tmp_path / "flat.csv"]
    first = raw_table(paths[0])
    raw_table(paths[1], cycle=0.0)
    raw, flat = (
        sources.read_field(sources.Source(path, month="month", remove_cycle=True, climatology=(1981, 1983)))
        for path in paths
    )
    assert raw.values == pytest.approx(flat.values, abs=1e-9)
    by_hand = vd.anomalies(first, "month").column(raw.names[2])
    assert raw.values[:, 2] == pytest.approx(by_hand / by_hand.std(), abs=1e-9)
    kept = sources.read_field(sources.Source(paths[0], month="month"))
    assert np.abs(kept.values - raw.values).max() > 0.5


def test_the_map_of_a_field_has_means_and_the_anomalies_of_one_month(tmp_path):
    path, grid = tmp_path / "raw.csv", tmp_path / "grid.csv"
    table = raw_table(path)
    names = table.columns[1:]
    pl.DataFrame({"box": names[:5], "lat": [0.0] * 5, "lon": [5.0 * i for i in range(5)], "sst": [7.5] * 5}).write_csv(
        grid
    )
    own = spec(data=[str(path)], month="month", annual_cycle="remove", climatology=[1981, 1982], map_month="1983-02")
    cell = next(cell for cell in KIND.cells(own) if cell["part"] == "field")
    rows = KIND.run(cell, 1, Shared(0))
    expected = vd.anomalies(table, "month", period=(1981, 1982))
    assert [(row["lat"], row["lon"]) for row in rows] == [(lat, lon) for lat in (-20, 20) for lon in (10, 30, 50)]
    assert [row["mean"] for row in rows] == pytest.approx([table[name][:24].mean() for name in names])
    assert [row["anomaly"] for row in rows] == pytest.approx([expected.column(name)[25] for name in names])
    with_means = sources.Source(path, grid, month="month", remove_cycle=True).maps("1983-02", "sst")
    assert [row["mean"] for row in with_means] == [7.5] * 5 + [None]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"month": "time", "ignore": ["month"]}, "column 'time' of `month`"),
        ({"month": None, "ignore": ["month"]}, "without months"),
        ({"climatology": [1982, 1983]}, "has 1 rows in 1982 to 1983"),
        ({"climatology": [1982]}, "climatology"),
        ({"climatology": [1982, 1981]}, "climatology"),
        ({"annual_cycle": "gone"}, "annual_cycle"),
        ({"map_month": "1998-01"}, "'1998-01', which is not in column 'month'"),
    ],
)
def test_an_annual_cycle_that_cannot_be_removed_is_reported_before_the_run(tmp_path, changes, message):
    raw_table(tmp_path / "raw.csv", years=2)
    own = {"data": [str(tmp_path / "raw.csv")], "month": "month", "annual_cycle": "remove", "map_month": "1982-02"}
    with pytest.raises(InputError, match=message):
        list(KIND.cells(spec(**{**own, **changes})))


def test_a_box_with_nothing_but_an_annual_cycle_is_refused(tmp_path):
    path = tmp_path / "raw.csv"
    table = raw_table(path)
    months = table["month"].str.slice(5).cast(pl.Float64)
    table.with_columns(pl.Series(table.columns[2], 0.1 * months)).write_csv(path)
    with pytest.raises(InputError, match=f"column '{re.escape(table.columns[2])}' is constant"):
        sources.read_field(sources.Source(path, month="month", remove_cycle=True))


def learned(arcs: list[tuple[int, int]], edges: list[tuple[int, int]], count: int) -> tuple[vd.Result, fields.Field]:
    """What a learner found on boxes in a row; `arcs` come from v-structures, whose other half is one of them too."""
    names = [f"V{i:04}" for i in range(count)]
    graph = vd.PDAG.from_arcs([(names[i], names[j]) for i, j in arcs], [(names[i], names[j]) for i, j in edges], names)
    field = fields.Field(tuple("abcdefgh"[:count]), np.zeros(count), 10.0 * np.arange(count), np.zeros((2, count)))
    result = vd.Result(graph, None, 0, 0, 0, 0.0, 0, "by hand", colliders=graph.v_structures())
    return result, field


def kinds_of(result: vd.Result, field: fields.Field) -> dict[tuple[int, int], str]:
    rows = measures.conflict_rows(result, field)
    return {(int(row["from_lon"] // 10), int(row["to_lon"] // 10)): row["kind"] for row in rows}


def test_a_pair_is_in_conflict_if_both_directions_make_a_v_structure():
    # 0 -> 2 <- 1 and 4 -> 3 <- 5: whichever way 2 - 3 is directed, its head has a parent that the tail is not joined to
    found = kinds_of(*learned([(0, 2), (1, 2), (4, 3), (5, 3)], [(2, 3), (5, 6)], 7))
    assert found[2, 3] == "conflict"
    assert found[5, 6] == "undirected"
    assert {found[pair] for pair in ((0, 2), (1, 2), (4, 3), (5, 3))} == {"directed"}
    # Without 4 -> 3 <- 5, 2 -> 3 makes none.
    assert kinds_of(*learned([(0, 2), (1, 2)], [(2, 3)], 4))[2, 3] == "undirected"


def test_arcs_on_a_directed_cycle_are_in_conflict():
    found = kinds_of(*learned([(0, 1), (3, 1), (1, 2), (4, 2), (2, 0), (5, 0)], [], 6))
    assert {pair for pair, kind in found.items() if kind == "conflict"} == {(0, 1), (1, 2), (2, 0)}


def test_a_direction_that_follows_from_v_structures_is_shown_as_open():
    result, field = learned([(0, 2), (1, 2), (2, 3)], [], 4)
    assert kinds_of(result, field) == {(0, 2): "directed", (1, 2): "directed", (2, 3): "undirected"}


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
def test_invalid_graphs_and_fields_have_maps_of_their_own(tmp_path):
    path = tmp_path / "raw.csv"
    raw_table(path)
    how = {"month": "month", "annual_cycle": "remove", "map_month": "1981-07"}
    own = spec(data=[str(path)], **how, baseline_arcs=[], learners=LEARNERS[:1], map_gammas=[0, 2])
    cells = list(KIND.cells(own))
    made = [{**cell, **row} for cell in cells for row in KIND.run(cell, 1, Shared(10**7))]
    # Arcs with a cycle, as if the learner had found them.
    cyclic = [(0, 1), (1, 2), (2, 0), (3, 1), (4, 2), (5, 0)]
    cell = next(cell for cell in cells if cell.get("gamma") == 2)
    made += [{**cell, **row} for row in measures.conflict_rows(*learned(cyclic, [], 6))]
    figures = {f.name: f for f in KIND.figures(own, pl.DataFrame(made, infer_schema_length=None))}
    assert len(figures["map-field"].data) == 6
    drawn = figures["map-conflicts-PCStable-gamma-2"]
    assert drawn.data["kind"].value_counts(sort=True).rows() == [("conflict", 3), ("directed", 3)]
    assert len(drawn.drawing.axes) == 3
    style.write(drawn, tmp_path)
    assert (tmp_path / "map-conflicts-PCStable-gamma-2.svg").stat().st_size > 0


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
