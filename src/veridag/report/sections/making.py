"""How the page was made: everything that is needed to make it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from veridag.report.content import Report


@dataclass(frozen=True)
class View:
    """The command and the settings; `left_out` names the parts that are not there, by the reason."""

    command: str
    seed: int
    sizes: Sequence[int]
    asked: int
    subsamples: Sequence[int]
    directions: bool
    ranked: Sequence[str]
    companions: Sequence[str]
    known: str | None
    seconds: float
    versions: Mapping[str, str]
    left_out: Mapping[str, Sequence[str]]


def view(report: Report) -> View:
    """How the page was made."""
    validation = report.validation
    left_out: dict[str, list[str]] = {}
    for part, why in report.missing.items():
        left_out.setdefault(why, []).append(part)
    return View(
        command=report.command,
        seed=validation.seed,
        sizes=validation.sizes,
        asked=validation.repeats,
        subsamples=validation.subsamples,
        directions=validation.compare == "types",
        ranked=[learner.label for learner in validation.learners if not learner.companion],
        companions=[learner.label for learner in validation.learners if learner.companion],
        known=None if validation.knowledge is None else validation.knowledge.describe(),
        seconds=report.seconds,
        versions=report.versions,
        left_out=left_out,
    )
