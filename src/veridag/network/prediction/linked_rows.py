"""The target in rows with missing values or continuous variables: by the missing values that are linked with it.

Given what a row has, the target depends only on the missing variables that families link it with, perhaps over
others. Rows that lack the same of these are answered together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from veridag.errors import InputError
from veridag.network.incomplete.component import Component, Numbers, components
from veridag.network.incomplete.parts import barren
from veridag.network.matching import Rows
from veridag.network.parameters import Floats
from veridag.network.query import JointGaussian, JointMixture, JointTable

Impossible = Callable[[int], InputError]


def of_states(rows: Rows, target: str, impossible: Impossible) -> Floats:
    """P(target | row), rows x states, of a discrete target."""
    states = len(rows.network.states[target])
    found = np.empty((len(rows.missing), states))
    if not _has_densities(rows):
        for i, answer in _one_by_one(rows, target):
            assert isinstance(answer, JointTable)
            found[i] = answer.probabilities
        return found
    numbers = Numbers(rows.network)
    for part in _parts(rows, target):
        posterior, _ = part.posterior(numbers)
        _refuse_impossible(part, posterior.log_probability, impossible)
        scope = part.scopes[target]
        table = posterior.marginal(scope).reshape(-1, *(len(rows.network.states[v]) for v in scope))
        others = tuple(1 + j for j, v in enumerate(scope) if v != target)
        found[part.rows] = table.sum(axis=others)
    return found


def of_numbers(rows: Rows, target: str, impossible: Impossible) -> tuple[Floats, Floats]:
    """E[target | row] and the standard deviation, of a continuous target.

    With the configurations d of the missing discrete variables that matter, E = sum_d P(d | row) m_d, and the variance
    is sum_d P(d | row) (s_d^2 + (m_d - E)^2).
    """
    mean, sd = np.empty(len(rows.missing)), np.empty(len(rows.missing))
    if not _has_densities(rows):
        for i, answer in _one_by_one(rows, target):
            assert isinstance(answer, JointGaussian | JointMixture)
            mean[i], sd[i] = answer.mean[0], answer.sd[0]
        return mean, sd
    numbers = Numbers(rows.network)
    for part in _parts(rows, target):
        posterior, normals = part.posterior(numbers)
        _refuse_impossible(part, posterior.log_probability, impossible)
        [(block, normal)] = [pair for pair in zip(part.blocks, normals, strict=True) if target in pair[0].hidden]
        at = block.hidden.index(target)
        m, variance = normal.mean[..., at], (normal.root[..., at, :] ** 2).sum(axis=-1)
        weights = posterior.marginal(block.scope) if block.scope else np.ones((len(part.rows), 1))
        centre = (weights * m).sum(axis=1)
        mean[part.rows] = centre
        sd[part.rows] = np.sqrt((weights * (variance + (m - centre[:, None]) ** 2)).sum(axis=1))
    return mean, sd


def _parts(rows: Rows, target: str) -> list[Component]:
    """What is linked with the target. What has no observed descendants is left out, but not the target itself."""
    asked = rows.missing.copy()
    asked[:, rows.at[target]] = False
    return components(rows, barren(rows.network, asked), target)


def _refuse_impossible(part: Component, log_probability: Floats, impossible: Impossible) -> None:
    if (log_probability == -np.inf).any():
        raise impossible(int(part.rows[(log_probability == -np.inf).argmax()]))


def _has_densities(rows: Rows) -> bool:
    return all((own.sds > 0).all() for own in rows.regressions.values())


def _one_by_one(rows: Rows, target: str) -> Iterator[tuple[int, JointTable | JointGaussian | JointMixture]]:
    """Where a standard deviation is zero, exact queries answer each row."""
    network = rows.network
    for i in range(len(rows.missing)):
        evidence: dict[str, str | float] = {
            v: network.states[v][rows.states[i, j]] if v in network.states else float(rows.values[i, j])
            for v, j in rows.at.items()
            if not rows.missing[i, j]
        }
        yield i, network.query(target, evidence)
