"""`EMRecord`: how EM came to the parameters of a network."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EMRecord:
    """How EM estimated the parameters of a network, step by step: `Network.fitted` after a fit to incomplete data.

    Attributes:
        log_likelihoods: The log-likelihood of the observed values before the first iteration and after each.
        objectives: The same plus the log prior: what EM maximises. It never decreases.
        converged: False if `max_iterations` ended it.
        start: The number of the best start, whose values these are. 0 started from the available cases, others at
            random.
        starts: The final value of each start.

    See also:
        `fit`, docs/incomplete.md
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
