"""What was found in a table: a problem, what is done about it, and how to have it otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from veridag.data.columns import listed


@dataclass(frozen=True)
class Finding:
    """A problem in a column, or in the file if `column` is empty.

    ``evidence`` is what was seen, ``done`` what is done about it, empty for nothing, and ``change`` the argument or
    option that has it otherwise.
    """

    column: str
    problem: str
    evidence: str
    done: str = ""
    change: str = ""

    def __str__(self) -> str:
        where = f"{self.column!r}: " if self.column else ""
        text = f"{where}{self.problem}, {self.evidence}" if self.evidence else f"{where}{self.problem}"
        return text + (f": {self.done}" if self.done else "")


def notes_of(findings: Iterable[Finding]) -> tuple[str, ...]:
    """A line for each thing that was done, with the columns that it was done to."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        if finding.done:
            groups.setdefault((finding.done, finding.problem), []).append(finding)
    return tuple(_line(done, problem, members) for (done, problem), members in groups.items())


def _line(done: str, problem: str, members: list[Finding]) -> str:
    names = listed([member.column for member in members], 5)
    first = members[0]
    seen = f"{problem}, {first.evidence}" if len(members) == 1 and first.evidence else problem
    change = f"; {first.change} to change that" if first.change else ""
    return f"{done}: {names} ({seen}{change})"
