"""How long does a query take that is averaged over the networks of a posterior?

Draws of ALARM, asked with all networks and with some of them. The peer is what one would write by hand: fit and query
each network that was drawn, and average the answers by the probability of the evidence. Seconds are of the processor.
The last lines have the log-likelihood of new rows, of the average and of the best network that was drawn.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import veridag as vd

QUERIES = (
    ("LVFAILURE", {"HR": "HIGH"}),
    ("BP", {"HR": "HIGH", "SAO2": "LOW"}),
    ("CO", {"HR": "HIGH", "EXPCO2": "LOW", "PRESS": "HIGH"}),
)


def by_hand(draws: vd.Draws, data: vd.Data, ess: float, target: str, evidence: dict[str, str]) -> np.ndarray:
    total = np.zeros(len(data.states[target]))
    for dag in draws:
        network = vd.fit(dag, data, ess)
        total += (
            np.exp(vd.JunctionTree(network).log_probability(evidence)) * network.query(target, evidence).probabilities
        )
    return total / total.sum()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000, help="of each of four chains")
    parser.add_argument("--ess", type=float, default=10.0)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    network = vd.networks.load("alarm")
    data, new = network.sample(arguments.rows, seed=1), network.sample(1000, seed=2)
    score = vd.BDeu(ess=arguments.ess)
    draws = vd.sample_posterior(data, score=score, draws=arguments.draws, seed=1, jobs=arguments.jobs)
    print(draws.average())
    for target, evidence in QUERIES:
        start = time.process_time()
        found = draws.query(target, evidence)
        own = time.process_time() - start
        fewer = draws.query(target, evidence, networks=200)
        some = time.process_time() - start - own
        hand = by_hand(draws, data, arguments.ess, target, evidence)
        peer = time.process_time() - start - own - some
        assert np.allclose(hand, found.probabilities)
        print(
            f"P({target} | {', '.join(evidence)}): all {own:.2f} s, error {found.errors.max():.1g}; 200 networks "
            f"{some:.2f} s, error {fewer.errors.max():.1g}; by hand {peer:.1f} s, ratio {peer / own:.1f}"
        )
    start = time.process_time()
    average = draws.log_likelihood(new)
    print(f"1000 new rows, {time.process_time() - start:.2f} s: log-likelihood of the average {average:.1f}")
    print(f"of the best network drawn {vd.fit(draws.best, data, arguments.ess).log_likelihood(new):.1f}")
    start = time.process_time()
    draws.predict(new, "HR")
    print(f"predictions of HR in 1000 rows: {time.process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
