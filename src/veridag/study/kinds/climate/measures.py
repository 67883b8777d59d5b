"""What is measured on a network of anomalies: fit, v-structures, long-range arcs, and the spread of evidence."""

from __future__ import annotations

from math import erfc, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.metrics import unshielded_v_structures
from veridag.network import Network
from veridag.network.fitting import fit
from veridag.network.query import JointGaussian
from veridag.simulate import chain_dag
from veridag.study.kind import Row, derive_seed

from .field import Field, distances_km

Floats = NDArray[np.float64]


def permuted(field: Field, permutation: int, study_seed: int) -> Data:
    """The field with its boxes named V0000, V0001, ... in a random order; permutation 0 keeps the order.

    Learners break ties by name, not by the order of columns, so it is the names that have to change places.
    """
    rng = np.random.default_rng(derive_seed(study_seed, "permutation", permutation))
    count = len(field.names)
    order = rng.permutation(count) if permutation else np.arange(count)
    names = [f"V{place:04}" for place in order.tolist()]
    return Data.from_numpy(field.values, names)


def likelihood_fit(dag: DAG, data: Data) -> Network | None:
    """The network with parameters of maximum likelihood; None where a box has as many parents as there are rows."""
    if int(dag.adjacency.sum(axis=0).max(initial=0)) >= data.n - 1:
        return None
    network = fit(dag, data, 0.0)
    assert isinstance(network, Network)
    return network


def describe(graph: DAG | PDAG, field: Field, long_range_km: float) -> Row:
    """Arcs, those of long range, and v-structures; the graph's variables are in the order of the field's boxes."""
    pairs = np.argwhere(np.triu(graph.adjacency | graph.adjacency.T))
    lengths = _lengths(field, pairs)
    return {
        "boxes": len(graph.names),
        "arcs": len(pairs),
        "long_range_arcs": int((lengths > long_range_km).sum()),
        "v_structures": len(graph.v_structures()),
        "relative_v_structures": float(unshielded_v_structures(graph)),
        "formula_v_structures": formula_baseline(len(graph.names), len(pairs)),
    }


def _lengths(field: Field, pairs: NDArray[np.intp]) -> Floats:
    i, j = pairs[:, 0], pairs[:, 1]
    return distances_km(field.latitudes[i], field.longitudes[i], field.latitudes[j], field.longitudes[j])


def formula_baseline(variables: int, arcs: int) -> float | None:
    """1/4 - 2 |A| / (N (N - 1)), which gives both of the numbers that the paper has for DAGs at random."""
    return 0.25 - 2 * arcs / (variables * (variables - 1)) if variables > 1 else None


def arc_rows(graph: DAG, field: Field) -> list[Row]:
    """One row an arc: from where to where, and how far."""
    pairs = np.argwhere(graph.adjacency)
    return [
        {
            "what": "arc",
            "from_lat": float(field.latitudes[i]),
            "from_lon": float(field.longitudes[i]),
            "to_lat": float(field.latitudes[j]),
            "to_lon": float(field.longitudes[j]),
            "km": float(km),
        }
        for (i, j), km in zip(pairs.tolist(), _lengths(field, pairs).tolist(), strict=True)
    ]


def evidence_rows(network: Network, field: Field, box: int, value: float, warm: float) -> list[Row]:
    """P(X_i >= warm | X_box = value) and P(X_i >= warm) for every box i, and the first less the second.

    The network's variables are in the order of the field's boxes. The box of the evidence itself is certain.
    """
    names = network.names
    others = [name for i, name in enumerate(names) if i != box]
    before = _exceeds(network.query(names), warm)
    after = _exceeds(network.query(others, {names[box]: value}), warm)
    after = np.insert(after, box, float(value >= warm))
    return [
        {
            "what": "box",
            "lat": float(field.latitudes[i]),
            "lon": float(field.longitudes[i]),
            "marginal": float(before[i]),
            "conditional": float(after[i]),
            "difference": float(after[i] - before[i]),
            "is_evidence": i == box,
        }
        for i in range(len(names))
    ]


def _exceeds(found: Any, threshold: float) -> Floats:
    """P(X >= threshold) of each variable of a normal distribution."""
    assert isinstance(found, JointGaussian)
    z = (threshold - found.mean) / np.where(found.sd > 0, found.sd, 1e-300)
    return np.array([0.5 * erfc(x / sqrt(2.0)) for x in z.tolist()])


def random_v_structures(variables: int, arcs: int, draws: int, seed: int) -> Row:
    """The mean share of unshielded v-structures among adjacent pairs of arcs, over DAGs drawn uniformly.

    Of all DAGs with so many variables and arcs, `draws` are drawn by a Markov chain. The mean is the sum of
    v-structures over the sum of pairs, with the standard error of a ratio.
    """
    counts = [_count(chain_dag(variables, arcs=arcs, seed=derive_seed(seed, i))) for i in range(draws)]
    v, pairs = np.array(counts, dtype=np.float64).T
    if not pairs.sum():
        return {"what": "baseline", "share": None, "share_se": None}
    share = float(v.sum() / pairs.sum())
    spread = float(np.sqrt(((v - share * pairs) ** 2).sum() / (draws - 1) / draws) / pairs.mean())
    return {"what": "baseline", "share": share, "share_se": spread}


def _count(dag: DAG) -> tuple[int, int]:
    degree = (dag.adjacency | dag.adjacency.T).sum(axis=1)
    return len(dag.v_structures()), int((degree * (degree - 1)).sum()) // 2
