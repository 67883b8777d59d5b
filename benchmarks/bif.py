"""How fast is a BIF file read, compared with pgmpy and pyAgrum in the same run?

Three networks, written by veridag to a temporary folder: one with 1 000 000 table entries (the aim is below 3 s), a
smaller one of the same kind, and munin. pgmpy needs more than a minute for the large one and is given only the other
two, unless ``--all`` is passed. A peer that is not installed is left out. Prints seconds and the ratio to veridag.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from veridag.network import Network, Table
from veridag.network import reference as networks
from veridag.network.formats import read_network, write_network

Reader = Callable[[Path], object]


def random_network(children: int) -> Network:
    """Children of six parents, all with four states: 16 384 entries each."""
    rng = np.random.default_rng(1)
    parents = tuple(f"parent{i}" for i in range(6))
    names = [*parents, *(f"child{i}" for i in range(children))]
    cpds = {v: Table((), rng.dirichlet(np.ones(4))) for v in parents}
    cpds |= {v: Table(parents, rng.dirichlet(np.ones(4), size=(4,) * 6)) for v in names[6:]}
    return Network(cpds, {v: ["none", "low", "medium", "high"] for v in names})


def entries(network: Network) -> int:
    return sum(network.table(v).probabilities.size for v in network.names)


def readers() -> dict[str, Reader]:
    """veridag and the peers that are installed."""
    found: dict[str, Reader] = {"veridag": read_network}
    if find_spec("pyagrum"):
        import pyagrum

        found["pyAgrum"] = lambda path: pyagrum.loadBN(str(path))
    else:
        print("pyAgrum is not installed: left out")
    if find_spec("pgmpy"):
        from pgmpy.readwrite import BIFReader

        found["pgmpy"] = lambda path: BIFReader(str(path)).get_model()
    else:
        print("pgmpy is not installed: left out")
    return found


def seconds_to_read(reader: Reader, path: Path) -> float:
    start = perf_counter()
    network = reader(path)
    elapsed = perf_counter() - start
    del network  # freeing it is not reading
    return elapsed


def main() -> None:
    warnings.filterwarnings("ignore")
    known = readers()
    cases = {"large": random_network(61), "small": random_network(4), "munin": networks.load("munin")}
    with TemporaryDirectory() as folder:
        for label, network in cases.items():
            path = Path(folder) / f"{label}.bif"
            start = perf_counter()
            write_network(network, path)
            print(f"{label}: {entries(network)} entries, {path.stat().st_size / 1e6:.1f} MB,", end=" ")
            print(f"written by veridag in {perf_counter() - start:.2f} s")
            own = min(seconds_to_read(known["veridag"], path) for _ in range(3))
            print(f"  {'veridag':<8} {own:8.2f} s")
            for peer in [p for p in known if p != "veridag"]:
                if peer == "pgmpy" and label == "large" and "--all" not in sys.argv:
                    print(f"  {peer:<8}  left out: it takes more than a minute; pass --all to wait for it")
                    continue
                theirs = seconds_to_read(known[peer], path)
                print(f"  {peer:<8} {theirs:8.2f} s, {theirs / own:.1f} times veridag's")


if __name__ == "__main__":
    main()
