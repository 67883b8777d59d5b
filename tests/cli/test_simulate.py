"""`veridag simulate`: what it writes is what `vd.simulate` makes."""

from __future__ import annotations

import pytest

import veridag as vd
from veridag.graph import graph_from_json


def test_a_dag_is_that_of_the_seed(call, tmp_path):
    path = tmp_path / "truth.json"
    code, out, err = call("simulate", "dag", 9, "--arcs-per-node", 1.2, "--max-indegree", 2, "--seed", 4, "-o", path)
    assert (code, out) == (0, ""), err
    made = vd.simulate.random_dag(9, arcs_per_node=1.2, max_indegree=2, seed=4)
    assert graph_from_json(path.read_text()) == made
    code, out, _ = call("simulate", "dag", 5, "--uniform", "--seed", 4)
    assert graph_from_json(out) == vd.simulate.uniform_dag(5, seed=4)


def test_a_network_has_the_structure_and_kind_that_are_asked_for(call, tmp_path):
    dag = vd.networks.load("asia").dag
    assert call("simulate", "network", "asia", "--states", "2-4", "--alpha", 0.5, "-o", tmp_path / "n.bif")[0] == 0
    assert vd.read_network(tmp_path / "n.bif") == vd.simulate.random_network(dag, states=(2, 4), alpha=0.5, seed=0)
    assert call("simulate", "network", "asia", "--kind", "continuous", "-o", tmp_path / "n.json")[0] == 0
    assert vd.read_network(tmp_path / "n.json") == vd.simulate.random_gaussian_network(dag, seed=0)
    mixed = ("--kind", "mixed", "--continuous", 0.25, "--states", 3)
    assert call("simulate", "network", 8, *mixed, "--seed", 2, "-o", tmp_path / "m.json")[0] == 0
    drawn = vd.simulate.random_dag(8, arcs_per_node=1.5, max_indegree=3, seed=2)
    expected = vd.simulate.random_mixed_network(drawn, continuous=0.25, states=3, seed=2)
    assert vd.read_network(tmp_path / "m.json") == expected


def test_related_data_comes_with_its_networks(call, tmp_path):
    table, truth = tmp_path / "related.csv", tmp_path / "truth.bif"
    words = ("--nodes", 5, "--groups", 3, "-n", 20, "--changed-groups", 1, "--removed-arcs", 2)
    assert call("simulate", "related", *words, "-o", table, "--networks", truth)[0] == 0
    made = vd.simulate.related(5, 3, rows=20, changed_groups=1, removed_arcs=2)
    read = vd.read(table, group="group")
    assert (read.n, read.groups) == (60, made.data.groups)
    for label, network in made.networks.items():
        assert vd.read_network(tmp_path / f"truth-{label}.bif").dag == network.dag


def test_values_are_removed_from_a_complete_table(call, tmp_path):
    data = vd.networks.load("asia").sample(50, seed=1)
    data.write(tmp_path / "complete.csv")
    out = call("simulate", "missing", tmp_path / "complete.csv", "--share", 0.2, "--seed", 3)[1]
    (tmp_path / "made.csv").write_text(out)
    expected = vd.simulate.remove_values(vd.read(tmp_path / "complete.csv"), 0.2, seed=3)
    got = vd.read(tmp_path / "made.csv", missing="keep")
    assert {c.name: c.values.tolist() for c in got.columns if c.observed is None} == {}
    for name in data.names:
        rows = (own.columns[own.names.index(name)].observed.tolist() for own in (got, expected))
        assert next(rows) == next(rows)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("network", 5, "--states", "few"), "--states few must be a number such as 3, or a range such as 2-4"),
        (("dag", 5, "--uniform", "--arcs-per-node", 1), "--uniform and --arcs-per-node: give one of them"),
        (("dag", 3, "--arcs-per-node", 9), "3 variables can have at most 3 arcs"),
        (("related", "--changed-groups", 9, "--removed-arcs", 1), "--changed-groups 9 is more than the 5 groups"),
        (("related", "--changed-groups", 2), "--changed-groups and --removed-arcs go together"),
        (("network", 5, "--continuous", 0.3), "--continuous is for --kind mixed"),
        (("network", "asia", "--max-indegree", 2), "are for a random structure, but GRAPH is given"),
    ],
)
def test_a_mistake_is_named(call, words, message):
    code, out, err = call("simulate", *words)
    assert (code, out) == (2, "")
    assert message in err
