"""How long it takes to find and prove the best network of tables of local scores.

``--instances`` names a folder of .jkl or .jkl.gz files. If it has a README.md with a table whose first column is the
name of a file up to its first hyphen and whose last two are the optimum and GOBNILP's seconds, these stand beside ours,
and an optimum that differs is an error. ``--data`` names tables of data instead, as FILE:INDEGREE: their scores (BDeu
and BIC) are computed first, and what the table and the search take stands apart. With ``--random``, or without any of
these, tables are made: random sets with random scores, which have no structure at all, and dense tables, of binary
variables that depend on a few hidden ones. On these each method stands beside the one that is chosen.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import veridag as vd


def recorded(folder: Path) -> dict[str, tuple[float, float]]:
    """The optimum and GOBNILP's seconds of each file, as the folder's README has them."""
    found: dict[str, tuple[float, float]] = {}
    readme = folder / "README.md"
    for line in readme.read_text("utf-8").splitlines() if readme.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        try:
            found[cells[0]] = float(cells[-2]), float(cells[-1])
        except (ValueError, IndexError):
            continue
    return found


def from_data(files: list[str], time_limit: float) -> None:
    """From data to proof, or to the gap that is left."""
    print("| data | score | variables | rows | indegree | sets | table s | search s | best | gap |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for file in files:
        path, _, indegree = file.rpartition(":")
        data = vd.read(path, missing="state")
        for score in (vd.BDeu(), vd.BIC()):
            start = time.process_time()
            table = vd.score_table(data, score, max_indegree=int(indegree))
            scored = time.process_time()
            result = vd.solve(table, time_limit)
            searched = time.process_time()
            cells = [Path(path).name.split(".")[0], type(score).__name__, len(data.names), data.n, indegree, len(table)]
            times = [f"{scored - start:.1f}", f"{searched - scored:.1f}", f"{result.score:.3f}", f"{result.gap:.3g}"]
            print("|", " | ".join(map(str, [*cells, *times])), "|", flush=True)


def random_table(variables: int, sets: int, seed: int) -> vd.ScoreTable:
    """Random sets of one to four parents a variable; larger ones tend to be better, so that there are many cycles."""
    rng = np.random.default_rng(seed)
    table = []
    for v in range(variables):
        others = [u for u in range(variables) if u != v]
        own: dict[tuple[int, ...], float] = {(): float(-20 - 3 * rng.random())}
        while len(own) < sets:
            chosen = tuple(sorted(rng.choice(others, int(rng.integers(1, 5)), replace=False).tolist()))
            own[chosen] = float(-20 + 4 * len(chosen) + 5 * rng.random())
        table.append(sorted(((value, parents) for parents, value in own.items()), key=lambda row: -row[0]))
    return vd.ScoreTable.from_sets(tuple(f"v{v:02d}" for v in range(variables)), table)


def dense_table(variables: int, indegree: int, seed: int) -> vd.ScoreTable:
    """BDeu scores of 2 000 rows of binary variables, each of which depends on four hidden ones."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(2000, 4)) @ rng.normal(size=(4, variables)) + rng.normal(size=(2000, variables))
    frame = pd.DataFrame({f"v{v:02d}": np.where(values[:, v] > 0, "high", "low") for v in range(variables)})
    return vd.score_table(vd.Data.from_frame(frame), vd.BDeu(), max_indegree=indegree, jobs=2)


def made_tables(seeds: list[int]) -> Iterator[tuple[str, vd.ScoreTable]]:
    for seed in seeds:
        for variables, sets in ((20, 30), (24, 30), (28, 30), (24, 300)):
            yield f"random, seed {seed}", random_table(variables, sets, seed)
        for variables, indegree in ((20, 4), (24, 4), (28, 4)):
            yield f"dense, seed {seed}", dense_table(variables, indegree, seed)


def each_method(seeds: list[int], time_limit: float) -> None:
    """Seconds of processor time of each method, or the gap that it leaves."""
    methods = ("dynamic", "integer", "auto")
    print("| table | variables | sets |", " | ".join(methods), "| optimum |\n|---|---|---|---|---|---|---|")
    for name, table in made_tables(seeds):
        cells, best = [name, str(len(table.names)), str(len(table))], None
        for method in methods:
            start = time.process_time()
            try:
                result = vd.solve(table, time_limit, method=method)
            except vd.InputError:
                cells.append("too large")
                continue
            seconds = time.process_time() - start
            cells.append(f"{seconds:.1f}" if result.optimal else f"gap {result.gap:.3g} after {seconds:.0f}")
            if result.optimal and best is not None and abs(result.score - best) > 1e-6 * abs(best):
                raise AssertionError(f"{name}: {method} proves {result.score}, and another method {best}")
            best = result.score if result.optimal else best
        print("|", " | ".join([*cells, "" if best is None else f"{best:.3f}"]), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], metavar="FILE:INDEGREE", help="tables of data")
    parser.add_argument("--random", nargs="*", type=int, metavar="SEED", help="tables that are made, one of each seed")
    parser.add_argument("--instances", type=Path, help="folder of .jkl files")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for each search")
    parser.add_argument("--only", default="", help="names of files, separated by commas")
    options = parser.parse_args()
    if options.data:
        from_data(options.data, options.time_limit)
        return
    if options.instances is None:
        each_method(options.random or [101], options.time_limit)
        return
    known = recorded(options.instances)
    wrong = 0
    print("| file | variables | sets | score | gap | seconds | of CPU | GOBNILP s |\n|---|---|---|---|---|---|---|---|")
    files = [p for p in options.instances.iterdir() if p.name.endswith((".jkl", ".jkl.gz"))]
    wanted = set(options.only.split(",")) - {""}
    for path in sorted(files, key=lambda p: p.stat().st_size):
        name = path.name.split(".")[0].rsplit("-", 1)[0]
        if wanted and name not in wanted:
            continue
        table = vd.read_table(path)
        start, worked = time.perf_counter(), time.process_time()
        result = vd.solve(table, options.time_limit)
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        optimum, theirs = known.get(name, (None, None))
        mark = ""
        if optimum is not None and result.optimal and abs(result.score - optimum) > 1e-3:
            mark, wrong = f" (recorded: {optimum})", wrong + 1
        cells = [name, len(table.names), len(table.scores), f"{result.score:.4f}{mark}", f"{result.gap:g}"]
        print(
            "|",
            " | ".join(map(str, [*cells, f"{seconds:.2f}", f"{worked:.2f}", "" if theirs is None else theirs])),
            "|",
            flush=True,
        )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
