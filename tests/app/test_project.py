"""Projects in folders: what is kept, under which names, and what happens to it."""

from __future__ import annotations

import io
import json
import os

import pytest

import veridag as vd
from veridag.app.project import NoSuchProject, Project, Projects, shown_name, suffix_of
from veridag.data.settings import TableSettings
from veridag.errors import InputError


def files(project: Project) -> set[str]:
    return {path.name for path in project.folder.iterdir()}


def test_a_project_keeps_the_table_under_a_name_of_ours(projects, asia_csv):
    content = asia_csv.read_bytes()
    project = projects.create("../../my cases.csv", io.BytesIO(content))
    assert files(project) == {"project.json", "table.csv", "table.toml"}
    assert project.table.read_bytes() == content
    assert project.name == "my cases.csv"
    assert project.folder.parent == projects.folder
    assert os.stat(project.folder).st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("C:\\Users\\me\\cases.csv", "cases.csv"),
        ("/etc/passwd.csv", "passwd.csv"),
        ("a\0b\n\x1b[31m.csv", "ab[31m.csv"),
        ("\u202egpj.csv", "gpj.csv"),
        ("  x.csv ", "x.csv"),
        ("<b>.csv", "<b>.csv"),
    ],
)
def test_a_name_is_shown_without_folders_and_control_characters(given, shown):
    assert shown_name(given) == shown


def test_a_long_name_is_shown_in_part_and_keeps_its_ending():
    shown = shown_name("y" * 300 + ".csv.gz")
    assert len(shown) < 200
    assert shown.endswith("y.csv.gz")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.csv", ".csv"),
        ("A.CSV", ".csv"),
        ("a.csv.gz", ".csv.gz"),
        ("a.b.xlsx", ".xlsx"),
        ("a.zip", ".zip"),
        ("a.toml.parquet", ".parquet"),
    ],
)
def test_the_ending_says_the_format(name, suffix):
    assert suffix_of(name) == suffix


@pytest.mark.parametrize(
    "name", ["", "csv", "a.toml", "a.csv/", "project.json.exe", "a.csv "[:-1] + ".sh", "..", "a.pickle"]
)
def test_a_name_without_a_known_ending_is_refused_before_anything_is_written(projects, name):
    with pytest.raises(InputError, match=r"It must end in one of \.csv, "):
        projects.create(name, io.BytesIO(b"a,b\n"))
    assert not projects.folder.exists()


def test_what_breaks_off_leaves_no_project(projects):
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        projects.create("a.csv", Broken())
    assert list(projects.folder.iterdir()) == []


def test_projects_are_listed_by_age_and_other_folders_are_not(projects, make):
    first, second = make("a,b\n1,2\n", "one.csv"), make("a,b\n1,2\n", "two.csv")
    (projects.folder / "photos").mkdir()
    (projects.folder / ("0" * 12)).mkdir()  # what was left of a project
    (projects.folder / "notes.txt").write_text("x")
    assert [project.id for project in projects] == [second.id, first.id]
    assert [project.name for project in Projects(projects.folder)] == ["two.csv", "one.csv"]


def test_a_project_is_opened_again_with_all_that_was_said(projects, asia):
    asia.keep_settings(TableSettings(drop=("xray",), strict=False))
    asia.keep_knowledge(
        vd.Knowledge(required=[("smoke", "lung")], tiers=[["asia"], ["tub", "dysp"]], forbidden=[("lung", "tub")])
    )
    again = Projects(projects.folder).open(asia.id)
    assert again.settings() == TableSettings(drop=["xray"], strict=False)
    assert again.knowledge() == vd.Knowledge(
        required=[("smoke", "lung")], tiers=[["asia"], ["tub", "dysp"]], forbidden=[("lung", "tub")]
    )
    assert again.data().names == tuple(name for name in vd.networks.load("asia").names if name != "xray")
    assert "required" in again.knowledge_text()


def test_the_command_line_reads_the_table_as_the_project_does(asia):
    asia.keep_settings(TableSettings(drop=("xray",), strict=False))
    assert vd.read(asia.table, strict=False).names == asia.data().names


@pytest.mark.parametrize(
    "name", ['a"b', "tab\there", "back\\slash", "\x7f", "مرحبا", "\U0001f600", "[knowledge]", "a = 1\n"]
)
def test_names_of_every_kind_are_kept(asia, name):
    known = vd.Knowledge(required=[(name, "lung")], tiers=[[name]])
    asia.keep_knowledge(known)
    asia.keep_settings(TableSettings(kinds={name: "discrete"}, drop=[name], strict=False))
    assert asia.knowledge() == known
    assert asia.settings().kinds == {name: "discrete"}
    assert asia.settings().drop == [name]


def test_nothing_known_is_none(asia):
    assert asia.knowledge() is None
    assert asia.knowledge_text() == ""
    asia.keep_knowledge(vd.Knowledge())
    assert asia.knowledge() is None


def test_bins_that_are_learned_are_made_when_the_data_is_asked_for(make):
    rows = "\n".join(f"{'yes' if i % 3 else 'no'},{i * 0.37 % 5 + (i % 3)}" for i in range(200))
    project = make(f"sick,dose\n{rows}\n")
    assert project.data().kinds["dose"] == "continuous"
    project.keep_settings(TableSettings(discretize={"dose": "blanket"}, strict=False))
    assert project.data().kinds["dose"] == "discrete"


def test_the_version_changes_with_settings_and_knowledge_and_comes_back(asia):
    first = asia.version
    asia.keep_knowledge(vd.Knowledge(required=[("smoke", "lung")]))
    second = asia.version
    asia.keep_settings(TableSettings(drop=["xray"], strict=False))
    third = asia.version
    assert len({first, second, third}) == 3
    asia.keep_settings(TableSettings(strict=False))
    assert asia.version == second


def test_a_removed_project_is_gone(projects, asia):
    projects.remove(asia.id)
    assert not asia.folder.exists()
    with pytest.raises(NoSuchProject):
        projects.open(asia.id)
    with pytest.raises(NoSuchProject):
        Project(asia.folder).name  # noqa: B018


@pytest.mark.parametrize("id", ["", "..", "../x", "/etc", "a" * 12 + "/..", "A" * 12, ".", "a" * 12 + "\n"])
def test_no_other_folder_is_a_project(projects, asia, id):
    facts = (asia.folder / "project.json").read_bytes()
    for folder in (projects.folder, projects.folder.parent):
        (folder / "project.json").write_bytes(facts)
    for use in (projects.open, projects.remove):
        with pytest.raises(NoSuchProject):
            use(id)
    assert asia.folder.is_dir()


def test_a_table_named_in_the_facts_is_never_a_path(asia):
    facts = json.loads((asia.folder / "project.json").read_text())
    (asia.folder / "project.json").write_text(json.dumps({**facts, "table": "../../secret.csv"}))
    assert Project(asia.folder).table == asia.folder / "table.csv"


@pytest.mark.parametrize(
    "facts", ["", "[]", "{}", "3", "{", "[" * 100_000, '{"name": "a", "table": "a.exe", "created": "2026"}', "\udcff"]
)
def test_a_folder_with_other_facts_is_no_project_and_hides_no_other(projects, asia, facts, client):
    broken = projects.folder / ("0" * 12)
    broken.mkdir()
    (broken / "project.json").write_bytes(facts.encode("utf-8", "surrogateescape"))
    assert [project.id for project in projects] == [asia.id]
    assert client.get("/").status_code == 200
    assert client.get(f"/project/{broken.name}").status_code == 404


@pytest.mark.parametrize(
    "text",
    ["knowledge = 3", "[knowledge]\nrequired = 3", "[knowledge]\ntiers = [1]", "[knowledge]\nforbidden = [[1]]", "["],
)
def test_knowledge_of_another_form_is_refused(asia, client, text):
    asia.knowledge_file.write_text(text)
    answer = client.get(f"/api/projects/{asia.id}/knowledge")
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "text", ["[reading]\ndrop = 3", "[reading]\nkinds = 3", "reading = 3", "[reading]\nnothing = 1", "["]
)
def test_settings_of_another_form_are_refused(asia, client, text):
    asia.settings_file.write_text(text)
    answer = client.get(f"/api/projects/{asia.id}/table")
    assert (answer.status_code, bool(answer.json()["error"])) in ((400, True), (200, True))
