from __future__ import annotations

import veridag as vd
from veridag.report import distributions


def test_tables_are_cut_so_that_all_fit_on_the_page(monkeypatch):
    network = vd.networks.load("asia")
    everything = distributions.most_configurations(network)
    monkeypatch.setattr(distributions, "MOST_CELLS", 30)
    fewer = distributions.most_configurations(network)
    assert fewer < everything == distributions.MOST_CONFIGURATIONS
    facts = [distributions.described(network, name, fewer) for name in network.dag.names]
    assert fewer == 1 or sum(len(row) for fact in facts for row in fact["rows"]) <= 30
    assert all(len(fact["rows"]) == min(fewer, fact["configurations"]) for fact in facts)
