"""What a reader can take away: the network, and the tables behind the page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from veridag.display import spreadsheet
from veridag.network import ConditionalGaussian, Network, Table
from veridag.network.fitting import RelatedNetworks
from veridag.network.formats import changed_names, network_text
from veridag.report.comparison import in_order, overall_distances, pairwise_distances
from veridag.report.content import Report
from veridag.trust.assessment.assessment import Assessment
from veridag.trust.validation import Validation

#: Files of more characters than this together are left out, the last first: the page is to stay below three million.
MOST_CHARACTERS = 700_000

#: The networks of the groups may take so much of the page together.
MOST_CHARACTERS_OF_GROUPS = 300_000

LINK_COLUMNS = ("a", "b", "joined", "forward", "backward", "why")

#: No file says a probability with fewer.
CHARACTERS_OF_AN_ENTRY = 3


@dataclass(frozen=True)
class File:
    """A file to take away, held by its link; those of groups have the group's label."""

    name: str
    link: str
    label: str = ""


@dataclass(frozen=True)
class Groups:
    """The networks of so many groups; no files if they are too large together. `pooled` if parameters are shared."""

    number: int
    pooled: bool
    files: Sequence[File]


@dataclass(frozen=True)
class View:
    """The files, and the names of those that are too large for the page; `note` is about names in network.bif."""

    files: Sequence[File]
    left_out: Sequence[str]
    groups: Groups | None
    note: str | None = None


def view(report: Report) -> View:
    """The network and the tables behind the page, as files."""
    files, left_out, room = [], [], MOST_CHARACTERS
    for name, (kind, text) in _files(report).items():
        if text is None or len(text) > room:
            left_out.append(name)
            continue
        room -= len(text)
        files.append(File(name, _data_link(kind, text)))
    groups = None if report.group_networks is None else _group_networks(report.group_networks)
    has_bif = any(file.name == "network.bif" for file in files)
    note = changed_names(report.network, "bif") if has_bif and report.network is not None else None
    return View(files, left_out, groups, note)


def _group_networks(found: RelatedNetworks) -> Groups:
    """The network of each group, unless they would make the page too large; names of groups are no names of files."""
    most = MOST_CHARACTERS_OF_GROUPS // len(found)
    pooled = next(iter(found.values())).kind == "discrete"
    files, room = [], MOST_CHARACTERS_OF_GROUPS
    for k, (label, network) in enumerate(found.items(), 1):
        kind, text = next(iter(_network_files(network, most).values()))
        if text is None or len(text) > room:
            return Groups(len(found), pooled, ())
        room -= len(text)
        files.append(File(f"group-{k}.{'bif' if kind == 'text/plain' else 'json'}", _data_link(kind, text), label))
    return Groups(len(found), pooled, files)


def _files(report: Report) -> dict[str, tuple[str, str | None]]:
    """Kind and text by name, what matters most first; no text for what would be too long."""
    validation = report.validation
    files = {} if report.network is None else _network_files(report.network, MOST_CHARACTERS)
    files["graph.json"] = ("application/json", report.graph.to_json())
    tables = {
        "links.csv": link_rows(report.assessment),
        "learning-curves.csv": validation.rows(),
        "learners.csv": _learners(report),
        "features.csv": _features(validation),
        "distances.csv": _distances(report.assessment),
    }
    if report.differences is not None:
        tables["groups.csv"] = _groups(report)
    return files | {name: ("text/csv", as_csv(rows)) for name, rows in tables.items()}


def _network_files(network: Network, most: int) -> dict[str, tuple[str, str | None]]:
    """The network in the formats that suit it; none is written that has more numbers than `most` allows."""
    entries = sum(
        cpd.probabilities.size if isinstance(cpd, Table) else ConditionalGaussian.of(cpd).rows.size
        for cpd in network.cpds.values()
    )
    found: dict[str, tuple[str, str | None]] = {}
    for name, kind, format in (("network.bif", "text/plain", "bif"), ("network.json", "application/json", "json")):
        if format == "json" or network.kind == "discrete":  # BIF has no room for continuous variables
            fits = CHARACTERS_OF_AN_ENTRY * entries <= most
            found[name] = (kind, network_text(network, format) if fits else None)
    return found


def link_rows(assessment: Assessment) -> list[dict[str, Any]]:
    """The chances of all pairs that are worth naming, with what speaks for them."""
    return [{name: getattr(arc, name) for name in LINK_COLUMNS} for arc in assessment.arcs]


def _learners(report: Report) -> list[dict[str, Any]]:
    validation = report.validation
    overall = overall_distances(validation)
    rows = []
    for learner in in_order(report.assessment):
        result = learner.result
        assert result is not None
        loss = report.losses.get(learner.label)
        row = {
            "learner": learner.label,
            "companion": learner.companion,
            "expected_errors": report.assessment.expected.get(learner.label),
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


def _distances(assessment: Assessment) -> list[dict[str, Any]]:
    order, values = in_order(assessment), pairwise_distances(assessment)
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


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Rows with the same columns as one text, with a head."""
    head = list(rows[0]) if rows else []
    return spreadsheet([head, *([row[name] for name in head] for row in rows)])


def _data_link(kind: str, text: str) -> str:
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode('utf-8')).decode('ascii')}"
