"""Estimates from bootstrap samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from veridag.progress import Progress
from veridag.trust.seeds import nth_seed
from veridag.work.pieces import Executor, run_pieces

from .sample import Floats, Sample


def replicates(
    estimate: Callable[[Floats], Floats],
    sample: Sample,
    repeats: int,
    seed: int,
    executor: Executor,
    done: dict[int, Floats],
    progress: Progress | None = None,
) -> None:
    """Put into `done` what `estimate` gives for the weights of each bootstrap sample; after an interrupt, some."""
    run_pieces(
        _Replicate(estimate, sample, seed),
        repeats,
        executor,
        done,
        describe=lambda i: f"bootstrap sample {i + 1} of {repeats}",
        progress=progress,
    )


@dataclass(frozen=True)
class _Replicate:
    """Estimates from a bootstrap sample."""

    estimate: Callable[[Floats], Floats]
    sample: Sample
    seed: int

    def __call__(self, i: int, heartbeat: Progress) -> Floats:
        heartbeat("bootstrap sample", i, None, {})
        return self.estimate(self.sample.resampled(nth_seed(self.seed, i)))
