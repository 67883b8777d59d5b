"""What a report is about: the data, the comparison of learners on it, and how it was made."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from veridag.data import Data
from veridag.graph import DAG, PDAG
from veridag.knowledge import Knowledge
from veridag.search import Algorithm
from veridag.validation import Validation, intersection_validation

from .learners import default_learners

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Report:
    """All that the page shows. `command` reproduces it; `write` makes the page."""

    title: str
    data: Data
    validation: Validation
    command: str
    made: datetime
    seconds: float

    @property
    def versions(self) -> dict[str, str]:
        """Of what made it."""
        return {name: version(name) for name in ("veridag", "numpy")} | {"Python": platform.python_version()}

    def to_html(self) -> str:
        """The page, one self-contained text."""
        from .page import page

        return page(self)

    def write(self, path: str | Path) -> Path:
        """Write the page to an .html file."""
        target = Path(path)
        target.write_text(self.to_html(), "utf-8")
        return target


def make_report(
    data: Data | Any,
    algorithms: Sequence[Algorithm] | Mapping[str, Algorithm] | None = None,
    *,
    truth: DAG | PDAG | None = None,
    knowledge: Knowledge | None = None,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    jobs: int = 1,
    title: str = "data",
    command: str | None = None,
    progress: Progress | None = None,
    seconds: float | None = None,
) -> Report:
    """Compare learners on data by intersection-validation; the page says what was found and how far to trust it.

    ``vd.make_report(data).write("report.html")``. Without `algorithms`, a set that suits the data is taken. The other
    arguments are those of `intersection_validation`; an interrupt carries the page of what is there as `.result`.
    """
    table = data if isinstance(data, Data) else Data.from_frame(data)
    chosen = default_learners(table) if algorithms is None else algorithms
    start = time.perf_counter()
    call = f"vd.make_report(data, seed={seed}, repeats={repeats})" if command is None else command

    def made_of(validation: Validation) -> Report:
        return Report(title, table, validation, call, datetime.now(UTC), time.perf_counter() - start)

    try:
        found = intersection_validation(
            table,
            chosen,
            sizes,
            repeats,
            seed,
            jobs,
            knowledge=knowledge,
            truth=truth,
            progress=progress,
            seconds=seconds,
        )
    except KeyboardInterrupt as stop:
        if hasattr(stop, "result"):
            stop.result = made_of(stop.result)
        raise
    return made_of(found)
