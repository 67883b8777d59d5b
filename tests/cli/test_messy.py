"""Every messy table through the command line: it gives a network, and every option that is proposed works."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from strategies.messy import TEXTS, content


@pytest.fixture(params=list(TEXTS))
def table(request, tmp_path):
    path = tmp_path / "cases.csv"
    path.write_bytes(content(request.param))
    return str(path)


def findings(call, table, *options):
    code, out, err = call("describe", table, "--json", *options)
    assert code == 0, err
    return json.loads(out)["findings"]


def key(finding):
    return finding["column"], finding["problem"], finding["done"]


@pytest.mark.medium
def test_a_messy_table_gives_a_network(call, table):
    code, out, err = call("learn", table)
    assert code == 0, err
    assert "variables, learned in" in err
    assert "Traceback" not in err
    assert "=" not in out or "->" in out


@pytest.mark.medium
def test_every_option_that_is_proposed_for_a_finding_changes_it(call, table):
    for finding in findings(call, table):
        if finding["change"]:
            after = findings(call, table, *shlex.split(finding["change"]))
            assert key(finding) not in [key(other) for other in after], finding


@pytest.mark.medium
def test_every_remedy_of_a_refusal_gets_further(call, table):
    code, _, err = call("describe", table, "--strict")
    if code == 0:
        return
    remedies = re.findall(r"--[a-z-]+ (?:'[^']*'|[^\s;:,)?]+)", err)
    for remedy in remedies:
        words = shlex.split(remedy)
        assert call("describe", table, "--strict", *words)[2] != err, remedy


def test_settings_are_saved_beside_the_table_and_used_again(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_bytes(content("identifier"))
    code, _, err = call("describe", str(table), "--kind", "patient=discrete", "--drop", "sex", "--save")
    assert code == 0, err
    assert (tmp_path / "cases.toml").is_file()
    code, out, err = call("describe", str(table), "--json")
    assert [column["kind"] for column in json.loads(out)["columns"]] == [None, "discrete", "discrete", "discrete"]
    assert "settings from cases.toml" in json.loads(out)["notes"][0]
    assert call("describe", str(table), "--drop", "sex,grade", "--save")[0] == 0  # adds to what was kept
    code, out, err = call("describe", str(table), "--json")
    assert [column["kind"] for column in json.loads(out)["columns"]] == [None, "discrete", None, "discrete"]


def test_columns_that_no_method_is_named_for_stay_as_they_are(call, tmp_path):
    table = tmp_path / "cases.csv"
    rows = [f"{i * 0.37 % 5:.2f},{i * 0.61 % 7:.2f},{'ab'[i % 2]}" for i in range(40)]
    table.write_text("\n".join(["x,y,z", *rows]))
    code, out, err = call("describe", str(table), "--json", "--discretize", "x=quantile(4)")
    assert code == 0, err
    assert next((c["kind"], c["states"]) for c in json.loads(out)["columns"]) == ("discrete", 4)
    assert [c["kind"] for c in json.loads(out)["columns"]] == ["discrete", "continuous", "discrete"]


def test_options_for_columns_with_odd_names(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text('"a, b",c=d,e f\n' + "x,u,1.5\ny,v,2.5\n" * 6)
    code, out, err = call(
        "describe",
        str(table),
        "--json",
        "--drop",
        '"a, b"',
        "--kind",
        "c=d=discrete",
        "--discretize",
        "e f=interval(2)",
    )
    assert code == 0, err
    assert [(c["name"], c["kind"]) for c in json.loads(out)["columns"]] == [
        ("a, b", None),
        ("c=d", "discrete"),
        ("e f", "discrete"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--discretize", "quantile(3)", "--discretize", "weight=interval(2)"], "it is for all columns"),
        (["--discretize", "frequency(3)"], "--discretize 'frequency(3)': there is no such method"),
        (["--transform", "sex=log"], "--transform is for continuous columns, and 'sex' is discrete"),
        (["--merge-rare", "sex=few"], "--merge-rare: 'few' is no integer"),
        (["--rows", "x"], "--rows: 'x' is no integer"),
        (["--drop", "sexx"], "--drop names the column 'sexx', which does not exist: did you mean 'sex'"),
        (["--separator", "ab"], "must be one character"),
        (["--decimal", ";"], "must be '.' or ','"),
        (["--encoding", "klingon"], "--encoding klingon is not known"),
    ],
)
def test_wrong_options_are_explained_in_flags(call, tmp_path, options, message):
    table = tmp_path / "cases.csv"
    table.write_bytes(content("mixed-kinds"))
    code, _, err = call("describe", str(table), *options)
    assert code == 2
    assert message in err


def test_our_own_sample_is_learned_from_a_pipe(call, tmp_path):
    path = tmp_path / "child.csv"
    assert call("sample", "child", "-n", "200", "--seed", "1", "-o", str(path))[0] == 0
    code, _, err = call("learn", str(path))
    assert code == 0, err
    assert "among 20 variables" in err
