"""How long it takes to find and prove the best network of tables of local scores.

``--instances`` names a folder of .jkl or .jkl.gz files. If it has a README.md with a table whose first column is the
name of a file up to its first hyphen and whose last two are the optimum and GOBNILP's seconds, these stand beside ours,
and an optimum that differs is an error. ``--data`` names tables of data instead, as FILE:INDEGREE: their scores (BDeu
and BIC) are computed first, and what the table and the search take stands apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], metavar="FILE:INDEGREE", help="tables of data")
    parser.add_argument("--instances", type=Path, help="folder of .jkl files")
    parser.add_argument("--time-limit", type=float, default=300.0, help="seconds for each file")
    parser.add_argument("--only", default="", help="names of files, separated by commas")
    options = parser.parse_args()
    if options.data:
        from_data(options.data, options.time_limit)
        return
    if options.instances is None:
        print("give --instances, a folder of .jkl files, or --data", file=sys.stderr)
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
