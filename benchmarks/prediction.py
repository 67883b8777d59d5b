"""How long does it take to predict one variable in many rows, next to pyAgrum's lazy propagation?

The rows are sampled from the network. veridag gets all of them at once, on one thread. pyAgrum gets one after the
other, with the Markov blanket alone as evidence and the target named before the clock starts; fewer rows are timed,
since it takes longer, and the time per row is compared. The largest difference between the answers is shown as well.
With --gaps that share of the values is missing, and pyAgrum gets all that a row has.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import veridag as vd
from veridag.data import Column, Data
from veridag.network.prediction.blanket import blanket

Floats = NDArray[np.float64]


def with_gaps(data: Data, share: float) -> Data:
    rng = np.random.default_rng(2)
    return Data(
        [Column.discrete(c.name, c.values, c.states, observed=rng.random(data.nrows) >= share) for c in data.columns]
    )


def microseconds(seconds: float, rows: int) -> float:
    return 1e6 * seconds / rows


def with_pyagrum(network: vd.Network, data: Data, target: str, gaps: bool) -> tuple[float, Floats]:
    import pyagrum as gum

    with tempfile.TemporaryDirectory() as folder:
        peer = gum.loadBN(str(network.write(Path(folder) / "network.bif")))
    engine = gum.LazyPropagation(peer)
    engine.addTarget(target)
    names = [v for v in network.names if v != target] if gaps else blanket(network, target)
    codes = {v: data._column(v).values.tolist() for v in names}
    seen = {v: data.observed(v).tolist() for v in names}
    found = np.empty((data.nrows, len(network.states[target])))
    start = time.perf_counter()
    for i in range(data.nrows):
        engine.setEvidence({v: codes[v][i] for v in names if seen[v][i]})
        engine.makeInference()
        found[i] = engine.posterior(target).toarray()
    return time.perf_counter() - start, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--target", default="LVFAILURE")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer-rows", type=int, default=2000)
    parser.add_argument("--gaps", type=float, default=0.0)
    arguments = parser.parse_args()
    network, target = vd.networks.load(arguments.network), arguments.target
    data = network.sample(arguments.rows, seed=1)
    if arguments.gaps:
        data = with_gaps(data, arguments.gaps)
    start = time.perf_counter()
    ours = network.predict(data, target).probabilities
    seconds = time.perf_counter() - start
    own = microseconds(seconds, data.nrows)
    print(
        f"{arguments.network}, {target} in {data.nrows} rows: veridag {seconds:.3f} s, {own:.3f} us a row", flush=True
    )
    few = data.rows(slice(arguments.peer_rows))
    try:
        taken, theirs = with_pyagrum(network, few, target, arguments.gaps > 0)
    except ImportError:
        print("pyagrum is not installed")
        return
    peer = microseconds(taken, few.nrows)
    apart = float(np.abs(ours[: few.nrows] - theirs).max())
    print(f"pyagrum {peer:.1f} us a row, {peer / own:.0f} times veridag's; answers differ by {apart:.1e}")


if __name__ == "__main__":
    main()
