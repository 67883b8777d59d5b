"""The sampled posterior held against the exact one, on ten data sets of 5 to 16 variables.

Two more, of 20 variables, take minutes: they are in `benchmarks/posterior_agreement.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

import veridag as vd


def columns(network: str, variables: int, rows: int) -> vd.Data:
    """The first variables of a sample of a reference network."""
    data = vd.networks.load(network).sample(rows, seed=21)
    return data.select(data.names[:variables])


def gaussian(variables: int, rows: int) -> vd.Data:
    dag = vd.random_dag(variables, arcs_per_node=1.5, seed=22)
    return vd.random_gaussian_network(dag, seed=22).sample(rows, seed=22)


def mixed(variables: int, rows: int) -> vd.Data:
    names = [f"v{i:02d}" for i in range(variables)]
    dag = vd.random_dag(names, arcs_per_node=1.3, seed=23)
    return vd.random_mixed_network(dag, seed=23).sample(rows, seed=23)


TABLES = {
    "cancer": lambda: columns("cancer", 5, 300),
    "earthquake": lambda: columns("earthquake", 5, 200),
    "survey": lambda: columns("survey", 6, 300),
    "asia": lambda: columns("asia", 8, 400),
    "sachs": lambda: columns("sachs", 11, 200),
    "child": lambda: columns("child", 14, 200),
    "insurance": lambda: columns("insurance", 15, 200),
    "alarm": lambda: columns("alarm", 16, 300),
    "gaussian": lambda: gaussian(13, 60),
    "mixed": lambda: mixed(12, 150),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_arcs_have_their_exact_probabilities_within_monte_carlo_error(name: str) -> None:
    data = TABLES[name]()
    exact = vd.posterior(data, method="exact", jobs=2)
    drawn = vd.sample_posterior(data, seed=24, jobs=2)
    assert ((exact.arcs > 0.05) & (exact.arcs < 0.95)).sum() >= 4  # else there is little to agree on
    assert (np.abs(drawn.arcs - exact.arcs) <= 5 * drawn.arc_errors + 0.005).all()
    assert drawn.worst_rhat < 1.01
