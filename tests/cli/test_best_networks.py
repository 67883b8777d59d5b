"""The command best-networks: the networks that the library finds, and what they differ in."""

from __future__ import annotations

import json

import pytest

import veridag as vd


@pytest.mark.parametrize("classes", [False, True])
def test_best_networks_are_those_of_the_library(call, asia_csv, classes):
    data = vd.read(asia_csv)
    found = vd.best_networks(data, vd.BDeu(), vd.Fair(), 8, k=5, classes=classes)
    code, out, err = call("best-networks", asia_csv, "-k", 5, *(["--classes"] if classes else []), "--json")
    assert code == 0, err
    facts = json.loads(out)
    for row, best in zip(facts["networks"], found, strict=True):
        assert row["score"] == pytest.approx(best.score)
        assert row["probability"] == pytest.approx(best.probability)
        graph = best.cpdag if classes else best.dag
        assert [tuple(arc) for arc in row["arcs"]] == list(graph.arcs)
        assert [tuple(edge) for edge in row["edges"]] == list(graph.edges)
    assert (facts["score"], facts["prior"]) == (repr(vd.BDeu()), repr(vd.Fair()))


def test_the_first_is_printed_in_full_and_the_others_by_what_differs(call, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "x,u\n" * 9 + "y,v\n" * 9 + "x,v\n" + "y,u\n")
    code, out, err = call("best-networks", path, "--score", "bic")
    assert code == 0, err
    lines = out.splitlines()
    first, second = sorted([lines[0], {"a -> b": "b -> a", "b -> a": "a -> b"}[lines[0]]], key=lines[0].__ne__)
    assert lines[1] == ""
    assert [line.split()[0] for line in lines[2:]] == ["rank", "1", "2", "3"]
    assert lines[4].endswith(f"{second} instead of {first}")
    assert lines[5].endswith(f"without {first}")
    assert "the 3 best networks on 20 rows; BIC(gamma=0.0), Uniform()" in err


def test_best_networks_obey_what_is_known(call, asia_csv, tmp_path):
    (tmp_path / "tiers.txt").write_text("smoke\nlung, bronc\n")
    words = ("--require", "smoke:lung", "--forbid", "smoke:bronc", "--tiers", tmp_path / "tiers.txt", "--json")
    for classes in ([], ["--classes"]):
        code, out, err = call("best-networks", asia_csv, *words, *classes)
        assert code == 0, err
        for row in json.loads(out)["networks"]:
            assert ["smoke", "lung"] in row["arcs"]
            assert not {("smoke", "bronc"), ("bronc", "smoke")} & {tuple(arc) for arc in row["arcs"]}
