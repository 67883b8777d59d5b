"""Verdicts on the claims of papers, recomputed from the tables that are shipped with the pages.

A claim is turned into parts, and each part into cases that agree with it or not. What counts is the share of cases that
agree, divided by the share that the paper claims: 1 for "always", 0.7 for "7 of 10". The overview states the rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import polars as pl

PAGES = Path(__file__).parents[3] / "docs" / "replication"
HOLDS, IN_PART, DOES_NOT_HOLD = "**holds**", "**holds in part**", "**does not hold**"


def part(agree: Sequence[bool], claimed: float = 1.0) -> str:
    """The verdict on one part of a claim: of the cases, those that agree, and the share that the paper claims."""
    ratio = sum(agree) / len(agree) / claimed
    return HOLDS if ratio >= 0.8 else IN_PART if ratio >= 0.4 else DOES_NOT_HOLD


def verdict(*parts: str) -> str:
    """The verdict on a claim of several parts."""
    if len(set(parts)) == 1:
        return parts[0]
    return IN_PART


@cache
def rows_of(page: str) -> dict[str, list[str]]:
    """The rows of claims by their code: code, claim, verdict, evidence, note."""
    lines = (PAGES / f"{page}.md").read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| [A-Z]{2}-\d+ \|", line)]
    return {row[0]: row for row in rows}


@cache
def cells_of(study: str) -> pl.DataFrame:
    """The finished cells of a study, one line each, as `veridag study export --compact` writes them."""
    return pl.read_csv(PAGES / "cells" / f"{study}.csv.gz", infer_schema_length=None)
