"""Every messy table through the command line: it gives a network, and every option that is proposed works."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter

import pytest

from strategies.messy import DEFECTS, TEXTS, content


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
@pytest.mark.parametrize("table", DEFECTS, indirect=True)
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


def described(call, table, *options):
    """The columns that are variables, by name, as `describe` has them with these options."""
    code, out, err = call("describe", str(table), "--json", *options)
    assert code == 0, err
    return {column["name"]: column for column in json.loads(out)["columns"] if column["kind"]}


@pytest.mark.parametrize(
    ("name", "problem", "column", "missing"),
    [
        ("unknown-among-texts", "states that may mean missing", "drug", ["unknown", "Unknown"]),
        ("none-is-a-value", "states that may mean missing", "drug", ["None"]),
        ("nine-beside-a-scale", "numbers that may mean missing", "mood", ["9"]),
        ("minus-one", "numbers that may mean missing", "children", ["-1"]),
        ("code-among-states", "numbers that may mean missing", "children", ["-9"]),
        ("marks-among-texts", "texts for missing values", "drug", []),  # they are, and no more if the option is taken
    ],
)
def test_an_option_makes_missing_what_it_names_and_nothing_else(call, tmp_path, name, problem, column, missing):
    table = tmp_path / "cases.csv"
    table.write_bytes(content(name))
    header, *rows = [line.split(",") for line in content(name).decode().splitlines()]
    fields = [row[header.index(column)] for row in rows]
    before = described(call, table)
    (finding,) = [f for f in findings(call, str(table)) if f["problem"] == problem]
    assert finding["column"] == column
    option = shlex.split(finding["change"])
    after = described(call, table, *option)
    expected = Counter(field for field in fields if field not in missing)
    assert after[column]["counts"] == expected
    assert before[column]["counts"] != expected
    assert {**after, column: None} == {**before, column: None}
    assert call("describe", str(table), *option, "--save")[0] == 0
    assert described(call, table) == after


def test_states_that_may_be_the_same_are_merged_by_the_option(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_bytes(content("synonyms"))
    proposed = {f["column"]: f["change"] for f in findings(call, str(table))}
    assert proposed == {
        "vaccinated": "--merge-states vaccinated=y:yes,N:no",
        "gender": "--merge-states gender=m:male,w:female",
    }
    options = shlex.split(" ".join(proposed.values()))
    after = described(call, table, *options)
    assert set(after["vaccinated"]["counts"]) == {"no", "yes"}
    assert set(after["gender"]["counts"]) == {"female", "male"}
    assert call("describe", str(table), *options[:2], "--save")[0] == 0
    assert call("describe", str(table), *options[2:], "--save")[0] == 0  # adds to what was kept
    assert described(call, table) == after
    note = "merged states: 'vaccinated' (--merge-states, 'y' into 'yes', 'N' into 'no'), 'gender' (--merge-states, "
    assert note in call("learn", table)[2]


def test_names_of_states_may_hold_the_marks_of_the_option(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_bytes(content("states-with-marks-of-options"))
    (finding,) = findings(call, str(table))
    assert finding["problem"] == "states that may be the same"
    after = described(call, table, *shlex.split(finding["change"]))
    assert len(after["ratio"]["counts"]) == 2
    assert "a:b" in next(iter(after["ratio"]["counts"]))


def test_counts_of_states_are_listed_if_asked(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text("smoker,grade,age\n" + "yes,low,1.5\nno,mid,2.5\nyes,low,3.5\n" * 5)
    code, out, err = call("describe", str(table), "--counts", "smoker")
    assert code == 0, err
    assert out.endswith("smoker: 2 states\n  10  yes\n   5  no\n")
    assert "grade: 2 states\n  10  low\n   5  mid\n" in call("describe", str(table), "--counts", "*")[1]
    assert described(call, table)["smoker"]["counts"] == {"no": 5, "yes": 10}
    code, _, err = call("describe", str(table), "--counts", "smokr")
    assert code == 2
    assert "did you mean 'smoker'" in err


def test_missing_values_of_one_column_and_of_all(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text("a,b\n" + "1,2\n2,1\n7,7\nNA,2\n" * 5)
    assert described(call, table, "--missing-values", "a=7")["a"]["counts"] == {"1": 5, "2": 5}
    assert described(call, table, "--missing-values", "a=7")["b"]["counts"] == {"1": 5, "2": 10, "7": 5}
    both = described(call, table, "--missing-values", "*=7")
    assert [both[name]["counts"] for name in "ab"] == [{"1": 5, "2": 5}, {"1": 5, "2": 10}]
    alone = described(call, table, "--missing-values", "7")
    assert alone["a"]["counts"] == {"1": 5, "2": 5, "NA": 5}  # in place of the usual ones


def test_options_that_take_lists_are_quoted_where_names_have_commas(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text('"a, b",c\n' + "x,u\nx,v\n" * 6)
    (finding,) = findings(call, str(table))
    assert finding["problem"] == "constant"
    assert list(described(call, table, *shlex.split(finding["change"]))) == ["c"]


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
        (["--discretize", "quantile(3)", "--discretize", "weight=interval(2)"], "it applies to all columns"),
        (["--discretize", "frequency(3)"], "--discretize 'frequency(3)': there is no such method"),
        (["--transform", "sex=log"], "--transform is for continuous columns, and 'sex' is discrete"),
        (["--merge-rare", "sex=few"], "--merge-rare: 'few' is not an integer"),
        (["--rows", "x"], "--rows: 'x' is not an integer"),
        (
            ["--states", "sex"],
            "declare the states of a column as sex=A,B; `veridag describe --counts sex` lists those that occur",
        ),
        (["--merge-states", "sex:m"], "--merge-states takes COLUMN=OLD:NEW,OLD:NEW"),
        (["--merge-states", "sexx=m:f"], "--merge-states names the column 'sexx', which does not exist"),
        (
            ["--merge-states", "sex=x:f", "--strict"],
            "--merge-states names the state 'x' of 'sex', which does not occur",
        ),
        (["--missing-values", "agee=-99"], "--missing-values names the column 'agee', which does not exist"),
        (["--missing-values", "NA", "--missing-values", "sex=f"], "*=NA adds to the usual texts in all columns"),
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


def test_strict_rules_over_what_is_kept_beside_the_table(call, tmp_path):
    table = tmp_path / "cases.csv"
    table.write_text("id,a,b\n" + "".join(f"{i},{'xy'[i % 2]},{'uv'[i % 3 > 0]}\n" for i in range(30)) + "30,,u\n")
    assert call("describe", table, "--drop", "id", "--save")[0] == 0
    assert call("describe", table)[0] == 0
    code, _, err = call("describe", table, "--strict")
    assert (code, "missing" in err) == (2, True)
