"""Seeds of the pieces of some work, such as the repeats of a bootstrap: different, and the same for the same seed."""

from __future__ import annotations

import numpy as np

from veridag.checks import SEED


def nth_seed(seed: int, i: int) -> np.random.SeedSequence:
    """The seed of piece i: one of as many independent ones as are needed, ``SeedSequence(seed).spawn(i + 1)[i]``."""
    return np.random.SeedSequence(SEED("seed", seed), spawn_key=(i,))


def seed_number(seed: np.random.SeedSequence) -> int:
    """A seed as the number that learners take."""
    return int(seed.generate_state(1, np.uint64)[0])
