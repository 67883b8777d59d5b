"""How long do the marginals of all variables given evidence take, next to pyAgrum's lazy propagation?

Each row of evidence observes the same number of variables, chosen at random, with the states of a row sampled from the
network; with --same-variables they are the same in all rows, since pyAgrum may make its tree again for others. Both
programs load the network before the clock starts, and answer one row after the other with the marginals of all
variables that are not observed. The largest difference between their answers is shown as well. veridag's batch call
then answers all rows at once, on one thread.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import veridag as vd

Evidence = Mapping[str, str]
Marginals = list[dict[str, NDArray[np.float64]]]


def evidence_rows(network: vd.Network, rows: int, observed: int, same: bool) -> list[dict[str, str]]:
    rng, data = np.random.default_rng(1), network.sample(rows, seed=1)
    chosen = [rng.choice(len(network.names), size=observed, replace=False) for _ in range(rows)]
    chosen = [chosen[0] if same else own for own in chosen]
    return [
        {v: network.states[v][data.column(v)[i]] for v in (network.names[k] for k in own)}
        for i, own in enumerate(chosen)
    ]


def with_veridag(network: vd.Network) -> Callable[[Sequence[Evidence]], Marginals]:
    tree = vd.JunctionTree(network)
    return lambda rows: [tree.marginals(evidence) for evidence in rows]


def with_pyagrum(network: vd.Network, bif: Path) -> Callable[[Sequence[Evidence]], Marginals]:
    import pyagrum as gum

    peer = gum.loadBN(str(network.write(bif)))
    engine = gum.LazyPropagation(peer)
    numbers = {v: {state: i for i, state in enumerate(network.states[v])} for v in network.names}

    def work(rows: Sequence[Evidence]) -> Marginals:
        found = []
        for evidence in rows:
            engine.setEvidence({v: numbers[v][state] for v, state in evidence.items()})
            engine.makeInference()
            found.append({v: engine.posterior(v).toarray() for v in network.names if v not in evidence})
        return found

    return work


def milliseconds(work: Callable[[], object], rows: int, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times) / rows


def difference(ours: Marginals, theirs: Marginals) -> float:
    pairs = zip(ours, theirs, strict=True)
    return max(float(np.abs(own[v] - p).max()) for own, other in pairs for v, p in other.items())


def compare(network: vd.Network, rows: Sequence[Evidence]) -> str:
    tree, ours = vd.JunctionTree(network), with_veridag(network)
    states = np.concatenate([tree.row(evidence) for evidence in rows])
    one = milliseconds(lambda: ours(rows), len(rows), 3)
    batch = milliseconds(lambda: tree.posteriors(states, network.names), len(rows), 3)
    line = f"veridag {one:9.3f}, in one call {batch:9.3f}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            theirs = with_pyagrum(network, Path(folder) / "network.bif")
    except ImportError:
        return f"{line}; pyagrum is not installed"
    apart = difference(ours(rows), theirs(rows))
    peer = milliseconds(lambda: theirs(rows), len(rows), 2)
    return f"{line}; pyagrum {peer:9.3f}, {peer / one:6.1f} times veridag's; answers differ by {apart:.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", default="asia,alarm,hepar2,win95pts,andes,munin2")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--observed", type=int, default=4)
    parser.add_argument("--same-variables", action="store_true")
    arguments = parser.parse_args()
    print(f"{arguments.rows} rows of evidence, {arguments.observed} variables observed; milliseconds a row")
    for name in arguments.networks.split(","):
        network = vd.networks.load(name)
        rows = evidence_rows(network, arguments.rows, arguments.observed, arguments.same_variables)
        print(f"{name:10} {compare(network, rows)}", flush=True)


if __name__ == "__main__":
    main()
