"""Slow, obvious versions of the scores, written from the papers alone: the oracle for those of the package."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, factorial, lgamma, log, pi, prod

import numpy as np

from veridag import Data, Network

Counts = dict[tuple[str, ...], Counter[str]]


def rows(data: Data) -> list[dict[str, str]]:
    """The observations, a row of weight w being there w times, with the names of states."""
    weights = [1] * data.nrows if data.weights is None else data.weights.tolist()
    return [
        {v: data.states[v][data.column(v)[i]] for v in data.names} for i in range(data.nrows) for _ in range(weights[i])
    ]


def counts(data: Data, child: str, parents: list[str]) -> Counts:
    found: Counts = {}
    for row in rows(data):
        found.setdefault(tuple(row[p] for p in parents), Counter())[row[child]] += 1
    return found


def sizes(data: Data, child: str, parents: list[str]) -> tuple[int, int]:
    """r and q: of the declared states, not of the observed ones."""
    return len(data.states[child]), prod(len(data.states[p]) for p in parents)


def loglik(data: Data, child: str, parents: list[str]) -> float:
    total = 0.0
    for states in counts(data, child, parents).values():
        n_ij = sum(states.values())
        for n_ijk in states.values():
            total += n_ijk * log(n_ijk / n_ij)
    return total


def aic(data: Data, child: str, parents: list[str]) -> float:
    r, q = sizes(data, child, parents)
    return loglik(data, child, parents) - q * (r - 1)


def bic(data: Data, child: str, parents: list[str], gamma: float = 0) -> float:
    r, q = sizes(data, child, parents)
    n = len(rows(data))
    return loglik(data, child, parents) - q * (r - 1) * (log(n) / 2 + gamma * log(len(data.names)))


def bd(data: Data, child: str, parents: list[str], alpha_ijk: float) -> float:
    total = 0.0
    for states in counts(data, child, parents).values():
        alpha_ij = alpha_ijk * len(data.states[child])
        total += lgamma(alpha_ij) - lgamma(alpha_ij + sum(states.values()))
        for state in data.states[child]:
            total += lgamma(alpha_ijk + states[state]) - lgamma(alpha_ijk)
    return total


def k2(data: Data, child: str, parents: list[str]) -> float:
    return bd(data, child, parents, 1)


def jeffreys(data: Data, child: str, parents: list[str]) -> float:
    return bd(data, child, parents, 0.5)


def bdeu(data: Data, child: str, parents: list[str], ess: float = 1) -> float:
    r, q = sizes(data, child, parents)
    return bd(data, child, parents, ess / (r * q))


def bds(data: Data, child: str, parents: list[str], ess: float = 1) -> float:
    r, _ = sizes(data, child, parents)
    return bd(data, child, parents, ess / (r * len(counts(data, child, parents))))


def bde(data: Data, child: str, parents: list[str], ess: float, network: Network) -> float:
    """By the whole joint distribution of the network, state by state."""
    alpha: Counter[tuple[str, ...]] = Counter()
    for states in product(*(network.states[v] for v in network.names)):
        row = dict(zip(network.names, states, strict=True))
        p = 1.0
        for v in network.names:
            table = network.table(v)
            p *= table.probabilities[tuple(network.states[u].index(row[u]) for u in (*table.parents, v))]
        alpha[(*(row[v] for v in parents), row[child])] += ess * p  # type: ignore[assignment]
    total = 0.0
    for j, states in counts(data, child, parents).items():
        alpha_ij = sum(alpha[(*j, k)] for k in data.states[child])
        total += lgamma(alpha_ij) - lgamma(alpha_ij + sum(states.values()))
        for k in states:
            total += lgamma(alpha[(*j, k)] + states[k]) - lgamma(alpha[(*j, k)])
    return total


def complexity_by_definition(n: int, r: int) -> Fraction:
    """The sum over all k_1 + ... + k_r = n."""
    total = Fraction(0)
    for ks in product(range(n + 1), repeat=r):
        if sum(ks) == n:
            total += factorial(n) * prod(Fraction(k**k, factorial(k) * n**k) for k in ks)
    return total


@cache
def _positive_parts(n: int) -> tuple[Fraction, ...]:
    """For each m, the sum over k_1 + ... + k_m = n in which no part is 0."""
    each = [Fraction(0)] + [Fraction(k**k, factorial(k)) for k in range(1, n + 1)]
    power = [Fraction(1)] + [Fraction(0)] * n
    sums = []
    for _ in range(n + 1):
        sums.append(power[n] * factorial(n) / Fraction(n) ** n)
        power = [sum((power[i] * each[s - i] for i in range(s)), Fraction(0)) for s in range(n + 1)]
    return tuple(sums)


def complexity(n: int, r: int) -> Fraction:
    """The same sum by the number m of states that occur, which may be chosen in (r over m) ways: for any r."""
    if n == 0:
        return Fraction(1)
    return sum((comb(r, m) * part for m, part in enumerate(_positive_parts(n))), Fraction(0))


def log_fraction(x: Fraction) -> float:
    return log(x.numerator) - log(x.denominator)


def fnml(data: Data, child: str, parents: list[str]) -> float:
    r, _ = sizes(data, child, parents)
    penalty = sum(log_fraction(complexity(s.total(), r)) for s in counts(data, child, parents).values())
    return loglik(data, child, parents) - penalty


def qnml(data: Data, child: str, parents: list[str]) -> float:
    r, q = sizes(data, child, parents)
    n = len(rows(data))
    return loglik(data, child, parents) - log_fraction(complexity(n, r * q) / complexity(n, q))


def gaussian_loglik(data: Data, child: str, parents: list[str]) -> float:
    """By least squares on the rows."""
    x, y = expanded(data, parents), expanded(data, [child])[:, 0]
    design = np.column_stack([np.ones(len(y)), x])
    residuals = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    variance = np.mean(residuals**2)
    return float(sum(-0.5 * log(2 * pi * variance) - e**2 / (2 * variance) for e in residuals))


def expanded(data: Data, names: list[str]) -> np.ndarray:
    """The values of continuous columns, a row of weight w being there w times."""
    x = np.column_stack([np.zeros((data.nrows, 0)), *(data.column(v) for v in names)])
    return x if data.weights is None else np.repeat(x, data.weights, axis=0)


def bge(
    data: Data, child: str, parents: list[str], a_mu: float, a_w: float, nu: dict[str, float], T: np.ndarray
) -> float:
    """log p(child and parents) - log p(parents), each the product of what is predicted for one row after the other.

    After a normal-Wishart prior the next row is multivariate t, with a_w - N + 1 degrees of freedom.
    """

    def log_joint(names: list[str]) -> float:
        at = [data.names.index(v) for v in names]
        size, mu, df = len(at), a_mu, a_w - len(data.names) + 1
        mean, scale = np.array([nu[v] for v in names]), T[np.ix_(at, at)]
        total = 0.0
        for x in expanded(data, names):
            sigma = scale * (mu + 1) / (mu * df)
            distance = (x - mean) @ np.linalg.solve(sigma, x - mean)
            total += lgamma((df + size) / 2) - lgamma(df / 2) - size / 2 * log(df * pi)
            total += -0.5 * log(np.linalg.det(sigma)) - (df + size) / 2 * log(1 + distance / df)
            scale = scale + mu / (mu + 1) * np.outer(x - mean, x - mean)
            mean, mu, df = (mu * mean + x) / (mu + 1), mu + 1, df + 1
        return total

    return log_joint([*parents, child]) - (log_joint(parents) if parents else 0.0)


def posterior_entropy(data: Data, child: str, parents: list[str], ess: float) -> float:
    r, q = sizes(data, child, parents)
    a, total = ess / (r * q), 0.0
    for states in counts(data, child, parents).values():
        for state in data.states[child]:
            p = (a + states[state]) / (r * a + states.total())
            total -= p * log(p)
    return total


def d_ep(data: Data, child: str, parents: list[str]) -> int:
    return sum(len(states) - 1 for states in counts(data, child, parents).values())
