"""What the probabilities of arcs alone tell: a table of them, and networks that sum them up.

It does not matter how the probabilities were found, exactly or from a sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from veridag.checks import Number, OneOf
from veridag.display import ROWS, aligned, drawing, paragraph, table
from veridag.errors import import_optional
from veridag.graph import DAG, PDAG

from .acyclic import heaviest_acyclic

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_HEAD = ("from", "to", "probability", "reverse")
_GAMMA = Number(least=0, most=1, example=0.5)

#: The gain of an arc that must have a direction and has it with probability 0.
_BETTER_THAN_NONE = 1e-9

#: Arcs of a smaller probability are not listed.
_LEAST_LISTED = 5e-4


class ArcProbability(NamedTuple):
    """A pair of variables in its more probable direction.

    Attributes:
        source: The first variable.
        target: The second variable.
        probability: The probability of the arc from the first to the second.
        reverse: The probability of the reverse arc.
    """

    source: str
    target: str
    probability: float
    reverse: float

    @property
    def joined(self) -> float:
        """The probability that the pair is joined, in either direction."""
        return min(self.probability + self.reverse, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class ArcProbabilities:
    """Probabilities of arcs, and summaries of them.

    `Posterior` and `Draws` are such probabilities, with more methods.

    Args:
        names: The variables.
        arcs: ``arcs[u, v]`` is P(u -> v), by positions in `names`.
        settings: The posterior that they come from.

    See also:
        `posterior`, docs/posterior.md
    """

    names: tuple[str, ...]
    arcs: Floats
    settings: object

    def __post_init__(self) -> None:
        self.arcs.flags.writeable = False

    @cached_property
    def edges(self) -> Floats:
        """``edges[u, v]`` = ``edges[v, u]`` is P(u - v), that u and v are joined: P(u -> v) + P(v -> u)."""
        joined = np.minimum(self.arcs + self.arcs.T, 1.0)
        joined.flags.writeable = False
        return joined

    @cached_property
    def pairs(self) -> tuple[ArcProbability, ...]:
        """The pairs that are joined with a probability of at least 0.0005, the most probable first."""
        found = []
        for i, j in np.argwhere(np.triu(self.edges, 1) >= _LEAST_LISTED).tolist():
            a, b = sorted((i, j), key=self.names.__getitem__)
            if self.arcs[b, a] > self.arcs[a, b]:
                a, b = b, a
            pair = (self.names[a], self.names[b], float(self.arcs[a, b]), float(self.arcs[b, a]))
            found.append(ArcProbability(*pair))
        return tuple(sorted(found, key=lambda pair: (-pair.probability - pair.reverse, pair.source, pair.target)))

    @overload
    def median_network(self, *, cpdag: Literal[False] = False) -> DAG: ...
    @overload
    def median_network(self, *, cpdag: Literal[True]) -> PDAG: ...
    def median_network(self, *, cpdag: bool = False) -> DAG | PDAG:
        """Return the arcs with a probability above 1/2; with `cpdag`, the edges, directed as in `best_expected`.

        Such arcs can form a cycle, also in a posterior over DAGs. Then the network is the acyclic part of them with the
        greatest sum of probabilities less 1/2, that is ``best_expected(0.5)``.
        """
        return self.best_expected(0.5, cpdag=True) if cpdag else self.best_expected(0.5)

    @overload
    def best_expected(self, gamma: float = 0.5, *, cpdag: Literal[False] = False) -> DAG: ...
    @overload
    def best_expected(self, gamma: float = 0.5, *, cpdag: Literal[True]) -> PDAG: ...
    def best_expected(self, gamma: float = 0.5, *, cpdag: bool = False) -> DAG | PDAG:
        """Return the DAG with the highest expected accuracy: it maximises the sum over its arcs of P(u -> v) - gamma.

        With gamma = 1/2, this DAG is expected to differ in the fewest arcs from one drawn from the posterior. A smaller
        gamma gives more arcs, a larger one fewer. If arcs above gamma form cycles, the best acyclic part is found
        exactly if at most 16 variables lie on cycles with each other, and otherwise by local search over orders. Ties
        are broken by names.

        With `cpdag`, edges count and not arcs: the pairs with P(u - v) > gamma are joined. Of all DAGs with these
        edges, the one with the greatest sum of P(u -> v) determines the equivalence class that is returned. If score
        and prior give equivalent DAGs the same probability, the two directions of an arc share it, so hardly any arc is
        above 1/2 where edges are certain.
        """
        gamma = _GAMMA("gamma", gamma)
        OneOf((False, True))("cpdag", cpdag)
        # With edges, all must have a direction: one of probability 0 is better than none.
        gain = np.where(self.edges > gamma, self.arcs + _BETTER_THAN_NONE, 0.0) if cpdag else self.arcs - gamma
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        kept = np.zeros(gain.shape, dtype=bool)
        kept[np.ix_(order, order)] = heaviest_acyclic(gain[np.ix_(order, order)])
        dag = DAG(self.names, kept)
        return dag.cpdag() if cpdag else dag

    def to_pandas(self) -> pd.DataFrame:
        """A row for each of `pairs`: ``from``, ``to``, ``probability``, ``reverse``."""
        pd = import_optional("pandas", "to_pandas")
        return pd.DataFrame(self.pairs, columns=list(_HEAD))

    def _table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """What is shown of each pair: a head, and rows."""
        return _HEAD, [(p.source, p.target, f"{p.probability:.3f}", f"{p.reverse:.3f}") for p in self.pairs]

    def __str__(self) -> str:
        left = f"... and {len(self.pairs) - ROWS} more" if len(self.pairs) > ROWS else ""
        head, rows = self._table()
        lines = [repr(self).strip("<>"), aligned([head, *rows[:ROWS]]), left]
        return "\n".join(line for line in lines if line)

    def _repr_html_(self) -> str:
        drawn = drawing(lambda: self.median_network().to_svg("median network"), len(self.names))
        return paragraph(repr(self).strip("<>")) + drawn + table(*self._table())

    def __repr__(self) -> str:
        likely = int((self.arcs > 0.5).sum())
        return (
            f"<{type(self).__name__} over {len(self.names)} variables: {self.arcs.sum():.3g} arcs expected, {likely} "
            f"with a probability above 1/2, {self.settings}>"
        )
