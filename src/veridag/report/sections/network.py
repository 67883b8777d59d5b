"""The recommended learner's network: a picture to explore, and the same as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from veridag.graph.drawing import svg
from veridag.report.content import Report

#: The most arcs that are drawn, and contested pairs beside them: more would hide what there is to see.
MOST_DRAWN, MOST_OTHERS = 600, 40

_SUREST_FIRST = ("agreed", "turned", "contested")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Arc:
    """A row of the table: strength and direction are shares of bootstrap samples, None where there are none."""

    first: str
    second: str
    directed: bool
    standing: str
    strength: float | None
    direction: float | None


@dataclass(frozen=True)
class View:
    """The graph drawn, and its arcs. `others` are pairs that only other learners join; `samples` of the bootstrap."""

    learner: str
    rows: int
    names: Sequence[str]
    drawing: Markup
    drawn: int
    arcs: list[Arc]
    others_drawn: int
    others: int
    samples: int | None


def view(report: Report) -> View:
    """The recommended learner's graph, what all agree on told apart from what is contested."""
    drawn = _drawn(report)
    others = _others(report)
    return View(
        learner=report.validation.best.label,
        rows=report.data.n,
        names=report.data.names,
        drawing=_drawing(report, drawn, others[:MOST_OTHERS]),
        drawn=len(drawn),
        arcs=_arcs(report),
        others_drawn=len(others[:MOST_OTHERS]),
        others=len(others),
        samples=None if report.strengths is None else report.strengths.repeats,
    )


def _drawing(report: Report, drawn: set[Pair], others: list[Pair]) -> Markup:
    validation = report.validation
    graph = report.graph
    at = {name: i for i, name in enumerate(graph.names)}
    arcs, edges = ([(at[a], at[b]) for a, b in pairs if (a, b) in drawn] for pairs in (graph.arcs, graph.edges))
    classes = {}
    for feature in validation.features:
        i, j = (at[name] for name in feature.pair)
        classes[i, j] = classes[j, i] = feature.standing
    shown = {pair: classes[pair] for pair in (*arcs, *edges)}
    dashed = [(at[a], at[b]) for a, b in others]
    title = f"{validation.best.label}: learned from all data"
    return Markup(svg(graph.names, arcs, edges, dashed, arc_classes=shown, title=title))


def _drawn(report: Report) -> set[Pair]:
    """The arcs and edges that are drawn: all, or as many as can be told apart, the surest first."""
    graph, strengths = report.graph, report.strengths
    against = {frozenset(f.pair): len(f.votes.get("none", ())) for f in report.validation.features}
    standing = {frozenset(f.pair): _SUREST_FIRST.index(f.standing) for f in report.validation.features}

    def doubt(pair: Pair) -> tuple[float, ...]:
        key = frozenset(pair)
        weakness = 0.0 if strengths is None else -float(strengths.strength[tuple(map(strengths.names.index, pair))])
        return standing[key], against[key], weakness

    return set(sorted([*graph.arcs, *graph.edges], key=doubt)[:MOST_DRAWN])


def _others(report: Report) -> list[Pair]:
    """The pairs that other learners join and this one does not, the commonest first."""
    validation = report.validation
    graph = report.graph
    at = {name: i for i, name in enumerate(graph.names)}
    own = {frozenset(pair) for pair in (*graph.arcs, *graph.edges)}
    found = [
        (len(validation.labels) - len(feature.votes.get("none", ())), *(at[name] for name in feature.pair))
        for feature in validation.features
        if frozenset(feature.pair) not in own
    ]
    return [(graph.names[i], graph.names[j]) for _, i, j in sorted(found, reverse=True)]


def _arcs(report: Report) -> list[Arc]:
    graph, strengths = report.graph, report.strengths
    standings = {frozenset(f.pair): f.standing for f in report.validation.features}
    found = []
    for (a, b), directed in [(arc, True) for arc in graph.arcs] + [(edge, False) for edge in graph.edges]:
        strength, direction = None, None
        if strengths is not None:
            i, j = strengths.names.index(a), strengths.names.index(b)
            strength, direction = float(strengths.strength[i, j]), float(strengths.direction[i, j])
        found.append(Arc(a, b, directed, standings[frozenset((a, b))], strength, direction))
    return found
