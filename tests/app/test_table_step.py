"""What the page is told of a table, and what a click does to it."""

from __future__ import annotations

import json
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from veridag.app import table_step

MESSY = "id,smoker,age,when,city\n" + "".join(
    f"P{i:04d},{('yes', 'no', 'n/k')[i % 3]},{20 + i * 0.7},2024-01-{1 + i % 28:02d},{'AB'[i % 2]}\n" for i in range(90)
)


@pytest.fixture
def table(client):
    """Asks for a project's table, or chooses something about it."""

    def ask(project, change=None, status=200):
        path = f"/api/projects/{project.id}/table"
        answer = client.get(path) if change is None else client.post(path, json={"change": change})
        assert answer.status_code == status, answer.text
        return answer.json()

    return ask


def column(view, name):
    return next(one for one in view["columns"] if one["name"] == name)


def test_columns_are_as_describe_sees_them(make, table):
    view = table(make(MESSY))
    assert (view["name"], view["rows"], view["ready"], view["error"]) == ("cases.csv", 90, True, None)
    assert view["takes"] == ["separator", "encoding"]
    assert view["tables"] == []
    assert [one["name"] for one in view["columns"]] == ["id", "smoker", "age", "when", "city"]
    assert [one["kind"] for one in view["columns"]] == [None, "discrete", "continuous", None, "discrete"]
    assert column(view, "smoker")["counts"] == [["n/k", 30], ["no", 30], ["yes", 30]]
    assert column(view, "age")["min"] == 20.0
    assert column(view, "id")["rule"] == "identifier"
    assert column(view, "when")["rule"] == "date or time"


def test_a_problem_has_a_button_whose_click_mends_it(client, make, table):
    project = make(MESSY)
    view = table(project)
    found = {one["column"]: one for one in view["problems"]}
    assert found["smoker"]["problem"] == "states that may mean missing"
    assert found["smoker"]["remedy"] == {
        "label": "Take “n/k” as missing",
        "change": {"missing_values": {"smoker": ["n/k"]}},
    }
    assert found["id"]["done"] == "left out"
    assert found["id"]["remedy"]["label"] == "Use it as categories"
    for name in ("smoker", "id", "when"):
        view = table(project, found[name]["remedy"]["change"])
    assert [state for state, _ in column(view, "smoker")["counts"]] == ["no", "yes"]
    assert column(view, "smoker")["missing"] == 30
    assert column(view, "id")["kind"] == "discrete"
    assert column(view, "when")["kind"] == "continuous"
    assert view["gaps"]
    assert client.get(f"/api/projects/{project.id}/missing").json()["lines"][0].startswith("missing values: 30")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("a,b\n" + "1,x\n" * 40, "Leave it out"),
        ("a,b\n" + "".join(f"{2.0 ** (i % 30)},{'xy'[i % 2]}\n" for i in range(60)), "Take its logarithm"),
        (
            "a,b\n" + "".join(f"s{i % 30:02d},{'xy'[i % 2]}\n" for i in range(90)),
            "Merge states seen fewer than 5 times",
        ),
        (
            "a,b\n" + "".join(f"{('yes', 'Yes ', 'no')[i % 3]},{'xy'[i % 2]}\n" for i in range(90)),
            "Keep it as it is written",
        ),
    ],
)
def test_the_remedies_of_the_library_are_clicks_that_can_be_made(make, table, text, label):
    project = make(text)
    remedies = [one["remedy"] for one in table(project)["problems"] if one["remedy"]]
    wanted = next(one for one in remedies if one["label"] == label)
    assert table(project, wanted["change"])["choices"] != table(make(text))["choices"]


def notices(view, name):
    return {one["problem"]: one for one in view["problems"] if one["column"] == name}


def test_keeping_a_column_as_it_is_written_removes_that_notice_and_no_other(make, table):
    texts = ("yes", "Yes", "yes", "no", "NA", "n/k")
    project = make("smoker,b\n" + "".join(f"{texts[i % 6]},{'xy'[i % 2]}\n" for i in range(90)))
    before = notices(table(project), "smoker")
    case = "spellings that differ in case"
    assert {*before} == {case, "texts for missing values", "states that may mean missing"}
    view = table(project, before.pop(case)["remedy"]["change"])
    assert notices(view, "smoker") == before
    assert [state for state, _ in column(view, "smoker")["counts"]] == ["Yes", "n/k", "no", "yes"]


def test_keeping_codes_among_numbers_leaves_what_may_mean_missing_to_be_said(make, table):
    values = ["-999", "-1", *(str(10 + i) for i in range(40))]
    project = make("a,b\n" + "".join(f"{values[i % 42]},{'xy'[i % 2]}\n" for i in range(420)))
    before = notices(table(project), "a")
    assert {*before} == {"codes among numbers", "numbers that may mean missing"}
    view = table(project, before.pop("codes among numbers")["remedy"]["change"])
    assert before.items() <= notices(view, "a").items()
    assert "codes among numbers" not in notices(view, "a")
    assert column(view, "a")["min"] == -999


@pytest.mark.parametrize("number", ["{i}", "{i}.25"])
def test_texts_that_are_taken_as_missing_are_said_of_numbers_too(make, table, number):
    rows = ["NA" if i % 100 == 7 else "" if i % 100 == 8 else number.format(i=i % 600) for i in range(1000)]
    view = table(make("a,b\n" + "".join(f"{value},{'xy'[i % 2]}\n" for i, value in enumerate(rows))))
    assert column(view, "a")["kind"] == "continuous"
    assert column(view, "a")["missing"] == 20
    found = notices(view, "a")["texts for missing values"]
    assert (found["evidence"], found["done"]) == ("'NA' in 10 rows", "treated texts as missing")


def test_every_answer_is_that_of_a_server_that_remembers_nothing(make, table):
    project = make(MESSY)
    for change, _ in CLICKS:
        for wanted in (change, taken_back(change)):
            answer = table(project, wanted)
            table_step._memories.clear()
            table_step._views.clear()
            assert table(project) == answer
            table_step.look(project, project.settings())  # so that the next answer follows from what is remembered


def taken_back(change):
    return {
        field: dict.fromkeys(value, False if field in ("drop", "as_written") else None)
        if isinstance(value, dict)
        else None
        for field, value in change.items()
    }


CLICKS = [
    ({"kinds": {"age": "discrete"}}, lambda view: column(view, "age")["kind"] == "discrete"),
    ({"drop": {"city": True}}, lambda view: column(view, "city")["kind"] is None),
    ({"states": {"city": ["B", "A"]}}, lambda view: column(view, "city")["counts"] == [["B", 45], ["A", 45]]),
    ({"missing_values": {"smoker": ["no"]}}, lambda view: column(view, "smoker").get("missing") == 30),
    ({"merge_states": {"smoker": {"n/k": "no"}}}, lambda view: column(view, "smoker")["states"] == 2),
    ({"discretize": {"age": "quantile(3)"}}, lambda view: column(view, "age").get("states") == 3),
    ({"transform": {"age": "log"}}, lambda view: column(view, "age")["min"] == pytest.approx(2.9957, abs=1e-3)),
    ({"group": "city"}, lambda view: column(view, "city")["role"] == "group"),
    ({"missing": "state"}, lambda view: view["choices"]["missing"] == "state"),
    ({"as_written": {"smoker": True}}, lambda view: view["choices"]["as_written"] == ["smoker"]),
    ({"discretize": {"age": "blanket"}}, lambda view: any("blanket" in note for note in view["notes"])),
]


@pytest.mark.parametrize(("change", "holds"), CLICKS, ids=[json.dumps(change) for change, _ in CLICKS])
def test_every_choice_is_kept_and_can_be_taken_back(make, table, change, holds):
    project = make(MESSY)
    before = table(project)
    assert not holds(before)
    assert holds(table(project, change))
    assert holds(table(project))
    assert table(project, taken_back(change)) == before


def test_weights_of_rows_are_a_choice(make, table):
    project = make("a,b,n\n" + "x,y,3\nx,z,2\nw,y,5\n" * 10)
    view = table(project, {"weights": "n"})
    assert column(view, "n")["role"] == "weights"
    assert column(view, "a")["counts"] == [["w", 50], ["x", 50]]


def test_choices_add_up(make, table):
    project = make(MESSY)
    table(project, {"missing_values": {"smoker": ["n/k"]}})
    table(project, {"drop": {"city": True}})
    view = table(project, {"missing_values": {"smoker": ["no"]}, "drop": {"when": True}})
    assert view["choices"]["missing_values"] == {"smoker": ["n/k", "no"]}
    assert view["choices"]["drop"] == ["city", "when"]


@pytest.mark.parametrize(
    "change",
    [
        {"transform": {"smoker": "log"}},
        {"discretize": {"age": "nonsense"}},
        {"group": "nobody"},
        {"states": {"city": ["A", "A"]}},
        {"weights": "smoker"},
        {"sheet": "second"},
    ],
)
def test_a_choice_that_cannot_be_is_refused_and_not_kept(make, table, change):
    project = make(MESSY)
    before = table(project)
    error = table(project, change, 400)["error"]
    assert str(project.folder) not in error
    assert "--" not in error
    assert "=" not in error
    assert table(project) == before


@pytest.mark.parametrize(
    "change",
    [
        None,
        [],
        {},
        "drop",
        {"strict": True},
        {"rows": 3},
        {"columns": ["a"]},
        {"kinds": "discrete"},
        {"kinds": {"age": 3}},
        {"kinds": {"age": "purple"}},
        {"states": {"city": "AB"}},
        {"states": {"city": [1]}},
        {"merge_rare": {"city": "5"}},
        {"merge_rare": {"city": True}},
        {"merge_rare": {"city": 2**80}},
        {"group": ["city"]},
        {"weights": [1, 2]},
        {"targets": {"x": {}}},
        {"drop": ["city"]},
        {"merge_states": {"city": {"A": {"x": 1}}}},
        {"__class__": {}},
    ],
)
def test_a_change_of_another_form_is_refused(make, client, change):
    project = make(MESSY)
    before = project.version
    answer = client.post(f"/api/projects/{project.id}/table", json={"change": change})
    assert answer.status_code == 400
    assert answer.json()["error"]
    assert project.version == before


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"{", b"[" * 100_000, b"\xff", b'{"change": NaN}'])
def test_a_body_that_is_no_object_is_refused(make, client, body):
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"/api/projects/{make(MESSY).id}/table", content=body, headers=headers)
    assert answer.status_code == 400


def test_a_table_that_cannot_be_read_yet_says_what_to_choose(projects, table, tmp_path):
    path = tmp_path / "two.sqlite"
    with sqlite3.connect(path) as store:
        for name in ("cases", "controls"):
            store.execute(f"create table {name} (a text, b text)")
            store.executemany(f"insert into {name} values (?, ?)", [("x", "y"), ("u", "v")] * 20)
    store.close()
    with path.open("rb") as file:
        project = projects.create("two.sqlite", file)
    view = table(project)
    assert not view["ready"]
    assert view["error"].startswith("“two.sqlite”: the database has 2 tables and views, 'cases', 'controls'")
    assert view["error"].endswith("such as sheet or table: cases")
    assert view["tables"] == ["cases", "controls"]
    assert view["takes"] == ["sheet"]
    assert table(project, {"sheet": "controls"})["ready"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", ""), ("a.xlsx", "no workbook"), ("a.parquet", "PAR1xxxxPAR1"), ("a.json", "{{"), ("a.zip", "PK")],
)
def test_a_file_that_is_no_table_is_said_to_be_none(make, table, name, content):
    view = table(make(content, name))
    assert not view["ready"]
    assert view["columns"] == []
    assert view["error"].startswith(f"“{name}”: ")


def test_one_variable_is_not_enough(make, table):
    view = table(make("a,b\n" + "x,1\ny,2\n" * 10), {"drop": {"b": True}})
    assert not view["ready"]
    assert view["error"] == "There must be two variables at least: use more columns."


def test_numbers_that_json_has_not_are_left_out(make, table):
    view = table(make("a,b\n1.5,x\n"))
    assert column(view, "a")["sd"] is None


def test_names_from_the_table_come_through_unchanged(make, table):
    names = ["<script>x</script>", "q\"'&", "\U0001f600", "مرحبا", "y" * 300]
    header = ",".join('"{}"'.format(name.replace('"', '""')) for name in names)
    view = table(make(f"{header}\n" + "a,b,c,d,e\nb,a,d,c,f\n" * 20))
    assert [one["name"] for one in view["columns"]] == names


def test_a_long_table_of_states_is_cut_for_the_page(make, table):
    view = table(make("a,b\n" + "".join(f"s{i % 100},{'xy'[i % 2]}\n" for i in range(400))))
    assert column(view, "a")["states"] == 100
    assert len(column(view, "a")["counts"]) == 60


def test_a_table_is_read_once_for_each_choice(make, table, monkeypatch):
    from veridag.app import table_step

    read = []
    look = table_step.look
    monkeypatch.setattr(table_step, "look", lambda *given: read.append(given) or look(*given))
    project = make(MESSY)
    for change in (None, None, {"drop": {"city": True}}, None):
        table(project, change)
    assert len(read) == 2


def test_the_server_answers_while_a_table_is_read(client, make, monkeypatch):
    from veridag.app import table_step

    reading, finish = threading.Event(), threading.Event()
    look = table_step.look

    def slowly(*given):
        reading.set()
        assert finish.wait(60)
        return look(*given)

    monkeypatch.setattr(table_step, "look", slowly)
    path = f"/api/projects/{make(MESSY).id}/table"
    with ThreadPoolExecutor() as others:
        waiting = [
            others.submit(client.get, path),
            others.submit(client.post, path, json={"change": {"drop": {"city": True}}}),
        ]
        assert reading.wait(60)
        assert client.get("/").status_code == 200
        finish.set()
        assert [one.result(60).status_code for one in waiting] == [200, 200]
