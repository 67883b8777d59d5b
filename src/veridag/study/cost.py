"""What a study will cost, before it runs: cells, memory, and time from a short calibration."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from .kind import Kind
from .plan import Cell, Plan
from .processes import ProcessExecutor
from .store import Store

#: Seconds that a calibration may take, besides the start of its process; no cell may take more than a quarter.
BUDGET = 10.0

#: A calibration does three cells and one of so many, at the most: it must not cost more than it tells.
ONE_OF = 20

#: What a worker process needs before it has any data: Python, numpy, the core.
BASE_BYTES = 150_000_000


@dataclass(frozen=True)
class Cost:
    """What is left to do of a study. `seconds` is None where the calibration found nothing out."""

    cells: int
    bytes: int
    seconds: float | None
    #: how many cells were timed, and how many of them had to be stopped, so that the study takes longer
    timed: int = 0
    stopped: int = 0


def estimate(
    plan: Plan, cells: Sequence[Cell], jobs: int, shared_bytes: int, store: Store | None = None, budget: float = BUDGET
) -> Cost:
    """Cells, the most memory in use at once, and the time on `jobs` processes.

    Where the store has cells of the same sort (`Kind.sort`), their time for each unit of `Kind.effort` tells. For all
    others, a sample is done now, spread evenly over their efforts; its mean is that of the others.
    """
    if not cells:
        return Cost(0, 0, 0.0)
    largest = max(plan.kind.memory(cell.settings) for cell in cells)
    memory = jobs * (BASE_BYTES + largest + min(shared_bytes, 4 * largest))
    speeds = _known(plan, store) if store is not None else {}
    new = [cell for cell in cells if plan.kind.sort(cell.settings) not in speeds]
    spent, stopped = _timed(new, plan.kind, budget)
    if new and not spent:
        return Cost(len(cells), memory, None)
    work = sum(_expected(cell, plan.kind, speeds) for cell in cells)
    work += len(new) * sum(spent) / max(1, len(spent))
    return Cost(len(cells), memory, work / min(jobs, len(cells)), len(spent), stopped)


def _known(plan: Plan, store: Store) -> dict[Hashable, float]:
    """The speed of every sort of which the store has cells with a time; those of a file may have none."""
    records = store.records()
    spent: dict[Hashable, list[tuple[float, float]]] = {}
    for cell in plan.cells:
        record = records.get(cell.key)
        if record is not None and record.status == "done" and record.seconds > 0:
            what = plan.kind.sort(cell.settings)
            spent.setdefault(what, []).append((record.seconds, plan.kind.effort(cell.settings)))
    return {what: sum(s for s, _ in found) / sum(e for _, e in found) for what, found in spent.items()}


def _expected(cell: Cell, kind: Kind, speeds: Mapping[Hashable, float]) -> float:
    return kind.effort(cell.settings) * speeds.get(kind.sort(cell.settings), 0.0)


def _timed(cells: Sequence[Cell], kind: Kind, budget: float) -> tuple[list[float], int]:
    """Seconds of a sample of the cells, as far as the budget goes, and how many of the sample had to be stopped."""
    spent: list[float] = []
    stopped = 0
    if not cells:
        return spent, stopped
    sample = _spread(cells, kind, min(len(cells), 3 + len(cells) // ONE_OF))
    # The first is done twice, and counts the second time: before, there are modules to load.
    outcomes = ProcessExecutor(1, 0, time_limit=budget / 4).run([sample[0], *sample], kind)
    start = time.monotonic()
    for found in islice(outcomes, 1, None):
        if found.status != "failed":
            spent.append(found.seconds)
            stopped += found.status == "stopped"
        if time.monotonic() - start > budget:
            break
    outcomes.close()
    return spent, stopped


def _spread(cells: Sequence[Cell], kind: Kind, count: int) -> list[Cell]:
    """So many of the cells, ordered so that however many are done, easy and hard ones are among them alike."""
    ranked = sorted(cells, key=lambda cell: (kind.effort(cell.settings), cell.key))
    golden = (5**0.5 - 1) / 2
    places = (int((0.5 + step * golden) % 1.0 * len(ranked)) for step in range(4 * count))
    return [ranked[place] for place in islice(dict.fromkeys(places), count)]
