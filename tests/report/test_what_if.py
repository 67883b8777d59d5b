""" "What if" in the page: the network that it ships, and the script's answers against Python's."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import veridag as vd
from naive import inference
from naive.pages import said
from veridag.report import compiling
from veridag.report.compiling import compiled
from veridag.report.rendering import environment
from veridag.report.sections import what_if

#: Each case is a network and evidence on it; the script answers all of them at once.
RUN = """
%s
const plain = (x) => (typeof x === "object" ? Array.from(x, plain) : x);
return %s.map(([facts, evidence]) => {
  const found = whatIf[facts.kind](facts)(new Map(evidence));
  return found && Object.fromEntries(Object.entries(found).map(([name, x]) => [name, plain(x)]));
});
"""


def answers(javascript, cases: list[tuple[vd.Network, dict]]) -> list[dict | None]:
    """What the engine of the page says, from the network as the page ships it."""
    asked = []
    for network, evidence in cases:
        facts = compiled(network).facts
        at = {name: i for i, name in enumerate(facts["names"])}
        known = [[at[v], network.states[v].index(x) if v in network.states else x] for v, x in evidence.items()]
        asked.append([facts, known])
    engine = environment().loader.get_source(environment(), "what_if_engine.js")[0]
    return javascript(RUN % (engine, json.dumps(asked)))


def some_evidence(network: vd.Network, seed: int, most: int) -> dict[str, str]:
    rng = np.random.default_rng(seed)
    chosen = rng.choice(network.names, rng.integers(0, min(most, len(network.names)) + 1), replace=False)
    return {str(v): network.states[str(v)][rng.integers(len(network.states[str(v)]))] for v in chosen}


@pytest.mark.medium
def test_the_script_agrees_with_brute_force(javascript):
    """Random networks of up to seven variables, some in pieces, with zeros in their tables and impossible evidence."""
    networks = [
        inference.random_network(seed, 1 + seed % 7, zeros=0.3 * (seed % 2), density=0.2 + 0.15 * (seed % 4))
        for seed in range(60)
    ]
    cases = [(network, some_evidence(network, seed, 3)) for seed, network in enumerate(networks)]
    impossible = 0
    for (network, evidence), answer in zip(cases, answers(javascript, cases), strict=True):
        p = sum(
            p
            for states, p in inference.joint(network).items()
            if all(states[network.names.index(v)] == state for v, state in evidence.items())
        )
        if p == 0:
            assert answer is None
            impossible += 1
            continue
        assert answer["log"] == pytest.approx(np.log(p), abs=1e-7)
        for v, marginal in zip(network.names, answer["marginals"], strict=True):
            expected = inference.conditional(network, [v], evidence)
            assert marginal == pytest.approx([expected[state,] for state in network.states[v]], abs=1e-7)
    assert 0 < impossible < 30


@pytest.mark.medium
def test_the_script_agrees_with_query_on_reference_networks(javascript):
    cases = []
    for name in ("asia", "sachs", "child", "insurance", "alarm", "win95pts"):
        network = vd.networks.load(name)
        rows = network.sample(2, seed=3)
        for row in range(2):
            known = {v: network.states[v][rows.column(v)[row]] for v in network.names[row :: 5 + row]}
            cases.append((network, known))
    for (network, evidence), answer in zip(cases, answers(javascript, cases), strict=True):
        tree = vd.JunctionTree(network)
        expected = tree.marginals(evidence)
        assert answer["log"] == pytest.approx(tree.log_probability(evidence), abs=1e-6)
        for v, marginal in zip(network.names, answer["marginals"], strict=True):
            assert marginal == pytest.approx(expected[v].tolist(), abs=1e-7)
        v = network.names[-1]
        if v not in evidence:
            table = network.query([v], evidence).probabilities
            assert answer["marginals"][-1] == pytest.approx(table.tolist(), abs=1e-7)


@pytest.mark.medium
def test_the_script_agrees_with_query_on_gaussian_networks(javascript):
    cases = []
    for seed in range(8):
        dag = vd.random_dag(9, arcs_per_node=1.5, seed=seed)
        network = vd.random_gaussian_network(dag, intercepts=(-3, 3), seed=seed)
        rng = np.random.default_rng(seed)
        chosen = rng.choice(network.names, seed % 5, replace=False)
        cases.append((network, {str(v): float(rng.normal(0, 2)) for v in chosen}))
    ecoli = vd.networks.load("ecoli70")
    cases.append((ecoli, {"asnA": 1.5, "lacY": -0.25, "eutG": 0.5}))
    for (network, evidence), answer in zip(cases, answers(javascript, cases), strict=True):
        free = [v for v in network.names if v not in evidence]
        expected = network.query(free, evidence)
        found = {v: numbers for v, *numbers in zip(network.names, answer["means"], answer["sds"], strict=True)}
        assert [found[v][0] for v in free] == pytest.approx(expected.mean.tolist(), abs=1e-7)
        assert [found[v][1] for v in free] == pytest.approx(expected.sd.tolist(), abs=1e-7)
        assert all(found[v] == [x, 0] for v, x in evidence.items())


@pytest.mark.medium
def test_values_that_contradict_each_other_are_impossible(javascript):
    cpds = {"x": vd.LinearGaussian((), 0, [], 1), "y": vd.LinearGaussian(("x",), 1, [2], 0)}
    network = vd.Network(cpds)
    agree, contradict = answers(javascript, [(network, {"x": 1.0, "y": 3.0}), (network, {"x": 1.0, "y": 2.0})])
    assert agree["means"] == [1, 3]
    assert contradict is None


def test_the_tree_that_is_shipped_stands_for_the_network():
    """Each table is in a clique that holds it, and the cliques of a variable hang together."""
    network = vd.networks.load("alarm")
    facts = compiled(network).facts
    cliques = [set(clique) for clique in facts["cliques"]]
    for (clique, family, numbers), v in zip(facts["tables"], network.names, strict=True):
        table = network.table(v)
        assert [facts["names"][i] for i in family] == [*table.parents, v]
        assert set(family) <= cliques[clique]
        rows = table.probabilities / table.probabilities.sum(axis=-1, keepdims=True)  # published ones are rounded
        np.testing.assert_allclose(numbers, rows.ravel(), rtol=1e-8)
    for v in range(len(network.names)):
        holding = {c for c, clique in enumerate(cliques) if v in clique}
        tops = [c for c in holding if facts["parents"][c] not in holding]
        assert len(tops) == 1


@pytest.mark.medium
def test_continuous_variables_of_a_mixed_network_follow_the_states(javascript):
    """Means and deviations over all configurations, as `query` has them."""
    cases = []
    for seed in range(6):
        dag = vd.random_dag(9, arcs_per_node=1.6, seed=seed)
        network = vd.random_mixed_network(dag, states=(2, 3), seed=seed)
        discrete = [v for v in network.names if v in network.states]
        rng = np.random.default_rng(seed)
        chosen = rng.choice(discrete, min(seed % 3, len(discrete)), replace=False)
        cases.append((network, {str(v): network.states[str(v)][0] for v in chosen}))
    for (network, evidence), answer in zip(cases, answers(javascript, cases), strict=True):
        names = compiled(network).facts["names"]
        discrete, continuous = names[: len(network.states)], names[len(network.states) :]
        assert sorted(names) == sorted(network.names)
        for v, marginal in zip(discrete, answer["marginals"], strict=True):
            if v not in evidence:
                assert marginal == pytest.approx(network.query([v], evidence).probabilities.tolist(), abs=1e-7)
        for v, mean, sd in zip(continuous, answer["means"], answer["sds"], strict=True):
            expected = network.query([v], evidence)
            assert (mean, sd) == pytest.approx((expected.mean[0], expected.sd[0]), abs=1e-7)


def test_a_mixed_network_that_is_too_large_keeps_its_discrete_part(monkeypatch):
    """Eight discrete parents of one variable are a clique of 256 cells."""
    names = [f"d{i}" for i in range(8)]
    cpds = {v: vd.Table((), [0.5, 0.5]) for v in names}
    x = vd.ConditionalGaussian(names, (), np.zeros([2] * 8), np.zeros([2] * 8 + [0]), np.ones([2] * 8))
    network = vd.Network({**cpds, "x": x}, dict.fromkeys(names, ("no", "yes")))
    assert compiled(network).facts["names"] == [*names, "x"]
    for limit in ("MOST_ENTRIES", "MOST_NUMBERS"):
        with monkeypatch.context() as context:
            context.setattr(compiling, limit, 200)
            assert compiled(network).facts["names"] == names
            assert "Only the variables with states are shown" in section(report_of(network))


def report_of(network: vd.Network | None, group: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(network=network, data=SimpleNamespace(n=100, group=group), missing={})


def section(report: object) -> str:
    return environment().get_template("what_if.html.j2").render(view=what_if.view(report))


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_NUMBERS"])
@pytest.mark.parametrize("name", ["asia", "ecoli70"])
def test_a_network_that_is_too_large_names_the_command(monkeypatch, limit, name):
    network = vd.networks.load(name)
    assert compiled(network).facts is not None
    monkeypatch.setattr(compiling, limit, 10)
    assert compiled(network).facts is None
    text = section(report_of(network))
    assert "too large to be computed in a page" in text
    assert "veridag query network." in text
    assert "what-if-data" not in text


def test_a_large_reference_network_is_too_large():
    made = compiled(vd.networks.load("munin1"))
    assert made.facts is None
    assert made.entries > compiling.MOST_ENTRIES


def test_a_number_of_entries_with_many_digits_is_short():
    network = vd.random_network(vd.random_dag(300, arcs_per_node=2, max_indegree=4, seed=1), seed=1)
    text = section(report_of(network))
    (digits,) = re.findall(r"needs more than 10\^(\d+) table entries", text)
    assert 10 ** int(digits) <= compiled(network).entries < 10 ** (int(digits) + 1)


def test_the_command_quotes_names_and_asks_about_a_link():
    cpds = {"b c": vd.Table(("a'",), [[0.5, 0.5], [0.1, 0.9]]), "a'": vd.Table((), [0.5, 0.5])}
    network = vd.Network(cpds, {"b c": ["x", "y"], "a'": ["no way", "z"]})
    view = what_if.view(report_of(network))
    assert view.command == """veridag query network.bif 'b c' -e 'a'"'"'=no way'"""


def test_the_section_says_what_it_cannot_do():
    assert "no parameters" in section(report_of(None))
    dag = vd.random_dag(6, arcs_per_node=1, seed=4)
    network = vd.random_mixed_network(dag, seed=4)
    text = section(report_of(network, "hospital"))
    assert f"The {len(network.names) - len(network.states)} measurements of the table follow" in text
    assert "All groups are taken together" in text
    assert "<em>see</em>" in text


def shipped(page: str) -> str:
    """The text that the script reads."""
    begin = page.index('id="what-if-data">') + len('id="what-if-data">')
    return page[begin : page.index("</script>", begin)]


def test_hostile_names_reach_the_script_as_they_are():
    """What the script reads is text, whatever it looks like to a reader of HTML."""
    evil = ["</script><b>x</b>", "<!--<script>", "a\x00b", "\u2028'\"&", "&lt;"]
    cpds = {name: vd.Table((), [0.5, 0.5]) for name in evil}
    text = shipped(section(report_of(vd.Network(cpds, dict.fromkeys(evil, ("<img>", "</script>"))))))
    assert json.loads(text)["names"] == evil
    assert json.loads(text)["labels"][0] == ["<img>", "</script>"]
    assert not set("<>&") & set(text)


def test_the_page_of_a_report_ships_its_fitted_network(asia):
    page = asia.to_html()
    facts = json.loads(shipped(page))
    expected = json.loads(json.dumps(compiled(asia.network).facts | {"rows": 500.0}))
    assert facts == expected
    assert "It does not say what would happen if you changed something" in said(page)
