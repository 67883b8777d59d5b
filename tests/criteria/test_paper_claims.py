"""Statements of the papers that can be computed: about priors, and about tests and scores with a known order."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

import veridag as vd
from veridag.criteria.priors.base import SymmetricPrior


@dataclass(frozen=True)
class Weighted(SymmetricPrior):
    weights: tuple[float, ...] = ()

    def log_weights(self, n: int, rows: int | None = None) -> np.ndarray:
        assert n == len(self.weights)
        return np.log(np.array(self.weights))


@pytest.mark.parametrize("n", [3, 5, 8])
def test_no_symmetric_modular_prior_makes_indegrees_uniform(n: int):
    """Eggeling et al. 2019, proposition 5: (n - 1) / 2 parents on average would be the complete DAGs alone."""
    random = np.random.default_rng(n)
    steep = [tuple(float(10.0 ** (k * s)) for s in range(n)) for k in (1, 3, 6)]
    for weights in [*steep, *(tuple(random.exponential(size=n) * 10.0 ** random.uniform(-3, 3, n)) for _ in range(20))]:
        shares = vd.indegree_distribution(Weighted(weights), n=n)
        assert shares @ np.arange(n) < (n - 1) / 2
        assert np.abs(shares - 1 / n).max() > 1e-9
    # Steeper weights come nearer to it, and never get there.
    off = [np.abs(vd.indegree_distribution(Weighted(w), n=n) - 1 / n).max() for w in steep]
    assert off == sorted(off, reverse=True)


@pytest.mark.parametrize("n", [8, 12, 20, 50, 100])
def test_an_arc_has_about_a_quarter_of_all_dags(n: int):
    """Scutari 2017: p(i -> j) is about 1/4 + 1/(4 (N - 1)) under the uniform prior, which the prior MU copies."""
    shares = vd.indegree_distribution(vd.Uniform(), n=n)
    arc = float(shares @ np.arange(n)) / (n - 1)
    assert arc == pytest.approx(1 / 4 + 1 / (4 * (n - 1)), abs=0.0025)
    finite = vd.MarginalUniform("finite").log(vd.DAG.from_arcs([("A0", "A1")], names=[f"A{i}" for i in range(n)]))
    expected = 1 / 4 + 1 / (4 * (n - 1))
    assert finite == pytest.approx(np.log(expected / (1 - 2 * expected)))


@pytest.mark.parametrize("score", [vd.BIC(), vd.AIC(), vd.BDeu()], ids=repr)
def test_with_a_known_order_tests_and_scores_choose_the_same_arcs(score):
    """Cowell 2001, after Scutari et al. 2019, section 3: a parent is added exactly if the test says dependent."""
    data = vd.networks.load("asia").sample(300, seed=2)
    order = vd.networks.load("asia").dag.topological_order()
    test = vd.ScoreTest(score)
    for k, child in enumerate(order):
        for size in (0, 1):
            for known in combinations(order[:k], size):
                for parent in set(order[:k]) - set(known):
                    with_it = vd.local_score(child, [*known, parent], data, score)
                    gain = with_it - vd.local_score(child, list(known), data, score)
                    assert vd.test(parent, child, list(known), data, test).independent == (gain <= 0)


def test_g2_is_twice_the_gain_in_log_likelihood():
    data = vd.networks.load("asia").sample(300, seed=2)
    for child, parent, known in (("dysp", "bronc", ["either"]), ("xray", "either", []), ("lung", "smoke", ["asia"])):
        gains = [vd.local_score(child, parents, data, vd.LogLik()) for parents in ([*known, parent], known)]
        assert vd.test(child, parent, known, data, vd.G2()).statistic == pytest.approx(2 * (gains[0] - gains[1]))
