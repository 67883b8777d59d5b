"""Commands that use few columns of a table do not mind what the others hold."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def table(tmp_path):
    """Ten rows of a and b; `extra` is missing in four, and `mean` has numbers throughout."""
    path = tmp_path / "cases.csv"
    rows = [f"{'yn'[i % 2]},{'yn'[i // 5]},{f'{i}.5' if i % 3 else ''},{i}.25" for i in range(10)]
    path.write_text("\n".join(["a,b,extra,mean", *rows, ""]))
    return str(path)


def test_fit_keeps_rows_with_values_missing_in_other_columns(call, table, tmp_path):
    code, _, err = call("fit", table, "--graph", "[a][b|a]", "-o", tmp_path / "net.bif")
    assert code == 0
    assert "from 10 rows written" in err
    assert "dropped" not in err


@pytest.mark.parametrize("words", [("score", "[a][b|a]"), ("test", "a", "b")])
def test_score_and_test_keep_them_too(call, table, words):
    code, out, err = call(words[0], table, *words[1:], "--json")
    assert code == 0, err
    assert json.loads(out)["rows"] == 10
    assert json.loads(out)["notes"] == []


def test_a_test_has_the_rows_in_which_its_variables_are_observed_and_says_how_many(call, table):
    assert "from the 6 of 10 rows in which all these variables are observed" in call("test", table, "a", "extra")[1]
    facts = json.loads(call("test", table, "a", "extra", "--json")[1])
    assert facts["rows"] == 6
    assert any(note.startswith("kept missing values as missing (4 in column 'extra')") for note in facts["notes"])


def test_options_for_other_columns_are_no_mistake(call, table):
    options = ("--discretize", "extra=interval(2)", "--transform", "mean=rank", "--kind", "mean=continuous")
    assert call("test", table, "a", "b", *options)[0] == 0
    code, _, err = call("test", table, "a", "b", "--kind", "nowhere=discrete")
    assert (code, "names the column 'nowhere', which does not exist" in err) == (2, True)


def test_a_column_that_others_are_cut_by_need_not_be_used(call, table):
    code, out, err = call("test", table, "a", "mean", "--discretize", "mean=mdl(by=b)", "--json")
    assert code == 0, err
    assert any("mdl" in note for note in json.loads(out)["notes"])


def test_a_column_that_is_needed_and_missing_is_named(call, table):
    code, _, err = call("fit", table, "--graph", "[a][bb|a]")
    assert (code, "there is no column 'bb', which is needed here" in err) == (2, True)
