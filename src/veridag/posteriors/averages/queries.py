"""Queries averaged over networks: the answer of each, weighted by how well it explains the evidence."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veridag.errors import InputError, setting
from veridag.network import Network
from veridag.network.incomplete.observed import evidence_log_probability
from veridag.network.query import MAX_ENTRIES, Asked, JunctionTree, mixture
from veridag.network.query.gaussian import condition
from veridag.posteriors.diagnostics import standard_error
from veridag.progress import Progress

from .answers import AveragedMixture, AveragedTable

if TYPE_CHECKING:
    from .average import NetworkAverage

Floats = NDArray[np.float64]

#: Series whose standard errors are computed together.
_SERIES = 64


class Answer(NamedTuple):
    """Of one network: log P(evidence), the table of discrete targets, and moments of the others in its cells."""

    log_evidence: float
    probabilities: Floats  # cell
    means: Floats  # cell, variable
    covariances: Floats  # cell, variable, variable


def averaged_answer(
    average: NetworkAverage, asked: Asked, progress: Progress | None
) -> AveragedTable | AveragedMixture:
    """The answer of all networks together."""
    states = tuple(average.states[v] for v in asked.discrete)
    shape = [len(own) for own in states]
    parts, own = average.parts((*asked.targets, *asked.codes, *asked.values))
    _refuse_large(average, len(parts), prod(shape), len(asked.continuous))
    answers = []
    for i, (dag, variables) in enumerate(parts):
        if progress is not None:
            progress("networks", i, len(parts), {})
        answers.append(_answer(average.network(dag, variables), asked, prod(shape)))
    log_w = np.array([answer.log_evidence for answer in answers])
    if log_w.max() == -np.inf:
        given = ", ".join(f"{v} = {value}" for v, value in asked.given)
        raise InputError(f"evidence: {given} has probability zero under all networks: change the evidence")
    w = np.exp(log_w - log_w.max())
    which = own[average.which]  # the answer of each draw
    share = w * np.bincount(which, minlength=len(w))
    share /= share.sum()
    p = np.stack([answer.probabilities for answer in answers])
    m = np.stack([answer.means for answer in answers])
    probabilities = np.tensordot(share, p, axes=1)
    relative = w[which] / w[which].mean()

    def errors(values: Floats, mean: Floats) -> Floats:
        """The standard error of sum w x / sum w, by that of the mean of w (x - ratio) / mean w."""
        columns = range(0, values.shape[1], _SERIES)
        return np.concatenate(
            [
                standard_error(
                    (relative[:, None] * (values - mean)[which, at : at + _SERIES]).reshape(*average.shape, -1)
                )
                for at in columns
            ]
        )

    spread = errors(p, probabilities).reshape(shape)
    table = probabilities.reshape(shape)
    if not asked.continuous:
        return AveragedTable(asked.targets, states, table, asked.given, errors=spread, networks=average.networks)
    s = np.stack([answer.covariances for answer in answers])
    means, covariances = _moments(share, p, m, s)
    of_network = np.einsum("gc,gci->gi", p, np.where(p[..., None] > 0, m, 0.0))
    mean_errors = errors(of_network, share @ of_network)
    k = len(asked.continuous)
    return AveragedMixture(
        asked.discrete,
        asked.continuous,
        states,
        table,
        means.reshape(*shape, k),
        covariances.reshape(*shape, k, k),
        asked.given,
        errors=spread,
        mean_errors=mean_errors,
        networks=average.networks,
    )


def _moments(share: Floats, p: Floats, m: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance in each cell of a mixture of networks; not a number where a cell is impossible."""
    joint = share[:, None] * p  # network, cell
    there = joint > 0
    m, s = np.where(there[..., None], m, 0.0), np.where(there[..., None, None], s, 0.0)
    with np.errstate(invalid="ignore"):
        weight = joint / joint.sum(axis=0)
    mean = np.einsum("gc,gci->ci", weight, m)
    apart = m - mean
    within = np.einsum("gc,gcij->cij", weight, s)
    return mean, within + np.einsum("gc,gci,gcj->cij", weight, apart, apart)


def _answer(network: Network, asked: Asked, cells: int) -> Answer:
    """What one network says; targets, evidence and their ancestors are all that it holds."""
    k = len(asked.continuous)
    none = np.zeros((cells, k)), np.zeros((cells, k, k))
    if network.kind == "discrete":
        tree = JunctionTree(network, [asked.targets], thorough=False)
        row = np.array([[asked.codes.get(v, -1) for v in network.names]], np.int32)
        (table,), found = tree.posteriors(row, [asked.targets])
        return Answer(float(found[0]), table.reshape(-1), *none)
    log_p = evidence_log_probability(network, asked.codes, asked.values) if asked.given else 0.0
    if log_p == -np.inf:
        return Answer(log_p, np.zeros(cells), *none)
    if network.is_gaussian:
        mean, covariance = condition(network, asked.targets, asked.values)
        return Answer(log_p, np.ones(1), mean[None], covariance[None])
    p, m, s = mixture(network, asked.discrete, asked.continuous, asked.codes, asked.values)
    return Answer(log_p, p.reshape(cells), m.reshape(cells, k), s.reshape(cells, k, k))


def _refuse_large(average: NetworkAverage, networks: int, cells: int, k: int) -> None:
    entries = networks * cells * (1 + k + k * k)
    if entries > MAX_ENTRIES:
        raise InputError(
            f"targets: their answers from {networks} networks have {float(entries):.3g} entries, and the limit is "
            f"{MAX_ENTRIES:.3g}: ask for fewer targets, or use fewer networks, {setting('networks', 200)}"
        )
