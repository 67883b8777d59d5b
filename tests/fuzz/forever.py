"""Fuzz for so many minutes: `make fuzz MINUTES=60`. What must not happen is printed with its seed and fails the run."""

from __future__ import annotations

import secrets
import sys
import time

from fuzz.knowledge import ALL, wrong
from fuzz.readers import READERS, attack


def main(minutes: float) -> int:
    """Try inputs with new seeds until the time is over; how many were bad."""
    end, tried, bad = time.monotonic() + 60 * minutes, 0, 0
    first = secrets.randbits(48)
    while time.monotonic() < end:
        seed = first + tried
        for ending in READERS:
            content, error = attack(ending, seed)
            tried += 1
            if error is not None:
                bad += 1
                print(f"{ending} with seed {seed}: {error!r} for {content!r}")
        for label in ALL if tried % 20 == 0 else ():
            said = wrong(label, seed)
            tried += 1
            if said is not None:
                bad += 1
                print(f"{label} with seed {seed}: {said}")
    print(f"{tried} inputs from seed {first} on, {bad} of them bad")
    return bad


if __name__ == "__main__":
    sys.exit(1 if main(float(sys.argv[1])) else 0)
