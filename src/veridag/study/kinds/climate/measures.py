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
from veridag.search.result import Result
from veridag.simulate import chain_dag
from veridag.study.kind import Row, derive_seed

from .field import Field, distances_km

Floats = NDArray[np.float64]


def box_names(field: Field) -> tuple[str, ...]:
    """V0000, V0001, ... in the order of the field's boxes."""
    return tuple(f"V{i:04}" for i in range(len(field.names)))


def permuted(field: Field, permutation: int, study_seed: int) -> Data:
    """The field as data, with its columns in a random order; permutation 0 keeps the order."""
    rng = np.random.default_rng(derive_seed(study_seed, "permutation", permutation))
    count = len(field.names)
    order = rng.permutation(count) if permutation else np.arange(count)
    names = box_names(field)
    return Data.from_numpy(field.values[:, order], [names[i] for i in order])


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
        {"what": "arc", **_ends(field, i, j), "km": km}
        for (i, j), km in zip(pairs.tolist(), _lengths(field, pairs).tolist(), strict=True)
    ]


def conflict_rows(result: Result, field: Field) -> list[Row]:
    """One row a pair that a constraint-based learner joined, as it was before step 4: figure 6.

    The kind is "directed" if a v-structure directs it, and else "undirected", or "conflict" if both directions would
    make a new v-structure or a directed cycle. Directed arcs on a cycle conflict too.
    """
    names = box_names(field)
    place = {name: i for i, name in enumerate(names)}
    joined = result.graph.reorder(names).adjacency
    graph = joined | joined.T
    for x, z, y in result.colliders:
        graph[place[z], [place[x], place[y]]] = False
    pairs = np.argwhere(np.triu(graph | graph.T))
    conflicts = _conflicts(graph)
    rows: list[Row] = []
    for (i, j), km in zip(pairs.tolist(), _lengths(field, pairs).tolist(), strict=True):
        a, b = (i, j) if graph[i, j] else (j, i)
        kind = "conflict" if conflicts[i, j] else "undirected" if graph[b, a] else "directed"
        rows.append({"what": "edge", "kind": kind, **_ends(field, a, b), "km": km})
    return rows


def _conflicts(graph: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pairs, in both places of the matrix, that cannot have a direction, or whose arc is on a directed cycle."""
    from scipy.sparse.csgraph import shortest_path

    joined, arcs = graph | graph.T, graph & ~graph.T
    leads = np.isfinite(shortest_path(arcs.astype(np.float64), unweighted=True))
    # u -> v makes a new v-structure if an arc ends in v that starts at none of the neighbours of u.
    new = (~joined).astype(np.float32) @ arcs.astype(np.float32) > 0
    wrong = new | leads.T
    stuck = graph & graph.T & wrong & wrong.T
    cyclic = arcs & leads.T
    return np.asarray(stuck | cyclic | cyclic.T)


def _ends(field: Field, i: int, j: int) -> Row:
    return {
        "from_lat": float(field.latitudes[i]),
        "from_lon": float(field.longitudes[i]),
        "to_lat": float(field.latitudes[j]),
        "to_lon": float(field.longitudes[j]),
    }


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
