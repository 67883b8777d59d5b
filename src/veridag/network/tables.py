"""The parameters of one variable as people read them, with the names of states and parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from veridag.display import ROWS, aligned, table
from veridag.errors import import_optional

from .parameters import ConditionalGaussian, Floats

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ConditionalTable:
    """The distributions of a discrete variable with all names, one row for each configuration of its parents.

    Attributes:
        name: The variable.
        parents: Its parents.
        states: Its states.
        parent_states: The states of each parent.
        probabilities: The probabilities, with an axis for each parent and a last one for the variable.
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


@dataclass(frozen=True, eq=False, repr=False)
class RegressionTable:
    """The regressions of a continuous variable with all names, one row for each configuration of its discrete parents.

    Attributes:
        name: The variable.
        parameters: The numbers.
        parent_states: The states of each discrete parent.
    """

    name: str
    parameters: ConditionalGaussian
    parent_states: tuple[tuple[str, ...], ...]

    @property
    def heading(self) -> str:
        """What the table holds: ``P(X | A, Y)``."""
        parents = self.parameters.parents
        return f"P({self.name}{' | ' + ', '.join(parents) if parents else ''})"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names above the columns of `rows`."""
        return (*self.parameters.discrete, f"mean of {self.name}", "sd")

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.parameters.sds.size

    def rows(self, digits: int = 6, most: int | None = None) -> list[tuple[str, ...]]:
        """The states of the discrete parents, the mean in the continuous ones and the deviation, row by row."""
        numbers = zip(product(*self.parent_states), self.parameters.rows[:most].tolist(), strict=False)
        names = self.parameters.continuous
        return [(*given, equation(row[:-1], names, digits), f"{row[-1]:.{digits}g}") for given, row in numbers]

    def to_pandas(self) -> pd.DataFrame:
        """A row for every configuration of the discrete parents, its index; ``intercept``, coefficients and ``sd``."""
        pd = import_optional("pandas", "to_pandas")
        names = self.parameters.discrete
        index = pd.MultiIndex.from_product(self.parent_states, names=names) if names else None
        columns = ["intercept", *self.parameters.continuous, "sd"]
        return pd.DataFrame(self.parameters.rows, index=index, columns=columns)

    def __repr__(self) -> str:
        more = f"\n... and {self.size - ROWS} more" if self.size > ROWS else ""
        return f"{self.heading}\n{aligned([self.columns, *self.rows(most=ROWS)])}{more}"

    def _repr_html_(self) -> str:
        return table(self.columns, self.rows(), self.heading)


def equation(numbers: Sequence[float], parents: Sequence[str], digits: int = 6) -> str:
    """The mean of a variable in its continuous parents, as people write it; `numbers` are intercept and slopes."""
    slopes = zip(numbers[1:], parents, strict=True)
    terms = [f"{'-' if b < 0 else '+'} {abs(b):.{digits}g} {p}" for b, p in slopes]
    return " ".join([f"{numbers[0]:.{digits}g}", *terms])
