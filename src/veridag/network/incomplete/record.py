"""`EMRecord`: how EM came to the parameters of a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EMRecord:
    """How EM came to the parameters of a network, step by step: `Network.fitted` after a fit to data with gaps.

    `objectives` has what is maximised before the first iteration and after each: the log-likelihood of what was
    observed, plus the logarithm of the prior. It never falls. `log_likelihoods` are without the prior. Both are of the
    best start: number `start`, where 0 began from the available cases and others at random. `starts` has what each
    start came to. `converged` is False if `max_iterations` ended it.
    """

    log_likelihoods: tuple[float, ...]
    objectives: tuple[float, ...]
    converged: bool
    start: int
    starts: tuple[float, ...]

    @property
    def iterations(self) -> int:
        """The number of iterations of the best start."""
        return len(self.objectives) - 1

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of what was observed, at the end."""
        return self.log_likelihoods[-1]

    def __str__(self) -> str:
        done = f"{self.iterations} iteration{'' if self.iterations == 1 else 's'}"
        how = f"EM converged in {done}" if self.converged else f"EM did not converge in {done}"
        best = f", the best of {len(self.starts)} starts" if len(self.starts) > 1 else ""
        return f"{how}{best}; log-likelihood {self.log_likelihood:.6g}"
