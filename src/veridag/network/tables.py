"""The parameters of one variable as people read them, with the names of states and parents."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from veridag.display import ROWS, aligned, table
from veridag.errors import import_optional

from .parameters import Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTable:
    """The distributions of a discrete variable `name`, one row a configuration of its `parents`, with all names.

    `states` are those of the variable, `parent_states` those of each parent, and `probabilities` has an axis for each
    parent and the variable's own last.
    """

    name: str
    parents: tuple[str, ...]
    states: tuple[str, ...]
    parent_states: tuple[tuple[str, ...], ...]
    probabilities: Floats

    @property
    def heading(self) -> str:
        """What the table holds: ``P(X | A, B)``."""
        return f"P({self.name}{' | ' + ', '.join(self.parents) if self.parents else ''})"

    def rows(self) -> list[tuple[str, ...]]:
        """The states of the parents and the probability of each state of the variable, row by row, as text."""
        flat = self.probabilities.reshape(-1, len(self.states))
        given = product(*self.parent_states)
        return [(*states, *(f"{p:.6g}" for p in row)) for states, row in zip(given, flat.tolist(), strict=True)]

    def to_pandas(self) -> pd.DataFrame:
        """A row for every configuration of the parents, which are its index, and a column for every state."""
        pd = import_optional("pandas", "to_pandas")
        flat = self.probabilities.reshape(-1, len(self.states))
        index = pd.MultiIndex.from_product(self.parent_states, names=self.parents) if self.parents else None
        return pd.DataFrame(flat, index=index, columns=pd.Index(self.states, name=self.name))

    def __repr__(self) -> str:
        rows = self.rows()
        more = f"\n... and {len(rows) - ROWS} more" if len(rows) > ROWS else ""
        return f"{self.heading}\n{aligned([(*self.parents, *self.states), *rows[:ROWS]])}{more}"

    def _repr_html_(self) -> str:
        return table((*self.parents, *self.states), self.rows(), self.heading)
