"""What differs between two runs in what was asked of them: settings, how the table is read, and what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from veridag.data.settings import TableSettings
from veridag.errors import InputError
from veridag.graph.knowledge import Knowledge

from .asked import Asked
from .runs import Run, folder_of

_MODES = {"report": "learn and assess", "learn": "quick look"}
#: The settings of a table in words, to follow "other"; those that are not here are named as they are.
_SETTINGS = {
    "states": "states",
    "kinds": "kind",
    "group": "groups of rows",
    "weights": "weights",
    "missing": "treatment of missing values",
    "missing_values": "values that count as missing",
    "merge_states": "merging of states",
    "discretize": "bins",
    "transform": "transformation",
    "merge_rare": "merging of rare states",
    "as_written": "columns that are taken as they are written",
}


def changes_since(before: Run, run: Run, project: Path) -> list[str]:
    """What another run of the project was asked that this one was not, and the other way round."""
    folders = (folder_of(project, before.number), folder_of(project, run.number))
    return [*_asked(before.asked, run.asked), *_table(*folders, run.asked.table), *_known(before.asked, run.asked)]


def _asked(was: Asked, now: Asked) -> list[str]:
    said = []
    if was.mode != now.mode:
        said.append(f"{_MODES[now.mode]}, before {_MODES[was.mode]}")
    elif now.mode == "report" and was.minutes != now.minutes:
        said.append(f"{_limit(now)}, before {_limit(was)}")
    if was.seed != now.seed:
        said.append(f"seed {now.seed}, before {was.seed}")
    return said


def _limit(asked: Asked) -> str:
    if asked.minutes is None:
        return "no time limit"
    return f"within {asked.minutes:g} minute{'' if asked.minutes == 1 else 's'}"


@lru_cache(maxsize=1024)  # runs are listed every second, and the copies of their settings never change
def _table(was: Path, now: Path, table: str) -> tuple[str, ...]:
    """What differs in how the table is read."""
    before, after = (_settings(folder / table) for folder in (was, now))
    said = [f"{name} is left out" for name in after.drop if name not in before.drop]
    said += [f"{name} is used again" for name in before.drop if name not in after.drop]
    for field in fields(TableSettings):
        own, other = getattr(after, field.name), getattr(before, field.name)
        if field.name == "drop" or own == other:
            continue
        words = _SETTINGS.get(field.name, field.name)
        of = [] if field.name == "missing_values" else _columns(own, other)
        said += [f"other {words} of {name}" for name in of] or [f"other {words}"]
    return tuple(said)


def _settings(table: Path) -> TableSettings:
    try:
        kept = TableSettings.beside(table)
    except (InputError, OSError):  # it may have been deleted
        kept = None
    return TableSettings(strict=False) if kept is None else kept[1]


def _columns(own: Any, other: Any) -> list[str]:
    """The columns that two settings by column differ in; none if they are not by column."""
    if not all(value is None or isinstance(value, Mapping) for value in (own, other)):
        return []
    both = {**(other or {}), **(own or {})}
    return [str(name) for name in both if (own or {}).get(name) != (other or {}).get(name)]


def _known(was: Asked, now: Asked) -> list[str]:
    said = []
    for part, words in (("required", "must be there"), ("forbidden", "cannot be there")):
        own, other = getattr(now, part), getattr(was, part)
        said += [f"{a} → {b} {words}" for a, b in own if (a, b) not in other]
        said += [f"no longer: {a} → {b} {words}" for a, b in other if (a, b) not in own]
    if was.tiers != now.tiers:
        said.append(Knowledge(tiers=now.tiers).describe() if now.tiers else "no tiers any more")
    return said
