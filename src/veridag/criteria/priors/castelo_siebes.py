"""Prior probabilities of single arcs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from veridag import _core
from veridag.checks import Number, checked
from veridag.errors import InputError, suggest
from veridag.graph import Arc

from .base import Prior, PriorTerms

ArcProbabilities = tuple[tuple[Arc, float], ...]

# Sums such as 0.1 + 0.9 may miss 1 by rounding.
_ROUNDING = 1e-12

_FORM = '{("A", "B"): 0.5}: names (from, to), and a probability'


def _check_arcs(name: str, value: object) -> ArcProbabilities:
    """A tuple of ((from, to), probability), sorted."""
    given = value.items() if isinstance(value, Mapping) else value
    if not isinstance(given, Iterable):
        raise InputError(f"{name}: {given!r} is not of the form {_FORM}")
    checked = tuple(sorted(_check_arc(item) for item in given))
    for (arc, _), (following, _) in pairwise(checked):
        if arc == following:
            raise InputError(f"{name}: {arc!r} is given more than once: keep one probability for it")
    return checked


def _check_arc(item: tuple[Arc, float]) -> tuple[Arc, float]:
    try:
        arc, p = item
        u, v = arc
    except (TypeError, ValueError):
        raise InputError(f"arcs: {item!r} is not of the form {_FORM}") from None
    if isinstance(arc, str) or not isinstance(arc, Sequence):  # a text would fall into letters; a set has no order
        raise InputError(f"arcs: {arc!r}: {p!r} is not of the form {_FORM}")
    if not (isinstance(u, str) and isinstance(v, str)) or u == v:
        raise InputError(f"arcs: {(u, v)!r} is not an arc: give the names of two different variables, (from, to)")
    return (u, v), Number(least=0, most=1, example=0.5)(f"arcs[{u!r}, {v!r}]", p)


@dataclass(frozen=True)
class CasteloSiebes(Prior):
    r"""A structure prior with a probability for individual arcs, such as ``{("A", "B"): 0.8, ("B", "A"): 0.1}``.

    Two variables have three outcomes, ->, <- and no arc. Pairs are independent before cyclic graphs are excluded
    (Castelo and Siebes 2000, the "completed prior"). For a pair u, v:

    - both directions given: $p(\text{no arc}) = 1 - p(u \to v) - p(v \to u)$;
    - one direction given: the rest is split evenly, $p(v \to u) = p(\text{no arc}) = (1 - p(u \to v)) / 2$;
    - not given: 1/3 for each outcome.

    An arc $u \to v$ adds $\log p(u \to v) - \log p(\text{no arc})$: nothing for pairs that are not given, minus
    infinity for $p = 0$. $p(\text{no arc}) = 0$ is refused; use `Knowledge` to require an arc. `log` omits the
    normalizing constant: log of the empty graph is 0. Equivalent DAGs can have different probabilities, as intended.

    `arcs` maps (from, to) to a probability. It is stored as a sorted tuple of ((from, to), probability).

    See also:
        `Knowledge`, `Edge`, docs/priors/index.md
    """

    arcs: Mapping[Arc, float] | Iterable[tuple[Arc, float]] = field(metadata=checked(_check_arcs))

    def __post_init__(self) -> None:
        super().__post_init__()
        for u, v in self._pairs():
            _outcomes(dict(self._probabilities), u, v)

    def terms(self, names: Sequence[str], rows: int | None = None) -> PriorTerms:
        r"""Zero for the indegree; $\log p(u \to v) - \log p(\text{no arc})$ for an arc."""
        del rows
        probability = dict(self._probabilities)
        at = {name: i for i, name in enumerate(names)}
        arc = np.zeros((len(names), len(names)))
        for u, v in self._pairs():
            for name in (u, v):
                if name not in at:
                    raise InputError(f"arcs: there is no variable {name!r}: {suggest(name, names)}")
            forward, backward, none = _outcomes(probability, u, v)
            arc[at[u], at[v]] = _log(forward) - _core.log(none)
            arc[at[v], at[u]] = _log(backward) - _core.log(none)
        return PriorTerms(np.broadcast_to(np.zeros(len(names)), arc.shape), arc)

    @property
    def _probabilities(self) -> ArcProbabilities:
        assert isinstance(self.arcs, tuple)  # set by __post_init__
        return self.arcs

    def _pairs(self) -> list[Arc]:
        """Every pair that is spoken of, once."""
        return sorted({(min(arc), max(arc)) for arc, _ in self._probabilities})


def _outcomes(probability: Mapping[Arc, float], u: str, v: str) -> tuple[float, float, float]:
    """p(u -> v), p(v -> u), p(no arc)."""
    forward, backward = probability.get((u, v)), probability.get((v, u))
    if forward is None:
        assert backward is not None  # the pair is spoken of
        forward = (1 - backward) / 2
    if backward is None:
        backward = (1 - forward) / 2
    total = forward + backward
    if total > 1 + _ROUNDING:
        raise InputError(
            f"arcs: the probabilities of {(u, v)!r} and {(v, u)!r} sum to {total:g}, above 1: lower them, and leave "
            "some probability for no arc"
        )
    if total > 1 - _ROUNDING:
        raise InputError(
            f"arcs: the probabilities of {(u, v)!r} and {(v, u)!r} leave no probability for no arc: lower them, or "
            "force an arc with Knowledge(required=[(from, to)])"
        )
    return forward, backward, 1 - total


def _log(p: float) -> float:
    return _core.log(p) if p > 0 else -math.inf
