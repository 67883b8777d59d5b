"""What does a study add to the work itself?

Cells that do nothing, through processes of this machine into a store, against the same cells in a plain loop without a
store: what is left is the overhead of a cell. It should stay below 5 ms.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from veridag.study import plan, runner
from veridag.study.kind import Figure, Kind, Row, Settings, Spec
from veridag.study.processes import ProcessExecutor
from veridag.study.shared import Shared
from veridag.study.store import Store


class Nothing(Kind):
    """Cells without work."""

    name = "nothing"

    def cells(self, spec: Spec) -> Iterator[dict]:
        """As many as the grid says."""
        for i in range(spec.count("cells")):
            yield {"i": i}

    def run(self, settings: Settings, seed: int, shared: Shared) -> list[Row]:
        """One row."""
        return [{"seed_again": seed, "calls": 1}]

    def figures(self, spec: Spec, rows: object) -> Iterator[Figure]:
        """None."""
        return iter(())


KIND = Nothing()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=2000)
    cells = parser.parse_args().cells
    sys.path.insert(0, str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nothing.toml"
        path.write_text(f'kind = "study:KIND"\n[grid]\ncells = {cells}\n', "utf-8")
        planned = plan.load(path)
        start = time.perf_counter()
        for cell in planned.cells:
            KIND.run(cell.settings, cell.seed, Shared(0))
        alone = (time.perf_counter() - start) / cells
        for jobs in (1, 2):
            with Store(Path(folder) / f"{jobs}.sqlite") as store:
                state = runner.run(planned, store, ProcessExecutor(jobs))
            assert state.done == cells
            each = state.seconds / cells
            print(
                f"{jobs} processes, their start included: {1e3 * each:.2f} ms a cell; plain loop: {1e3 * alone:.3f} ms"
            )


if __name__ == "__main__":
    main()
