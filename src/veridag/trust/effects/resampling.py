"""Estimates from bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable

from veridag.progress import Progress
from veridag.trust.seeds import spawn_seeds
from veridag.work.threads import run_pieces

from .sample import Floats, Sample


def replicates(
    estimate: Callable[[Floats], Floats],
    sample: Sample,
    repeats: int,
    seed: int,
    jobs: int,
    done: dict[int, Floats],
    progress: Progress | None = None,
) -> None:
    """Put into `done` what `estimate` gives for the weights of each bootstrap sample; after an interrupt, some."""
    seeds = spawn_seeds(seed, repeats)

    def piece(i: int, heartbeat: Progress) -> Floats:
        heartbeat("bootstrap sample", i, repeats, {})
        return estimate(sample.resampled(seeds[i]))

    run_pieces(
        piece,
        repeats,
        jobs,
        done,
        describe=lambda i: f"bootstrap sample {i + 1} of {repeats}",
        progress=progress,
    )
