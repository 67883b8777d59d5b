"""Are sampled probabilities of arcs the exact ones within Monte Carlo error, with 20 variables, and which takes longer?

The peer is the exact posterior, on the same data in the same run, which takes minutes with 20 variables. The test
`tests/posteriors/test_sampled_exact.py` does the same with fewer.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import veridag as vd


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", nargs="+", default=["child", "alarm"])
    parser.add_argument("--variables", type=int, default=20, help="the first so many of each network")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seed", type=int, default=31)
    options = parser.parse_args()
    for network in options.networks:
        data = vd.networks.load(network).sample(options.rows, seed=options.seed)
        data = data.select(data.names[: options.variables])
        start = time.process_time()
        drawn = vd.sample_posterior(data, seed=1, jobs=2)
        sampling = time.process_time() - start
        start = time.process_time()
        exact = vd.posterior(data, method="exact", jobs=2)
        computing = time.process_time() - start
        apart = np.abs(drawn.arcs - exact.arcs)
        errors = (apart / np.maximum(drawn.arc_errors, 1e-3)).max()
        print(
            f"{network}, {len(data.names)} variables, {options.rows} rows: {drawn.uncertain_arcs().sum()} arcs between "
            f"0.05 and 0.95, the furthest from its exact probability by {apart.max():.4f}, at most {errors:.1f} "
            f"standard errors (0.001 or more each); R-hat at most {drawn.worst_rhat:.3f}; sampling {sampling:.0f} s of "
            f"the processor, exact {computing:.0f} s, {computing / sampling:.1f} times",
            flush=True,
        )


if __name__ == "__main__":
    main()
