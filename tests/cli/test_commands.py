from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

import veridag as vd
from veridag import cli
from veridag.graph import read_graph
from veridag.specs import parse


def run(*words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The real command in a process of its own."""
    return subprocess.run([sys.executable, "-m", "veridag.cli", *words], input=stdin, capture_output=True, check=False)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The command within this process, where coverage sees it: exit code, output, complaints."""
    with pytest.raises(SystemExit) as stop:
        cli.main(list(words))
    streams = capsys.readouterr()
    return int(stop.value.code or 0), streams.out, streams.err


def test_networks_lists_them_all(capsys):
    code, out, _ = call(capsys, "networks")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == list(vd.networks.names())
    assert ["alarm", "discrete", "37", "46", "509"] in [line.split() for line in out.splitlines()]


def test_networks_as_json(capsys):
    _, out, _ = call(capsys, "networks", "--json")
    assert {"name": "ecoli70", "kind": "gaussian", "nodes": 46, "arcs": 70, "parameters": 162} in json.loads(out)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_sample_writes_what_read_reads(capsys, tmp_path, suffix):
    path = tmp_path / f"asia{suffix}"
    code, out, err = call(capsys, "sample", "asia", "-n", "500", "--seed", "1", "-o", str(path))
    assert (code, out) == (0, "")
    assert "500 rows of 8 variables" in err
    network = vd.networks.load("asia")
    assert vd.read(path, states=dict(network.states)) == network.sample(500, seed=1)


@pytest.mark.medium
def test_streams_can_be_piped_from_command_to_command(tmp_path):
    bif = tmp_path / "asia.bif"
    vd.networks.load("asia").write(bif)
    sampled = run("sample", "-", "-n", "200", "--seed", "3", stdin=bif.read_bytes())
    assert sampled.returncode == 0, sampled.stderr
    assert sampled.stdout.splitlines()[0] == b"asia,tub,smoke,lung,bronc,either,xray,dysp"
    described = run("describe", "-", stdin=sampled.stdout)
    assert described.returncode == 0, described.stderr
    assert b"smoke" in described.stdout
    drawn = run("draw", "-", stdin=bif.read_bytes())
    assert drawn.stdout.startswith(b"<svg")


def test_describe_takes_kinds_groups_and_weights(capsys, tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{20 + i},s{i % 2},{'mf'[i % 3 > 0]},{i % 4}" for i in range(40)]
    path.write_text("\n".join(["age,site,sex,count", *rows]))
    code, out, err = call(capsys, "describe", str(path))
    assert code == 2
    assert "age" in err
    options = ["--kind", "age=continuous", "--group", "site", "--weights", "count"]
    with pytest.warns(UserWarning, match="discrete"):
        code, out, err = call(capsys, "describe", str(path), *options)
    assert code == 0, err
    assert "continuous" in out


def test_describe_takes_an_encoding_and_texts_for_missing_values(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("café,b\nx,-\ny,q\nx,r\n".encode("latin-1"))
    assert call(capsys, "describe", str(path))[0] == 2
    options = ["--encoding", "latin-1", "--missing-values=-", "--missing", "drop"]
    code, out, err = call(capsys, "describe", str(path), *options)
    assert code == 0, err
    assert "café" in out
    assert "2 observations" in out


def test_a_graph_file_that_is_no_text_is_named(capsys, tmp_path):
    path = tmp_path / "g.dot"
    path.write_bytes(b"digraph { \xff }")
    code, _, err = call(capsys, "draw", str(path))
    assert code == 2
    assert "UTF-8" in err


def test_draw_takes_names_files_and_modelstrings(capsys, tmp_path):
    for source in ("asia", "[A][B|A]", str(tmp_path / "g.dot")):
        (tmp_path / "g.dot").write_text("digraph { A -> B }")
        target = tmp_path / "g.svg"
        code, _, err = call(capsys, "draw", source, "--cpdag", "-o", str(target))
        assert code == 0, err
        assert target.read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sample", "alram", "-n", "5"], "did you mean 'alarm'"),
        (["sample", "alarm"], "-n"),
        (["sample", "alarm", "-n", "-5"], "-5"),
        (["sample", "alarm", "-n", "many"], "--rows"),
        (["sample", "alarm", "-n", "5", "-o", "x.docx"], ".docx"),
        (["sample", "nowhere.bif", "-n", "5"], "No such file"),
        (["describe", "nowhere.csv"], "nowhere.csv"),
        (["describe", "x.csv", "--kind", "age"], "NAME=KIND"),
        (["draw", "[A][B|A"], "modelstring"),
        (["draw", "asia", "-o", "x.png"], ".svg"),
        (["sampel"], "sampel"),
        (["networks", "--frob"], "--frob"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, *words)
    assert code == 2
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("veridag: ")
    assert message in err


@pytest.mark.parametrize(
    "words", [["--debug", "sample", "alram", "-n", "5"], ["sample", "alram", "-n", "5", "--debug"]]
)
def test_debug_lets_the_exception_out_wherever_it_stands(words):
    with pytest.raises(vd.InputError, match="alram"):
        cli.main(words)


@pytest.mark.medium
def test_debug_shows_the_traceback():
    finished = run("sample", "alram", "-n", "5", "--debug")
    assert finished.returncode != 0
    assert b"Traceback" in finished.stderr
    assert b"Traceback" not in run("sample", "alram", "-n", "5").stderr


def test_help_and_version(capsys):
    for words in (["--help"], []):
        code, out, _ = call(capsys, *words)
        assert code == 0
        for command in ("networks", "sample", "describe", "draw"):
            assert command in out
    for command in ("networks", "sample", "describe", "draw"):
        code, out, _ = call(capsys, command, "--help")
        assert code == 0
        assert "Usage: veridag" in out
    assert call(capsys, "--version")[1].strip() == f"veridag {vd.__version__}"


@pytest.mark.medium
def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m veridag.cli sample alarm -n 100000 --seed 1 | head -n 1"
    finished = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert finished.stdout.count(b"\n") == 1
    assert b"Traceback" not in finished.stderr


def test_a_defect_of_veridag_is_told_apart_from_a_mistake(capsys, monkeypatch):
    def broken(name: str) -> None:
        raise RuntimeError("inside out")

    monkeypatch.setattr(cli.networks, "load_network", broken)
    code, _, err = call(capsys, "sample", "alarm", "-n", "5")
    assert code == 1
    assert "unexpected RuntimeError: inside out" in err


@pytest.fixture
def asia_csv(tmp_path):
    path = tmp_path / "asia.csv"
    vd.networks.load("asia").sample(400, seed=1).write(path)
    return str(path)


def test_score_prints_the_score_of_the_library(capsys, asia_csv):
    network = vd.networks.load("asia")
    data = vd.read(asia_csv, states=dict(network.states))
    expected = vd.score(network.dag, data, vd.BDeu(ess=2), vd.Fair())
    options = ["--score", "bdeu(ess=2)", "--prior", "fair", "--states", "asia"]
    code, out, err = call(capsys, "score", asia_csv, "asia", *options)
    assert code == 0, err
    assert float(out) == pytest.approx(expected, abs=1e-6)
    _, out, _ = call(capsys, "score", asia_csv, "asia", *options, "--by-node")
    assert len(out.splitlines()) == 9
    assert float(out.splitlines()[-1].split()[1]) == pytest.approx(expected, abs=1e-6)
    _, out, _ = call(capsys, "score", asia_csv, "asia", *options, "--json")
    answer = json.loads(out)
    assert answer["total"] == expected
    assert answer["score"] == "BDeu(ess=2.0)"
    assert set(answer["nodes"]) == set(network.names)


def test_test_prints_the_decision_of_the_library(capsys, asia_csv):
    options = ["--given", "smoke, either", "--test", "g2(alpha=0.01)", "--states", "asia"]
    code, out, err = call(capsys, "test", asia_csv, "lung", "bronc", *options)
    assert code == 0, err
    assert out.startswith("lung and bronc are independent given smoke, either: ")
    _, out, _ = call(capsys, "test", asia_csv, "lung", "bronc", *options, "--json")
    data = vd.read(asia_csv, states=dict(vd.networks.load("asia").states))
    expected = vd.test("lung", "bronc", ["smoke", "either"], data, vd.G2(alpha=0.01))
    assert json.loads(out)["p_value"] == expected.p_value


@pytest.mark.medium
def test_count_counts_and_draws(capsys, tmp_path):
    assert call(capsys, "count", "8")[1].strip() == "783702329343"
    assert call(capsys, "count", "4", "--max-indegree", "1")[1].strip() == "125"
    code, out, _ = call(capsys, "count", "32", "--prior", "uniform", "--max-indegree", "5")
    probabilities = [float(line.split()[1]) for line in out.splitlines()]
    assert code == 0
    assert probabilities[5] / probabilities[0] == pytest.approx(11.497, abs=1e-3)
    assert len(call(capsys, "count", "200")[1].strip()) > 4300
    target = tmp_path / "figure.svg"
    assert call(capsys, "count", "--figure", "-o", str(target))[0] == 0
    assert "<svg" in target.read_text("utf-8")[:1000]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", "DATA", "asia", "--score", "bdue"], "There are aic, "),
        (["score", "DATA", "asia", "--prior", "fare"], "did you mean 'fair'"),
        (["score", "DATA", "[A][B|A]"], "need the same variables"),
        (["score", "DATA", "asia", "--score", "bge"], "does not score discrete data"),
        (["test", "DATA", "lung", "smok"], "did you mean 'smoke'"),
        (["test", "DATA", "lung", "lung"], "two different variables"),
        (["test", "DATA", "lung", "smoke", "--test", "fisher-z"], "does not test discrete data"),
        (["count"], "N, the number of variables, is missing"),
        (["count", "5", "--prior", "data-size"], "rows"),
    ],
)
def test_a_mistake_in_scores_tests_and_counts_is_named(capsys, asia_csv, words, message):
    code, out, err = call(capsys, *(asia_csv if word == "DATA" else word for word in words))
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_learn_writes_the_graph_that_the_library_learns(capsys, asia_csv, tmp_path):
    network = vd.networks.load("asia")
    data = vd.read(asia_csv, states=dict(network.states))
    learner = vd.Tabu(score=vd.BDeu(ess=2), prior=vd.Fair(), max_indegree=2)
    expected = learner.learn(data, knowledge=vd.Knowledge(required=[("asia", "xray")], forbidden=[("smoke", "lung")]))
    graph, drawing = tmp_path / "g.json", tmp_path / "g.svg"
    options = ["--score", "bdeu(ess=2)", "--prior", "fair", "--max-indegree", "2", "--states", "asia"]
    options += ["--require", "asia:xray", "--forbid", "smoke:lung", "-o", str(graph), "--draw", str(drawing)]
    options += ["--algorithm", "tabu"]
    code, out, err = call(capsys, "learn", asia_csv, *options)
    assert code == 0, err
    assert out == ""
    assert read_graph(graph.read_text("utf-8")) == expected.dag
    assert drawing.read_text("utf-8").startswith("<svg")
    assert f"score {expected.score:.6f}" in err
    assert repr(learner) in err
    assert "chosen" not in err
    code, out, _ = call(capsys, "score", asia_csv, str(graph), *options[:4], "--states", "asia")
    assert float(out) == pytest.approx(expected.score, abs=1e-6)


CHOICES = [
    ([], vd.GES(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)),
    (["--score", "bic"], vd.GES(score=vd.BIC(), max_indegree=8)),
    (["--score", "bdeu(ess=0.123456789)"], vd.GES(score=vd.BDeu(ess=0.123456789), max_indegree=8)),
    (["--score", "k2", "--prior", "edge"], vd.Tabu(score=vd.K2(), prior=vd.Edge(), max_indegree=8)),
    (["--prior", "uniform"], vd.GES(score=vd.BDeu(ess=1), max_indegree=8)),
    (["--max-indegree", "1"], vd.GES(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=1)),
    (["--algorithm", "tabu"], vd.Tabu()),
    (["--algorithm", "hill-climbing", "--prior", "fair"], vd.HillClimbing(prior=vd.Fair())),
]


@pytest.mark.parametrize(("words", "learner"), CHOICES, ids=[" ".join(words) for words, _ in CHOICES])
def test_learn_chooses_what_is_not_named_and_says_so(capsys, asia_csv, tmp_path, words, learner):
    data = vd.read(asia_csv)
    expected = learner.learn(data)
    graph = tmp_path / "g.json"
    code, _, err = call(capsys, "learn", asia_csv, *words, "-o", str(graph))
    assert code == 0, err
    written = read_graph(graph.read_text("utf-8"))
    assert written == expected.graph
    assert f"score {vd.score(expected.dag, data, learner.score, learner.prior):.6f}," in err
    assert repr(learner) in err
    specs = re.findall(r'^chosen for discrete data.*: --algorithm "(.*)"$', err, re.MULTILINE)
    assert [parse(spec, "algorithm") for spec in specs] == ([] if "--algorithm" in words else [learner])
    assert (f"{len(written.edges)} of them without direction" in err) == bool(written.edges)
    code, out, err = call(capsys, "learn", asia_csv, *words, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert parse(facts["spec"], "algorithm") == learner
    dag = vd.DAG.from_arcs([tuple(arc) for arc in facts["arcs"]], data.names)
    assert dag == expected.dag
    assert [tuple(edge) for edge in facts["edges"]] == list(written.edges)
    assert vd.score(dag, data, learner.score, learner.prior) == pytest.approx(facts["score"], abs=1e-6)


def test_learn_chooses_by_the_kind_of_data_and_by_groups(capsys, tmp_path):
    vd.networks.load("ecoli70").sample(100, seed=1).write(tmp_path / "long.csv")
    vd.networks.load("ecoli70").sample(20, seed=1).write(tmp_path / "wide.csv")
    vd.simulate.related(4, 3, rows=100, seed=1).data.write(tmp_path / "groups.csv", group="site")
    pair = np.random.default_rng(1).normal(size=(60, 2))
    rows = [f"{a},{b},{site}" for (a, b), site in zip(pair, "uvw" * 20, strict=True)]
    (tmp_path / "numbers.csv").write_text("\n".join(["a,b,site", *rows]))
    for name, words, said in (
        ("long.csv", [], 'continuous data: --algorithm "GES(score=BGe, prior=Fair, max_indegree=8)"'),
        ("wide.csv", [], '(more columns than rows): --algorithm "Tabu(score=BGe, prior=Fair, max_indegree=5)"'),
        ("groups.csv", ["--group", "site"], '(in groups): --algorithm "Tabu(score=BHD, prior=Fair, max_indegree=8)"'),
        ("groups.csv", ["--group", "site", "--score", "bhd"], '"Tabu(score=BHD, max_indegree=8)"'),
        (
            "groups.csv",
            ["--group", "site", "--score", "bdeu"],
            '(the groups taken together): --algorithm "GES(score=BDeu',
        ),
        ("groups.csv", ["--score", "k2"], "(K2 is not score-equivalent)"),
        ("numbers.csv", ["--group", "site"], '(the groups taken together): --algorithm "GES(score=BGe'),
    ):
        code, _, err = call(capsys, "learn", str(tmp_path / name), *words)
        assert code == 0, err
        assert said in err


@pytest.mark.parametrize("words", [(), ("--score", "bic"), ("--prior", "edge", "--max-indegree", "2")])
@pytest.mark.parametrize("name", ["asia", "ecoli70", "groups"])
def test_learn_and_the_library_choose_the_same_learner(capsys, tmp_path, name, words):
    cases, output, group = tmp_path / "cases.csv", tmp_path / "graph.json", None
    if name == "groups":
        group = "hospital"
        vd.simulate.related(nodes=4, groups=2, states=2, rows=100, seed=1).data.write(cases, group=group)
    else:
        vd.networks.load(name).sample(200, seed=1).write(cases)
    in_groups = () if group is None else ("--group", group)
    code, _, err = call(capsys, "learn", str(cases), "-o", str(output), "--seed", "5", *in_groups, *words)
    assert code == 0, err
    own = {"--score": {"score": vd.BIC()}, "--prior": {"prior": vd.Edge(), "max_indegree": 2}}
    result = vd.learn(vd.read(cases, group=group), seed=5, **own[words[0]] if words else {})
    assert read_graph(output.read_text("utf-8")) == result.graph
    assert result.settings in err


def test_learn_directs_a_class_by_what_is_known(capsys, asia_csv, tmp_path):
    data, graph, network = vd.read(asia_csv), tmp_path / "g.json", tmp_path / "g.bif"
    known = vd.Knowledge(required=[("smoke", "lung")])
    learner = vd.GES(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)
    expected = learner.learn(data, knowledge=known)
    assert any({"smoke", "lung"} == set(edge) for edge in expected.graph.edges)  # the data leaves this open
    code, _, err = call(capsys, "learn", asia_csv, "--require", "smoke:lung", "-o", str(graph))
    assert code == 0, err
    written = read_graph(graph.read_text("utf-8"))
    assert ("smoke", "lung") in written.arcs
    assert written == known.orient(expected.graph)
    assert call(capsys, "learn", asia_csv, "--require", "smoke:lung", "-o", str(network))[0] == 0
    fitted = vd.read_network(network)
    assert fitted.dag == expected.dag
    assert known.allows(fitted.dag)
    assert fitted.dag.cpdag() == expected.graph


def test_a_graph_with_open_directions_can_be_scored_fitted_drawn_and_be_the_truth(capsys, asia_csv, tmp_path):
    graph = tmp_path / "g.json"
    code, _, err = call(capsys, "learn", asia_csv, "-o", str(graph))
    assert code == 0, err
    learned = float(re.search(r"score (\S+),", err)[1])
    edges = len(read_graph(graph.read_text("utf-8")).edges)
    assert edges
    code, out, err = call(capsys, "score", asia_csv, str(graph), "--score", "bdeu", "--prior", "fair")
    assert float(out) == pytest.approx(learned, abs=1e-6)
    assert "leaves directions open" in err
    code, _, err = call(capsys, "fit", asia_csv, "--graph", str(graph), "-o", str(tmp_path / "g.bif"))
    assert code == 0, err
    assert vd.read_network(tmp_path / "g.bif").dag.cpdag() == read_graph(graph.read_text("utf-8"))
    code, _, err = call(capsys, "draw", str(graph), "-o", str(tmp_path / "g.svg"))
    assert code == 0, err
    assert f"{edges} edges" in err
    code, _, err = call(capsys, "learn", asia_csv, "--truth", str(graph))
    assert "structural Hamming distance 0 to the truth" in err


def test_a_graph_that_no_dag_extends_is_refused_where_a_dag_is_needed(capsys, asia_csv, tmp_path):
    square = [("asia", "tub"), ("tub", "lung"), ("lung", "smoke"), ("smoke", "asia")]
    (tmp_path / "square.json").write_text(vd.PDAG.from_arcs([], square).to_json())
    code, _, err = call(capsys, "fit", asia_csv, "--graph", str(tmp_path / "square.json"))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "square.json" in err
    assert "no DAG extends the graph" in err
    (tmp_path / "part.json").write_text(vd.PartialGraph.from_graph(vd.DAG.empty(["asia", "tub"])).to_json())
    code, _, err = call(capsys, "draw", str(tmp_path / "part.json"), "--cpdag")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "PartialGraph" in err


def test_learn_speaks_json_and_takes_tiers(capsys, asia_csv, tmp_path):
    tiers = tmp_path / "tiers.txt"
    tiers.write_text("# first causes\nasia, smoke\ntub, lung, bronc\neither\nxray, dysp\n")
    code, out, err = call(capsys, "learn", asia_csv, "--json", "--tiers", str(tiers), "--algorithm", "hill-climbing")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["settings"] == repr(vd.HillClimbing())
    place = {"asia": 0, "smoke": 0, "tub": 1, "lung": 1, "bronc": 1, "either": 2, "xray": 3, "dysp": 3}
    assert answer["arcs"]
    assert all(place[a] <= place[b] for a, b in answer["arcs"])
    code, out, _ = call(capsys, "learn", asia_csv, "-o", "-")
    assert code == 0
    assert read_graph(out).names == vd.networks.load("asia").names


def test_learn_takes_a_test_where_the_algorithm_has_one(capsys, asia_csv):
    data = vd.read(asia_csv)
    code, out, err = call(capsys, "learn", asia_csv, "--algorithm", "pc-stable", "--test", "g2(alpha=0.01)", "-o", "-")
    assert code == 0, err
    assert read_graph(out) == vd.PCStable(vd.G2(alpha=0.01)).learn(data).graph
    assert "calls of the criterion" in err
    assert "score" not in err
    words = ["--algorithm", "h2pc", "--test", "score(bic)", "--score", "bic", "--json"]
    code, out, err = call(capsys, "learn", asia_csv, *words)
    assert code == 0, err
    answer = json.loads(out)
    assert answer["settings"] == repr(vd.H2PC(vd.ScoreTest(vd.BIC()), vd.BIC()))
    assert answer["valid"] is True
    spec = "rsmax2(restrict=mmpc(test=x2), maximize=tabu(score=bdeu))"
    code, out, err = call(capsys, "learn", asia_csv, "--algorithm", spec, "--json")
    assert code == 0, err
    assert json.loads(out)["settings"] == repr(vd.RSMAX2(vd.MMPC(vd.X2()), vd.Tabu(score=vd.BDeu())))


def test_learn_says_that_a_graph_is_invalid(capsys, tmp_path):
    data = tmp_path / "hepar2.parquet"
    vd.networks.load("hepar2").sample(10_000, seed=1).write(data)
    result = vd.MMPC().learn(vd.read(data))
    assert not result.valid  # tests contradict each other on this sample
    code, _, err = call(capsys, "learn", str(data), "--algorithm", "mmpc", "--truth", "hepar2")
    assert code == 0, err
    assert "the graph is invalid, no DAG has these arcs and v-structures" in err
    assert f"{len(result.overruled)} v-structures were given up" in err
    code, out, _ = call(capsys, "learn", str(data), "--algorithm", "mmpc", "--json")
    answer = json.loads(out)
    assert answer["valid"] is False
    assert [tuple(arc) for arc in answer["conflicts"]] == list(result.conflicts)


def test_an_interrupted_learner_saves_the_best_so_far_and_exits_with_130(capsys, tmp_path, monkeypatch, ctrl_c):
    data, graph = tmp_path / "andes.parquet", tmp_path / "best.json"
    vd.networks.load("andes").sample(2000, seed=1).write(data)
    learn = vd.Tabu.learn
    monkeypatch.setattr(
        vd.Tabu, "learn", lambda self, *given, **named: learn(self, *given, **named | {"progress": ctrl_c(3)})
    )
    code, _, err = call(capsys, "learn", str(data), "--algorithm", "tabu(restarts=100000)", "-o", str(graph))
    assert code == 130
    assert "stopped after" in err
    assert len(read_graph(graph.read_text("utf-8")).arcs) > 50


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "tabuu"], "did you mean 'tabu'"),
        (["--algorithm", "pc-stable", "--score", "bic"], "has no score; its parameters are test, max_conditioning"),
        (["--test", "g2"], "such as --algorithm pc-stable"),
        (["--time-limit", "5"], "such as --algorithm exact"),
        (["--score", "bge"], "does not score discrete data"),
        (["--score", "bde"], "bde needs"),
        (["--prior", "fare"], "did you mean 'fair'"),
        (["--require", "asia"], "FROM:TO"),
        (["--require", "asia:lungs"], "lungs"),
        (["--require", "asia:tub", "--forbid", "asia:tub"], "asia"),
        (["-o", "x.doc"], "must end in .json"),
        (["--draw", "x.png"], "must end in .svg"),
        (["--tiers", "nowhere.txt"], "nowhere.txt"),
        (["--max-indegree", "-1"], "max_indegree=-1"),
    ],
)
def test_a_mistake_in_learning_is_named(capsys, asia_csv, words, message):
    code, out, err = call(capsys, "learn", asia_csv, *words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


def test_related_data_sets_are_learned_and_fitted_by_group(capsys, tmp_path, monkeypatch):
    from veridag.simulate import related

    monkeypatch.chdir(tmp_path)
    related(4, 3, rows=200, seed=1).data.write("trials.csv", group="hospital")
    status, _, err = call(capsys, "learn", "trials.csv", "--group", "hospital", "--score", "bhd", "-o", "net.bif")
    assert status == 0, err
    assert "BHD(ess=1.0, alpha0=1.0)" in err
    assert sorted(path.name for path in tmp_path.glob("*.bif")) == ["net-F1.bif", "net-F2.bif", "net-F3.bif"]
    call(capsys, "learn", "trials.csv", "--group", "hospital", "--score", "bhd", "-o", "net.json")
    fit = ("fit", "trials.csv", "--group", "hospital", "--graph", "net.json", "--method", "separate")
    assert call(capsys, *fit, "-o", "own.bif")[0] == 0
    assert (tmp_path / "own-F3.bif").exists()
    assert call(capsys, *fit)[0] == 2
    status, _, err = call(capsys, "learn", "trials.csv", "--score", "bhd")
    assert status == 2
    assert "the data has no groups" in err
