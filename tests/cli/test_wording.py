"""Errors of commands speak in options: no remedy is a call in Python for which the command line has an option."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import veridag as vd
from veridag.cli.wording import reworded

PYTHON = re.compile(r"\b[a-z_]+=|\bvd\.|\bdata\.|\b[A-Za-z]+\(\)|max_indegree|memory_limit|time_limit")
SPEC = re.compile(r"\b\w+\([^()]+\)")  # of a score or a learner, as it can be typed


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    vd.networks.load("asia").sample(100, seed=1).write("cases.csv")
    vd.networks.load("alarm").sample(200, seed=1).write("alarm.csv")
    vd.networks.load("ecoli70").sample(100, seed=1).write("numbers.csv")
    vd.simulate.related(3, 2, rows=50, seed=1).data.write("trials.csv", group="site")
    vd.PDAG.empty(["asia", "tub"]).write("graph.json")
    Path("mixed.csv").write_text("\n".join(["a,x", *(f"{'yn'[i % 2]},{i % 7}.5" for i in range(30)), ""]))


MISTAKES = [
    ("learn cases.csv --max-indegree -1", "--max-indegree -1 must be"),
    ("learn cases.csv --jobs 0", "--jobs 0 must be"),
    ("learn cases.csv --seed -1", "--seed -1 must be"),
    ("learn cases.csv --algorithm exact --time-limit -1", "--time-limit -1.0 must be"),
    ("learn cases.csv --require asia:nobody", "--require: there is no variable 'nobody'"),
    ("learn cases.csv --require asia:asia", "--require: "),
    ("learn cases.csv --require asia:tub --forbid asia:tub", "--require, --forbid: the arc asia -> tub is in both"),
    ("learn cases.csv --require asia:tub --require tub:asia", "--require: the arcs form a cycle"),
    ("learn trials.csv --score bhd", "with --group, or score all as one with --score bdeu"),
    ("learn cases.csv --truth nowhere", "is neither a reference network nor a file"),
    ("bootstrap cases.csv --repeats 0", "--repeats 0 must be"),
    ("bootstrap cases.csv --threshold 2", "--threshold 2 must be"),
    ("posterior cases.csv --draws 0", "--draws 0 must be"),
    ("posterior cases.csv --chains 0", "--chains 0 must be"),
    ("posterior cases.csv --minutes -1", "--minutes -1.0 must be"),
    ("posterior cases.csv --precision 0", "--precision 0.0 must be"),
    ("posterior cases.csv --jobs 0", "--jobs 0 must be"),
    ("posterior cases.csv --max-indegree -1", "--max-indegree -1 must be"),
    ("posterior cases.csv --method exact --draws 5", "--draws 5: the exact posterior has no draws to limit"),
    ("posterior alarm.csv --method exact", "select fewer, or draw networks with --method sample"),
    ("posterior cases.csv --method exact --memory-limit 1e-6", "or raise --memory-limit"),
    ("posterior numbers.csv --score bdeu", "does not score continuous data"),
    (
        "posterior mixed.csv --require x:a",
        "use the score degenerategaussian, or cut the continuous columns with --",
    ),
    ("posterior mixed.csv --require x:a --score dg --query a", "use --score bcg, or cut the continuous columns with"),
    ("posterior cases.csv --temperatures 0", "--temperatures 0 must be"),
    ("posterior cases.csv --query lung -e smoke=maybe", "--evidence: 'smoke' has no state 'maybe'"),
    ("posterior cases.csv -e smoke=yes", "--evidence: there is no query: name a variable with --query"),
    ("posterior cases.csv --networks 5", "--networks: there is no query: name a variable with --query"),
    (
        "posterior trials.csv --group site --query X1",
        "--query: each group has its own parameters: name a group with --evidence, such as 'F1' for 'site'",
    ),
    ("posterior trials.csv --group site --query X1 -e site=Z", "--evidence: 'site' has no group 'Z'"),
    ("validate cases.csv --repeats 0", "--repeats 0 must be"),
    ("validate cases.csv --sizes 1000", "--sizes 1000 must be"),
    ("report cases.csv --algorithm tabu --algorithm tabu(score=bge)", "--algorithm: an agreement needs two"),
    ("cross-validate cases.csv --folds 1", "--folds 1 must be"),
    ("cross-validate cases.csv --ess -1", "--ess -1.0 must be"),
    ("cross-validate cases.csv -o losses.txt", "must end in .csv"),
    ("differences trials.csv", "with --group"),
    ("differences trials.csv --group site --threshold -1", "--threshold -1.0 must be"),
    ("differences trials.csv --group site --graph [X1][nobody|X1]", "there is no column 'nobody'"),
    ("differences trials.csv --group site -o - --draw -", "--output and --draw"),
    ("fit cases.csv --graph asia --ess -1", "--ess -1.0 must be"),
    ("fit cases.csv --graph asia --method mode", "--method mode must be"),
    ("fit cases.csv --graph asia --method pooled", "with --group"),
    ("fit trials.csv --group site --graph [X1][X2][X3]", "--method hierarchical"),
    ("fit cases.csv --graph asia --ess 0 --method map", "use --method mean for maximum likelihood"),
    ("score cases.csv [asia][nobody|asia]", "there is no column 'nobody', which is needed here"),
    ("sample asia -n 0 --jobs 0", "--jobs 0 must be"),
    ("query asia lung -e smoke=maybe", "--evidence: 'smoke' has no state 'maybe'"),
    ("query asia nobody", "the network has no variable 'nobody'"),
    ("best-networks cases.csv -k 0", "--number 0 must be"),
    ("best-networks alarm.csv", "choose fewer columns, or use `veridag learn --algorithm exact`"),
    ("best-networks cases.csv --classes --score k2", "such as BDeu or BIC, or leave out --classes"),
    ("best-networks cases.csv --memory-limit 1e-9", "raise --memory-limit"),
    ("table cases.csv -o t.jkl --score bdeu --max-indegree 7 --memory-limit 1e-7", "or raise --memory-limit"),
    ("table cases.csv -o t.jkl --max-indegree 0 --require asia:tub", "raise --max-indegree"),
    ("table cases.csv -o t.jkl --memory-limit -1", "--memory-limit -1 must be a number of GB above 0"),
    ("learn cases.csv --score nope", "--score nope: "),
    ("learn cases.csv --algorithm tabuu", "--algorithm tabuu: "),
    ("learn cases.csv --forbid asia", "--forbid 'asia': write it as FROM:TO"),
    ("count 5 --prior data-size", "give --rows"),
    ("count 5 --max-indegree -1", "--max-indegree -1 must be"),
    ("test cases.csv asia asia", "give two different variables"),
    ("test cases.csv asia tub --given asia", "--given"),
    ("draw nowhere.doc", ".bif"),
    ("draw cases.csv", "must end in .bif, .xml, .xmlbif, .bifxml, .net, .dsc, .json, .dot, .gv, .txt\n"),
    ("convert cases.csv x.bif", "or give --from or --to"),
    ("query graph.json asia", "`veridag fit DATA --graph FILE -o net.bif` gives it parameters"),
    ("query asia lung -e smoke=yes -e smoke=no", "--evidence: 'smoke' is given as yes and as no: give it once"),
    (
        "score mixed.csv [a][x|a] --score bdeu --strict",
        "with --discretize 'quantile(3)', or choose those of one kind with --columns",
    ),
    ("test mixed.csv a x --test x2 --strict", "does not test mixed data; use"),
    ("learn mixed.csv --kind x=odd", "--kind x=odd: a kind is"),
    ("learn mixed.csv --kind x=continuous --states x=1,2", "has declared --states but is 'continuous' in --kind"),
    ("learn mixed.csv --group a --weights a", "cannot be both --group and --weights"),
    ("learn mixed.csv --weights x", "--weights holds 0.5"),
    ("learn cases.csv --max-indegree 0 --require asia:tub --algorithm tabu", "--require gives a variable more parents"),
    ("score cases.csv asia --score bdeu(ess=-1)", "--score bdeu(ess=-1): "),
    ("score cases.csv asia --prior indegree-equals(d=2)", 'use --prior "indegree-at-most(2)"'),
    ("study run nowhere", "nowhere"),
]


@pytest.mark.medium
@pytest.mark.parametrize(("line", "message"), MISTAKES, ids=[line for line, _ in MISTAKES])
def test_an_error_names_the_option_and_no_python(folder, call, line, message):
    code, _, err = call(*line.split(), "--quiet")
    assert code == 2, err
    assert len(err.splitlines()) == 1
    assert message in err
    told = re.sub(r"\b(ess|d)=-?\d+", "", SPEC.sub("", err))  # what stands in the spec that was given
    assert not PYTHON.search(told.replace("x=odd", "")), err


def test_values_keep_their_quotes_where_they_need_them():
    flags = {"algorithm": "--algorithm", "name": "NAME"}
    assert reworded("algorithm='a b' is odd", flags) == "--algorithm 'a b' is odd"
    assert reworded("algorithm='tabu': name=3 stays", flags) == "--algorithm tabu: name=3 stays"
    assert reworded("Tabu(score=BIC(), algorithm=3) stays", flags) == "Tabu(score=BIC(), algorithm=3) stays"
