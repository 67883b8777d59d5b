"""Verdicts about claims of papers, computed again from the tables that come with their pages.

The rule is that of docs/replication.md: a claim is turned into cases, and what counts is the share of those that agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import polars as pl

REPLICATION = Path(__file__).parents[3] / "docs" / "replication"

HOLDS, IN_PART, FAILS, UNTESTED = "holds", "holds in part", "does not hold", "not tested"


def part(agree: Iterable[bool], claimed: float = 1.0) -> str:
    """The verdict on a part of a claim: by the share of cases that agree, over the share that the paper claims."""
    cases = list(agree)
    assert cases, "a part of a claim needs cases"
    ratio = sum(cases) / len(cases) / claimed
    return HOLDS if ratio >= 0.8 else IN_PART if ratio >= 0.4 else FAILS


def verdict(*parts: str) -> str:
    """The verdict on a claim: it holds if all parts do, and does not hold if none does even in part."""
    assert parts, "a claim has at least one part"
    return parts[0] if len(set(parts)) == 1 else IN_PART


@cache
def table(name: str) -> pl.DataFrame:
    """A table of docs/replication, by its path there."""
    return pl.read_csv(REPLICATION / name, infer_schema_length=None)


@cache
def cells(study: str) -> pl.DataFrame:
    """The finished cells of a study, one line each, as `veridag study export --compact` writes them."""
    return table(f"cells/{study}.csv.gz")


@cache
def claims(page: str) -> dict[str, tuple[str, str, str, str]]:
    """The claims of a page by code: claim, verdict, evidence and note."""
    text = (REPLICATION / f"{page}.md").read_text("utf-8")
    rows = (line.strip("| ").split(" | ") for line in text.splitlines() if re.match(r"\| [A-Z]{2}-\d+ \|", line))
    return {code: (claim, given.strip("*"), evidence, note) for code, claim, given, evidence, note in rows}


#: What comes of a claim: the verdict, and numbers that its note prints.
Found = tuple[str, list[str]]


class Claims(dict[str, Callable[[], Found]]):
    """The functions that judge the claims of a page, by code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page

    def claim(self, code: str) -> Callable[[Callable[[], Found]], Callable[[], Found]]:
        """Decorate the function of one claim."""

        def register(function: Callable[[], Found]) -> Callable[[], Found]:
            self[code] = function
            return function

        return register

    def check(self, code: str) -> None:
        """Hold the page against what comes of a claim."""
        _, given, _, note = claims(self.page)[code]
        found, numbers = self[code]()
        assert given == found
        missing = [number for number in numbers if number not in note]
        assert not missing, f"the note of {code} prints others"
