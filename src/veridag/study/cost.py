"""What a study will cost, told before anything of it runs: cells, memory, and time from a short calibration."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from .kind import Kind
from .plan import Cell, Plan
from .processes import ProcessExecutor
from .store import Store

#: Seconds that a calibration may take, besides the start of its process.
BUDGET = 5.0

#: What a worker process needs before it has any data: Python, numpy, the core.
BASE_BYTES = 150_000_000


@dataclass(frozen=True)
class Cost:
    """What is left to do of a study. `seconds` is None where the calibration found nothing out."""

    cells: int
    bytes: int
    seconds: float | None
    #: whether cells of every sort were timed; if not, sorts that took too long count as the slowest that was
    complete: bool


def estimate(
    plan: Plan, cells: Sequence[Cell], jobs: int, shared_bytes: int, store: Store | None = None, budget: float = BUDGET
) -> Cost:
    """Cells, the most memory in use at once, and the time on `jobs` processes.

    A sort of cells (`Kind.sort`) has a speed: seconds for each unit of `Kind.effort`. It comes from cells in the
    store, or else from doing the easiest cell of each sort now, all within the budget.
    """
    if not cells:
        return Cost(0, 0, 0.0, True)
    largest = max(plan.kind.memory(cell.settings) for cell in cells)
    memory = jobs * (BASE_BYTES + largest + min(shared_bytes, 4 * largest))
    speeds = _known(plan, store) if store is not None else {}
    missing = _easiest(cells, plan.kind, speeds)
    speeds |= _timed(missing, plan.kind, budget)
    if not speeds:
        return Cost(len(cells), memory, None, False)
    slowest = max(speeds.values())
    work = sum(plan.kind.effort(c.settings) * speeds.get(plan.kind.sort(c.settings), slowest) for c in cells)
    complete = all(plan.kind.sort(cell.settings) in speeds for cell in cells)
    return Cost(len(cells), memory, work / min(jobs, len(cells)), complete)


def _known(plan: Plan, store: Store) -> dict[Hashable, float]:
    """The speed of every sort of which the store has cells."""
    records = store.records()
    spent: dict[Hashable, list[tuple[float, float]]] = {}
    for cell in plan.cells:
        record = records.get(cell.key)
        if record is not None and record.status == "done":
            what = plan.kind.sort(cell.settings)
            spent.setdefault(what, []).append((record.seconds, plan.kind.effort(cell.settings)))
    return {what: sum(s for s, _ in found) / sum(e for _, e in found) for what, found in spent.items()}


def _easiest(cells: Sequence[Cell], kind: Kind, speeds: Mapping[Hashable, float]) -> list[Cell]:
    """The easiest cell of every sort without a speed, the easier sorts first."""
    found: dict[Hashable, Cell] = {}
    for cell in cells:
        what = kind.sort(cell.settings)
        if what in speeds:
            continue
        if what not in found or kind.effort(cell.settings) < kind.effort(found[what].settings):
            found[what] = cell
    return sorted(found.values(), key=lambda cell: kind.effort(cell.settings))


def _timed(cells: Sequence[Cell], kind: Kind, budget: float) -> dict[Hashable, float]:
    """The speeds of these cells, as far as the budget goes; one that is stopped counts with the time it had."""
    speeds: dict[Hashable, float] = {}
    if not cells:
        return speeds
    share = max(0.2, budget / len(cells))
    start = time.monotonic()
    outcomes = ProcessExecutor(1, 0, time_limit=share).run(cells, kind)
    for found in outcomes:
        if found.status != "failed":
            effort = kind.effort(found.cell.settings)
            speeds[kind.sort(found.cell.settings)] = found.seconds / effort
        if time.monotonic() - start > budget + share:
            break
    outcomes.close()
    return speeds
