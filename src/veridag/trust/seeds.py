"""Seeds of the pieces of some work, such as the repeats of a bootstrap: different, and the same for the same seed."""

from __future__ import annotations

import numpy as np

from veridag.checks import SEED


def spawn_seeds(seed: int, count: int) -> list[np.random.SeedSequence]:
    """As many independent seeds that follow from one."""
    return np.random.SeedSequence(SEED("seed", seed)).spawn(count)


def seed_number(seed: np.random.SeedSequence) -> int:
    """A seed as the number that learners take."""
    return int(seed.generate_state(1, np.uint64)[0])
