"""How long does each reference network take to load? The slowest must stay below 0.5 s.

Prints the best of three runs in seconds, slowest first, and the size of the file.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from veridag.network import reference as networks


def seconds_to_load(name: str) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        start = perf_counter()
        networks.load(name)
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    networks.load("asia")  # imports happen once and are not the question
    folder = Path(networks.__file__).parent
    print(f"{'network':<12} {'nodes':>6} {'parameters':>11} {'bytes':>8} {'seconds':>8}")
    for seconds, name in sorted(((seconds_to_load(name), name) for name in networks.names()), reverse=True):
        info = networks.info(name)
        size = (folder / f"{name}.vdn").stat().st_size
        print(f"{name:<12} {info.nodes:>6} {info.parameters:>11} {size:>8} {seconds:>8.4f}")


if __name__ == "__main__":
    main()
