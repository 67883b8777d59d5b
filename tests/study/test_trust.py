"""The study of trust: its networks, what a cell holds, and the model that is fitted to it."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import veridag as vd
from veridag.errors import InputError
from veridag.study.kind import Row, Spec
from veridag.study.kinds import load
from veridag.study.kinds.trust.designs import DESIGNS, draw_network
from veridag.study.kinds.trust.fitting import Fitted, fit_chances, fit_levels, fit_margin, judge, model_text
from veridag.study.kinds.trust.judging import judged_by_model, level_counts, said
from veridag.study.kinds.trust.kind import seen
from veridag.study.kinds.trust.tables import KnownTable, expected_error, tables_of
from veridag.study.plan import load as load_plan
from veridag.study.shared import Shared
from veridag.trust.assessment.chances import ChanceModel, of_shares

KIND = load("trust")
GRID: dict[str, object] = {
    "part": "train",
    "designs": ["dirichlet", "reference"],
    "networks": ["cancer", "asia"],
    "variables": [4, 5],
    "sizes": [60, 80],
    "repetitions": 3,
}


def spec(**changes: object) -> Spec:
    return Spec("trial", "trust", "", "smoke", Path(), {**GRID, **changes}, seed=7)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    truth = vd.networks.load("cancer")
    data = truth.sample(200, seed=1)
    return seen(data, truth.dag.cpdag().reorder(data.names), 0, 3)


def as_frame(rows: list[Row], **changes: object) -> pl.DataFrame:
    cell = {"part": "test", "design": "reference", "fewest": 5, "most": 5, "n": 200, "repetition": 0, **changes}
    return pl.DataFrame([{**cell, **row} for row in rows], infer_schema_length=None)


@pytest.mark.parametrize("design", DESIGNS)
def test_networks_of_every_design_have_the_size_that_was_asked_for(design: str):
    for seed in range(4):
        network = draw_network(design, ("alarm", "insurance"), (6, 9), seed)
        assert (4 if design in ("reference", "structure") else 6) <= len(network.names) <= 9
        again = draw_network(design, ("alarm", "insurance"), (6, 9), seed)
        assert again == network
        assert network.sample(5, seed=1).n == 5


def test_parts_of_reference_networks_hold_all_parents_and_their_parameters():
    alarm = vd.networks.load("alarm")
    part = draw_network("reference", ("alarm",), (8, 12), 3)
    for v in part.names:
        assert set(part.dag.parents(v)) == set(alarm.dag.parents(v))
        assert part.cpds[v] == alarm.cpds[v]


def test_a_cell_for_each_design_and_repetition_with_the_sizes_in_turn():
    made = list(KIND.cells(spec()))
    assert [(cell["design"], cell["n"]) for cell in made] == [
        (design, n) for design in ("dirichlet", "reference") for n in (60, 80, 60)
    ]
    assert made[0]["networks"] == ()


def test_train_and_test_share_no_network():
    cells = [cell.settings for cell in load_plan("trust", "short").cells]
    named = {
        part: {n for cell in cells if cell["part"] == part for n in cell["networks"]} for part in ("train", "test")
    }
    assert named["train"]
    assert not named["train"] & named["test"]
    seeds = {part: {c["repetition"] for c in cells if c["part"] == part and not c["networks"]} for part in named}
    assert not seeds["train"] & seeds["test"]


def test_a_cell_has_all_pairs_and_the_distances_of_its_letters(rows: list[Row]):
    (table,) = tables_of(as_frame(rows))
    assert len(table.truth) + table.rest[0] == 10  # of five variables
    assert (table.truth < 3).sum() + table.rest[1] == 4
    assert table.variables == 5
    assert table.kind == "discrete"
    missed = table.rest[1]
    assert ((table.found != table.truth).sum(axis=1) + missed == table.distances).all()
    assert (table.shares >= 0).all()
    assert (table.shares.sum(axis=0) <= 1 + 1e-3).all()


def test_a_cell_runs_from_its_settings():
    (cell,) = list(KIND.cells(spec(designs=["ranked"], repetitions=1)))
    found = KIND.run(cell, 3, Shared(0))
    assert found == KIND.run(cell, 3, Shared(0))
    assert {row["what"] for row in found} >= {"learner", "rest"}


def drawn_tables(number: int, model: ChanceModel) -> list[KnownTable]:
    """Tables whose truth is drawn from the model."""
    random = np.random.default_rng(5)
    found = []
    for k in range(number):
        shares = random.dirichlet([0.5, 0.5, 0.5, 1.0], size=(40, 4))[:, :, :3].transpose(2, 0, 1)
        blank = KnownTable(
            "train",
            "dirichlet",
            "discrete",
            k,
            300,
            10,
            shares,
            *[np.zeros(40, int)] * 2,
            (0, 0),
            (),
            *[np.zeros(0)] * 2,
        )
        p = blank.chances(model)
        truth = (random.random(40)[:, np.newaxis] > np.cumsum(p, axis=1)[:, :3]).sum(axis=1)
        labels, graphs = ("a", "b", "c"), random.integers(0, 4, size=(3, 40))
        off = (graphs != truth).sum(axis=1)
        found.append(
            KnownTable(
                "train", "dirichlet", "discrete", k, 300, 10, shares, truth, graphs, (0, 0), labels, off, off * np.nan
            )
        )
    return found


MODEL = ChanceModel(
    np.array([-0.5, 0.4, 0.3, 1.0, 0.8, 0.0, 0.0, 0.0]),
    np.array([0.2, 0.5, 0.4, 0.2, 0.1]),
    np.array([0.6, 0.2, 0.1, 0.3]),
)


def test_the_fit_finds_the_model_that_truths_were_drawn_from():
    tables = drawn_tables(150, MODEL)
    found = fit_chances(tables)
    for table in tables[:5]:
        assert table.chances(found) == pytest.approx(table.chances(MODEL), abs=0.06)


def test_chances_of_the_right_model_are_calibrated():
    judged = [judge(table, MODEL) for table in drawn_tables(150, MODEL)]
    edges, directions = said(judged, "assess", "edges"), said(judged, "assess", "directions")
    assert edges.error < 0.02
    assert directions.error < 0.02
    assert edges.brier < said(judged, "posterior", "edges").brier
    weights = fit_levels(judged)
    assert weights[1] > 0  # a larger chance to be within one pair is one


def test_the_margin_is_by_how_much_the_averaged_network_is_better_than_it_looks():
    judged = []
    for table in drawn_tables(60, MODEL):
        own = replace(table, labels=("a", "averaged", "c"))
        expected = np.array(list(judge(own, MODEL).recommendation.expected.values()))
        differing = (own.found != own.found[1]).sum(axis=1)
        # the others are worse than they look by 0.4 for the root of each pair, at a slope of 2
        worse = 2 * (expected - expected[1]) + 0.4 * np.sqrt(differing)
        judged.append(judge(replace(own, distances=worse), MODEL))
    assert fit_margin(judged) == pytest.approx(0.2)
    better = [replace(x, table=replace(x.table, distances=-x.table.distances)) for x in judged]
    assert fit_margin(better) == 0.0  # the evidence points the wrong way, and is not followed


def test_the_rest_counts_in_the_fit(rows: list[Row]):
    table = tables_of(as_frame(rows))[0]
    joined, _ = of_shares(table.shares, 200, 5, table.links)
    assert joined.shape == (len(table.truth), 8)
    whole, _ = of_shares(table.shares, 200, 5)
    assert whole == pytest.approx(joined)


def test_the_expected_calibration_error():
    assert expected_error([0.25, 0.25, 0.85], [True, False, True]) == pytest.approx((0.5 + 0.15) / 3)
    assert np.isnan(expected_error([], []))


def test_the_file_of_the_model_can_be_read():
    fitted = Fitted({"discrete": MODEL}, {"discrete": 0.25}, np.array([0.1, 0.2]), [])
    text = model_text(fitted, {"high": (9, 8)}, "two\nlines")
    read = tomllib.loads(text)
    assert read["discrete"]["joined"]["posterior"] == 0.4
    assert read["margin"] == {"discrete": 0.25}
    assert read["rates"]["high"] == {"tables": 9, "within_one": 8}
    assert text.startswith("# two\n# lines\n")


def test_figures_and_levels(rows: list[Row]):
    frame = as_frame(rows)
    assert [figure.name for figure in KIND.figures(spec(), frame)] == ["edges", "directions", "levels"]
    assert sum(number for number, _ in level_counts(judged_by_model(tables_of(frame))).values()) == 1
    assert list(KIND.figures(spec(), as_frame(rows, part="train"))) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"designs": ["dirichlt"]}, "give one of"),
        ({"networks": ["cancr"]}, "give names of reference networks"),
        ({"networks": []}, "name reference networks for the design reference"),
        ({"variables": [5]}, "give the fewest and the most"),
        ({"part": "all"}, "part = 'all'"),
        ({"size": [5]}, "unknown"),
    ],
)
def test_wrong_grids_are_refused(changes: dict[str, object], message: str):
    with pytest.raises(InputError, match=message):
        list(KIND.cells(spec(**changes)))
