"""What the rows of a study of mixed data come from: conditional Gaussian networks, and truths that are none.

In the latter, a variable is the sum of an effect of each parent and noise. The effect of a parent on a continuous child
is a number; a discrete child has a logit for each state, and the effect is multiplied by a score of the state. In all
of them measurements may cause categories. The mechanisms differ in one thing each:

- `logistic`: the effect of a measurement is linear, the noise is normal.
- `thresholds`: a measurement acts by which of two or three intervals it is in.
- `nonlinear`: a measurement acts by z^2, |z|, sin 2z or tanh 3z, drawn for each arc.
- `skewed`: as `logistic`, with exponential noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from veridag.data import Column, Data
from veridag.graph import DAG
from veridag.simulate import random_dag, random_mixed_network
from veridag.study.kind import derive_seed

Floats = NDArray[np.float64]
Random = np.random.Generator

#: The mechanism of conditional Gaussian networks, in which no measurement causes a category.
GAUSSIAN = "conditional-gaussian"
MECHANISMS = (GAUSSIAN, "logistic", "thresholds", "nonlinear", "skewed")

#: Of the DAG and of the discrete variables, for all mechanisms.
MAX_INDEGREE, STATES = 3, (2, 4)

#: Sizes of effects for one standard deviation of a measurement, or from one state to the next, as in the
#: conditional Gaussian networks; and of the scores of a discrete child's states.
_EFFECTS, _SCORES = (0.5, 1.5), (1.0, 2.0)
_PILOT_ROWS = 4000
_CURVES: tuple[Callable[[Floats], Floats], ...] = (
    np.square,
    np.abs,
    lambda z: np.sin(2 * z),
    lambda z: np.tanh(3 * z),
)


class Truth(Protocol):
    """A structure that rows can be drawn from."""

    @property
    def dag(self) -> DAG:
        """The structure."""

    def sample(self, n: int, seed: int = 0) -> Data:
        """So many rows, the same for the same seed."""


@dataclass(frozen=True)
class Setting:
    """What a random truth is like; `continuous` is the share of such variables, `strength` multiplies effects."""

    mechanism: str
    nodes: int
    continuous: float
    strength: float
    arcs_per_node: float


def random_truth(setting: Setting, seed: int) -> Truth:
    """The random truth of a seed; its DAG is the same for all mechanisms, shares and strengths."""
    dag = random_dag(setting.nodes, arcs_per_node=setting.arcs_per_node, max_indegree=MAX_INDEGREE, seed=seed)
    own = derive_seed("parameters", seed)
    if setting.mechanism == GAUSSIAN:
        share, strength = setting.continuous, setting.strength
        return random_mixed_network(dag, continuous=share, states=STATES, strength=strength, seed=own)
    return _random_mechanisms(dag, setting, np.random.default_rng(own))


@dataclass(frozen=True)
class _Effect:
    """Of one parent: a number for each interval or state, or a curve; and how much of it goes to each state."""

    parent: str
    scores: Floats
    levels: Floats | None = None
    cuts: Floats | None = None
    curve: Callable[[Floats], Floats] | None = None

    def of(self, values: Floats) -> Floats:
        """The effect in each row (first axis) on each state of the child (second axis)."""
        if self.levels is not None:
            codes = values if self.cuts is None else np.searchsorted(self.cuts, values)
            return np.outer(self.levels[codes.astype(np.intp)], self.scores)
        return np.outer(values if self.curve is None else self.curve(values), self.scores)


@dataclass(frozen=True)
class _Variable:
    """How one variable follows from its parents; a continuous one acts by its distance from `centre` in `spread`."""

    name: str
    states: int  # 0 of a continuous variable
    offsets: Floats
    effects: tuple[_Effect, ...]
    skewed: bool
    centre: float = 0.0
    spread: float = 1.0

    def draw(self, acting: Mapping[str, Floats], n: int, random: Random) -> Floats:
        total = np.tile(self.offsets, (n, 1))
        for effect in self.effects:
            total += effect.of(acting[effect.parent])
        if self.states:
            return np.asarray(np.argmax(total + random.gumbel(size=total.shape), axis=1), dtype=np.float64)
        noise = random.exponential(size=n) - 1.0 if self.skewed else random.normal(size=n)
        return np.asarray(total[:, 0] + noise)

    def acting(self, values: Floats) -> Floats:
        """The values as they act on children: codes, or standardized numbers."""
        return values if self.states else np.asarray((values - self.centre) / self.spread)

    def column(self, values: Floats) -> Column:
        if not self.states:
            return Column.continuous(self.name, values)
        return Column.discrete(self.name, values.astype(np.uint8), [f"s{k + 1}" for k in range(self.states)])


@dataclass(frozen=True)
class Mechanisms:
    """A truth that is no conditional Gaussian network: variables with parents before children."""

    dag: DAG
    variables: tuple[_Variable, ...]

    def sample(self, n: int, seed: int = 0) -> Data:
        """So many rows, the same for the same seed."""
        random = np.random.default_rng(seed)
        acting: dict[str, Floats] = {}
        columns: dict[str, Column] = {}
        for variable in self.variables:
            values = variable.draw(acting, n, random)
            acting[variable.name] = variable.acting(values)
            columns[variable.name] = variable.column(values)
        return Data([columns[name] for name in self.dag.names])


def _random_mechanisms(dag: DAG, setting: Setting, random: Random) -> Mechanisms:
    """Centres and spreads are those of a pilot sample, drawn along with the parameters."""
    mixed = random.permutation(len(dag.names))
    measured = {dag.names[i] for i in mixed[: round(setting.continuous * len(dag.names))]}
    states = {v: 0 if v in measured else int(random.integers(STATES[0], STATES[1] + 1)) for v in dag.names}
    variables: list[_Variable] = []
    pilot: dict[str, Floats] = {}
    for v in dag.topological_order():
        r = states[v]
        effects = tuple(_random_effect(u, states[u], r, setting, random) for u in dag.parents(v))
        offsets = random.normal(scale=0.3, size=r) if r else np.zeros(1)
        made = _Variable(v, r, offsets, effects, setting.mechanism == "skewed")
        values = made.draw(pilot, _PILOT_ROWS, random)
        if not r:
            made = _Variable(v, r, offsets, effects, made.skewed, float(values.mean()), float(values.std()))
        pilot[v] = made.acting(values)
        variables.append(made)
    return Mechanisms(dag, tuple(variables))


def _random_effect(parent: str, parent_states: int, child_states: int, setting: Setting, random: Random) -> _Effect:
    unit = _spaced(child_states, _SCORES, random) if child_states else np.array([random.choice([-1.0, 1.0])])
    scores = setting.strength * unit
    if parent_states:
        return _Effect(parent, scores, _spaced(parent_states, _EFFECTS, random))
    if setting.mechanism == "thresholds":
        cuts = np.sort(random.uniform(-1.0, 1.0, size=random.integers(1, 3)))
        return _Effect(parent, scores, _spaced(len(cuts) + 1, _EFFECTS, random), cuts)
    scores = scores * random.uniform(*_EFFECTS)
    if setting.mechanism == "nonlinear":
        return _Effect(parent, scores, curve=_CURVES[int(random.integers(len(_CURVES)))])
    return _Effect(parent, scores)


def _spaced(number: int, steps: tuple[float, float], random: Random) -> Floats:
    """Numbers around zero, in a random order, each a random step from the next."""
    levels = np.concatenate([[0.0], np.cumsum(random.uniform(*steps, size=number - 1))])
    return np.asarray(random.permutation(levels - levels.mean()))
