"""A page of the report as a plain reader sees it, and reports whose chances are set by hand."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
from itertools import combinations

import veridag as vd

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Checker(HTMLParser):
    """Fails on tags that do not match, and collects what is there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, name, attributes):
        self.seen.append((name, dict(attributes)))
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name, attributes):
        self.seen.append((name, dict(attributes)))

    def handle_endtag(self, name):
        assert self.open.pop() == name

    def handle_data(self, text):
        self.text.append(text)


def read(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def said(page: str) -> str:
    """The words of a page, as a browser shows them: white space is folded, and elements are apart."""
    return " ".join(" ".join(read(page).text).split())


def drawn_lines(page: Checker, within: str = "graph") -> dict[frozenset[str], set[str]]:
    """The classes of each line of the first drawing."""
    start = next(k for k, (_, a) in enumerate(page.seen) if a.get("id") == within)
    end = next(k for k, (name, _) in enumerate(page.seen) if k > start and name in ("aside", "section"))
    return {
        frozenset((a["data-from"], a["data-to"])): set(a["class"].split())
        for _, a in page.seen[start:end]
        if "data-from" in a
    }


def joined_pairs(graph: vd.PDAG) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}


def with_chances(report: vd.Report, chances: dict[tuple[str, str], float | tuple[float, float, float]]) -> vd.Report:
    """The report if these arcs had such chances: of the arc, its reverse and no direction, or of the arc alone."""
    own = report.assessment.chances
    directed, undirected = own.directed.copy(), own.undirected.copy()
    for (a, b), chance in chances.items():
        i, j = own.names.index(a), own.names.index(b)
        directed[i, j], directed[j, i], untold = chance if isinstance(chance, tuple) else (chance, 0.0, 0.0)
        undirected[i, j] = undirected[j, i] = untold
    changed = dataclasses.replace(report.assessment, chances=type(own)(own.names, directed, undirected))
    return dataclasses.replace(report, assessment=changed)


def knowing(report: vd.Report, knowledge: vd.Knowledge) -> vd.Report:
    """The report if this had been known, with the same chances."""
    validation = dataclasses.replace(report.validation, knowledge=knowledge)
    return dataclasses.replace(report, assessment=dataclasses.replace(report.assessment, validation=validation))


def absent_pairs(report: vd.Report) -> list[tuple[str, str]]:
    pairs = combinations(sorted(report.data.names), 2)
    return [pair for pair in pairs if frozenset(pair) not in joined_pairs(report.graph)]
