"""Findings in a table: a problem, what is done about it, and how to change that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_MOST = 6  # columns that a line names


@dataclass(frozen=True)
class Finding:
    """A problem in a column, or in the file.

    Attributes:
        column: The column; empty for the file.
        problem: The problem.
        evidence: What shows it.
        done: What is done about it; empty for nothing.
        change: The argument or option that changes that.

    See also:
        `inspect`, docs/data.md
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
    """A line for each kind of thing that was done, with the columns that it was done to, and why."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.done:
            groups.setdefault(finding.done, []).append(finding)
    return tuple(_line(done, members) for done, members in groups.items())


def _line(done: str, members: list[Finding]) -> str:
    shown = [f"{member.column!r} ({_reason(member, len(members))})" for member in members[:_MOST]]
    more = f" and {len(members) - _MOST} more columns" if len(members) > _MOST else ""
    option = next((member.change for member in members if member.change), "")
    change = f"; to change that{', for example' if len(members) > 1 else ''}: {option}" if option else ""
    return f"{done}: {', '.join(shown)}{more}{change}"


def _reason(finding: Finding, several: int) -> str:
    return f"{finding.problem}, {finding.evidence}" if finding.evidence and several <= 2 else finding.problem
