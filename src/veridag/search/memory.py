"""How much memory a search needs, estimated before it starts, so that it does not fail after minutes."""

from __future__ import annotations

from math import isqrt
from typing import NamedTuple
from warnings import warn

from veridag.data import Data
from veridag.data.columns import DataKind
from veridag.work.memory import free_memory, shown

#: With fewer columns a search needs little, and nothing is estimated.
FEW_COLUMNS = 1000


class Needs(NamedTuple):
    """Bytes that a search needs in addition to the data: `fixed`, and `a_pair` for each ordered pair of columns."""

    fixed: int
    a_pair: int

    def bytes(self, columns: int) -> int:
        """What a search in so many columns takes."""
        return self.fixed + columns**2 * self.a_pair

    def columns(self, free: int) -> int:
        """How many columns fit into free memory."""
        return isqrt(max(0, free - self.fixed) // self.a_pair)


#: What an algorithm needs for each kind of data: more than it took on 200 rows of sparse networks of 2 500 and 5 000
#: columns, and at most twice that (`benchmarks/width.py --learners tabu PC-stable MMHC --rows 200`; figures in
#: `docs/speed.md`). Mixed data, GES, BOSS and HPC were measured with fewer columns. Where nearly all columns depend on
#: each other, searches by tests take more.
NeedsByKind = dict[DataKind, Needs]

#: Searches by a score: caches of local scores, and for mixed data of moments; what is known and the graph, as matrices
#: of bytes; moves that gain something; for continuous columns a matrix of doubles.
BY_SCORE: NeedsByKind = {
    "discrete": Needs(300_000_000, 6),
    "continuous": Needs(300_000_000, 16),
    "mixed": Needs(500_000_000, 16),
}

#: PC-stable: for discrete columns caches of counts; matrices of bytes; pairs that depend on each other; for continuous
#: columns a matrix of doubles.
BY_PAIRS: NeedsByKind = {
    "discrete": Needs(350_000_000, 24),
    "continuous": Needs(30_000_000, 30),
    "mixed": Needs(250_000_000, 30),
}

#: Searches around each variable: the same, and what was decided of every pair, until that is 1 GB.
BY_VARIABLE: NeedsByKind = {
    "discrete": Needs(350_000_000, 100),
    "continuous": Needs(300_000_000, 100),
    "mixed": Needs(300_000_000, 100),
}

#: HPC, which also looks for spouses and makes so many tests that all of this 1 GB is needed.
BY_SPOUSES: NeedsByKind = {
    "discrete": Needs(1_450_000_000, 40),
    "continuous": Needs(1_150_000_000, 40),
    "mixed": Needs(1_350_000_000, 40),
}


def check_memory(data: Data, needs: NeedsByKind) -> None:
    """Raise `MemoryError` before the search if it does not fit into the free memory; warn if it takes most of it."""
    columns, own = len(data.names), needs[data.kind]
    if columns < FEW_COLUMNS:
        return
    needed, free = own.bytes(columns), free_memory()
    if needed <= free // 2:
        return
    said = f"a search in {columns} columns needs about {shown(needed)} of memory, and {shown(free)} are free"
    if needed > free:
        raise MemoryError(f"{said}: keep at most {own.columns(free)} columns, or use a machine with more free memory")
    warn(f"{said}: other programs may become slow", UserWarning, stacklevel=4)
