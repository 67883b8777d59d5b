"""Missing values on the command line: what `describe` says and draws of them, and --missing indicator."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Income is missing where age is high; the city is complete."""
    rng = np.random.default_rng(1)
    rows = ["age,city,income"]
    for age, city, income in zip(
        rng.normal(50, 9, 200), rng.choice(["u", "v"], 200), rng.normal(size=200), strict=True
    ):
        rows.append(f"{age:.3f},{city},{'' if age > 55 else f'{income:.4f}'}")
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(rows))
    return path


@pytest.mark.parametrize("missing", [[], ["--missing", "keep"], ["--missing", "drop"], ["--missing", "indicator"]])
def test_describe_says_what_is_missing_whatever_is_done_about_it(call, table, missing):
    code, out, _ = call("describe", table, *missing)
    assert code == 0
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("missing values: "))
    assert "in 1 of 3 columns" in lines[start]
    assert len(lines) - start <= 10
    assert "  Whether 'income' is missing depends on 'age'." in lines
    assert lines[-1].strip() == "The data cannot show whether a value is missing because of the value itself."


def test_describe_tells_programs_too(call, table):
    facts = json.loads(call("describe", table, "--json", "--missing", "indicator")[1])
    assert facts["missing"]["dependences"][0]["other"] == "age"
    assert [column["name"] for column in facts["columns"]] == ["age", "city", "income", "income_missing"]
    assert facts["columns"][3]["counts"]["missing"] == facts["missing"]["counts"]["income"]
    assert json.loads(call("describe", table, "--json", "--drop", "income")[1])["missing"] is None


def test_describe_draws_what_is_missing(call, table, tmp_path):
    target = tmp_path / "missing.svg"
    assert call("describe", table, "--figure", target)[0] == 0
    assert target.read_text().startswith("<?xml")
    code, _, err = call("describe", table, "--figure", tmp_path / "other.svg", "--drop", "income")
    assert code == 2
    assert "no variable of" in err
    code, _, err = call("describe", table, "--figure", "missing.pdf")
    assert code == 2
    assert ".svg or .png" in err


def test_missing_values_in_groups_are_said_elsewhere(call, tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text("A,g\n" + "x,u\ny,\n" * 9)
    code, out, _ = call("describe", path, "--group", "g", "--missing", "drop")
    assert code == 0
    assert "missing values: " not in out


def test_indicators_are_learned_from(call, table):
    code, out, err = call("learn", table, "--missing", "indicator", "--score", "pnal", "--json")
    assert code == 0
    assert "added columns that show where values are missing: 'income_missing'" in err
    arcs = {frozenset(arc) for arc in json.loads(out)["arcs"]}
    assert frozenset(("age", "income_missing")) in arcs
    assert frozenset(("income", "income_missing")) not in arcs


def test_describe_counts_the_columns_that_are_learned_from(call, tmp_path):
    path = tmp_path / "answers.csv"
    rows = [f"{'x' if i % 3 else ''},{'' if i % 20 else i + 0.5},{'' if i == 7 else 'ab'[i % 2]}" for i in range(40)]
    path.write_text("\n".join(["box,rare,answer", *rows]))
    facts = json.loads(call("describe", path, "--json")[1])
    assert facts["missing"]["counts"] == {"box": 0, "answer": 1}  # rare is left out, and a blank box is a state
    assert json.loads(call("describe", path, "--json", "--missing", "keep")[1])["missing"]["counts"] == {
        "box": 14,
        "rare": 38,
        "answer": 1,
    }
    dropped = json.loads(call("describe", path, "--json", "--missing", "drop")[1])["missing"]
    assert dropped["counts"] == {"box": 14, "answer": 1}


def test_describe_calls_groups_and_weights_what_they_are(call, tmp_path):
    path = tmp_path / "sites.csv"
    rows = [f"{'' if i % 2 and i % 9 else 'uv'[i // 2 % 2]},{'ns'[i % 2]},{1 + i % 3}" for i in range(120)]
    path.write_text("\n".join(["answer,site,times", *rows]))
    code, out, _ = call("describe", path, "--group", "site", "--weights", "times")
    assert code == 0
    assert "  Whether 'answer' is missing depends on 'site'." in out.splitlines()
    lines = {line.split()[0]: line.split()[1:] for line in out.splitlines()[1:5]}
    assert lines["site"] == ["group", "--group"]
    assert lines["times"] == ["weights", "--weights"]
