"""How do time and memory of searches grow with the number of variables and rows, and what is estimated?

Random sparse networks with two arcs a variable: discrete with two or three states (BIC), and Gaussian (the extended BIC
with gamma = 1: the more variables, the more false arcs plain BIC finds). Each search runs in a
process of its own, so that the peak of its memory is its own; time is that of the processor. Memory is the peak of the
process, then what the search took of it, and what is estimated before it starts. The last column is how
fast the time grew since the size before: 2 means with the square of the variables, which is what scoring all pairs
takes.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import veridag as vd
from ges import random_gaussian_network
from search import random_network

SIZES = [250, 500, 1000, 2000, 5000, 10_000]
LEARNERS = {
    "hill climbing": vd.HillClimbing,
    "tabu": vd.Tabu,
    "GES": vd.GES,
    "PC-stable": lambda score: vd.PCStable(),
    "MMHC": lambda score: vd.MMHC(score=score),
    "H2PC": lambda score: vd.H2PC(score=score),
}
GREEDY = list(LEARNERS)[:3]


def memory(field: str) -> float:
    """Megabytes of this process: what it has now, VmRSS, or the most that it had, VmHWM."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def measure(kind: str, learner: str, variables: int, rows: int, jobs: int) -> dict[str, float]:
    """One search in this process."""
    make = random_network if kind == "discrete" else random_gaussian_network
    network = make(variables, 2 * variables, seed=1)
    data = network.sample(rows, seed=2)
    algorithm = LEARNERS[learner](score=vd.BIC() if kind == "discrete" else vd.BIC(gamma=1.0))
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the peak so far is that of making the data
    before = memory("VmRSS")
    start, wall = time.process_time(), time.perf_counter()
    result = algorithm.learn(data, jobs=jobs)
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    peak = memory("VmHWM")  # before the comparison, which takes memory too
    true = {frozenset(arc) for arc in network.dag.arcs}
    found = {frozenset(pair) for pair in (*result.graph.arcs, *result.graph.edges)}
    return {
        "seconds": seconds,
        "wall": wall,
        "megabytes": peak,
        "taken": peak - before,
        "estimated": algorithm._needs[data.kind].bytes(variables) / 2**20,
        "calls": result.calls,
        "score": result.score or math.nan,
        "true": len(true & found),
        "false": len(found - true),
    }


def run(kind: str, learner: str, variables: int, rows: int, jobs: int) -> dict[str, float]:
    """The same in a process of its own."""
    options = ["--kinds", kind, "--learners", learner, "--variables", str(variables)]
    options += ["--rows", str(rows), "--jobs", str(jobs), "--single"]
    done = subprocess.run([sys.executable, __file__, *options], check=True, capture_output=True, text=True)
    values: dict[str, float] = json.loads(done.stdout)
    return values


def curve(kind: str, learner: str, arguments: argparse.Namespace) -> None:
    before: tuple[int, float] | None = None
    for variables, rows in product(arguments.variables, arguments.rows):
        if learner == "GES" and variables > arguments.ges:
            print(f"{kind:9} {learner:14} {variables:6} variables  left out: see --ges", flush=True)
            continue
        found = run(kind, learner, variables, rows, arguments.jobs)
        grew = ""
        if before is not None and before[0] < variables:
            grew = f"grew as {math.log(found['seconds'] / before[1]) / math.log(variables / before[0]):.1f}"
        before = variables, found["seconds"]
        print(
            f"{kind:9} {learner:14} {variables:6} variables, {rows} rows  {found['seconds']:8.2f} s "
            f"(wall {found['wall']:.2f}), {found['megabytes']:6.0f} MB of which the search {found['taken']:.0f} "
            f"(estimated {found['estimated']:.0f}), {found['calls']:11.0f} families, {found['true']:5.0f} true pairs "
            f"and {found['false']:5.0f} false, {grew}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", nargs="*", default=["discrete", "gaussian"])
    parser.add_argument("--learners", nargs="*", default=GREEDY, choices=list(LEARNERS))
    parser.add_argument("--variables", type=int, nargs="*", default=SIZES)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000])
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--ges", type=int, default=2000, help="the most variables that GES is tried on")
    parser.add_argument("--single", action="store_true", help="one search, its numbers as JSON")
    arguments = parser.parse_args()
    if arguments.single:
        (kind,), (learner,), (variables,) = arguments.kinds, arguments.learners, arguments.variables
        print(json.dumps(measure(kind, learner, variables, *arguments.rows, arguments.jobs)))
        return
    for kind in arguments.kinds:
        for learner in arguments.learners:
            curve(kind, learner, arguments)


if __name__ == "__main__":
    main()
