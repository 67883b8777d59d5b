from __future__ import annotations

import json
import re
import signal
import subprocess
import sys

import pytest

import veridag as vd
from veridag.graph import graph_from_json

ASIA = vd.networks.load("asia")


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "asia.parquet"
    ASIA.sample(800, seed=1).write(path)
    return path


@pytest.fixture
def numbers(tmp_path):
    path = tmp_path / "numbers.csv"
    network = vd.networks.load("ecoli70")
    network.sample(100, seed=1).select(network.names[:5]).write(path)
    return path


# ---- fit


@pytest.mark.medium
def test_fit_writes_a_network(call, tmp_path, cases):
    graph = tmp_path / "g.json"
    graph.write_text(ASIA.dag.to_json())
    code, _, err = call("fit", cases, "--graph", graph, "-o", tmp_path / "net.bif")
    assert code == 0
    assert "18 parameters from 800 rows" in err
    fitted = vd.read_network(tmp_path / "net.bif")
    assert fitted == vd.fit(ASIA.dag, vd.read(cases))
    loss = float(re.search(r"log-loss on these rows (\S+)", err)[1])
    assert loss == pytest.approx(-fitted.log_likelihood(vd.read(cases)) / 800, rel=1e-5)


def test_fit_takes_a_modelstring_an_ess_and_a_method(call, tmp_path, cases):
    for options, arguments in (
        (["--ess", "0"], {"ess": 0}),
        (["--ess", "50", "--method", "map"], {"ess": 50, "method": "map"}),
    ):
        path = tmp_path / "net.bif"
        code, _, _ = call("fit", cases, "--graph", "[smoke][lung|smoke]", "-o", path, *options)
        assert code == 0
        dag = vd.DAG.from_arcs([("smoke", "lung")])
        assert vd.read_network(path) == vd.fit(dag, vd.read(cases), **arguments)


@pytest.mark.medium
def test_fit_can_be_piped_into_query(cases):
    fitted = subprocess.run(
        [sys.executable, "-m", "veridag.cli", "fit", str(cases), "--graph", "asia"], capture_output=True, check=True
    )
    asked = subprocess.run(
        [sys.executable, "-m", "veridag.cli", "query", "-", "lung", "-e", "smoke=yes", "--json"],
        input=fitted.stdout,
        capture_output=True,
        check=True,
    )
    expected = vd.fit(ASIA.dag, vd.read(cases)).query("lung", {"smoke": "yes"})
    assert json.loads(asked.stdout)["distribution"][0]["probability"] == pytest.approx(expected["yes"])


def test_mistakes_of_fit_are_one_line(call, cases):
    code, _, err = call("fit", cases, "--graph", "[smoke][lungs|smoke]")
    assert (code, err.count("\n")) == (2, 1)
    assert "no column 'lungs'" in err
    assert call("fit", cases, "--graph", "asia", "--method", "mode")[0] == 2


# ---- learn


def test_learn_writes_a_network_with_parameters_if_the_name_says_so(call, tmp_path, cases):
    for name in ("net.bif", "net.bif.gz"):
        code, _, err = call("learn", cases, "-o", tmp_path / name)
        assert code == 0
        assert re.search(r"\d+ parameters, posterior means with ess 1, written to", err)
        learner = vd.GES(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)
        assert vd.read_network(tmp_path / name) == vd.learn_network(vd.read(cases), learner)
        assert "edges without direction were directed for the network file" in err


def test_learn_says_before_learning_that_a_network_cannot_be_written_and_writes_one_for_each_group(
    call, tmp_path, numbers
):
    code, _, err = call(
        "learn", numbers, "-o", tmp_path / "net.bif", "--algorithm", "order-annealing(steps=1000000000)"
    )
    assert code == 2
    assert "Gaussian" in err
    grouped = tmp_path / "grouped.csv"
    grouped.write_text("a,b,site\n" + "x,y,1\ny,x,2\nx,x,1\n" * 5)
    code, _, err = call("learn", grouped, "--group", "site", "-o", tmp_path / "net.bif")
    assert code == 0, err
    assert {path.name for path in tmp_path.glob("*.bif")} == {"net-1.bif", "net-2.bif"}


# ---- query


def test_query_prints_a_table(call):
    code, out, _ = call("query", "asia", "lung", "bronc", "-e", "dysp=yes", "--evidence", "smoke=no")
    assert code == 0
    assert out.strip() == repr(ASIA.query(["lung", "bronc"], {"dysp": "yes", "smoke": "no"}))


@pytest.fixture
def mixed(tmp_path) -> str:
    """A file with a network of both kinds of variables, whose state 'c' never occurs."""
    table = vd.Table((), [0.25, 0.75, 0.0])
    x = vd.ConditionalGaussian(("d",), ("y",), [0, 4, 9], [[1], [1], [1]], [1, 2, 3])
    cpds = {"d": table, "x": x, "y": vd.LinearGaussian((), 0, [], 1)}
    return str(vd.Network(cpds, {"d": ["a", "b", "c"]}).write(tmp_path / "mixed.json"))


def test_query_asks_mixed_networks_too(call, mixed):
    network = vd.read_network(mixed)
    code, out, _ = call("query", mixed, "d", "x", "-e", "y=2")
    assert code == 0
    assert out.strip() == repr(network.query(["d", "x"], {"y": 2.0}))
    code, out, _ = call("query", mixed, "d", "x", "-e", "y=2", "--json")
    assert json.loads(out) == {
        "variables": ["d", "x"],
        "continuous": ["x"],
        "mean": [0.25 * 2 + 0.75 * 6],
        "covariance": [[0.25 * 1 + 0.75 * 4 + 0.25 * 0.75 * 16]],
        "distribution": [
            {"d": "a", "probability": 0.25, "mean": [2.0], "covariance": [[1.0]]},
            {"d": "b", "probability": 0.75, "mean": [6.0], "covariance": [[4.0]]},
            {"d": "c", "probability": 0.0, "mean": None, "covariance": None},
        ],
        "evidence": {"y": 2.0},
    }
    alone = json.loads(call("query", mixed, "y", "--json")[1])
    assert alone == {"variables": ["y"], "continuous": ["y"], "mean": [0.0], "covariance": [[1.0]], "evidence": {}}
    table = json.loads(call("query", mixed, "d", "-e", "x=4.0", "--json")[1])
    assert [cell["d"] for cell in table["distribution"]] == ["a", "b", "c"]


def test_mixed_networks_go_through_sample_and_fit(call, mixed, tmp_path):
    rows, fitted = tmp_path / "rows.csv", tmp_path / "fitted.net"
    assert call("sample", mixed, "-n", 50, "--seed", 1, "-o", rows)[0] == 0
    assert call("fit", rows, "--strict", "--graph", mixed, "-o", fitted)[0] == 0
    assert vd.read_network(fitted).kind == "mixed"
    code, out, _ = call("fit", rows, "--strict", "--graph", mixed)
    assert json.loads(out)["kind"] == "mixed"
    code, _, complaint = call("fit", rows, "--strict", "--graph", mixed, "-o", tmp_path / "fitted.bif")
    assert code
    assert "write it as JSON or NET" in complaint


def test_query_asks_gaussian_networks_too(call):
    network = vd.networks.load("ecoli70")
    a, b, c = network.names[:3]
    code, out, _ = call("query", "ecoli70", a, b, "-e", f"{c}=1.5", "--json")
    assert code == 0
    answer = network.query([a, b], {c: 1.5})
    assert json.loads(out) == {
        "variables": [a, b],
        "mean": pytest.approx(answer.mean.tolist()),
        "covariance": [pytest.approx(row) for row in answer.covariance.tolist()],
        "evidence": {c: 1.5},
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["asia", "lungs"], "did you mean 'lung'"),
        (["asia", "lung", "-e", "smoke"], "--evidence takes NAME=STATE"),
        (["asia", "lung", "-e", "either=no", "-e", "tub=yes"], "probability zero"),
    ],
)
def test_mistakes_of_query_are_one_line(call, words, message):
    code, _, err = call("query", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert message in err


# ---- bootstrap


@pytest.mark.medium
def test_bootstrap_writes_what_was_found(call, tmp_path, cases):
    out = {name: tmp_path / name for name in ("net.json", "arcs.csv", "strengths.svg", "net.svg")}
    options = ["--algorithm", "hill-climbing", "--score", "bdeu(ess=1)", "--repeats", "8", "--seed", "3", "--jobs", "2"]
    files = [
        "-o",
        out["net.json"],
        "--strengths",
        out["arcs.csv"],
        "--figure",
        out["strengths.svg"],
        "--draw",
        out["net.svg"],
    ]
    code, printed, err = call("bootstrap", cases, *options, *files)
    assert code == 0, err
    found = vd.bootstrap(vd.read(cases), vd.HillClimbing(vd.BDeu()), 8, seed=3)
    assert graph_from_json(out["net.json"].read_text()) == found.averaged()
    lines = [line.split(",") for line in out["arcs.csv"].read_text().splitlines()]
    assert lines[0] == ["from", "to", "strength", "direction"]
    assert [(a, b, float(s), float(d)) for a, b, s, d in lines[1:]] == [tuple(arc) for arc in found.arcs]
    assert out["strengths.svg"].read_text().startswith("<?xml")
    assert out["net.svg"].read_text().startswith("<svg")
    assert len(printed.splitlines()) == 1 + sum(arc.strength > found.threshold for arc in found.arcs)
    assert f"{len(found.averaged().arcs)} arcs stronger than" in err


def test_bootstrap_as_json_with_a_threshold(call, cases):
    code, out, _ = call("bootstrap", cases, "--repeats", "4", "--threshold", "0.9", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["threshold"] == 0.9
    strong = {frozenset((arc["source"], arc["target"])) for arc in facts["arcs"] if arc["strength"] > 0.9}
    assert {frozenset(arc) for arc in facts["averaged"]} == strong
    assert facts["settings"] == repr(vd.BOSS(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8))


def test_bootstrap_obeys_knowledge(call, cases):
    code, out, _ = call("bootstrap", cases, "-r", "3", "--require", "smoke:bronc", "--forbid", "smoke:lung", "--json")
    assert code == 0
    arcs = json.loads(out)["averaged"]
    assert ["smoke", "bronc"] in arcs
    assert ["smoke", "lung"] not in arcs


@pytest.mark.parametrize(
    "words",
    [["-o", "net.txt"], ["--threshold", "2"], ["--repeats", "0"], ["--figure", "x.pdf"], ["--strengths", "x.txt"]],
)
def test_mistakes_of_bootstrap_are_one_line(call, cases, words):
    code, _, err = call("bootstrap", cases, *words)
    assert (code, err.count("\n")) == (2, 1)


TELLING = """
import contextlib, sys
from veridag import cli
tell = lambda what, done, total, extra: print(done, file=sys.stderr, flush=True)
cli.bootstrap.progress_bar = lambda what, keeps: contextlib.nullcontext(tell)
cli.main(sys.argv[1:])
"""


@pytest.mark.medium
def test_an_interrupted_bootstrap_saves_what_it_has(tmp_path):
    data, output = tmp_path / "alarm.parquet", tmp_path / "net.json"
    vd.networks.load("alarm").sample(3000, seed=1).write(data)
    words = ["bootstrap", str(data), "--repeats", "100000", "--jobs", "2", "-o", str(output), "--json"]
    command = [sys.executable, "-c", TELLING, *words]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    assert "1\n" in iter(running.stderr.readline, "")
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130, err
    facts = json.loads(out)
    assert 0 < facts["repeats"] < 100000
    assert len(graph_from_json(output.read_text()).arcs) == len(facts["averaged"])
    assert all(0 < arc["strength"] <= 1 for arc in facts["arcs"])
