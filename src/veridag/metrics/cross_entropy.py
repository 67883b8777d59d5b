"""Cross-entropy and the Kullback-Leibler divergence between networks, and the log-loss of a network on data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from veridag.checks import SEED
from veridag.data import Data
from veridag.errors import InputError
from veridag.network import Network
from veridag.network.query import TooLarge, conditional, joint_tables, mixture, moments

Floats = NDArray[np.float64]


class Estimate(float):
    """A number with its standard error.

    Args:
        value: The number.
        standard_error: The standard error; 0 if the number is exact.
        n: The number of observations behind it; 0 if the number is exact.

    See also:
        `cross_entropy`, `log_loss`
    """

    standard_error: float
    n: int

    def __new__(cls, value: float, standard_error: float = 0.0, n: int = 0) -> Estimate:
        """A number is made whole at once, since it cannot change."""
        made = super().__new__(cls, value)
        made.standard_error = float(standard_error)
        made.n = int(n)
        return made

    @classmethod
    def from_values(cls, values: Floats, weights: NDArray[np.int64] | None = None) -> Estimate:
        """The mean of independent values, with the standard error s / sqrt(n)."""
        w = np.ones(len(values)) if weights is None else weights.astype(np.float64)
        values, w = values[w > 0], w[w > 0]
        n = float(w.sum())
        if not n:
            raise InputError("there are no rows to average over")
        mean = float(w @ values) / n
        if not np.isfinite(mean) or n < 2:
            return cls(mean, float("inf"), int(n))
        return cls(mean, float(np.sqrt(w @ (values - mean) ** 2 / (n - 1) / n)), int(n))

    @property
    def value(self) -> float:
        """The number alone."""
        return float(self)

    def __reduce__(self) -> tuple[object, ...]:
        return Estimate, (float(self), self.standard_error, self.n)

    def __repr__(self) -> str:
        return f"{float(self):.6g} ± {self.standard_error:.2g}" if self.n else repr(float(self))

    __str__ = __repr__


def cross_entropy(p: Network, q: Network, n: int | None = None, seed: int = 0, *, jobs: int = 1) -> Estimate:
    r"""Compute the cross-entropy H(p, q) = -E_p log q(x) in nats: how well q describes data from p; lower is better.

    Without `n`, the value is exact: $-\sum_i \sum_j \sum_k p(x_{ik}, w_{ij}) \log q(x_{ik} | w_{ij})$, where $w_{ij}$
    are the configurations of the parents of $X_i$ in *q*, and their joint probability with $X_i$ is inferred in p
    (Viinikka 2019, eq. 11; with the parents of q, it holds for different structures too). A continuous variable
    contributes $E_p [\log(2 \pi s_d^2) / 2 + (x - a_d - b_d \cdot y)^2 / (2 s_d^2)]$, where d are the states of its
    discrete parents in q, and y the values of the continuous ones. This needs only the first two moments in p, which
    are exact.

    The value is infinite if q gives probability 0 to something that p can produce.

    Args:
        p: The network that the data comes from, such as the true one.
        q: The network to evaluate.
        n: Estimate the value from this many rows sampled from p; exact if None. Use it if the exact value needs tables
            that are too large. The rows are not those of ``p.sample(n, seed)``, from which q may have been learned.
        seed: Seed of the random numbers. The same seed gives the same result.
        jobs: Number of threads.

    See also:
        `kl_divergence`, `log_loss`, docs/metrics.md
    """
    _check(p, q)
    if n is None:
        joint = _family_tables(p, q)
        return Estimate(
            sum(_discrete_term(p, q, v, joint.get(v)) if v in q.states else _continuous_term(p, q, v) for v in q.names)
        )
    sample = _fresh_rows(p, n, seed, jobs)
    return Estimate.from_values(-np.asarray(q.log_likelihood(sample, by_row=True)))


def kl_divergence(p: Network, q: Network, n: int | None = None, seed: int = 0, *, jobs: int = 1) -> Estimate:
    """Compute the Kullback-Leibler divergence H(p, q) - H(p) in nats; 0 if p and q are the same distribution.

    The definition is that of Viinikka (2019, eq. 10). With `n`, it is the mean of log p(x) - log q(x) over n rows from
    p.

    Args:
        p: The network that the data comes from, such as the true one.
        q: The network to evaluate.
        n, seed, jobs: As in `cross_entropy`.

    See also:
        `cross_entropy`, docs/metrics.md
    """
    if n is None:
        return Estimate(float(cross_entropy(p, q)) - float(cross_entropy(p, p)))
    _check(p, q)
    sample = _fresh_rows(p, n, seed, jobs)
    ours, theirs = p.log_likelihood(sample, by_row=True), q.log_likelihood(sample, by_row=True)
    return Estimate.from_values(np.asarray(ours) - np.asarray(theirs))


def log_loss(network: Network, data: Data | Any) -> Estimate:
    """Compute the mean of -log q(x) over the rows of a test set, in nats, with its standard error; lower is better.

    It estimates the cross-entropy between the distribution of the data and the network (Viinikka 2019, section 2.7.3).

    Args:
        network: The network to evaluate.
        data: The test set: a `Data` or a data frame.

    See also:
        `cross_validate`, `cross_entropy`, docs/metrics.md
    """
    data = Data.of(data)
    return Estimate.from_values(-np.asarray(network.log_likelihood(data, by_row=True)), data.weights)


def _check(p: object, q: object) -> None:
    for argument, network in (("p", p), ("q", q)):
        if not isinstance(network, Network):
            raise InputError(f"{argument}: a Network is needed, not a {type(network).__name__}: create one with vd.fit")
    assert isinstance(p, Network)
    assert isinstance(q, Network)
    if sorted(p.names) != sorted(q.names):
        odd = sorted(set(p.names) ^ set(q.names))[0]
        raise InputError(f"p and q need the same variables, but {odd!r} is in only one of them")
    for v in p.names:
        if (v in p.states) != (v in q.states):
            one, other = ("discrete", "continuous") if v in p.states else ("continuous", "discrete")
            raise InputError(f"p and q need variables of the same kinds, but {v!r} is {one} in p and {other} in q")
    for v in p.states:
        if set(p.states[v]) != set(q.states[v]):
            raise InputError(f"p and q need the same states, but {v!r} has {p.states[v]} in p and {q.states[v]} in q")


def _fresh_rows(p: Network, n: int, seed: int, jobs: int) -> Data:
    """Rows from p that are not the first ones of ``p.sample`` with a seed that a user would choose.

    A network learned from ``p.sample(1000, seed=1)`` must not be judged, with the seed 1 again, on the same rows.
    """
    apart = np.random.SeedSequence(SEED("seed", seed)).spawn(1)[0].generate_state(1, np.uint64)[0]
    return p.sample(n, int(apart), jobs=jobs)


def _family_tables(p: Network, q: Network) -> dict[str, Floats]:
    """The joint distributions in p of the families of q, if one junction tree gives them all at little cost."""
    if p.kind != "discrete":
        return {}
    tables = joint_tables(p, [(*q.cpds[v].parents, v) for v in q.names])
    return dict(zip(q.names, tables or (), strict=False))


def _discrete_term(p: Network, q: Network, variable: str, joint: Floats | None) -> float:
    """-sum_jk p(x_k, w_j) log q(x_k | w_j) for one variable, whose family has the `joint` distribution p if known."""
    table = q.table(variable)
    family = (*table.parents, variable)
    if joint is None:
        with _naming_the_remedy(variable):
            joint = conditional(p, family, {})
    order = [[q.states[v].index(state) for state in p.states[v]] for v in family]
    with np.errstate(divide="ignore"):
        log_q = np.log(table.probabilities[np.ix_(*order)])
    possible = joint > 0  # what p cannot produce does not matter
    return -float(joint[possible] @ log_q[possible])


def _continuous_term(p: Network, q: Network, variable: str) -> float:
    """E_p [log(2 pi s_d^2) / 2 + (x - a_d - b_d . y)^2 / (2 s_d^2)] for one variable; d are its discrete parents."""
    cpd = q.conditional_gaussian(variable)
    family = (*cpd.continuous, variable)
    if p.is_gaussian:
        weight, (mean, covariance) = np.ones(()), moments(p, family)
    else:
        with _naming_the_remedy(variable):
            weight, mean, covariance = mixture(p, cpd.discrete, family, {}, {})
    possible = weight > 0  # what p cannot produce does not matter
    order = np.ix_(*([q.states[v].index(state) for state in p.states[v]] for v in cpd.discrete))
    intercept, sd = cpd.intercepts[order][possible], cpd.sds[order][possible]
    if not sd.all():
        raise InputError(f"q: {variable!r} has standard deviation 0 and so no density: give it a positive one")
    slopes = np.concatenate([-cpd.coefficients[order][possible], np.ones((len(sd), 1))], axis=1)
    middle = np.einsum("ci,ci->c", slopes, mean[possible]) - intercept
    square = middle**2 + np.einsum("ci,cij,cj->c", slopes, covariance[possible], slopes)
    return float(weight[possible] @ (0.5 * np.log(2 * np.pi * sd**2) + square / (2 * sd**2)))


@contextmanager
def _naming_the_remedy(variable: str) -> Iterator[None]:
    try:
        yield
    except TooLarge as error:
        raise TooLarge(
            f"n: the exact value needs, for the family of {variable!r}, a table of {float(error.entries):.3g} entries "
            "in p: pass n=, a number of rows to sample",
            error.variables,
            error.entries,
        ) from error
