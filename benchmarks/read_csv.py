"""How long does it take to turn a large CSV file into Data, against polars alone, and how large is the result?

The goal for 1 000 000 rows of 100 discrete columns: at most 3 times as long as ``polars.read_csv``, and 1 byte a cell.
Both readers run alternately in one process, on a file of short texts and on one of integer codes.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from veridag.data import Data, read

STATES = ["no", "yes", "low", "high", "mid"]
BATCH = 20_000
KINDS = ("integers", "text")  # the peak of a process only grows, so the smaller file goes first


def write(path: Path, kind: str, rows: int, columns: int) -> None:
    """In batches, so that making the file does not set the peak of memory."""
    rng = np.random.default_rng(0)
    states = pl.Series(STATES)
    with path.open("wb") as file:
        for start in range(0, rows, BATCH):
            frame = {}
            for j in range(columns):
                codes = pl.Series(rng.integers(0, 2 + j % 4, min(BATCH, rows - start), dtype=np.uint8))
                frame[f"X{j + 1}"] = codes if kind == "integers" else states.gather(codes)
            pl.DataFrame(frame).write_csv(file, include_header=start == 0)


def seconds(function: Callable[[Path], object], path: Path) -> float:
    start = time.perf_counter()
    result = function(path)
    elapsed = time.perf_counter() - start
    del result  # not timed: freeing the larger table would count against polars
    return elapsed


def bytes_per_cell(data: Data) -> float:
    return sum(c.values.nbytes for c in data.columns) / (data.nrows * len(data.names))


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def compare(path: Path, kind: str, repeats: int) -> None:
    size, peak = bytes_per_cell(read(path)), peak_gigabytes()
    polars, veridag = [], []
    for _ in range(repeats):
        polars.append(seconds(pl.read_csv, path))
        veridag.append(seconds(read, path))
    alone, ours = statistics.median(polars), statistics.median(veridag)
    print(
        f"{kind:<9} polars {alone:6.2f} s   veridag {ours:6.2f} s   ratio {ours / alone:5.2f} (goal 3)   "
        f"{size:.2f} bytes a cell (goal 1)   peak after veridag's first read {peak:.2f} GB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = Path(folder) / f"{kind}.csv"
            write(path, kind, options.rows, options.columns)
            compare(path, kind, options.repeats)


if __name__ == "__main__":
    main()
