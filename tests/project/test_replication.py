"""The pages of replications: one row per claim, verdicts that the overview counts, and evidence that is there."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

import veridag as vd

DOCS = Path(__file__).parents[2] / "docs"
PAPERS = {
    "structure-priors": ("SP", 34),
    "beyond-uniform-priors": ("BU", 11),
    "who-learns-better": ("WL", 42),
    "intersection-validation": ("IV", 26),
    "related-data-sets": ("RD", 17),
}
VERDICTS = ["**holds**", "**holds in part**", "**does not hold**", "**not tested**"]


def rows_of(name: str) -> list[list[str]]:
    """The cells of every row of a claim: code, claim, verdict, evidence, note."""
    lines = (DOCS / "replication" / f"{name}.md").read_text("utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if re.match(r"\| [A-Z]{2}-\d+ \|", line)]


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_has_a_row_with_a_verdict(name):
    prefix, count = PAPERS[name]
    rows = rows_of(name)
    assert [row[0] for row in rows] == [f"{prefix}-{k}" for k in range(1, count + 1)]
    assert {len(row) for row in rows} == {5}
    assert {row[2] for row in rows} <= set(VERDICTS)


def test_the_overview_counts_the_verdicts():
    overview = (DOCS / "replication.md").read_text("utf-8")
    total = Counter()
    for name in PAPERS:
        counts = Counter(row[2] for row in rows_of(name))
        total += counts
        numbers = re.search(rf"\(replication/{name}\.md\)((?: \| \d+)+) \|", overview)[1]
        assert [int(n) for n in re.findall(r"\d+", numbers)] == [counts.total(), *(counts[v] for v in VERDICTS)]
    numbers = re.search(r"^\| all((?: \| \d+)+) \|", overview, re.MULTILINE)[1]
    assert [int(n) for n in re.findall(r"\d+", numbers)] == [total.total(), *(total[v] for v in VERDICTS)]


@pytest.mark.parametrize("name", PAPERS)
def test_the_evidence_of_a_claim_is_in_a_table_of_its_page(name):
    page = (DOCS / "replication" / f"{name}.md").read_text("utf-8")
    known = {name, "structure-priors-real", "climate"}
    for table in re.findall(r"\]\(([\w-]+\.csv)\)", page):
        with (DOCS / "replication" / table).open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        known |= {*lines[0], *(cell for line in lines[1:] for cell in line)}
    for code, _, _, evidence, _ in rows_of(name):
        for word in re.findall(r"`([^`]+)`", evidence):
            assert hasattr(vd, word[3:]) if word.startswith("vd.") else word in known, f"{code}: {word}"
