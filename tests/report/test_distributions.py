from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import veridag as vd
from veridag.report import distributions
from veridag.report.rendering import environment
from veridag.report.sections import downloads, parameters


def test_tables_are_cut_so_that_all_fit_on_the_page(monkeypatch):
    network = vd.networks.load("asia")
    everything = distributions.most_configurations(network)
    monkeypatch.setattr(distributions, "MOST_CELLS", 30)
    fewer = distributions.most_configurations(network)
    assert fewer < everything == distributions.MOST_CONFIGURATIONS
    facts = [distributions.described(network, name, fewer, 3) for name in network.dag.names]
    assert fewer == 1 or sum(len(row) for fact in facts for row in fact["rows"]) <= 30
    assert all(len(fact["rows"]) == min(fewer, fact["configurations"]) for fact in facts)


def mixed() -> vd.Network:
    x = vd.ConditionalGaussian(("d",), ("y",), [0, 4], [[1.23456], [-1]], [1, 2.5])
    cpds = {"d": vd.Table((), [0.5, 0.5]), "x": x, "y": vd.LinearGaussian((), 3, [], 1)}
    return vd.Network(cpds, {"d": ["a", "b"]})


def test_a_continuous_variable_with_discrete_parents_has_a_row_for_each_configuration(monkeypatch):
    network = mixed()
    most = distributions.most_configurations(network)
    facts = distributions.described(network, "x", most, 3)
    assert facts["head"] == ["d", "mean of x", "sd"]
    assert facts["rows"] == [("a", "0 + 1.235 y", "1"), ("b", "4 - 1 y", "2.5")]
    assert (facts["words"], facts["configurations"]) == (2, 2)
    assert distributions.described(network, "y", most, 3) == {"equation": "y = 3, standard deviation 1"}
    assert distributions.described(network, "d", most, 3)["rows"] == [["0.500", "0.500"]]
    monkeypatch.setattr(distributions, "MOST_CELLS", 4)
    assert distributions.most_configurations(network) == 1
    assert distributions.described(network, "x", 1, 3)["rows"] == facts["rows"][:1]


def test_the_section_shows_the_regressions_of_a_mixed_network():
    report = SimpleNamespace(
        network=mixed(), data=SimpleNamespace(group=None), missing={}, graph=SimpleNamespace(edges=())
    )
    page = environment().get_template("parameters.html.j2").render(view=parameters.view(report))
    assert "for each combination of the" in page
    assert '<td>b</td><td>4 - 1 y</td><td class="number">2.5</td>' in page.replace("\n", "")
    assert "y = 3, standard deviation 1" in page
    assert "imaginary sample of size 1" in page


def test_a_mixed_network_is_downloaded_as_json_alone():
    files = downloads._network_files(mixed(), 10_000)
    assert list(files) == ["network.json"]
    assert '"kind": "mixed"' in files["network.json"][1]
    assert downloads._network_files(mixed(), 10)["network.json"][1] is None


def fitted() -> vd.Network:
    """The mixed network above, fitted to its own rows; of state c of d there is one row only."""
    network = mixed()
    rows = network.sample(60, seed=1)
    d = rows.column("d").copy()
    d[0] = 2
    columns = [vd.data.Column.discrete("d", d, ["a", "b", "c"]), *(c for c in rows.columns if c.name != "d")]
    return vd.fit(network.dag, vd.Data(columns))


def test_the_section_shows_the_interval_of_every_parameter():
    network = fitted()
    report = SimpleNamespace(
        network=network, data=SimpleNamespace(group=None), missing={}, graph=SimpleNamespace(edges=())
    )
    page = environment().get_template("parameters.html.j2").render(view=parameters.view(report)).replace("\n", "")
    assert "with a probability of 95 %" in page
    for name in network.names:
        for x in network.intervals(name):
            if np.isnan(x.lower):
                cell = f"{x.estimate:.4g}<small>too few rows</small>"
            elif name == "d":
                cell = f"{x.estimate:.3f}<small>{x.lower:.3f} to {x.upper:.3f}</small>"
            else:
                cell = f"{x.estimate:.4g}<small>{x.lower:.3g} to {x.upper:.3g}</small>"
            assert f'<td class="number">{cell}</td>' in page
    assert "<td>standard deviation</td>" in page  # of y, whose parameters are below each other
    assert "too few rows" in page
    assert "x by d, y" in page


def test_too_many_intervals_are_left_out_with_the_way_to_them(monkeypatch):
    monkeypatch.setattr(distributions, "MOST_INTERVALS", 3)
    report = SimpleNamespace(
        network=fitted(), data=SimpleNamespace(group=None), missing={}, graph=SimpleNamespace(edges=())
    )
    page = environment().get_template("parameters.html.j2").render(view=parameters.view(report))
    assert "<small>" not in page
    assert "--intervals of veridag fit" in page


def test_a_probability_is_rounded_but_never_to_what_it_is_not():
    network = vd.Network({"d": vd.Table((), [0.002, 0.994, 0.004, 0.0])}, {"d": list("abcd")})
    assert distributions.described(network, "d", 1, 2)["rows"] == [["<0.01", "0.99", "<0.01", "0.00"]]
