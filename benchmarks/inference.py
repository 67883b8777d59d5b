"""How long do the marginals of all variables given evidence take, next to pyAgrum's lazy propagation?

Each row of evidence observes the same number of variables, chosen at random, with the states of a row sampled from the
network; with --same-variables they are the same in all rows, since pyAgrum may make its tree again for others. Both
programs hold the same tables, in double precision, before the clock starts, and answer one row after the other with the
marginals of all variables. There are two protocols:

- fresh: each row has an engine of its own, whose construction (the tree and its triangulation) counts;
- reuse: one engine answers all rows, and the first row, which makes the tree, does not count.

Times are of the processor and both programs have one thread, so that other work on the machine changes little. Of
--repeats runs of each program the fastest counts. The largest difference between the answers is shown, and with
--memory the peak memory of each program, measured in a process of its own. veridag's batch call answers all rows at
once.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

import veridag as vd

Evidence = Mapping[str, str]
Marginals = dict[str, NDArray[np.float64]]
Engine = Callable[[Evidence], Marginals]

TEN = "asia,alarm,hepar2,win95pts,hailfinder,andes,pathfinder,water,mildew,pigs"
LARGE = "barley,diabetes,munin1,munin2,munin3,munin4,munin,link"


def evidence_rows(network: vd.Network, rows: int, observed: int, same: bool) -> list[dict[str, str]]:
    rng, data = np.random.default_rng(1), network.sample(rows, seed=1)
    chosen = [rng.choice(len(network.names), size=observed, replace=False) for _ in range(rows)]
    chosen = [chosen[0] if same else own for own in chosen]
    return [
        {v: network.states[v][data.column(v)[i]] for v in (network.names[k] for k in own)}
        for i, own in enumerate(chosen)
    ]


def veridag_engine(network: vd.Network) -> Engine:
    return vd.JunctionTree(network).marginals


def peer_of(network: vd.Network) -> object:
    """The same network in pyAgrum, table by table: its BIF reader rounds to single precision."""
    import pyagrum as gum

    gum.setNumberOfThreads(1)
    peer = gum.BayesNet()
    label = {v: f"v{i}" for i, v in enumerate(network.names)}
    for v in network.names:
        peer.add(gum.LabelizedVariable(label[v], "", [f"s{k}" for k in range(len(network.states[v]))]))
    for v in network.names:
        for parent in network.cpds[v].parents:
            peer.addArc(label[parent], label[v])
    for v in network.names:
        own = network.table(v)
        p = own.probabilities / own.probabilities.sum(axis=-1, keepdims=True)
        axes = {label[u]: k for k, u in enumerate((*own.parents, v))}
        order = [axes[name] for name in reversed(peer.cpt(label[v]).names)]  # of the last the states vary slowest
        peer.cpt(label[v]).fillWith(np.transpose(p, order).reshape(-1).tolist())
    return peer


def pyagrum_engine(network: vd.Network, peer: object) -> Engine:
    import pyagrum as gum

    engine = gum.LazyPropagation(peer)
    label = {v: f"v{i}" for i, v in enumerate(network.names)}
    numbers = {v: {state: i for i, state in enumerate(network.states[v])} for v in network.names}

    def work(evidence: Evidence) -> Marginals:
        engine.setEvidence({label[v]: numbers[v][state] for v, state in evidence.items()})
        engine.makeInference()
        return {v: engine.posterior(label[v]).toarray() for v in network.names}

    return work


def fresh(engine: Callable[[], Engine], rows: Sequence[Evidence]) -> tuple[float, list[Marginals]]:
    """Milliseconds a row, and the answers."""
    start = time.process_time()
    found = [engine()(evidence) for evidence in rows]
    return 1e3 * (time.process_time() - start) / len(rows), found


def reuse(engine: Engine, rows: Sequence[Evidence]) -> float:
    engine(rows[-1])
    start = time.process_time()
    for evidence in rows:
        engine(evidence)
    return 1e3 * (time.process_time() - start) / len(rows)


def best(work: Callable[[], float], repeats: int) -> float:
    return min(work() for _ in range(repeats))


def difference(ours: list[Marginals], theirs: list[Marginals]) -> float:
    pairs = zip(ours, theirs, strict=True)
    return max(float(np.abs(own[v] - p).max()) for own, other in pairs for v, p in other.items())


def compare(network: vd.Network, rows: Sequence[Evidence], repeats: int) -> str:
    tree = vd.JunctionTree(network)
    states = np.concatenate([tree.row(evidence) for evidence in rows])
    first, answers = fresh(lambda: veridag_engine(network), rows)
    if repeats > 1:
        first = min(first, best(lambda: fresh(lambda: veridag_engine(network), rows)[0], repeats - 1))
    later = best(lambda: reuse(lambda evidence: probabilities(network, evidence), rows), repeats)
    start = time.process_time()
    tree.posteriors(states, network.names)
    batch = 1e3 * (time.process_time() - start) / len(rows)
    line = f"veridag fresh {first:9.3f} reuse {later:9.3f} in one call {batch:9.3f}"
    try:
        peer = peer_of(network)
    except ImportError:
        return f"{line}; pyagrum is not installed"
    peer_first, theirs = fresh(lambda: pyagrum_engine(network, peer), rows)
    if repeats > 1:
        peer_first = min(peer_first, best(lambda: fresh(lambda: pyagrum_engine(network, peer), rows)[0], repeats - 1))
    engine = pyagrum_engine(network, peer)
    peer_later = best(lambda: reuse(engine, rows), repeats)
    apart = difference(answers, theirs)
    return (
        f"{line}; pyagrum fresh {peer_first:9.3f} ({peer_first / first:6.1f} times) "
        f"reuse {peer_later:9.3f} ({peer_later / later:6.1f} times); answers differ by {apart:.1e}"
    )


def probabilities(network: vd.Network, evidence: Evidence) -> Marginals:
    found = network.marginals(evidence)
    return {v: found.probabilities(v) for v in network.names}


def peak(network: str, rows: int, observed: int, program: str) -> float:
    """Peak memory in MB of a process that answers the rows, above what it needs to load the network."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(peak_here, (network, rows, observed, program))


def peak_here(name: str, number: int, observed: int, program: str) -> float:
    network = vd.networks.load(name)
    rows = evidence_rows(network, number, observed, False)
    engine = veridag_engine(network) if program == "veridag" else pyagrum_engine(network, peer_of(network))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for evidence in rows:
        engine(evidence)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", default=TEN, help=f"names with commas between them, or 'large': {LARGE}")
    parser.add_argument("--rows", type=int, default=20)
    parser.add_argument("--observed", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--same-variables", action="store_true")
    parser.add_argument("--memory", action="store_true")
    arguments = parser.parse_args()
    print(
        f"{arguments.rows} rows of evidence, {arguments.observed} variables observed; milliseconds of processor a row"
    )
    for name in (LARGE if arguments.networks == "large" else arguments.networks).split(","):
        network = vd.networks.load(name)
        if arguments.memory:
            used = [peak(name, arguments.rows, arguments.observed, program) for program in ("veridag", "pyagrum")]
            print(f"{name:10} peak memory: veridag {used[0]:.0f} MB, pyagrum {used[1]:.0f} MB", flush=True)
            continue
        rows = evidence_rows(network, arguments.rows, arguments.observed, arguments.same_variables)
        print(f"{name:10} {compare(network, rows, arguments.repeats)}", flush=True)


if __name__ == "__main__":
    main()
