"""The command for the loss on rows not seen."""

from __future__ import annotations

import csv
import json

import pytest

import veridag as vd

WORDS = ("--algorithm", "hill-climbing(score=bic)", "--folds", 3, "--seed", 4)


@pytest.fixture
def found(asia_csv):
    return vd.cross_validate(vd.read(asia_csv), vd.HillClimbing(score=vd.BIC()), 3, seed=4)


def test_the_table_is_that_of_the_library(call, asia_csv, found):
    code, out, err = call("cross-validate", asia_csv, *WORDS)
    assert (code, out) == (0, f"{found}\n"), err
    assert out.splitlines()[-1].split() == [
        "all",
        f"{float(found.loss):.6g}",
        f"{found.loss.standard_error:.2g}",
        "400",
    ]
    assert "learner: HillClimbing(score=BIC" in err


def test_json_and_the_file_have_every_fold(call, asia_csv, found, tmp_path):
    table = tmp_path / "losses.csv"
    code, out, err = call("cross-validate", asia_csv, *WORDS, "--json", "-o", table)
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["loss"], facts["standard_error"], facts["rows"]) == (found.loss, found.loss.standard_error, 400)
    assert [fold["loss"] for fold in facts["folds"]] == list(map(float, found.folds))
    assert (facts["seed"], facts["settings"]) == (4, found.settings)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["fold"], float(row["loss"]), int(row["rows"])) for row in rows] == [
        (f"{i + 1}", fold, fold.n) for i, fold in enumerate(found.folds)
    ]


def test_the_table_can_go_to_a_pipe(call, asia_csv, found):
    code, out, err = call("cross-validate", asia_csv, *WORDS, "-o", "-")
    assert code == 0
    assert out.startswith("fold,loss,standard_error,rows\n1,")
    assert f"loss {found.loss}" in err


def test_knowledge_and_parameters_count(call, asia_csv):
    code, out, _ = call("cross-validate", asia_csv, *WORDS, "--ess", 5, "--forbid", "either:xray", "--json")
    known = vd.Knowledge(forbidden=[("either", "xray")])
    learner = vd.HillClimbing(score=vd.BIC())
    expected = vd.cross_validate(vd.read(asia_csv), learner, 3, 5.0, knowledge=known, seed=4)
    assert (code, json.loads(out)["loss"]) == (0, expected.loss)


def test_an_impossible_row_has_no_number_in_json(call, tmp_path):
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["a,b", *("x,u" if i % 2 else "y,v" for i in range(29)), "z,w", ""]))
    code, out, _ = call("cross-validate", path, *WORDS, "--ess", 0, "--json")
    assert (code, json.loads(out)["loss"]) == (0, None)
