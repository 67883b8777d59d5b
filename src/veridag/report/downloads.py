"""What a reader can take away: the network, and the tables behind the page."""

from __future__ import annotations

import csv
from base64 import b64encode
from io import BytesIO, StringIO
from typing import Any

from veridag.network import Network
from veridag.network.formats import write_network
from veridag.trust.validation import Validation

from .content import Report
from .heat import in_order, pairwise_distances
from .markup import Markup, joined, tag

#: Files of more characters than this together are left out, the last first: the page is to stay below three million.
MOST_CHARACTERS = 700_000

#: The networks of the groups may take so much of the page together.
MOST_CHARACTERS_OF_GROUPS = 300_000

#: No file says a probability with fewer.
CHARACTERS_OF_AN_ENTRY = 3

_EXPLAINED = {
    "network.bif": "the network with its parameters, as most programs read it",
    "network.json": "the same, as veridag writes it",
    "graph.json": "the graph alone: arcs, and lines without direction",
    "learning-curves.csv": "mean distances, standard errors and times by learner and size",
    "learners.csv": "what each learner found and cost",
    "features.csv": "who joins which pair how",
    "distances.csv": "structural Hamming distances between the learners' graphs",
    "strengths.csv": "how often each pair is joined in bootstrap samples",
    "groups.csv": "the evidence for each arc in each group",
}


def downloads(report: Report) -> Markup:
    """The network and the tables behind the page, as files."""
    items, left_out, room = [], [], MOST_CHARACTERS
    for name, (kind, text) in _files(report).items():
        if text is None or len(text) > room:
            left_out.append(name)
            continue
        room -= len(text)
        link = tag("a", name, download=name, href=_data_link(kind, text))
        items.append(tag("li", link, f": {_EXPLAINED[name]}"))
    said = f"Too large for this page: {', '.join(left_out)}. veridag learn, veridag fit and veridag validate make them."
    return joined(tag("ul", *items), tag("p", said) if left_out else None, _group_networks(report))


def _group_networks(report: Report) -> Markup | None:
    """The network of each group, unless they would make the page too large; names of groups are no names of files."""
    found = report.group_networks
    if found is None:
        return None
    most = MOST_CHARACTERS_OF_GROUPS // len(found)
    files = [(label, *next(iter(_network_files(network, most).values()))) for label, network in found.items()]
    texts = [text for _, _, text in files if text is not None]
    if len(texts) < len(files) or sum(map(len, texts)) > MOST_CHARACTERS_OF_GROUPS:
        return tag("p", f"The networks of the {len(files)} groups are too large for this page: veridag fit makes them.")
    items = []
    for k, (label, kind, text) in enumerate(files, 1):
        assert text is not None
        name = f"group-{k}.{'bif' if kind == 'text/plain' else 'json'}"
        items.append(tag("li", tag("a", name, download=name, href=_data_link(kind, text)), f": {label}"))
    said = "The network of each group, with parameters that are its own and partly shared with the others:"
    if next(iter(found.values())).is_gaussian:
        said = "The network of each group, with parameters of its own:"
    return joined(tag("p", said), tag("ul", *items))


def _files(report: Report) -> dict[str, tuple[str, str | None]]:
    """Kind and text by name, what matters most first; no text for what would be too long."""
    validation = report.validation
    files = {} if report.network is None else _network_files(report.network, MOST_CHARACTERS)
    files["graph.json"] = ("application/json", validation.best.cpdag.to_json())
    tables = {
        "learning-curves.csv": validation.rows(),
        "learners.csv": _learners(report),
        "features.csv": _features(validation),
        "distances.csv": _distances(validation),
    }
    if report.strengths is not None:
        tables["strengths.csv"] = [arc._asdict() for arc in report.strengths.arcs]
    if report.differences is not None:
        tables["groups.csv"] = _groups(report)
    return files | {name: ("text/csv", _csv(rows)) for name, rows in tables.items()}


def _network_files(network: Network, most: int) -> dict[str, tuple[str, str | None]]:
    """The network in the formats that suit it; none is written that has more probabilities than `most` allows."""
    entries = 0 if network.is_gaussian else sum(network.table(v).probabilities.size for v in network.dag.names)
    found: dict[str, tuple[str, str | None]] = {}
    for name, kind, format in (("network.bif", "text/plain", "bif"), ("network.json", "application/json", "json")):
        if format == "json" or not network.is_gaussian:  # BIF has no room for continuous variables
            text = None
            if CHARACTERS_OF_AN_ENTRY * entries <= most:
                buffer = BytesIO()
                write_network(network, buffer, format=format)
                text = buffer.getvalue().decode("utf-8")
            found[name] = (kind, text)
    return found


def _learners(report: Report) -> list[dict[str, Any]]:
    validation = report.validation
    overall = dict(zip(validation.labels, validation.overall.tolist(), strict=True))
    rows = []
    for learner in in_order(validation):
        result = learner.result
        assert result is not None
        loss = report.losses.get(learner.label)
        row = {
            "learner": learner.label,
            "companion": learner.companion,
            "phd": overall[learner.label],
            "arcs": len(result.graph.skeleton().edges),
            "score": result.score,
            "seconds": result.seconds,
            "calls": result.calls,
            "distinct_calls": result.distinct_calls,
            "log_loss": None if loss is None else float(loss),
            "settings": repr(learner.algorithm),
        }
        rows.append(row)
    return rows


def _features(validation: Validation) -> list[dict[str, Any]]:
    rows = []
    for feature in validation.features:
        for companion, votes in ((False, feature.votes), (True, feature.beside)):
            for how, who in votes.items():
                pair = dict(zip(("first", "second"), feature.pair, strict=True))
                rows += [{**pair, "joined": how, "learner": label, "companion": companion} for label in who]
    return rows


def _distances(validation: Validation) -> list[dict[str, Any]]:
    order, values = in_order(validation), pairwise_distances(validation)
    return [
        {"learner": a.label, **{b.label: d for b, d in zip(order, row, strict=True)}}
        for a, row in zip(order, values, strict=True)
    ]


def _groups(report: Report) -> list[dict[str, Any]]:
    found = report.differences
    assert found is not None
    return [
        {"from": a, "to": b, "group": group, "log_ratio": float(value), "verdict": found.verdict((a, b), group)}
        for (a, b), row in zip(found.arcs, found.evidence, strict=True)
        for group, value in zip(found.groups, row, strict=True)
    ]


def _csv(rows: list[dict[str, Any]]) -> str:
    text = StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _data_link(kind: str, text: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode('utf-8')).decode('ascii')}"
