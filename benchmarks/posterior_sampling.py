"""How many effective draws from the posterior over networks does a second of computing give, next to sumu (Gadget)?

Both sample partitions with the score BDeu and the prior Fair, on the same data in the same run, with the same number
of candidates and the same size of sets beyond them, one thread each: `--chains` runs of veridag, `--sumu-runs` of
sumu, each of `--sumu-seconds`, of which the second half counts. sumu comes with its Metropolis coupling of
`--coupled` chains, since a single one of its chains does not leave its first mode in the time given, and starts at
random as it does, then at the best network that veridag drew. Seconds are those of the processor, without the scoring
of families. Effective sample sizes are those of `veridag.posteriors.diagnostics` for both: of the log posterior, and
the least and the median of all arcs whose probability is between 0.05 and 0.95 by veridag's draws. Where sumu's
chains do not agree, its numbers say little more than that: R-hat is printed beside them. sumu is not among the peers
that `make bench` installs: pip compiles it with Cython 3, and it then runs only with the workaround below.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np

import veridag as vd
from veridag.posteriors.diagnostics import ess, rank_ess, rank_rhat, split_rhat


class Run(NamedTuple):
    """Draws of several chains: log posteriors [chain, draw], arcs [chain, draw, from, to]; seconds of the processor."""

    scores: np.ndarray
    arcs: np.ndarray
    seconds: float


def veridag(data: vd.Data, options: argparse.Namespace) -> tuple[Run, vd.DAG]:
    """The draws, and the best of them."""
    arguments = {
        "score": vd.BDeu(options.ess),
        "candidates": options.candidates,
        "beyond": options.beyond,
        "chains": options.chains,
        "burn_in": 100,
    }
    first = vd.sample_posterior(data, draws=10, **arguments)  # scores families, and goes through the burn-in
    start = time.process_time()
    again = vd.sample_posterior(data, draws=10, resume=first, **arguments)  # scores families again, and samples nothing
    scoring = time.process_time() - start
    start = time.process_time()
    found = vd.sample_posterior(data, draws=options.draws, resume=again, **arguments)
    seconds = time.process_time() - start - scoring
    arcs = np.array([dag.adjacency for dag in found]).reshape(*found.log_posterior.shape, *found.arcs.shape)
    return Run(found.log_posterior, arcs, seconds), found.best


def sumu(data: vd.Data, options: argparse.Namespace, start: vd.DAG | None) -> Run:
    """Independent runs, from random partitions as sumu starts, or all from that of one network; second halves."""
    full = np.full
    # Compiled with Cython 3, it asks for arrays whose sizes are floats.
    np.full = lambda shape, *rest, **named: full(tuple(int(k) for k in np.atleast_1d(shape)), *rest, **named)
    import sumu as peer

    table = np.column_stack([data.column(name) for name in data.names]).astype(np.int32)
    scores, arcs, seconds = [], [], 0.0
    for seed in range(options.sumu_runs):
        np.random.seed(seed)  # noqa: NPY002 # which it draws with
        gadget = peer.Gadget(
            data=peer.Data(table, discrete=True, arities=False),
            scoref="bdeu",
            ess=options.ess,
            max_id=options.candidates,
            K=options.candidates,
            d=options.beyond,
            cp_algo=options.sumu_candidates,
            mc3_chains=options.coupled,
        )
        gadget._find_candidate_parents()
        gadget._precompute_scores_for_all_candidate_psets()
        gadget._precompute_candidate_restricted_scoring()
        gadget._precompute_candidate_complement_scoring()
        gadget._init_mcmc()
        if start is not None:
            for chain in gadget.mcmc.chains:
                chain.R = parts(start.reorder(data.names).adjacency)
                chain.R_node_scores = chain._pi(chain.R)
                chain.R_score = chain.temp * sum(chain.R_node_scores)
        partitions = []
        began = time.process_time()
        while time.process_time() - began < options.sumu_seconds:
            for _ in range(options.sumu_thinning):
                partition = gadget.mcmc.sample()[0]
            partitions.append(partition)
        seconds += (time.process_time() - began) / 2  # the first half is a burn-in, which is not counted above either
        gadget.Rs = partitions[len(partitions) // 2 :]
        dags, log_posterior = gadget._sample_dags()
        print(
            f"sumu, run {seed}: {len(partitions) * options.sumu_thinning} iterations, mean log posterior of quarters "
            + " ".join(f"{np.mean(quarter):.1f}" for quarter in np.array_split(log_posterior, 4)),
            flush=True,
        )
        scores.append(log_posterior)
        arcs.append([adjacency(dag, len(data.names)) for dag in dags])
    np.full = full
    check(arcs[0][-1], scores[0][-1], data, options)
    shortest = min(map(len, scores))
    return Run(np.array([own[-shortest:] for own in scores]), np.array([own[-shortest:] for own in arcs]), seconds)


def parts(matrix: np.ndarray) -> tuple[set[int], ...]:
    """The partition of a DAG."""
    found: list[set[int]] = []
    left = set(range(len(matrix)))
    while left:
        found.append({v for v in left if not matrix[list(left), v].any()})
        left -= found[-1]
    return tuple(found)


def adjacency(dag: list[tuple], n: int) -> np.ndarray:
    matrix = np.zeros((n, n), dtype=bool)
    for family in dag:
        if len(family) > 1:
            matrix[list(family[1]), family[0]] = True
    return matrix


def check(matrix: np.ndarray, score: float, data: vd.Data, options: argparse.Namespace) -> None:
    """Whether the peer has the same score and prior."""
    own = vd.score(vd.DAG(data.names, matrix), data, vd.BDeu(options.ess), vd.Fair())
    print(f"score of a draw of sumu: {score:.4f}, by veridag {own:.4f}")


def describe(name: str, run: Run, uncertain: np.ndarray) -> tuple[float, float, float]:
    series = run.arcs[:, :, uncertain]
    sizes = np.nan_to_num(ess(series))
    rates = rank_ess(run.scores) / run.seconds, sizes.min() / run.seconds, np.median(sizes) / run.seconds
    disagreement = np.nanmax(np.nan_to_num(split_rhat(series), nan=1.0, posinf=99.0), initial=1.0)
    print(
        f"{name:8} {run.seconds:7.1f} s, {run.scores.size} draws; effective draws a second: log posterior "
        f"{rates[0]:.3g}, arcs least {rates[1]:.3g}, median {rates[2]:.3g}; R-hat: log posterior "
        f"{rank_rhat(run.scores):.3f}, arcs at most {disagreement:.3f}; mean log posterior {run.scores.mean():.1f}",
        flush=True,
    )
    return rates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", default="alarm")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--ess", type=float, default=1.0)
    parser.add_argument("--candidates", type=int, default=12)
    parser.add_argument("--beyond", type=int, default=2)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--coupled", type=int, default=16)
    parser.add_argument("--sumu-seconds", type=float, default=60.0, help="of the processor, for each run")
    parser.add_argument("--sumu-runs", type=int, default=2)
    parser.add_argument("--sumu-thinning", type=int, default=20)
    parser.add_argument("--sumu-candidates", default="greedy-lite", help="how it chooses candidates: greedy, top, ...")
    options = parser.parse_args()
    data = vd.networks.load(options.network).sample(options.rows, seed=1)
    ours, best = veridag(data, options)
    p = ours.arcs.mean(axis=(0, 1))
    uncertain = (p > 0.05) & (p < 0.95)
    print(f"{options.network}, {options.rows} rows, ess {options.ess:g}: {uncertain.sum()} arcs between 0.05 and 0.95")
    mine = describe("veridag", ours, uncertain)
    for name, start in (("sumu", None), ("sumu, from the best network", best)):
        try:
            peer = sumu(data, options, start)
        except ImportError:
            print("sumu is not installed")
            return
        theirs = describe(name, peer, uncertain)
        ratios = ", ".join(
            f"{what} {a / b:.3g}" if b > 0 else f"{what}: sumu has none"
            for what, a, b in zip(("log posterior", "arcs least", "arcs median"), mine, theirs, strict=True)
        )
        gap = np.abs(peer.arcs.mean(axis=(0, 1)) - p).max()
        print(f"veridag's effective draws a second, times sumu's: {ratios}; arcs differ by up to {gap:.2f}", flush=True)


if __name__ == "__main__":
    main()
