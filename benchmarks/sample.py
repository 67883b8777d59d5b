"""How long do 1 000 000 rows of ALARM take to sample, next to pyAgrum and pgmpy?

Each ends with the rows as its users get them: veridag's Data, pyAgrum's DataFrame from BNDatabaseGenerator, pgmpy's
DataFrame from forward sampling. Peers that need minutes get fewer rows; the table then shows seconds a million rows.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import veridag as vd


def seconds_a_million(work: Callable[[int], object], rows: int, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work(rows)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6 / rows


def with_pyagrum(bif: Path) -> Callable[[int], object]:
    import pyagrum as gum

    network = gum.loadBN(str(bif))

    def work(rows: int) -> object:
        generator = gum.BNDatabaseGenerator(network)
        generator.setRandomVarOrder()
        generator.drawSamples(rows)
        return generator.to_pandas()

    return work


def with_pgmpy(bif: Path) -> Callable[[int], object]:
    from pgmpy.readwrite import BIFReader

    network = BIFReader(str(bif)).get_model()
    return lambda rows: network.simulate(rows, seed=1, show_progress=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    network = vd.networks.load(arguments.network)
    one = seconds_a_million(lambda rows: network.sample(rows, seed=1), arguments.rows, 5)
    two = seconds_a_million(lambda rows: network.sample(rows, seed=1, jobs=2), arguments.rows, 5)
    print(f"{network!r}, seconds a million rows")
    print(f"veridag             {one:8.3f}")
    print(f"veridag, 2 threads  {two:8.3f}  {one / two:6.2f} times as fast as one")
    with tempfile.TemporaryDirectory() as folder:
        bif = network.write(Path(folder) / "network.bif")
        for name, prepare, rows in (
            ("pyagrum", with_pyagrum, arguments.rows),
            ("pgmpy", with_pgmpy, arguments.rows // 10),
        ):
            try:
                work = prepare(bif)
            except ImportError:
                print(f"{name} is not installed")
                continue
            theirs = seconds_a_million(work, rows, 2)
            print(f"{name:18}  {theirs:8.3f}  {theirs / one:6.0f} times veridag's time on one thread ({rows} rows)")


if __name__ == "__main__":
    main()
