"""Downloads, and that the command and the script really repeat a run."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import veridag as vd
from app.queued import add_run, finish, finished
from veridag.app.asked import Asked
from veridag.app.exports import packed
from veridag.app.repeating import command_of, file_of, script_of, shell_of, tiers_text
from veridag.app.runs import Runs
from veridag.app.worker import find, read_table
from veridag.data.settings import TableSettings
from veridag.errors import InputError


def test_a_quick_run_has_its_files_and_no_report(client, asia):
    number = finished(asia)
    listed = client.get(f"/api/projects/{asia.id}/runs/{number}/files").json()
    names = [file["name"] for file in listed["files"]]
    assert names == ["network.bif", "network.json", "graph.json", "links.csv", "graph.svg"]
    about = {file["name"]: file["about"] for file in listed["repeats"]}
    assert [*about] == ["repeat.zip", "command.sh", "repeat.py"]
    assert all("in one folder with asia.csv and asia.toml" in about[name] for name in ("command.sh", "repeat.py"))
    assert listed["picture"] == f"asia-{number}-graph.png"
    for name in (*names, "command.sh", "repeat.py", "repeat.zip"):
        answer = client.get(f"/project/{asia.id}/runs/{number}/files/{name}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith(f'attachment; filename="asia-{number}-{name}"')
        assert answer.content
    assert client.get(f"/project/{asia.id}/runs/{number}/report").status_code == 404


def test_what_is_downloaded_can_be_read_again(client, asia, tmp_path):
    number = finished(asia)
    kept = {}
    for name in ("network.bif", "network.json", "graph.json", "links.csv"):
        kept[name] = tmp_path / name
        kept[name].write_bytes(client.get(f"/project/{asia.id}/runs/{number}/files/{name}").content)
    graph = vd.read_graph(kept["graph.json"])
    assert vd.read_network(kept["network.json"]).dag.cpdag() == graph
    assert vd.read_network(kept["network.bif"]).dag == vd.read_network(kept["network.json"]).dag
    assert len(kept["links.csv"].read_text().splitlines()) == 1 + len(graph.skeleton().edges)


@pytest.mark.medium
def test_the_report_is_shown_alone_with_its_own_scripts(client, asia):
    learners = {"bic": vd.HillClimbing(score=vd.BIC()), "bdeu": vd.HillClimbing(score=vd.BDeu())}
    report = vd.make_report(vd.networks.load("asia").sample(200, seed=1), learners, sizes=[100], repeats=2)
    number = add_run(asia.folder, Asked("asia.csv", "table.csv")).number
    finish(asia.folder, report, number)
    shown = client.get(f"/project/{asia.id}/runs/{number}/report")
    policy = shown.headers["content-security-policy"]
    assert "sandbox allow-scripts allow-downloads;" in policy
    assert "'sha256-" in policy
    assert "'self'" not in policy  # no script of ours, and no word with our server
    assert shown.text == (asia.folder / "runs" / str(number) / "report.html").read_text()


@pytest.mark.parametrize(
    "name", ["table.csv", "log.txt", "facts.json", "..%2F..%2Ftable.csv", "%2Fetc%2Fpasswd", "lock"]
)
def test_other_files_are_not_given_away(client, asia, name):
    number = finished(asia)
    assert client.get(f"/project/{asia.id}/runs/{number}/files/{name}").status_code == 404


def test_a_hostile_name_of_a_table_stays_out_of_headers_and_paths(client, make):
    name = '../"x\r\nSet-Cookie: a=b; ü<b>.csv'
    project = make("A,B\n1,x\n0,y\n1,x\n0,y\n", name=name)
    number = finished(project)
    answer = client.get(f"/project/{project.id}/runs/{number}/files/repeat.zip")
    assert "set-cookie" not in answer.headers
    named = answer.headers["content-disposition"]
    assert re.fullmatch(r'attachment; filename="[\w.-]+"; filename\*=UTF-8\'\'[\w.%-]+', named)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert sorted(archive.namelist()) == ["command.sh", "repeat.py", "table.csv", "table.toml"]


@pytest.mark.parametrize(
    ("title", "table", "expected"),
    [
        ("cases.csv", "table.csv", "cases.csv"),
        ("my cases (2).csv.gz", "table.csv.gz", "my cases (2).csv.gz"),
        ("CASES.CSV", "table.csv", "CASES.CSV"),
        ("../cases.csv", "table.csv", "table.csv"),
        ("-rf.csv", "table.csv", "table.csv"),
        ("a.b.csv", "table.csv", "table.csv"),  # its settings would be those of another table
        ("données.csv", "table.csv", "table.csv"),
        ("$(reboot).csv", "table.csv", "table.csv"),
    ],
)
def test_the_table_is_called_as_the_user_calls_it_if_that_is_harmless(title, table, expected):
    assert file_of(Asked(title, table)) == expected


def test_the_command_says_what_was_asked():
    asked = Asked(
        "cases.csv",
        "table.csv",
        minutes=5,
        seed=3,
        required=(("a b", "c"),),
        forbidden=(("x:y", "z"), ("$(w)", "c")),
        tiers=(("a b",), ("c", "x,y", "#z")),
    )
    assert command_of(asked) == (
        "veridag report cases.csv --require 'a b:c' --forbid 'x:y->z' --forbid '$(w):c' --tiers tiers.txt "
        "--seed 3 --minutes 5 -o report.html"
    )


def test_tiers_are_read_back_as_they_were(tmp_path):
    tiers = (("a b", "plain"), ('quote "x"', "with, comma", "#hash", "1.5"))
    path = tmp_path / "tiers.txt"
    path.write_text(tiers_text(Asked("a.csv", "table.csv", tiers=tiers)), "utf-8")
    assert vd.Knowledge.read_tiers(path) == vd.Knowledge(tiers=tiers)


@pytest.mark.parametrize(
    "name",
    [
        "$(touch broken)",
        "`touch broken`",
        "END_OF_TIERS",
        "END_OF_TIERS_",
        "a'b\"c\\",
        "-n",
        "é \u2028 x",
        "#",
        "$HOME",
    ],
)
def test_a_shell_writes_the_tiers_by_the_letter_whatever_the_names_are(tmp_path, name):
    asked = Asked("a.csv", "table.csv", tiers=((name, "END_OF_TIERS"), ("END_OF_TIERS__",)))
    written = shell_of(asked).removesuffix(command_of(asked))
    subprocess.run(["sh", "-c", written], cwd=tmp_path, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["tiers.txt"]
    assert (tmp_path / "tiers.txt").read_text("utf-8") == tiers_text(asked)


@pytest.mark.parametrize("name", [" spaced", "two\nlines"])
def test_names_that_no_file_of_tiers_can_have_are_said(name):
    with pytest.raises(InputError, match="Python script"):
        tiers_text(Asked("a.csv", "table.csv", tiers=((name,),)))


def test_names_that_no_command_can_have_are_said(tmp_path):
    asked = Asked("cases.csv", "table.csv", required=(("a:b->c", "d"),))
    with pytest.raises(InputError, match="Python script"):
        command_of(asked)
    (tmp_path / "table.csv").write_text("x\n")
    with zipfile.ZipFile(io.BytesIO(packed(asked, tmp_path))) as archive:
        assert "no command can name" in archive.read("command.txt").decode()
    compile(script_of(asked), "repeat.py", "exec")


def test_a_script_holds_names_as_text_alone():
    evil = '"""\nimport os; os.abort()\n"""'
    made = script_of(Asked(evil, "table.csv", required=((evil, "b"),)))
    assert "\nimport os" not in made
    compile(made, "repeat.py", "exec")


def repeated(folder: Path, *words: str) -> None:
    """Run something beside the unpacked files, with the commands of this installation."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(words, cwd=folder, env={**os.environ, "PATH": path}, check=True, capture_output=True)


@pytest.mark.medium
def test_command_alone_repeats_a_run_beside_the_table_and_its_settings(client, asia, tmp_path):
    asia.keep_knowledge(vd.Knowledge(tiers=[["asia", "smoke"], ["tub", "lung"]]))
    number = finished(asia, asia.knowledge())
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "command.sh").write_bytes(client.get(f"/project/{asia.id}/runs/{number}/files/command.sh").content)
    (folder / "asia.csv").write_bytes(asia.table.read_bytes())
    (folder / "asia.toml").write_bytes(asia.settings_file.read_bytes())
    repeated(folder, "sh", "command.sh")
    assert vd.read_graph(folder / "graph.json") == vd.read_graph(asia.folder / "runs" / str(number) / "graph.json")


@pytest.mark.slow
def test_command_and_script_repeat_a_run_with_bins_by_learning(client, projects, tmp_path):
    vd.networks.load("clinic").sample(200, seed=1).write(tmp_path / "clinic.csv")
    with (tmp_path / "clinic.csv").open("rb") as file:
        project = projects.create("clinic.csv", file)
    numbers = [name for name, kind in project.data().kinds.items() if kind == "continuous"]
    assert len(numbers) > 1
    bins = {name: "blanket" if k < 2 else "quantile(2)" for k, name in enumerate(numbers)}
    project.keep_settings(TableSettings(strict=False, discretize=bins))
    number = finished(project)
    expected = vd.read_graph(project.folder / "runs" / str(number) / "graph.json")
    for words in (["sh", "command.sh"], [sys.executable, "repeat.py"]):
        folder = unpacked(client, project, number, tmp_path / words[-1])
        repeated(folder, *words)
        assert vd.read_graph(folder / "graph.json") == expected


def unpacked(client, project, number: int, folder: Path) -> Path:
    content = client.get(f"/project/{project.id}/runs/{number}/files/repeat.zip").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


@pytest.mark.medium
def test_command_and_script_repeat_a_quick_run(client, asia, tmp_path):
    asia.keep_knowledge(vd.Knowledge(forbidden=[("smoke", "lung")], tiers=[["asia"], ["smoke", "tub"]]))
    number = finished(asia, asia.knowledge())
    expected = vd.read_graph(asia.folder / "runs" / str(number) / "graph.json")
    for words in (["sh", "command.sh"], [sys.executable, "repeat.py"]):
        folder = unpacked(client, asia, number, tmp_path / words[-1])
        repeated(folder, *words)
        assert vd.read_graph(folder / "graph.json") == expected


@pytest.mark.slow
def test_command_and_script_repeat_a_report(client, asia, tmp_path):
    asked = Asked("asia.csv", "table.csv", seed=2, required=(("smoke", "lung"),))
    number = add_run(asia.folder, asked, asia.table).number
    with Runs(asia.folder) as runs:
        data = read_table(runs.folder(number) / "table.csv")
    kept = finish(asia.folder, find(data, asked, None), number)
    for words in (["sh", "command.sh"], [sys.executable, "repeat.py"]):
        folder = unpacked(client, asia, number, tmp_path / words[-1])
        repeated(folder, *words)
        page = (folder / "report.html").read_text("utf-8")
        data_of_page = json.loads(re.search(r'id="network-data">(.*?)</script>', page, re.S).group(1))
        assert data_of_page == kept.drawn
