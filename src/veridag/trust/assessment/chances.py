"""From evidence to chances: a small model that a study on known networks has calibrated.

With x_1 ... x_4 the evidence of the sources that a pair is joined (`SOURCES`: logits of the shares of the posterior and
of the bootstrap, shares of the learners and of the tests), n rows and m variables,

``logit P(joined) = b_0 + sum of b_k x_k + b_5 log(n / 500) + b_6 log(m / 15) + b_7 log(l / m)``

where l is the number of links that the posterior and the bootstrap expect, plus one half: where they see few, a single
one is less likely to be there.

Given that it is joined, the directions forward, backward and none have chances in proportion to

``exp(c + sum of w_k log f_k), exp(c + sum of w_k log g_k), exp(sum of u_k log h_k)``

where f_k, g_k and h_k are the shares of forward, backward and undirected among the classes of source k that join the
pair. The same weights for forward and backward: exchanging the two variables exchanges the chances. The numbers are in
`model.toml`, one set for each kind of data; `docs/trust.md` says what they were fitted to.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from veridag.graph.class_shares import ClassShares
from veridag.graph.knowledge import Knowledge

from .evidence import SOURCES, Evidence

Floats = NDArray[np.float64]

#: Shares nearer to 0 or 1 tell no more: they are of a few hundred classes.
NEAREST = 0.01
#: What is added to each of the three shares of a direction.
ADDED = 0.02
#: Outside of these numbers of rows and variables the model was not fitted; it takes the nearest.
ROWS, VARIABLES = (100, 5000), (5, 34)
_USUAL_ROWS, _USUAL_VARIABLES = 500, 15


@dataclass(frozen=True)
class ChanceModel:
    """The numbers of the model for one kind of data: see the head of the module."""

    joined: Floats  # b
    directed: Floats  # c, w
    undirected: Floats  # u

    def chances(self, evidence: Evidence) -> ClassShares:
        """The chance of each arc, and of each edge without direction, in the class of the true network."""
        n = len(evidence.names)
        upper = np.triu_indices(n, 1)
        joined, directions = features(evidence)
        p = 1.0 / (1.0 + np.exp(-(joined @ self.joined)))
        q = direction_chances(directions, self.directed, self.undirected)
        directed, undirected = np.zeros((n, n)), np.zeros((n, n))
        directed[upper], directed.T[upper], undirected[upper] = (p[:, np.newaxis] * q).T
        return ClassShares(evidence.names, directed, undirected + undirected.T)


def features(evidence: Evidence) -> tuple[Floats, Floats]:
    """What the model sees of each pair of the upper triangle.

    The numbers that b is multiplied with, [pair, number]; and logarithms of the shares of forward, backward and
    undirected, [direction, pair, source]. A source that is missing is taken to say what the others say.
    """
    upper = np.triu_indices(len(evidence.names), 1)
    there = [own for own in evidence.shares if own is not None]
    instead = ClassShares.mean(there)
    every = [instead if own is None else own for own in evidence.shares]
    shares = np.array([[own.directed[upper], own.directed.T[upper], own.undirected[upper]] for own in every])
    return of_shares(shares.transpose(1, 2, 0), evidence.rows, len(evidence.names))


def of_shares(shares: Floats, rows: int, variables: int, links: float | None = None) -> tuple[Floats, Floats]:
    """The same from shares, [forward or backward or undirected, pair, source], of all pairs unless `links` is given."""
    joined = np.minimum(shares.sum(axis=0), 1.0)
    weighed = np.clip(joined[:, :2], NEAREST, 1 - NEAREST)
    links = joined[:, :2].mean(axis=1).sum() + 0.5 if links is None else links
    log_rows = np.log(np.clip(rows, *ROWS) / _USUAL_ROWS)
    log_variables = np.log(np.clip(variables, *VARIABLES) / _USUAL_VARIABLES)
    constant = np.ones(len(joined))
    columns = [
        constant,
        *np.log(weighed / (1 - weighed)).T,
        *joined[:, 2:].T,
        constant * log_rows,
        constant * log_variables,
        constant * np.log(links / variables),
    ]
    return np.column_stack(columns), np.log((shares + ADDED) / (joined + 3 * ADDED))


def direction_chances(directions: Floats, directed: Floats, undirected: Floats) -> Floats:
    """The chances of forward, backward and undirected for pairs that are joined, [pair, direction]."""
    forward, backward = (directed[0] + directions[k] @ directed[1:] for k in (0, 1))
    logits = np.column_stack([forward, backward, directions[2] @ undirected])
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def obeying(chances: ClassShares, knowledge: Knowledge | None) -> ClassShares:
    """The chances with what is known: required arcs are certain, and what is forbidden has no chance.

    Where one direction is forbidden, a pair that is joined has the other.
    """
    if knowledge is None or knowledge == Knowledge():
        return chances
    bound = knowledge.bind(chances.names)
    required, forbidden = np.asarray(bound.required), np.asarray(bound.forbidden)
    joined = np.where(forbidden & forbidden.T, 0.0, chances.joined)
    joined = np.where(required | required.T, 1.0, joined)
    decided = forbidden | forbidden.T | required | required.T
    directed = np.where(decided, np.where(forbidden | required.T, 0.0, joined), chances.directed)
    return ClassShares(chances.names, directed, np.where(decided, 0.0, chances.undirected))


@cache
def load_model() -> Mapping[str, object]:
    """The file of the model."""
    text = (files(__package__) / "model.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def model_for(kind: str) -> ChanceModel:
    """The model for data of a kind: discrete, continuous or mixed."""
    own = load_model()[kind]
    assert isinstance(own, dict)
    return ChanceModel(
        np.array(
            [own["joined"][name] for name in ("constant", *SOURCES, "rows", "variables", "links")], dtype=np.float64
        ),
        np.array([own["directed"][name] for name in ("constant", *SOURCES)], dtype=np.float64),
        np.array([own["undirected"][name] for name in SOURCES], dtype=np.float64),
    )


def margin_for(kind: str) -> float:
    """How much better another learner must look than the averaged network, for data of a kind: see `recommend`."""
    own = load_model()["margin"]
    assert isinstance(own, dict)
    return float(own[kind])


def forget_model() -> None:
    """Read the file again at the next use."""
    load_model.cache_clear()
    model_for.cache_clear()
