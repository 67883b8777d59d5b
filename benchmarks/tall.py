"""How do time and memory grow with the number of rows, up to tables that do not fit into memory?

Rows of a random network of variables with four states each, written as Parquet files of a million rows, so that hardly
any row repeats; with `--gaussian` rows of a Gaussian network. Each way of learning runs in a process of its own, so
that the peak of its memory (VmHWM, with what reading took) is its own. Seconds are those of the clock; in brackets
those of all processors, for machines that do other work, too:

- blocks: `vd.read(folder, blocks=True)` and hill climbing; of Gaussian rows `vd.read_moments(folder)`;
- memory: the whole table in a polars frame, then `vd.Data.from_frame` and the same search: the same score is expected;
- pyagrum: greedy hill climbing by pyAgrum from a pandas frame, if it is installed, as far as `--most-in-memory` rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import veridag as vd

PART = 1_000_000
WAYS = ("blocks", "memory", "pyagrum")


def write_rows(folder: Path, rows: int, columns: int, gaussian: bool) -> None:
    """Rows of a random network, a million a file."""
    import polars as pl

    dag = vd.random_dag(columns, arcs_per_node=1.5, max_indegree=3, seed=1)
    network = vd.random_gaussian_network(dag, seed=1) if gaussian else vd.random_network(dag, states=4, seed=1)
    folder.mkdir(parents=True, exist_ok=True)
    for part in range(-(-rows // PART)):
        data = network.sample(min(PART, rows - part * PART), seed=part)
        frame = pl.DataFrame({name: data.column(name) for name in data.names})
        frame.write_parquet(folder / f"part-{part:04}.parquet")


def peak_megabytes() -> float:
    """The most memory that this process had in use at a time."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def measure(way: str, folder: Path, max_indegree: int, jobs: int, gaussian: bool) -> dict[str, float]:
    """One way in this process."""
    if way == "pyagrum":
        return _measure_pyagrum(folder, max_indegree)
    start = time.perf_counter()
    if way == "blocks":
        data = vd.read_moments(folder) if gaussian else vd.read(folder, blocks=True)
    else:
        import polars as pl

        data = vd.Data.from_frame(pl.read_parquet(folder / "*.parquet"))
    read = time.perf_counter() - start
    result = vd.HillClimbing(max_indegree=max_indegree).learn(data, jobs=jobs)
    learn = time.perf_counter() - start - read
    score = result.score or float("nan")
    return found(read, learn, len(result.dag.arcs), score)


def _measure_pyagrum(folder: Path, max_indegree: int) -> dict[str, float]:
    import polars as pl
    import pyagrum

    start = time.perf_counter()
    learner = pyagrum.BNLearner(pl.read_parquet(folder / "*.parquet").to_pandas())
    read = time.perf_counter() - start
    learner.useScoreBIC().useGreedyHillClimbing().setMaxIndegree(max_indegree)
    arcs = len(learner.learnDAG().arcs())
    learn = time.perf_counter() - start - read
    return found(read, learn, arcs, float("nan"))


def found(read: float, learn: float, arcs: int, score: float) -> dict[str, float]:
    """What is printed of one way."""
    processor, peak = time.process_time(), peak_megabytes()
    return {"read": read, "learn": learn, "processor": processor, "peak": peak, "arcs": arcs, "score": score}


def run(way: str, folder: Path, arguments: argparse.Namespace) -> dict[str, float] | None:
    """The same in a process of its own; None if it failed, for want of memory or of the peer."""
    options = ["--single", way, "--folder", str(folder), "--max-indegree", str(arguments.max_indegree)]
    options += ["--jobs", str(arguments.jobs)] + (["--gaussian"] if arguments.gaussian else [])
    done = subprocess.run([sys.executable, __file__, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{way}: {(done.stderr.strip().splitlines() or ['killed'])[-1]}")
        return None
    values: dict[str, float] = json.loads(done.stdout)
    return values


def main() -> None:
    """Print a line for each number of rows, number of columns and way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--columns", type=int, nargs="+", default=[30])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--most-in-memory", type=int, default=5_000_000, help="rows that the other ways get at most")
    parser.add_argument("--max-indegree", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--gaussian", action="store_true")
    parser.add_argument("--folder", type=Path, help="where the rows are, or are to be written and kept")
    parser.add_argument("--single", choices=WAYS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.single:
        values = measure(arguments.single, arguments.folder, arguments.max_indegree, arguments.jobs, arguments.gaussian)
        print(json.dumps(values))
        return
    heads = f"{'read s':>8} {'learn s':>8} {'(CPU s)':>9} {'peak MB':>8} {'arcs':>5}"
    print(f"{'rows':>12} {'columns':>8} {'way':>8} {heads}  score")
    for rows in arguments.rows:
        for columns in arguments.columns:
            with tempfile.TemporaryDirectory() as temporary:
                folder = (arguments.folder or Path(temporary)) / f"{rows}x{columns}"
                if not folder.exists():
                    write_rows(folder, rows, columns, arguments.gaussian)
                for way in arguments.ways:
                    too_many = way != "blocks" and rows > arguments.most_in_memory
                    values = None if too_many else run(way, folder, arguments)
                    if values is not None:
                        shown = f"{values['read']:8.1f} {values['learn']:8.1f} ({values['processor']:7.1f}) "
                        shown += f"{values['peak']:8.0f} {values['arcs']:5.0f}  {values['score']!r}"
                        print(f"{rows:12} {columns:8} {way:>8} {shown}", flush=True)


if __name__ == "__main__":
    main()
