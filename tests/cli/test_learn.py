"""The command learn: what the library learns, with what was not named chosen by the data."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import veridag as vd
from veridag.graph import graph_from_json
from veridag.specs import parse


def test_learn_writes_the_graph_that_the_library_learns(call, asia_csv, tmp_path):
    network = vd.networks.load("asia")
    data = vd.read(asia_csv, states=dict(network.states))
    learner = vd.Tabu(score=vd.BDeu(ess=2), prior=vd.Fair(), max_indegree=2)
    expected = learner.learn(data, knowledge=vd.Knowledge(required=[("asia", "xray")], forbidden=[("smoke", "lung")]))
    graph, drawing = tmp_path / "g.json", tmp_path / "g.svg"
    options = ["--score", "bdeu(ess=2)", "--prior", "fair", "--max-indegree", "2", "--states", "asia"]
    options += ["--require", "asia:xray", "--forbid", "smoke:lung", "-o", str(graph), "--draw", str(drawing)]
    options += ["--algorithm", "tabu"]
    code, out, err = call("learn", asia_csv, *options)
    assert code == 0, err
    assert out == ""
    assert graph_from_json(graph.read_text("utf-8")) == expected.dag
    assert drawing.read_text("utf-8").startswith("<svg")
    assert f"score {expected.score:.6f}" in err
    assert "learner: Tabu(score=BDeu(ess=2), prior=Fair, max_indegree=2)\n" in err
    assert all(len(line) <= 100 for line in err.splitlines())
    assert "chosen" not in err
    code, out, _ = call("score", asia_csv, str(graph), *options[:4], "--states", "asia")
    assert float(out) == pytest.approx(expected.score, abs=1e-6)


CHOICES = [
    ([], vd.BOSS(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)),
    (["--score", "bic"], vd.BOSS(score=vd.BIC(), max_indegree=8)),
    (["--score", "bdeu(ess=0.123456789)"], vd.BOSS(score=vd.BDeu(ess=0.123456789), max_indegree=8)),
    (["--score", "k2", "--prior", "edge"], vd.BOSS(score=vd.K2(), prior=vd.Edge(), max_indegree=8)),
    (["--prior", "uniform"], vd.BOSS(score=vd.BDeu(ess=1), max_indegree=8)),
    (["--max-indegree", "1"], vd.BOSS(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=1)),
    (["--algorithm", "tabu"], vd.Tabu()),
    (["--algorithm", "hill-climbing", "--prior", "fair"], vd.HillClimbing(prior=vd.Fair())),
]


@pytest.mark.medium
@pytest.mark.parametrize(("words", "learner"), CHOICES, ids=[" ".join(words) for words, _ in CHOICES])
def test_learn_chooses_what_is_not_named_and_says_so(call, asia_csv, tmp_path, words, learner):
    data = vd.read(asia_csv)
    expected = learner.learn(data)
    graph = tmp_path / "g.json"
    code, _, err = call("learn", asia_csv, *words, "-o", str(graph))
    assert code == 0, err
    written = graph_from_json(graph.read_text("utf-8"))
    assert written == expected.graph
    assert f"score {vd.score(expected.dag, data, learner.score, learner.prior):.6f}," in err
    assert (f"learner: {learner.label}\n" in err) == ("--algorithm" in words)
    specs = re.findall(r'^chosen for discrete data.*: --algorithm "(.*)"$', err, re.MULTILINE)
    assert [parse(spec, "algorithm") for spec in specs] == ([] if "--algorithm" in words else [learner])
    assert (f"{len(written.edges)} without direction" in err) == bool(written.edges)
    code, out, err = call("learn", asia_csv, *words, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert parse(facts["spec"], "algorithm") == learner
    dag = vd.DAG.from_arcs([tuple(arc) for arc in facts["arcs"]], data.names)
    assert dag == expected.dag
    assert [tuple(edge) for edge in facts["edges"]] == list(written.edges)
    assert vd.score(dag, data, learner.score, learner.prior) == pytest.approx(facts["score"], abs=1e-6)


@pytest.mark.medium
def test_learn_chooses_by_the_kind_of_data_and_by_groups(call, tmp_path):
    vd.networks.load("ecoli70").sample(100, seed=1).write(tmp_path / "long.csv")
    vd.networks.load("ecoli70").sample(20, seed=1).write(tmp_path / "wide.csv")
    vd.simulate.related(4, 3, rows=100, seed=1).data.write(tmp_path / "groups.csv", group="site")
    pair = np.random.default_rng(1).normal(size=(60, 2))
    rows = [f"{a},{b},{site}" for (a, b), site in zip(pair, "uvw" * 20, strict=True)]
    (tmp_path / "numbers.csv").write_text("\n".join(["a,b,site", *rows]))
    for name, words, said in (
        ("long.csv", [], 'continuous data: --algorithm "BOSS(score=BGe, prior=Fair, max_indegree=8)"'),
        ("wide.csv", [], 'continuous data: --algorithm "BOSS(score=BGe, prior=Fair, max_indegree=5)"'),
        ("groups.csv", ["--group", "site"], '(in groups): --algorithm "Tabu(score=BHD, prior=Fair, max_indegree=8)"'),
        ("groups.csv", ["--group", "site", "--score", "bhd"], '"Tabu(score=BHD, max_indegree=8)"'),
        (
            "groups.csv",
            ["--group", "site", "--score", "bdeu"],
            '(with the groups pooled): --algorithm "BOSS(score=BDeu',
        ),
        ("groups.csv", ["--score", "k2"], 'discrete data: --algorithm "BOSS(score=K2'),
        ("numbers.csv", ["--group", "site"], '(with the groups pooled): --algorithm "BOSS(score=BGe'),
    ):
        code, _, err = call("learn", str(tmp_path / name), *words)
        assert code == 0, err
        assert said in err


@pytest.mark.medium
@pytest.mark.parametrize("words", [(), ("--score", "bic"), ("--prior", "edge", "--max-indegree", "2")])
@pytest.mark.parametrize("name", ["asia", "ecoli70", "groups"])
def test_learn_and_the_library_choose_the_same_learner(call, tmp_path, name, words):
    cases, output, group = tmp_path / "cases.csv", tmp_path / "graph.json", None
    if name == "groups":
        group = "hospital"
        vd.simulate.related(nodes=4, groups=2, states=2, rows=100, seed=1).data.write(cases, group=group)
    else:
        vd.networks.load(name).sample(200, seed=1).write(cases)
    in_groups = () if group is None else ("--group", group)
    code, _, err = call("learn", str(cases), "-o", str(output), "--seed", "5", "-v", *in_groups, *words)
    assert code == 0, err
    own = {"--score": {"score": vd.BIC()}, "--prior": {"prior": vd.Edge(), "max_indegree": 2}}
    result = vd.learn(vd.read(cases, group=group), seed=5, **own[words[0]] if words else {})
    assert graph_from_json(output.read_text("utf-8")) == result.graph
    assert result.settings in err


def test_learn_directs_a_class_by_what_is_known(call, asia_csv, tmp_path):
    data, graph, network = vd.read(asia_csv), tmp_path / "g.json", tmp_path / "g.bif"
    known = vd.Knowledge(required=[("smoke", "lung")])
    learner = vd.GES(score=vd.BDeu(ess=1), prior=vd.Fair(), max_indegree=8)
    expected = learner.learn(data, knowledge=known)
    assert any({"smoke", "lung"} == set(edge) for edge in expected.graph.edges)  # the data leaves this open
    code, _, err = call("learn", asia_csv, "--require", "smoke:lung", "-o", str(graph))
    assert code == 0, err
    written = graph_from_json(graph.read_text("utf-8"))
    assert ("smoke", "lung") in written.arcs
    assert written == known.orient(expected.graph)
    assert call("learn", asia_csv, "--require", "smoke:lung", "-o", str(network))[0] == 0
    fitted = vd.read_network(network)
    assert fitted.dag == expected.dag
    assert known.allows(fitted.dag)
    assert fitted.dag.cpdag() == expected.graph


def test_learn_speaks_json_and_takes_tiers(call, asia_csv, tmp_path):
    tiers = tmp_path / "tiers.txt"
    tiers.write_text("# first causes\nasia, smoke\ntub, lung, bronc\neither\nxray, dysp\n")
    code, out, err = call("learn", asia_csv, "--json", "--tiers", str(tiers), "--algorithm", "hill-climbing")
    assert code == 0, err
    answer = json.loads(out)
    assert answer["settings"] == repr(vd.HillClimbing())
    place = {"asia": 0, "smoke": 0, "tub": 1, "lung": 1, "bronc": 1, "either": 2, "xray": 3, "dysp": 3}
    assert answer["arcs"]
    assert all(place[a] <= place[b] for a, b in answer["arcs"])
    code, out, _ = call("learn", asia_csv, "-o", "-")
    assert code == 0
    assert graph_from_json(out).names == vd.networks.load("asia").names


def test_learn_takes_a_test_where_the_algorithm_has_one(call, asia_csv):
    data = vd.read(asia_csv)
    code, out, err = call("learn", asia_csv, "--algorithm", "pc-stable", "--test", "g2(alpha=0.01)", "-o", "-")
    assert code == 0, err
    assert graph_from_json(out) == vd.PCStable(vd.G2(alpha=0.01)).learn(data).graph
    assert " evaluations (" in err
    assert "score" not in err
    words = ["--algorithm", "h2pc", "--test", "score(bic)", "--score", "bic", "--json"]
    code, out, err = call("learn", asia_csv, *words)
    assert code == 0, err
    answer = json.loads(out)
    assert answer["settings"] == repr(vd.H2PC(vd.ScoreTest(vd.BIC()), vd.BIC()))
    assert answer["valid"] is True
    spec = "rsmax2(restrict=mmpc(test=x2), maximize=tabu(score=bdeu))"
    code, out, err = call("learn", asia_csv, "--algorithm", spec, "--json")
    assert code == 0, err
    assert json.loads(out)["settings"] == repr(vd.RSMAX2(vd.MMPC(vd.X2()), vd.Tabu(score=vd.BDeu())))


@pytest.mark.medium
def test_learn_says_that_a_graph_is_invalid(call, tmp_path):
    data = tmp_path / "insurance.parquet"
    vd.networks.load("insurance").sample(3000, seed=1).write(data)
    result = vd.GrowShrink(vd.G2()).learn(vd.read(data))
    assert not result.valid  # tests contradict each other on this sample
    code, _, err = call("learn", str(data), "--algorithm", "grow-shrink(test=g2)", "--truth", "insurance")
    assert code == 0, err
    assert "the graph is invalid, no DAG has these arcs and v-structures" in err
    assert f"{len(result.overruled)} v-structures were dropped" in err
    code, out, _ = call("learn", str(data), "--algorithm", "grow-shrink(test=g2)", "--json")
    answer = json.loads(out)
    assert answer["valid"] is False
    assert [tuple(arc) for arc in answer["conflicts"]] == list(result.conflicts)


@pytest.mark.medium
def test_an_interrupted_learner_saves_the_best_so_far_and_exits_with_130(call, tmp_path, monkeypatch, ctrl_c):
    data, graph = tmp_path / "andes.parquet", tmp_path / "best.json"
    vd.networks.load("andes").sample(2000, seed=1).write(data)
    learn = vd.Tabu.learn
    monkeypatch.setattr(
        vd.Tabu, "learn", lambda self, *given, **named: learn(self, *given, **named | {"progress": ctrl_c(3)})
    )
    code, _, err = call("learn", str(data), "--algorithm", "tabu(restarts=100000)", "-o", str(graph))
    assert code == 130
    assert "stopped after" in err
    assert len(graph_from_json(graph.read_text("utf-8")).arcs) > 50


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--algorithm", "tabuu"], "did you mean 'tabu'"),
        (["--algorithm", "pc-stable", "--score", "bic"], "has no score; its parameters are test, max_conditioning"),
        (["--test", "g2"], "such as --algorithm pc-stable"),
        (["--time-limit", "-5"], "time"),
        (["--score", "bge"], "does not score discrete data"),
        (["--score", "bde"], "bde needs"),
        (["--prior", "fare"], "did you mean 'fair'"),
        (["--require", "asia"], "FROM:TO"),
        (["--require", "asia:lungs"], "lungs"),
        (["--require", "asia:tub", "--forbid", "asia:tub"], "asia"),
        (["-o", "x.doc"], "must end in .json"),
        (["--draw", "x.png"], "must end in .svg"),
        (["-o", "no/x.json"], "there is no folder 'no': create it first"),
        (["--tiers", "nowhere.txt"], "nowhere.txt"),
        (["--max-indegree", "-1"], "--max-indegree -1"),
    ],
)
def test_a_mistake_in_learning_is_named(call, asia_csv, words, message):
    code, out, err = call("learn", asia_csv, *words)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert message in err


@pytest.mark.medium
def test_related_data_sets_are_learned_and_fitted_by_group(call, tmp_path, monkeypatch):
    from veridag.simulate import related

    monkeypatch.chdir(tmp_path)
    related(4, 3, rows=200, seed=1).data.write("trials.csv", group="hospital")
    status, _, err = call("learn", "trials.csv", "--group", "hospital", "--score", "bhd", "-o", "net.bif")
    assert status == 0, err
    assert "Tabu(score=BHD, max_indegree=8)" in err
    assert sorted(path.name for path in tmp_path.glob("*.bif")) == ["net-F1.bif", "net-F2.bif", "net-F3.bif"]
    call("learn", "trials.csv", "--group", "hospital", "--score", "bhd", "-o", "net.json")
    fit = ("fit", "trials.csv", "--group", "hospital", "--graph", "net.json", "--method", "separate")
    assert call(*fit, "-o", "own.bif")[0] == 0
    assert (tmp_path / "own-F3.bif").exists()
    assert call(*fit)[0] == 2
    status, _, err = call("learn", "trials.csv", "--score", "bhd")
    assert status == 2
    assert "the data has no groups" in err


def test_the_default_learner_takes_a_time_limit(call, tmp_path):
    path = tmp_path / "cases.csv"
    assert call("sample", "asia", "-n", "300", "--seed", "1", "-o", str(path))[0] == 0
    code, _, err = call("learn", str(path), "--time-limit", "5")
    assert code == 0, err
    assert "time_limit=5)" in err


def test_a_named_test_without_df_is_pointed_out_where_the_learner_has_another(call, tmp_path):
    path = tmp_path / "cases.csv"
    assert call("sample", "asia", "-n", "300", "--seed", "1", "-o", str(path))[0] == 0
    err = call("learn", str(path), "--algorithm", "pc-stable", "--test", "g2(alpha=0.01)")[2]
    assert "--test g2(alpha=0.01) has df=plain, but the default of pc-stable is df=observed" in err
    assert "the default of" not in call("learn", str(path), "--algorithm", "pc-stable", "--test", "g2(df=plain)")[2]


def test_arcs_of_a_dag_that_could_be_turned_are_counted(call, tmp_path):
    path = tmp_path / "cases.csv"
    assert call("sample", "asia", "-n", "1000", "--seed", "1", "-o", str(path))[0] == 0
    assert "could be reversed and fit equally well" in call("learn", str(path), "--algorithm", "tabu")[2]
    assert "could be reversed" not in call("learn", str(path), "--algorithm", "tabu(score=bds)")[2]


def test_a_graph_that_cannot_be_fitted_is_not_lost(call, tmp_path):
    rows = [f"{i % 7}.5,{i % 11}.25,{(i % 7) + (i % 11)}.75" for i in range(60)]
    table = tmp_path / "cases.csv"
    table.write_text("\n".join(["a,b,total", *rows]))  # total = a + b
    code, _, err = call("learn", table, "-o", tmp_path / "net.net")
    assert code == 2
    assert "is a linear function of its 2 parents" in err
    assert f"The graph without parameters was written to {tmp_path / 'net.json'}" in err
    assert len(vd.read_graph(tmp_path / "net.json").skeleton().edges) >= 2
    assert not (tmp_path / "net.net").exists()
