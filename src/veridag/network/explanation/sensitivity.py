"""`sensitivity`: how an answer changes with each entry of the network's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from veridag.display import ROWS, aligned, more, table
from veridag.errors import InputError
from veridag.network.ancestral import ancestral_part
from veridag.network.network import Network
from veridag.network.parameters import Floats, Table
from veridag.network.query import Asked, JunctionTree

from .most_probable import refuse_impossible


class ParameterSensitivity(NamedTuple):
    """One entry of a table, and how the answer depends on it.

    Attributes:
        variable: The variable of the table.
        state: The state of the entry.
        given: The states of the parents.
        value: The entry: P(variable = state | given).
        derivative: The derivative of the answer with respect to the entry.
        lowest, highest: The range of the answer over all values of the entry.
        flip: The nearest value at which the most probable state of the target changes; None if no value does that.
        becomes: The state that it changes to; None if there is none.
    """

    variable: str
    state: str
    given: tuple[tuple[str, str], ...]
    value: float
    derivative: float
    lowest: float
    highest: float
    flip: float | None
    becomes: str | None

    @property
    def name(self) -> str:
        """The entry as a conditional probability, ``P(lung = yes | smoke = no)``."""
        given = ", ".join(f"{u} = {state}" for u, state in self.given)
        return f"P({self.variable} = {self.state}{' | ' + given if given else ''})"

    @property
    def change(self) -> float | None:
        """How far the entry must move for another state to become the most probable."""
        return None if self.flip is None else self.flip - self.value


class Curves(NamedTuple):
    """What `ParameterSensitivity` has, as arrays in the shape of the table of one variable.

    Attributes:
        values: The entries.
        derivative: The derivatives of the answer.
        lowest, highest: The range of the answer.
        flip: The nearest values at which the most probable state changes; not a number if there is none.
        becomes: The number of the state that it changes to.
    """

    values: Floats
    derivative: Floats
    lowest: Floats
    highest: Floats
    flip: Floats  # not a number where there is none
    becomes: np.ndarray  # the number of a state of the target


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """How P(target = state | evidence) depends on the tables of the network.

    Variables that are neither the target nor observed nor an ancestor of these have no influence and are left out.

    Attributes:
        network: The network.
        target: The variable.
        state: Its state.
        evidence: The evidence.
        probability: The answer.
        most_probable: The most probable state of the target.
        curves: The numbers for each variable.

    See also:
        `Network.sensitivity`, docs/prediction.md
    """

    network: Network
    target: str
    state: str
    evidence: tuple[tuple[str, str | float], ...]
    probability: float
    most_probable: str
    curves: Mapping[str, Curves]

    @property
    def derivatives(self) -> dict[str, Floats]:
        """The derivative by every entry of each table, in the table's shape."""
        return {v: own.derivative for v, own in self.curves.items()}

    @property
    def flips(self) -> dict[str, Floats]:
        """The nearest value of every entry that changes the most probable state; not a number if none does."""
        return {v: own.flip for v, own in self.curves.items()}

    @cached_property
    def entries(self) -> tuple[ParameterSensitivity, ...]:
        """All entries, those with the largest derivatives first."""
        found = [self._entry(v, where) for v, own in self.curves.items() for where in np.ndindex(own.values.shape)]
        return tuple(sorted(found, key=lambda entry: -abs(entry.derivative)))

    @property
    def nearest_flips(self) -> tuple[ParameterSensitivity, ...]:
        """The entries that can change the most probable state, the smallest change first."""
        able = [entry for entry in self.entries if entry.change is not None]
        return tuple(sorted(able, key=lambda entry: abs(entry.change or 0.0)))

    def _entry(self, variable: str, where: tuple[int, ...]) -> ParameterSensitivity:
        states, own = self.network.states, self.curves[variable]
        given = zip(self.network.cpds[variable].parents, where, strict=False)
        flip = float(own.flip[where])
        return ParameterSensitivity(
            variable,
            states[variable][where[-1]],
            tuple((u, states[u][k]) for u, k in given),
            float(own.values[where]),
            float(own.derivative[where]),
            float(own.lowest[where]),
            float(own.highest[where]),
            None if np.isnan(flip) else flip,
            None if np.isnan(flip) else states[self.target][own.becomes[where]],
        )

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                e.name,
                f"{e.value:.6g}",
                f"{e.derivative:.6g}",
                f"{e.lowest:.4g} to {e.highest:.4g}",
                "" if e.flip is None else f"{e.becomes} at {e.flip:.6g}",
            )
            for e in self.entries[:ROWS]
        ]

    def _head(self) -> str:
        given = ", ".join(f"{v} = {x}" for v, x in self.evidence)
        return f"P({self.target} = {self.state}{' | ' + given if given else ''}) = {self.probability:.6g}"

    def _repr_html_(self) -> str:
        return table(_COLUMNS, self._rows(), self._head()) + more(len(self.entries))

    def __repr__(self) -> str:
        left = f"\n... and {len(self.entries) - ROWS} more" if len(self.entries) > ROWS else ""
        return f"{self._head()}\n" + aligned([_COLUMNS, *self._rows()]) + left


#: A share of P(evidence) that is rounding alone.
_NOTHING = 1e-12

_COLUMNS = ("entry", "value", "derivative", "range of the answer", "most probable becomes")


def sensitivity(network: Network, target: Mapping[str, str], evidence: Mapping[str, str] | None = None) -> Sensitivity:
    """How P(target = state | evidence) changes with each entry of the tables; `Network.sensitivity` says more.

    With the other entries of its row in proportion, P(s, evidence) is linear in an entry x for each state s of the
    target (Castillo et al. 1997), so that the answer is a ratio of linear functions (Chan and Darwiche 2002). The
    slope of P(s, evidence) is d_k - sum over i != k of c_i d_i, where d_i is the derivative by entry i alone, and c_i
    its share of the row without k. As d_i = P(s, evidence, family) / x_i, one propagation for each state of the target
    gives them all, and one more for each variable of which an entry is zero.
    """
    if network.kind != "discrete":
        raise InputError(
            f"network: {next(v for v in network.names if v not in network.states)!r} is continuous, and sensitivity is "
            f"computed for networks in which all variables are discrete: discretize the data before you fit"
        )
    if not isinstance(target, Mapping) or len(target) != 1:
        raise InputError(f"target={target!r}: give one variable with its state, such as {{'lung': 'yes'}}")
    [(name, state)] = target.items()
    asked = Asked.of(network.names, network.states, name, evidence)
    if state not in network.states[name]:
        raise InputError(f"target: {name!r} has no state {state!r}: choose from {', '.join(network.states[name])}")
    part = ancestral_part(network, (name, *asked.codes))
    rows = np.array([[asked.codes.get(v, -1) for v in part.names]] * len(part.states[name]), np.int32)
    rows[:, part.names.index(name)] = np.arange(len(rows))
    tree = JunctionTree(part)
    log_p = tree.log_probabilities(rows)
    refuse_impossible(asked, float(log_p.max()))
    log_evidence = float(np.logaddexp.reduce(log_p))
    p = np.exp(log_p - log_evidence)
    curves, at = {}, list(part.states[name]).index(state)
    for v, slopes in _slopes(tree, rows, log_evidence).items():
        own = part.table(v).probabilities
        curves[v] = _curves(own / own.sum(axis=-1, keepdims=True), slopes, p, at)
    most = part.states[name][int((p >= p.max() * (1 - 1e-9)).argmax())]
    return Sensitivity(network, name, state, asked.given, float(p[at]), most, curves)


def _slopes(tree: JunctionTree, rows: np.ndarray, log_evidence: float) -> dict[str, Floats]:
    """The slope of P(s, evidence) / P(evidence) in every entry, for each state s: [s, *entry]."""
    network = tree.network
    families = [(*network.cpds[v].parents, v) for v in network.names]
    joints = _joint(tree, rows, families, log_evidence)
    found = {}
    for v, joint in zip(network.names, joints, strict=True):
        own = network.table(v).probabilities
        theta = own / own.sum(axis=-1, keepdims=True)
        if (theta > 0).all():
            alone = joint / theta
        else:  # nothing can be divided by zero: with equal entries the same is d_i / r
            flat = Table(network.cpds[v].parents, np.full(theta.shape, 1 / theta.shape[-1]))
            other = tree.with_parameters(Network({**network.cpds, v: flat}, network.states))
            [equal] = _joint(other, rows, [families[network.names.index(v)]], log_evidence)
            alone = equal * theta.shape[-1]
        found[v] = _slope(theta, alone)
    return found


def _joint(tree: JunctionTree, rows: np.ndarray, families: list[tuple[str, ...]], log_evidence: float) -> list[Floats]:
    """P(s, evidence, family) / P(evidence) for each row s and family."""
    tables, log_p = tree.posteriors(rows, families)
    share = np.exp(log_p - log_evidence)
    return [t * share.reshape(-1, *[1] * (t.ndim - 1)) for t in tables]


def _slope(theta: Floats, alone: Floats) -> Floats:
    """d_k - sum over i != k of c_i d_i; where an entry is 1, the others share what it loses equally."""
    r = theta.shape[-1]
    if r == 1:
        return np.zeros(alone.shape)
    others = 1.0 - np.eye(r)
    left = theta @ others
    weighted = (alone * theta) @ others
    equally = (alone @ others) / (r - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(alone - np.where(left > 0, weighted / left, equally))


def _curves(theta: Floats, slopes: Floats, p: Floats, at: int) -> Curves:
    """What follows from P(s, evidence)(x) = p_s + slope_s (x - theta), up to a factor, for every entry x."""
    shape = (-1, *[1] * theta.ndim)
    base = p.reshape(shape)
    derivative = slopes[at] - p[at] * slopes.sum(axis=0)
    ends = []
    for x in (0.0, 1.0):
        joint = np.maximum(base + slopes * (x - theta), 0.0)
        total = joint.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            # If no evidence is left there, both are in proportion to x, and the answer is the same for all x.
            ends.append(np.where(total > _NOTHING, joint[at] / total, p[at]))
    best = int((p >= p.max() * (1 - 1e-9)).argmax())
    with np.errstate(invalid="ignore", divide="ignore"):
        cross = theta + (p[best] - base) / (slopes - slopes[best])
        able = (cross >= 0) & (cross <= 1) & (base + slopes * (cross - theta) > _NOTHING)
    able[best] = False
    distance = np.where(able, np.abs(cross - theta), np.inf)
    becomes = distance.argmin(axis=0)
    flip = np.take_along_axis(np.where(able, cross, np.nan), becomes[None], axis=0)[0]
    return Curves(theta, derivative, np.minimum(*ends), np.maximum(*ends), flip, becomes)
